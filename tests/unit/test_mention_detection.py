"""Mention detection: known names in texts, and words that are unmistakably names."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgraph.language import known_words, longer_names, mention_detection, name_styles, normalisation, proper_names
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.ml import minilm

needs_lexicon = pytest.mark.skipif(minilm.unavailable_reason() is not None, reason="the lexicon comes with the weights")


def detected(text: str, *known: str, persons: tuple[str, ...] = ()) -> list[str]:
    """The known names in a text that are no part of a longer one."""
    annotated = AnnotatedText(text)
    written = {normalisation.key(name): [name] for name in (*known, *persons)}
    matches = mention_detection.detect(annotated, written)
    longer = longer_names.find(annotated, matches, persons={normalisation.key(name) for name in persons})
    return [text[match.start : match.end] for match in matches if match not in longer]


def longer_than(text: str, *known: str, persons: tuple[str, ...] = ()) -> list[str]:
    """The unknown names that a known one is only a part of."""
    annotated = AnnotatedText(text)
    matches = mention_detection.detect(annotated, {normalisation.key(name): [name] for name in (*known, *persons)})
    longer = longer_names.find(annotated, matches, persons={normalisation.key(name) for name in persons})
    return [name.name for name in dict.fromkeys(longer.values()) if name]


def detected_names(text: str) -> list[str]:
    return [name.name for name in proper_names.detect(text)]


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("C++ and C# are not C.", ["C++", "C#", "C"], ["C++", "C#", "C"]),
        ("It runs on .NET, not on the NET", [".NET", "NET"], [".NET", "NET"]),
        ("Figures of Q3 2025 and of Q3 2026", ["Q3 2025"], ["Q3 2025"]),
        ("Priya's idea, and Priya’s too", ["Priya"], ["Priya", "Priya"]),
        ("a PostgreSQL-based and non-Django way", ["PostgreSQL", "Django"], ["PostgreSQL", "Django"]),
        ("Anna-Maria owns the user-service", ["Anna", "Maria", "service"], []),
        ("O'Brien and O’Brien", ["O'Brien", "Brien"], ["O'Brien", "O’Brien"]),
        ("“Atlas”, (Atlas), **Atlas**, Atlas/Titan", ["Atlas"], ["Atlas"] * 4),
        ("Node.js is no Node", ["Node"], ["Node"]),
        ("Python 3.11 is not Python 3", ["Python 3"], ["Python 3"]),
        ("see https://example.org/Atlas or ask atlas@example.org", ["Atlas"], []),
        ("Jose\u0301 met José", ["José"], ["Jose\u0301", "José"]),
        ("the user service and the user", ["user service", "user"], ["user service", "user"]),
        ("Ada\n\nLovelace", ["Ada Lovelace"], []),
        ("Ada\nLovelace", ["Ada Lovelace"], ["Ada\nLovelace"]),
        ("我们在北京市使用PostgreSQL数据库", ["北京", "PostgreSQL"], ["北京", "PostgreSQL"]),
        ("アトラスとアト", ["アト"], ["アト"]),
        ("ผมอยู่ที่กรุงเทพมหานครวันนี้", ["กรุงเทพมหานคร"], ["กรุงเทพมหานคร"]),
        ("프리야는 서울에서", ["프리야", "서울"], ["프리야", "서울"]),
        ("Мы спросили Анну в Москве: Анна", ["Анна"], ["Анна"]),
        ("django and DJANGO", ["Django"], ["django", "DJANGO"]),
        ("Stress causes stress", ["stress"], ["Stress", "stress"]),
        ("it is the one", ["it", "the"], []),
        ("it is IT, and rest is REST", ["IT", "REST"], ["IT", "REST"]),
        ("", ["Ada"], []),
    ],
)
def test_a_known_name_is_found_where_it_is_meant(text, known, expected):
    assert expected == detected(text, *known)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will we go? May I? Mark it as done.", []),
        ("we will mark it in may", []),
        ("Ask Will and Mark, not May", ["Will", "Mark", "May"]),
        ("We met in May, on May 5", []),
        ("Will said so. Will's idea", ["Will"]),
        ("# How We Will Mark Our Work", []),
    ],
)
def test_a_name_that_is_an_ordinary_word_needs_a_capital_that_tells(text, expected):
    assert expected == detected(text, "Will", "Mark", "May")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Priya about it", ["Priya"]),
        ("priya agreed", ["priya"]),
        ("Priya Raman agreed", ["Priya Raman"]),
        ("Priya Sharma agreed", []),
        ("Anna Priya agreed", []),
        ("I met Priya Monday", ["Priya"]),
    ],
)
def test_a_first_name_is_found_unless_it_is_part_of_anothers_name(text, expected):
    assert expected == detected(text, persons=("Priya Raman", "Priya"))


LONGER = [
    ("Ilse Brandt called about the invoice.", ["Ilse Brandt"]),
    ("We met Ilse van der Berg, Ilse O'Hara and Ilse McDonald.", ["Ilse van der Berg", "Ilse O'Hara", "Ilse McDonald"]),
    ("- Write to Ilse M. Brandt", ["Ilse M. Brandt"]),
    ("They flew to Cedar Falcon on Monday.", ["Cedar Falcon"]),
    ("Falcon Systems sent the bill, for Falcon Freight.", ["Falcon Systems", "Falcon Freight"]),
    ("ILSE BRANDT CALLED", ["Ilse Brandt"]),
    ("Die Ilse Brandt hat wegen der Rechnung angerufen.", ["Ilse Brandt"]),
    ("Die Rechnung von Falcon Systems ist nicht da.", ["Falcon Systems"]),
    ("エマ・ブラントさんから電話", ["エマ・ブラント"]),
    ("佐藤花子さんから電話", ["佐藤花子"]),
]


@needs_lexicon
@pytest.mark.parametrize(("text", "expected"), LONGER)
def test_a_known_name_is_not_taken_inside_a_longer_one(text, expected):
    known = {"persons": ("Ilse", "エマ", "佐藤")}

    assert expected == longer_than(text, "Falcon", **known)
    assert detected(text, "Falcon", **known) == []


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dear Ilse, thanks. Called Ilse. Emailed Ilse Monday.", ["Ilse"] * 3),
        ("Aunt Ilse and Dr. Ilse met Captain Ilse and Director Ilse", ["Ilse"] * 4),
        ("Ilse's bakery, Ilse’s Diner, Ilse/Falcon, Falcon-based", ["Ilse", "Ilse", "Ilse", "Falcon", "Falcon"]),
        ("The Falcon Team met. Project Falcon, the Falcon API, Falcon Inc", ["Falcon"] * 4),
        ("FALCON STATUS UPDATE", ["FALCON"]),
        ("# Falcon Launch and Rollout Plan", ["Falcon"]),
        ("Gestern hat Ilse Kuchen gebacken und nicht angerufen.", ["Ilse"]),
        ("Der Falcon Zeitplan ist nicht fertig und die Frau Brandt wartet.", ["Falcon", "Brandt"]),
        ("The Cedar Falcon flies", ["Cedar Falcon"]),
        ("佐藤部長から電話。佐藤さんも。エマさんも", ["佐藤", "佐藤", "エマ"]),
    ],
)
def test_words_that_make_no_longer_name_leave_the_known_one(text, expected):
    assert expected == detected(text, "Falcon", "Cedar Falcon", persons=("Ilse", "Brandt", "エマ", "佐藤"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Using Django with PostgreSQL", ["Django", "PostgreSQL"]),
        ("Started Django project evaluation", ["Django"]),
        ("Chose PostgreSQL for new notification-service", ["PostgreSQL"]),
        ("Using the public API, GraphQL internal", ["API", "GraphQL"]),
        ("Ask Priya Raman about Project Atlas on Monday.", ["Priya Raman", "Atlas"]),
        ("I think we met in May. The Board agreed to it.", []),
        ("Run `kg_ingest` first; ``` Not In Code ``` PDFs follow", ["kg_ingest", "PDF"]),
        ("THIS IS ALL SHOUTED TEXT", []),
        ("TODO: FYI the ETA is OK", []),
        ("a report of the Bank of England", ["Bank of England"]),
        ("We saw Hon. Jack Wu, Maj. Gen. Tom Reed and Ada B. Lovelace.", ["Jack Wu", "Tom Reed", "Ada B. Lovelace"]),
        ("The clinic of St. Brigid's is closed.", ["St. Brigid"]),
        ("Wir haben den Termin auf den Montag verschoben, und die Planung ist fertig", []),
        ("write to Ada@Example.com or https://Example.com/Foo", []),
        ("", []),
    ],
)
def test_what_is_unmistakably_a_name_is_proposed(text, expected):
    assert expected == detected_names(text)


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Django project approved", ["Django"]),
        ("Postponed the launch. Refactor the login. Tweaked it. Discussed stress today.", []),
        ("# How We Will Ship Django", ["Django"]),
    ],
)
def test_at_the_beginning_of_a_sentence_a_word_that_is_not_english_is_a_name(text, expected):
    assert expected == detected_names(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wow Priya! Congrats, that is great.", ["Priya"]),
        ("Aww. Yup. Woohoo, Kafka works.", ["Kafka"]),
        ("Don't worry, Mei said. Don’t go.", ["Mei"]),
        ("We read the Great Gatsby.", ["Great Gatsby"]),
        ("# Installation\n\nWe use Grafana.\n\n# Changelog\n\nNothing.", ["Grafana"]),
    ],
)
def test_interjections_contractions_and_headings_are_no_names(text, expected):
    assert expected == [name.name for name in proper_names.detect(text)]


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Activists of the group asked. Connected clients wait. Reading is fun.", []),
        ("Customers complain about Login Failures and Slow Queries.", []),
        ("Water Damage was found in the Cellar, and Orders wait.", []),
        ("Buy Milk, Bread, Batteries from Lidl.", ["Lidl"]),
        ("Bug Reports and Pull Requests are welcome on GitHub.", ["GitHub"]),
        ("![Python Version](x.svg) works with Grafana", ["Grafana"]),
        ("Run `a=1` in `/etc/app` or `dist/`, with `True` and `f(x)`, then `kg_ingest`.", ["kg_ingest"]),
        ("We ask Contoso Inc and Maersk about Windows and Snowflake.", ["Contoso", "Maersk", "Windows", "Snowflake"]),
        ("Our lawyer, Olufemi Adeyemi of Harrow Legal, wrote.", ["Olufemi Adeyemi", "Harrow Legal"]),
        ("Emailed Olufemi. Letter of Marta.", ["Olufemi", "Marta"]),
        ("Vertrag von Tomasz", ["Tomasz"]),
        ("Contratto di Giulia. Birthday of Tomasz", ["Giulia", "Tomasz"]),
    ],
)
def test_ordinary_words_with_a_capital_are_no_names(text, expected):
    assert expected == detected_names(text)


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thomas Krüger fährt nach Bremen, die Rechnung liegt bei Hetzner.", ["Thomas Krüger", "Bremen", "Hetzner"]),
        ("Das Projekt Nordlicht läuft an der Universität Kassel.", ["Nordlicht", "Universität Kassel"]),
        ("Ich sprach mit Ursula von der Leyen über den Vertrag.", ["Ursula von der Leyen"]),
        ("Der Arzt hat die Tabletten verschrieben, und die Apotheke am Bahnhof hat sie nicht.", []),
        ("Appelé Mireille Aubin au sujet du bail. Elle est chez Foncia.", ["Mireille Aubin", "Foncia"]),
        ("Hablé con ella. Piotr Zieliński de Tejados Molina viene.", ["Piotr Zieliński", "Tejados Molina"]),
        ("Il dentista ha spostato la visita. Chiedere a Nico.", ["Nico"]),
        ("Кабинет закрыт. На приём пришла Вера Козлова.", ["Вера Козлова"]),
        ("김민수는 부산대학교에서 박지영을 만났다.", ["김민수", "부산대학교", "박지영"]),
        ("오늘 날씨가 좋다. 우리는 학교에 간다.", []),
        ("서비스를 Postgres로 옮겼다.", ["Postgres"]),
    ],
)
def test_names_are_told_from_ordinary_words_in_other_languages(text, expected):
    assert expected == detected_names(text)


@given(st.text(max_size=20))
def test_what_is_known_of_a_word_is_answered_for_any_word(word):
    answers = [known_words.is_frequent(word, known_words.LANGUAGES), known_words.is_person(word)]

    assert {type(answer) for answer in [*answers, known_words.is_place(word)]} == {bool}
    assert all(0 <= position < known_words.BITS for position in known_words.positions(word))


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They watched “Golden Mountains” twice.", ["Golden Mountains"]),
        ("Golden Mountains (2019) is a film.", ["Golden Mountains"]),
        ("They saw Slow Customers. Then we saw Slow Customers.", []),
    ],
)
def test_ordinary_words_are_a_name_where_the_text_shows_it(text, expected):
    assert expected == detected_names(text)


@needs_lexicon
@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("Then Henrik Lindqvist talks to us.", "person"),
        ("Attendees: Lucía, Henrik Lindqvist", "person"),
        ("We asked Mr. Ferreira.", "person"),
        ("We still use Lindqvist Bodoni here.", "term"),
        ("We saw the Lumen Severn again.", "term"),
        ("It goes to Deutsche Bahn.", "term"),
        ("It was decided by Judge Amara Diallo.", "person"),
        ("They asked Nurse Bianchi.", "person"),
        ("They thanked Sister Agnes.", "person"),
        ("Then we met Pieter van der Berg again.", "person"),
        ("She moved to Mercy Hospital.", "term"),
        ("They asked Marlowe Institute of Oceanography.", "term"),
    ],
)
def test_what_stands_beside_a_name_shows_whether_it_is_a_persons(text, style):
    assert style == proper_names.detect(text)[-1].style


@pytest.mark.parametrize(
    ("name", "style"),
    [("Ngozi Okafor", "person"), ("Theodora Bakopoulou", "person"), ("Apache Kafka", "term"), ("Kafka", "term")],
)
def test_a_full_name_is_that_of_a_person_though_no_list_has_it(name, style):
    assert [style] == [found.style for found in proper_names.detect(f"Then we met {name} again.")]


def test_what_is_known_is_not_proposed():
    text = "Using Django with PostgreSQL"
    known = mention_detection.detect(text, {"django": ["Django"]})

    expected = ["PostgreSQL"]

    assert expected == [name.name for name in proper_names.detect(text, besides=known)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada Lovelace", "person"),
        ("Alice", "person"),
        ("Atlas project", "title"),
        ("API", "term"),
        ("Grace Hospital", "term"),
    ],
)
def test_a_name_shows_how_it_is_made(name, expected):
    assert expected == name_styles.guess(name)


@given(st.text(alphabet="Ab1é .,-'/\n京アß", max_size=40))
def test_the_key_of_a_span_is_the_key_of_its_text(text):
    assert all(
        normalisation.key(text[span.start : span.end]) == span.key for span in mention_detection.candidate_spans(text)
    )


names = st.text(alphabet="Abé京ß ", min_size=1, max_size=4)
words = names | st.sampled_from(["Priya Sharma", "Berlin", "the", "\n"])


def test_a_name_is_detected_wherever_it_stands():
    matches = mention_detection.detect("Priya Sharma met Bo, and Bo left", {"bo": ["Bo"]})

    assert [(match.start, match.end) for match in matches] == [(17, 19), (25, 27)]


@given(st.lists(words, max_size=12), st.lists(names, max_size=5))
@example(["Priya Sharma", "met", "Bo", "and", "Bo"], ["Bo"])
def test_any_text_has_mentions_in_order_that_do_not_overlap(parts, known):
    text = " ".join([*parts, *known])
    matches = mention_detection.detect(text, {normalisation.key(name): [name] for name in known})

    assert all(one.end <= other.start for one, other in pairwise(matches))
    assert all(text[name.start : name.end] == name.name for name in proper_names.detect(text))
