"""Names of words for what an RDF document defines: from IRIs that can be read, else from labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from keepgraph.engine.vocabulary import wordings
from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import Iri
from keepgraph.formats.rdf_vocabulary import Definition, PropertyDefinition, TypeDefinition

_MIN_LETTERS = 2
_LONG_NUMBER = re.compile(r"\d{4}")


def choose(
    definitions: Sequence[TypeDefinition | PropertyDefinition],
    *,
    known: Mapping[Iri, str],
    taken: Collection[str],
    shared: Collection[str],
) -> dict[Iri, str]:
    """A name for each definition, each another one.

    Args:
        known: names of words that the vocabulary has with their IRIs.
        taken: names that the vocabulary has.
        shared: those of them that a definition of the same name means as well.
    """
    names = {definition.iri: known[definition.iri] for definition in definitions if definition.iri in known}
    used = set(names.values())
    next_numbers: dict[str, int] = {}
    for definition in definitions:
        if definition.iri in names:
            continue
        wording = _spell(definition)
        name = wording
        while name in used or (name in taken and name not in shared) or (name != wording and name in taken):
            number = next_numbers[wording] = next_numbers.get(wording, 1) + 1
            name = f"{wording[: wordings.MAX_WORD - 8].rstrip('_')}_{number}"
        names[definition.iri] = name
        used.add(name)
    return names


def spell_set(wordings_: Iterable[str], *, max_characters: int) -> str:
    """The first wording that can be the name of a set; "imported_set" if there is none."""
    for wording in wordings_:
        name = wordings.spell(wording)
        if name and len(name) <= max_characters:
            return name
    return "imported_set"


def _spell(definition: TypeDefinition | PropertyDefinition) -> str:
    return next((name for wording in _candidates(definition) if (name := wordings.spell(wording))), "word")


def _candidates(definition: Definition) -> Iterator[str]:
    """Wordings of a definition, the best first: of a concept its label, else the end of the IRI if it reads well."""
    label = rdf_statements.preferred_text(definition.labels)
    local_name = rdf_statements.local_name(definition.iri)
    is_concept = isinstance(definition, TypeDefinition) and definition.is_concept
    yield from (label, local_name) if is_concept or not _reads_well(local_name) else (local_name, label)


def _reads_well(local_name: str) -> bool:
    """Whether it consists of words rather than of a number: `worksAt` and `E21_Person`, not `Q42` or `GO_0008150`."""
    letter_count = sum(character.isalpha() for character in local_name)
    digit_count = sum(character.isdigit() for character in local_name)
    return letter_count >= _MIN_LETTERS and letter_count > digit_count and not _LONG_NUMBER.search(local_name)
