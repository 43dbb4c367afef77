"""The relations and entities of an answer that somebody spoke of, ready to be stored.

A relation needs a turn that names both ends as its evidence; an entity needs one that names it.
"""

from collections.abc import Sequence

import msgspec

from ashd import errors
from ashd.extraction import evidence, facts
from ashd.extraction.answer import Answer
from ashd.extraction.sources import Source
from ashd.extraction.writing import Named, Outcomes, Tie
from ashd.graph import edit as entities
from ashd.graph import store_relation as graph


def ties(
    answer: Answer, read: Sequence[Source], least_confidence: float, outcomes: Outcomes
) -> list[Tie]:
    """The relations that somebody stated: both ends are named in one turn."""
    types = {evidence.plain(one.name): one.type for one in answer.entities}
    turns = [source.turn for source in read]
    found = []
    for relation in answer.relations:
        at = evidence.speaker_of_relation(relation, turns)
        source = read[at] if at is not None else None
        if source is None or source.call is None or source.is_quoted:
            outcomes.refused["no evidence"] += 1
            continue
        if not least_confidence <= relation.confidence <= 1:
            outcomes.refused["low confidence"] += 1
            continue
        ends = [_name(end, source) for end in (relation.subject, relation.object)]
        try:
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
            found.append(Tie(source.call, graph.read_relation(params)))
        except msgspec.ValidationError:
            outcomes.refused["malformed"] += 1
        except errors.AshError as error:
            outcomes.refuse(error)
    return found


def _name(end: str, source: Source) -> str:
    """The name of an end: the speaker's own where it is the speaker."""
    spoken = source.turn.spoken
    if evidence.is_speaker(end, spoken):
        return spoken.speaker or spoken.display_name or spoken.handle or end
    return end


def names(answer: Answer, read: Sequence[Source], outcomes: Outcomes) -> list[Named]:
    """Return the entities that somebody named and that no relation of the answer stores."""
    related = {evidence.plain(end) for one in answer.relations for end in (one.subject, one.object)}
    found = []
    for entity in answer.entities:
        name = evidence.plain(entity.name)
        source = _named_in(name, read)
        if name in related:
            continue
        if source is None or source.call is None:
            outcomes.refused["no evidence"] += 1
            continue
        try:
            params = msgspec.convert(
                {"name": entity.name, "type": entity.type}, entities.EntityParams
            )
            found.append(Named(source.call, entities.read_entity(params)))
        except msgspec.ValidationError:
            outcomes.refused["malformed"] += 1
        except errors.AshError as error:
            outcomes.refuse(error)
    return found


def _named_in(name: str, read: Sequence[Source]) -> Source | None:
    """Return the last turn in which a speaker with an account names somebody or something else."""
    for source in reversed(read):
        said = source.turn.spoken
        may = source.speaks and not source.is_quoted and not evidence.is_speaker(name, said)
        if may and name and name in evidence.plain(said.content):
            return source
    return None
