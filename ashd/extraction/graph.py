"""The relations and entities of an answer that somebody spoke of, ready to be stored.

A relation needs a turn that names both ends as its evidence; an entity needs one that names it.
"""

from collections.abc import Mapping, Sequence

import msgspec

from ashd import errors
from ashd.extraction import evidence, facts
from ashd.extraction.answer import Answer, Relation
from ashd.extraction.sources import Source
from ashd.extraction.writing import WRONG_FORM, Named, Outcomes, Tie
from ashd.graph import edit as entities
from ashd.graph import store_relation as graph
from ashd.graph.audience import Spoken
from ashd.store.graph import EntityType


def ties(
    answer: Answer,
    read: Sequence[Source],
    spoken: Sequence[Spoken],
    least_confidence: float,
    outcomes: Outcomes,
) -> list[Tie]:
    """Return the relations that somebody stated, with the turns that name both ends."""
    types = {evidence.plain(one.name): one.type for one in answer.entities}
    turns = [source.turn for source in read]
    found = []
    for relation in answer.relations:
        naming = evidence.turns_of_relation(relation, turns)
        new = [read[at] for at in naming if turns[at].is_source]
        if not new or new[-1].call is None or new[-1].is_quoted:
            outcomes.refused["no evidence"] += 1
            continue
        if not least_confidence <= relation.confidence <= 1:
            outcomes.refused[evidence.LOW_CONFIDENCE] += 1
            continue
        try:
            stated = [
                (source.call, _stated(relation, types, source))
                for source in reversed(new)
                if source.call is not None and not source.is_quoted
            ]
            found.append(Tie(stated, [spoken[at] for at in naming]))
        except msgspec.ValidationError:
            outcomes.refused[WRONG_FORM] += 1
        except errors.AshError as error:
            outcomes.refuse(error)
    return found


def _stated(relation: Relation, types: Mapping[str, EntityType], source: Source) -> graph.Stated:
    """Return the relation as the speaker of a turn states it.

    Raises:
        msgspec.ValidationError, errors.AshError
    """
    ends = [_name(end, source) for end in (relation.subject, relation.object)]
    params = msgspec.convert(
        {
            "source": ends[0],
            "relation": relation.relation,
            "target": ends[1],
            "source_type": types.get(evidence.plain(relation.subject)),
            "target_type": types.get(evidence.plain(relation.object)),
            "confidence": relation.confidence,
            "valid_from": facts.time_of(relation.valid_from),
            "valid_until": facts.time_of(relation.valid_until),
        },
        graph.RelateParams,
    )
    return graph.read_relation(params)


def _name(end: str, source: Source) -> str:
    """The name of an end: the speaker's own where it is the speaker."""
    spoken = source.turn.spoken
    if evidence.is_speaker(end, spoken):
        return spoken.speaker or spoken.display_name or spoken.handle or end
    return end


def names(
    answer: Answer,
    read: Sequence[Source],
    spoken: Sequence[Spoken],
    outcomes: Outcomes,
) -> list[Named]:
    """Return the entities that somebody named and that no relation of the answer stores.

    Each as the turn that names it was `spoken`.
    """
    related = {evidence.plain(end) for one in answer.relations for end in (one.subject, one.object)}
    found = []
    for entity in answer.entities:
        name = evidence.plain(entity.name)
        at = _named_in(name, read)
        call = read[at].call if at is not None else None
        if name in related:
            continue
        if at is None or call is None:
            outcomes.refused["no evidence"] += 1
            continue
        try:
            params = msgspec.convert(
                {"name": entity.name, "type": entity.type}, entities.EntityParams
            )
            found.append(Named(call, entities.read_entity(params), spoken[at]))
        except msgspec.ValidationError:
            outcomes.refused[WRONG_FORM] += 1
        except errors.AshError as error:
            outcomes.refuse(error)
    return found


def _named_in(name: str, read: Sequence[Source]) -> int | None:
    """Return the last turn in which a speaker with an account names somebody or something else."""
    for at, source in reversed([*enumerate(read)]):
        said = source.turn.spoken
        may = source.speaks and not source.is_quoted and not evidence.is_speaker(name, said)
        if may and name and name in evidence.plain(said.content):
            return at
    return None
