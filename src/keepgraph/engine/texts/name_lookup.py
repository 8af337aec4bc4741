"""Lookup of the names of one group: by key, by prefix, and of persons by a part of their name; each is read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.store.transactions import Tx

# With so many persons who have a word in their names, none is meant by that word alone.
_MAX_PERSONS = 50


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity by one of its names.

    Attributes:
        written: the name or alias, or the part of it, as the graph has it.
        row: the row of the entity.
        type: its type.
        name: its name.
        how: whether `written` is its "name" or an "alias".
    """

    written: str
    row: int
    type: str
    name: str
    how: str


class NameLookup:
    """The names of a group, with a cache for the texts that are read in one transaction."""

    def __init__(self, tx: Tx, group: str) -> None:
        self.tx = replace(tx, group=group)
        self.group = group
        self.vocabulary = graph_vocabulary.read(tx)
        self._person_types = self.vocabulary.types_of_style("person")
        self._by_key: dict[str, tuple[NamedEntity, ...]] = {}
        self._is_prefix: dict[str, bool] = {}
        self._person_by_part: dict[str, NamedEntity | None] = {}

    def by_keys(self, keys: Iterable[str]) -> dict[str, tuple[NamedEntity, ...]]:
        """Those of the keys that are names, each with the entities that have it."""
        requested = set(keys)
        missing = sorted(requested - self._by_key.keys())
        entities: dict[str, list[NamedEntity]] = defaultdict(list)
        rows = store.mention_lookups.entities_by_keys(self.tx, missing, group=self.group) if missing else ()
        for key, written, row, entity_type, name, how in rows:
            entities[key].append(NamedEntity(written, row, entity_type, name, how))
        self._by_key.update({key: tuple(entities.get(key, ())) for key in missing})
        return {key: self._by_key[key] for key in requested if self._by_key[key]}

    def by_name(self, name: Name, *, of_type: str | None = None) -> tuple[NamedEntity, ...]:
        """The entities with this name; else the only person with this first or last name.

        Args:
            of_type: only entities of this type and its subtypes; None for any.
        """
        types = None if of_type is None else self.vocabulary.with_subtypes([of_type])
        entities = self.by_keys([name.key]).get(name.key, ())
        if matches := tuple(entity for entity in entities if types is None or entity.type in types):
            return matches
        person = self.person_by_part(name.key) if " " not in name.key else None
        return (person,) if person and (types is None or person.type in types) else ()

    def prefixes(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys with which some name begins."""
        requested = set(keys)
        if missing := sorted(requested - self._is_prefix.keys()):
            prefixes = set(store.mention_lookups.prefixes_of_names(self.tx, missing, group=self.group))
            self._is_prefix.update({key: key in prefixes for key in missing})
        return {key for key in requested if self._is_prefix[key]}

    def person_by_part(self, key: str) -> NamedEntity | None:
        """The only person whose first or last name has this key; None where there is none, or there are several."""
        if key not in self._person_by_part:
            self._person_by_part[key] = self._read_person_by_part(key)
        return self._person_by_part[key]

    def _read_person_by_part(self, key: str) -> NamedEntity | None:
        rows = store.mention_lookups.entities_with_word(
            self.tx, full_text_phrase(key), of_types=self._person_types, group=self.group, limit=_MAX_PERSONS
        )
        persons: dict[int, NamedEntity] = {}
        for row, entity_type, name, written in rows:
            words = written.split()
            part = next((word for word in (words[0], words[-1]) if Name(word).key == key), None)
            if part and len(words) > 1:
                persons[row] = NamedEntity(part, row, entity_type, name, "name")
        return next(iter(persons.values())) if len(persons) == 1 and len(rows) < _MAX_PERSONS else None


def full_text_phrase(words: str) -> str:
    """A full-text query for these words side by side."""
    quoted = words.replace('"', '""').replace("\0", "")
    return f'"{quoted}"'
