"""The vocabulary of a graph as one value: types with their styles and kinds, predicates with their roles and ends.

Code asks it for styles and roles, never for words: the words are data.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, get_args

from keepgraph import lazy, store
from keepgraph.model import EntityType, NameStyle, Predicate, Role, VocabularySet, VocabularyTerm
from keepgraph.store.transactions import Tx

DEFAULT_STYLE: NameStyle = "term"
_CACHE_KEY = "vocabulary"


def read(tx: Tx) -> Vocabulary:
    """The vocabulary of the graph, reread only when it has changed."""
    # Within a transaction it can only change if a row was written since.
    changes_before, vocabulary = tx.memo.get((_CACHE_KEY,), (-1, None))
    if changes_before is not None and changes_before != tx.changes:
        # A reader that sees the revision of its last transaction sees the same words.
        vocabulary = tx.cached(_CACHE_KEY, lambda: _read_current(tx)) if tx.revision else _read_current(tx)
        tx.memo[(_CACHE_KEY,)] = tx.changes, vocabulary
    return vocabulary  # type: ignore[no-any-return] # the memo holds values of any kind


def keep(tx: Tx) -> Vocabulary:
    """The vocabulary, not reread in this transaction: for a call that writes, and changes no word."""
    vocabulary = read(tx)
    tx.memo[(_CACHE_KEY,)] = None, vocabulary
    return vocabulary


def _read_current(tx: Tx) -> Vocabulary:
    revision = store.vocabulary.revision(tx)
    cache = cache_of(revision)
    if _CACHE_KEY not in cache:
        cache[_CACHE_KEY] = Vocabulary(
            revision,
            tuple(store.vocabulary.sets(tx)),
            tuple(store.vocabulary.entity_types(tx)),
            tuple(store.vocabulary.predicates(tx)),
        )
    return cache[_CACHE_KEY]  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def cache_of(revision: str) -> dict[Any, Any]:
    """What was computed from a revision of a vocabulary, for all graphs of the process that have it.

    A revision is a random number that every change replaces: two graphs share one if one is a copy of the other
    and neither has changed its words since.
    """
    return {}


@lazy.dataclass(frozen=True)
class Vocabulary:
    """The words of a graph, retired ones too. Words are passed and returned by name.

    Attributes:
        revision: differs after every change.
        types, predicates: in order of addition.
    """

    revision: str
    sets: tuple[VocabularySet, ...]
    types: tuple[EntityType, ...]
    predicates: tuple[Predicate, ...]

    @cached_property
    def type_by_name(self) -> Mapping[str, EntityType]:
        return {term.name: term for term in self.types}

    @cached_property
    def predicate_by_name(self) -> Mapping[str, Predicate]:
        return {term.name: term for term in self.predicates}

    @cached_property
    def predicate_by_row(self) -> Mapping[int, Predicate]:
        return {term.row: term for term in self.predicates}

    @property
    def usable_types(self) -> tuple[EntityType, ...]:
        """The types that an entity may have: neither retired nor abstract."""
        return tuple(term for term in self.types if term.retired_at is None and not term.is_abstract)

    @property
    def usable_predicates(self) -> tuple[Predicate, ...]:
        """The predicates that a fact may have: those not retired."""
        return tuple(term for term in self.predicates if term.retired_at is None)

    def is_usable_type(self, entity_type: str) -> bool:
        """Whether an entity may have this type."""
        term = self.type_by_name.get(entity_type)
        return term is not None and term.retired_at is None and not term.is_abstract

    def terms(self, kind: str) -> tuple[VocabularyTerm, ...]:
        """All words of a kind: `store.vocabulary.ENTITY_TYPE` or `PREDICATE`."""
        return self.types if kind == store.vocabulary.ENTITY_TYPE else self.predicates

    def term(self, kind: str, name: str) -> VocabularyTerm | None:
        by_name = self.type_by_name if kind == store.vocabulary.ENTITY_TYPE else self.predicate_by_name
        return by_name.get(name)

    # Types

    def ancestors(self, entity_type: str) -> tuple[str, ...]:
        """The supertypes of a type, nearest first; not itself."""
        return self._ancestors.get(entity_type, ())

    def with_subtypes(self, entity_types: Iterable[str]) -> tuple[str, ...]:
        """These types and all their subtypes, each once."""
        wanted = list(dict.fromkeys(entity_types))
        return tuple(
            dict.fromkeys([*wanted, *(name for parent in wanted for name in self._descendants.get(parent, ()))])
        )

    def is_kind_of(self, entity_type: str, other: str) -> bool:
        """Whether a type is another one or a subtype of it."""
        return entity_type == other or other in self.ancestors(entity_type)

    def with_ancestors(self, entity_type: str) -> frozenset[str]:
        """A type and all its supertypes."""
        return self._lineages.get(entity_type) or frozenset([entity_type])

    def excludes(self, entity_type: str, other: str) -> bool:
        """Whether nothing can be of both types, because they or supertypes of them are disjoint."""
        return not self._excluded.get(entity_type, frozenset()).isdisjoint(self.with_ancestors(other))

    def related_types(self, entity_type: str) -> frozenset[str]:
        """The types of what may be the same as an entity of this type: its supertypes and its subtypes.

        All kinds of people count together: an engineer may be the same as a manager.
        """
        related = {*self.with_ancestors(entity_type), *self._descendants.get(entity_type, ())}
        return frozenset(
            related.union(self.types_of_style("person")) if self.style(entity_type) == "person" else related
        )

    def style(self, entity_type: str) -> NameStyle:
        """How the names of a type are formed: its own style, else that of its nearest ancestor."""
        return self._styles.get(entity_type, DEFAULT_STYLE)

    def types_of_style(self, *styles: NameStyle) -> tuple[str, ...]:
        """The types whose names are formed in one of these ways."""
        return tuple(term.name for term in self.types if self._styles[term.name] in styles)

    def default_type(self, style: NameStyle) -> str:
        """The type for a name with a known style only: the first of the style, usable and without a parent.

        Raises:
            LookupError: the vocabulary has no usable type.
        """
        if not self._default_types:
            raise LookupError("the vocabulary has no usable entity type")
        return self._default_types[style]

    @cached_property
    def default_types(self) -> frozenset[str]:
        """The types for names with a known style only, one for each style."""
        return frozenset(self._default_types.values())

    @cached_property
    def decision_types(self) -> tuple[str, ...]:
        """The types of decisions: those that a predicate in the role "decides" leads to."""
        return self.with_subtypes(end for term in self.of_role("decides") for end in term.targets)

    @cached_property
    def project_types(self) -> tuple[str, ...]:
        """The types, persons apart, of what decides: those that a predicate in the role "decides" starts from."""
        sources = self.with_subtypes(end for term in self.of_role("decides") for end in term.sources)
        return tuple(name for name in sources if self.style(name) != "person")

    # Predicates

    def of_role(self, *roles: Role) -> tuple[Predicate, ...]:
        """The predicates with these roles that facts are stored under."""
        return tuple(term for role in roles for term in self._predicates_by_role.get(role, ()))

    def names_of_role(self, *roles: Role) -> tuple[str, ...]:
        return tuple(term.name for term in self.of_role(*roles))

    def role(self, predicate: str) -> Role | None:
        """The role of a predicate; None if it has none or does not exist."""
        term = self.predicate_by_name.get(predicate)
        return term.role if term else None

    def inverses(self, predicate: str) -> tuple[str, ...]:
        """The predicates that say the same with the ends swapped: for `works_at`, `employs`."""
        return self._inverses.get(predicate, ())

    def fits(self, predicate: Predicate, subject_type: str, object_type: str | None) -> bool:
        """Whether a predicate accepts a fact with these types at its ends: they are its types or subtypes of them.

        Args:
            object_type: None for a literal.
        """
        if not predicate.has_binding_ends:
            return True
        if not self.fits_side(predicate.sources, subject_type):
            return False
        if object_type is None:
            return predicate.literal_kind is not None or not predicate.targets
        return predicate.literal_kind is None and self.fits_side(predicate.targets, object_type)

    def fits_side(self, allowed: Sequence[str], entity_type: str) -> bool:
        """Whether a type is among the types of one side of a predicate; an empty side accepts any."""
        return not allowed or not self.with_ancestors(entity_type).isdisjoint(allowed)

    @cached_property
    def _predicates_by_role(self) -> Mapping[Role, tuple[Predicate, ...]]:
        by_role: dict[Role, list[Predicate]] = {}
        for term in self.predicates:
            if term.role is not None and term.inverse_of is None:
                by_role.setdefault(term.role, []).append(term)
        return {role: tuple(terms) for role, terms in by_role.items()}

    @cached_property
    def _inverses(self) -> Mapping[str, tuple[str, ...]]:
        inverses: dict[str, tuple[str, ...]] = {}
        for term in self.predicates:
            if term.inverse_of is not None:
                inverses[term.inverse_of] = (*inverses.get(term.inverse_of, ()), term.name)
        return inverses

    @cached_property
    def _ancestors(self) -> Mapping[str, tuple[str, ...]]:
        parents = {term.name: term.parents for term in self.types}
        ancestors: dict[str, tuple[str, ...]] = {}
        for name in parents:
            seen: dict[str, None] = {}
            pending = deque(parents[name])
            while pending:
                parent = pending.popleft()
                if parent not in seen and parent != name:
                    seen[parent] = None
                    pending.extend(parents.get(parent, ()))
            ancestors[name] = tuple(seen)
        return ancestors

    @cached_property
    def _default_types(self) -> Mapping[NameStyle, str]:
        defaults: dict[NameStyle, str] = {}
        usable = self.usable_types
        for style in get_args(NameStyle) if usable else ():
            of_style = [term for term in usable if self._styles[term.name] == style]
            defaults[style] = ([term for term in of_style if not term.parents] or of_style or usable)[0].name
        return defaults

    @cached_property
    def _lineages(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset([name, *ancestors]) for name, ancestors in self._ancestors.items()}

    @cached_property
    def _excluded(self) -> Mapping[str, frozenset[str]]:
        disjoint = {term.name: term.disjoint for term in self.types}
        return {
            name: frozenset([other for one in lineage for other in disjoint.get(one, ())])
            for name, lineage in self._lineages.items()
        }

    @cached_property
    def _descendants(self) -> Mapping[str, tuple[str, ...]]:
        descendants: dict[str, list[str]] = {}
        for name, ancestors in self._ancestors.items():
            for ancestor in ancestors:
                descendants.setdefault(ancestor, []).append(name)
        return {name: tuple(kinds) for name, kinds in descendants.items()}

    @cached_property
    def _styles(self) -> Mapping[str, NameStyle]:
        own = {term.name: term.style for term in self.types}
        return {
            name: next((style for other in (name, *self._ancestors[name]) if (style := own.get(other))), DEFAULT_STYLE)
            for name in own
        }


def labels_of_type(tx: Tx, entity_type: str) -> tuple[str, ...]:
    """The labels in Cypher of the entities of a type: its own, then those of its supertypes."""
    return tuple(map(type_label, (entity_type, *read(tx).ancestors(entity_type))))


def find(tx: Tx, kind: str, wording: str) -> VocabularyTerm | None:
    """The word of the vocabulary for a wording: by its name in any spelling, else by a label; None if there is none.

    Retired words are found only by their own names.
    """
    return next(iter(find_all(tx, kind, wording)), None)


def terms_called(tx: Tx, kind: str, wording: str) -> list[VocabularyTerm]:
    """`find_all` for a wording from our own code: cached until the vocabulary changes."""
    cache = cache_of(read(tx).revision)
    if (kind, wording) not in cache:
        cache[kind, wording] = find_all(tx, kind, wording)
    return cache[kind, wording]  # type: ignore[no-any-return]


def find_all(tx: Tx, kind: str, wording: str) -> list[VocabularyTerm]:
    """All words of the vocabulary that a wording may mean, in the order in which `find` prefers them.

    The exact name of a word means that word alone.
    """
    vocabulary = read(tx)
    if exact := vocabulary.term(kind, wording):
        return [exact]
    key = wording_key(wording)
    if not key:
        return []
    named = vocabulary.term(kind, key.replace(" ", "_"))
    by_row = {term.row: term for term in vocabulary.terms(kind)}
    labelled = [by_row[row] for row in store.vocabulary.find_by_label(tx, kind, key) if row in by_row]
    others = [term for term in labelled if term.retired_at is None and term is not named]
    # If a type and its subtype share a label, the subtype is meant: a book is a document before a source.
    inherited = {name for term in others for name in vocabulary.ancestors(term.name)}
    others.sort(key=lambda term: term.name in inherited)
    return [named, *others] if named else others


# Wordings of entity types and predicates: their keys, and the spelling of vocabulary words.

MAX_WORD = 100
"""The longest name of a word, in characters."""

RESERVED_LABELS = ("Literal", "Entity")
"""The labels of Cypher that mean no entity type."""

_MAX_CACHED = 8_000  # wordings: those of a large vocabulary are compared repeatedly
_LOWER_BEFORE_UPPER = lazy.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_PLURALS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
_NOT_WORD = lazy.compile(r"[\W_]+")


@lru_cache(maxsize=_MAX_CACHED)
def wording_key(wording: str) -> str:
    """The form for comparison: words in lower case, one space between: `WorksAt` and `works_at` are `works at`."""
    separated = _LOWER_BEFORE_UPPER.sub(" ", unicodedata.normalize("NFKC", wording)).casefold()
    if separated.isascii():
        return _NOT_WORD.sub(" ", separated).strip()
    # In many scripts vowels are marks, which are not letters to a regular expression.
    return " ".join("".join(c if c.isalnum() or _is_mark(c) else " " for c in separated).split())


def spell(wording: str) -> str:
    """A wording spelled as a word of the vocabulary: `Works at` is `works_at`; empty if it has no letter."""
    return wording_key(wording).replace(" ", "_")[:MAX_WORD].rstrip("_")


@lru_cache(maxsize=_MAX_CACHED)
def type_label(entity_type: str) -> str:
    """An entity type as a label of Cypher: `research_paper` is `ResearchPaper`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\s-]+", entity_type) if part)


def singular(wording: str) -> str:
    """The key of a wording that ends in an English plural, with its singular: `companies` is `company`.

    Empty if it is not a plural.
    """
    plural = wording_key(wording)
    for ending, replacement in _PLURALS:
        if plural.endswith(ending) and not plural.endswith("ss"):
            return plural.removesuffix(ending) + replacement
    return ""


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"
