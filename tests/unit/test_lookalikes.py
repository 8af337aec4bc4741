"""Names that look the same: what they look like, and the keys by which one is found from the other."""

from __future__ import annotations

import pytest

from keepgraph.language import normalisation, romanisation

ALIKE = [
    ("Paula Weber", "PauIa Weber"),
    ("Ines Moor", "lnes Moor"),
    ("Bill Ott", "Bi11 Ott"),
    ("Oslo", "0slo"),
    ("Emma Stark", "Ernma Stark"),
    ("Paula Peace", "Раulа Реасе"),
    ("Pepe Poca", "Рере Роса"),
    ("Nora Vox", "Νοrа Vох"),
    ("Kai Otto", "Κаі Оttо"),
]
DIFFERENT = [
    ("IBM", "LBM"),
    ("Ivan", "Иван"),
    ("Paula", "Pavla"),
    ("Oslo", "Qslo"),
    ("Room 10", "Room 11"),
    ("Роза", "Posa"),
]


@pytest.mark.parametrize(("genuine", "other"), ALIKE)
def test_names_that_look_the_same_are_found_from_one_another(genuine, other):
    assert romanisation.appearance(genuine) == romanisation.appearance(other)
    assert normalisation.key(genuine) in romanisation.keys(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_names_that_look_different_are_told_apart(one, other):
    assert romanisation.appearance(one) != romanisation.appearance(other)


@pytest.mark.parametrize("name", ["Ada", "ada", "Jürgen Groß", "東京", ""])
def test_a_name_that_looks_like_no_other_has_no_other_key(name):
    assert romanisation.keys(name) == []
