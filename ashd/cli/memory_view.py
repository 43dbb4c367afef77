"""Views of the results that the commands of `ash memory` print."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ashd import wording
from ashd.cli import project_hint
from ashd.cli.formats import owner, quoted, short, text_of
from ashd.cli.inputs import NEVER
from ashd.cli.output import note
from ashd.cli.views import MORE, Each, Fields, Line, Note, Table, View

_MOST_RESULTS: Final = 100
"""The largest `limit` of a search, as in `limits`, which takes milliseconds to import."""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_OUTCOMES: Final = {"added": "Stored", "duplicate": "Already there"}
_REPLACE: Final = "ash memory supersede {newer:short} {id:short}"

MAY_BE: Final = View(
    Each(
        "may_be",
        View(
            Note("{reference} could be {name}{relationship:brackets} too: {id:short}."),
            Note("If so: ash person merge {of:short} {id:short}"),
        ),
    )
)
"""The other people who could be meant, and how to merge them with the one who was taken."""
_FACT: Final = View(
    View(
        Line(" {error.message}", verb="refused", colour="red"),
        Line("         {error.data.hint}", "error.data.hint"),
        only="!memory",
    ),
    View(
        Line("{memory:echo}", verb=lambda entry: _OUTCOMES.get(entry["outcome"], "Stored")),
        Fields(
            "type {memory.memory_type} | whose {memory:owner} | project {memory.project:project}"
            " | about {about} | expires {memory.expires_at:when} | repeats {repeats:short}",
            "  ",
        ),
        Note("Not kept: {not_kept} (the memory keeps its own).", "not_kept"),
        Note("`ash memory update` changes {changed}.", "changed"),
        MAY_BE,
        Note("`ash memory delete {memory.id:short}` takes it back.", "is_new"),
        Each(
            "superseded",
            View(
                Line("  replaces {:echo}", "content"),
                Line("  replaces {id:short}", "!content"),
                Note(f"If both are true: {_REPLACE} --verdict both"),
            ),
        ),
        Each(
            "may_replace",
            View(
                Line("  may replace {:echo}"),
                Note(f"If so: {_REPLACE}; if both are true: {_REPLACE} --verdict both"),
            ),
        ),
        only="memory",
    ),
)
_ADDED: Final = View(
    Each("memories", _FACT),
    Note("The embedder is not ready: what this replaces is judged when it is.", "lacks.embedder"),
    Note(
        "There was no time to compare all of it with what is known: that follows by itself.",
        "lacks.judge",
    ),
)


_COUNTED: Final = View(Note("{memories:memories} found."))
_QUEUED: Final = View(Line("Looking for facts in the background, job {job_id}."))


def added(result: dict[str, Any], replaced: Mapping[str, str] = _NONE) -> None:
    """Print the outcome of each fact; `replaced` has texts of memories that they replaced."""
    result["memories"] = [_fact(entry, replaced) for entry in result["memories"]]
    result["lacks"] = dict.fromkeys(result.pop("degraded", None) or (), True)
    _ADDED(result)


def _fact(entry: dict[str, Any], replaced: Mapping[str, str]) -> dict[str, Any]:
    """Return the outcome of a fact with the other values that its view needs."""
    newer = (entry.get("memory") or {}).get("id")
    people = entry.get("people") or []
    return {
        **entry,
        "is_new": entry.get("outcome") == "added",
        "about": [one["name"] + (" (new)" if one.get("created") else "") for one in people],
        "may_be": offers(people),
        "changed": [name for name in entry.get("not_kept") or () if name != "observed_at"],
        "superseded": [
            {"id": older, "content": replaced.get(older), "newer": newer}
            for older in entry.get("superseded") or ()
        ],
        "may_replace": [{**older, "newer": newer} for older in entry.get("may_replace") or ()],
    }


def offers(people: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries for `MAY_BE`: for each person, who else could be meant."""
    return [
        {"relationship": None, **other, "of": one["id"], "reference": one["name"]}
        for one in people
        for other in one.get("may_be") or ()
    ]


def extracted(result: dict[str, Any], replaced: Mapping[str, str] = _NONE) -> None:
    """Print the facts that were found, or the job that looks for them."""
    if "memories" in result:
        added(result, replaced)
        _COUNTED(result)
    else:
        _QUEUED(result)


def _signals(hit: Mapping[str, Any]) -> str:
    """Return the parts of a result's score, and its rank in each leg."""
    legs, terms = wording.signals(hit["signals"])
    parts = [f"{wording.signal(name)} {value:+.2f}" for name, value in terms.items()]
    return ", ".join(
        [f"no. {rank} {wording.leg(name)}" for name, (rank, _) in legs.items()] + parts
    )


_EXPLAINED: Final = Note("{memory.id:short}: {signals}", "signals")


def _prepare(result: dict[str, Any]) -> None:
    """Put the texts and the signals of results into words."""
    cuts = (result.get("withheld") or {}).get("best") or []
    for cut in cuts:
        cut["why"] = wording.withheld(cut["why"])
    for hit in [*result["results"], *(cut["result"] for cut in cuts)]:
        hit["text"] = text_of(hit["memory"], hit.get("passage"))
        if hit.get("signals"):
            hit["signals"] = _signals(hit)


def _more(result: Mapping[str, Any]) -> None:
    """Say how many results are not shown, and how to see them."""
    withheld, shown = result.get("withheld") or {}, len(result["results"])
    if beyond := withheld.get("over_limit"):
        most = min(shown + beyond, _MOST_RESULTS)
        verb, them = ("fits", "it") if beyond == 1 else ("fit", "them")
        note(f"{beyond} more {verb}{f'; -n {most} shows {them}' if shown < most else ''}.")
    if unfit := withheld.get("below_threshold"):
        matches, them = ("match", "it") if unfit == 1 else ("matches", "them")
        note(f"{unfit} weak {matches} hidden; --min-score 0 shows {them}.")
    if all(hit["weak"] for hit in result["results"]):
        note("No sure answer; `ash recall` searches conversations, too.")


FOUND: Final = View(
    _prepare,
    Table(
        "results",
        "SCORE>! {:score} | ID! {memory.id:short} | CONTENT~ {text} | ABOUT {about}"
        " | TRUST? {trust} | DATE? {memory.observed_at or memory.created_at:day}",
        lines=4,
    ),
    Each(
        "results",
        View(Note("{memory.id:short} came by a relation: {via}.", "via"), _EXPLAINED),
    ),
    Each(
        "withheld.best",
        View(
            Line("Not shown ({why}): {result:score}  {result.memory:echo}"),
            Note("{result.memory.id:short}: {result.signals}"),
        ),
    ),
    Note("{results:memories} found.", "results"),
    Note("Nothing relevant found.", "!results"),
    _more,
    project_hint.remark,
)

_ROW: Final = "TYPE {memory_type} | STORED? {created_at:day} | CONTENT~ {:text}"
_PAGE: Final = View(Table("memories", f"ID! {{id:short}} | {_ROW}"))
_PAGE_OF_MANY: Final = View(Table("memories", f"ID! {{id:short}} | WHOSE {{:owner}} | {_ROW}"))


def _page(result: dict[str, Any]) -> None:
    """Print a page of memories, with the owners where they differ."""
    owners = {owner(memory) for memory in result["memories"]}
    (_PAGE_OF_MANY if len(owners) > 1 else _PAGE)(result)


LISTED: Final = View(
    _page,
    Note("{memories:count} of {total:memories}."),
    Note(
        "A filter may leave some out. `ash account list` shows which accounts have memories;"
        " --as names one.",
        "!total",
    ),
    MORE,
)
CHAIN: Final = View(
    Table(
        "chain",
        "ID {id:short} | STORED {created_at:when} | CONTENT~ {:text}",
        lines=4,
    )
)


_UPDATED: Final = View(
    Line("{memory:echo}", verb="Changed"),
    Line("  replaces {previous_id:short}", "previous_id"),
    Note("`ash memory delete {memory.id:short}` brings the former text back.", "previous_id"),
    Note("`ash {undo}` undoes it.", "undo"),
    MAY_BE,
)


LABEL: Final = frozenset(
    {
        *("type", "tags", "sensitivity", "portable", "subjects", "everywhere"),
        *("expires_at", "expires_in_days"),
    }
)
"""The changes that `ash memory edit` makes in place, and can take back."""


def updated(result: dict[str, Any], former: Mapping[str, Any]) -> None:
    """Print a memory that was changed, and how to undo that; `former` is it before, if known."""
    result["may_be"] = offers(result.get("people") or ())
    if result.get("previous_id") == result["memory"]["id"]:
        result["previous_id"] = None
    if former and not result.get("previous_id"):
        result["undo"] = _undo_of_edit(former, result["memory"])
    _UPDATED(result)


def _undo_of_edit(former: Mapping[str, Any], memory: Mapping[str, Any]) -> str | None:
    """Return the command that gives a memory what it had; None if nothing was changed."""
    options = _label_options(former, memory)
    left = former["project"] if not memory["project"] else None
    place = ["--project", quoted(left["id"])] if left else []
    return " ".join([*place, "memory edit", short(memory["id"]), *options]) if options else None


def _label_options(former: Mapping[str, Any], memory: Mapping[str, Any]) -> list[str]:
    """Return the options that give a memory its former label."""
    parts = []
    if former["portable"] != memory["portable"]:
        parts.append("--portable" if former["portable"] else "--no-portable")
    if former["sensitivity"] not in {None, memory["sensitivity"]}:
        parts.append(f"--sensitivity {former['sensitivity']}")
    if former["memory_type"] != memory["memory_type"]:
        parts.append(f"--type {former['memory_type']}")
    if former["tags"] != memory["tags"]:
        parts += [f"--tag {quoted(tag)}" for tag in former["tags"] or [""]]
    if former["subject_person_ids"] != memory["subject_person_ids"]:
        parts += [f"--subject {quoted(one)}" for one in former["subject_person_ids"] or [""]]
    if former["expires_at"] != memory["expires_at"]:
        parts.append(f"--expires {former['expires_at'] or NEVER}")
    if former["project"] != memory["project"]:
        parts.append("--this-project" if former["project"] else "--everywhere")
    return parts


_UNDO_VERDICT: Final = "The same command with --verdict unsure undoes it."
_SETTLE: Final = "`ash memory conflicts` settles it."
SUPERSEDED: Final = {
    verdict: View(Line("{memory:echo}", verb=said), Note(undo))
    for verdict, said, undo in (
        (None, "Confirmed", _UNDO_VERDICT),
        ("replaces", "Confirmed", _UNDO_VERDICT),
        ("both", "Both kept", _UNDO_VERDICT),
        ("unsure", "Offered again", _SETTLE),
    )
}
DELETED: Final = View(
    Line("{memory:echo}", verb="Deleted"),
    Line("  an older memory is active again: {:short}", each="reactivated"),
    Note("`ash memory restore {memory.id:short}` brings it back."),
)
RESTORED: Final = View(
    Line("{memory:echo}", "restored", verb="Restored"),
    Note("`ash memory delete {memory.id:short}` takes it back.", "restored"),
    View(
        Line("Not restored {memory:echo}"),
        Note("It was not deleted; it is {memory:state|active}. Nothing changed."),
        only="!restored",
    ),
)
