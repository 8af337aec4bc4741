"""Markdown notes: title, front matter, links, tags, sections."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import front_matter, markdown

PIECES = """
    # ## ### #tag #a/b [[Ada]] [[Ada|Countess]] [[A#h|x]] ![[e]] [[ ]] [x](y.md) [x](<y z.md>) ](y.md) [x]: y.md ` ``
    ``` ~~~ --- ... === - * > 1. | |-|-| \\ \\[ <!-- --> < > title: tags: [a] {b: 東京 é 👩‍👩‍👧 a b c
""".split()
notes = st.lists(
    st.sampled_from([*PIECES, "\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "\0", "---\n", "\n---\n"])
    | st.text(max_size=3)
).map("".join)


def names(note: markdown.Note) -> list[str]:
    return [link.name for link in note.links]


def tags(text: str) -> list[str]:
    return [tag.name for tag in markdown.parse(text).tags]


# Title and front matter


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Of Ada\n---\n# Another\n", "Of Ada"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ("---\nTitle: Of Ada\n---\n", "Of Ada"),
        ("---\ntitle: ''\n---\n# A heading\n", "A heading"),
        ("text\n\n## Two\n\n# One *of* `many` [[Ada|notes]] #\n\n# Other", "One of many notes"),
        ("One\n===\n", "One"),
        ("> # quoted\n\n- # listed\n\n```\n# code\n```\n", None),
        ("no heading", None),
        ("", None),
    ],
)
def test_the_title_is_the_front_matters_or_the_first_heading(text, title):
    assert title == markdown.parse(text).title


def test_front_matter_is_plain_values_as_they_were_meant():
    note = markdown.parse(
        "---\ncountry: NO\nat: 12:30\nversion: 1.10\ndue: 2026-01-02\ndone: true\ncount: 3\n"
        "share: 0.5\nnothing:\nlist: [a, [b]]\nwithin: {x: y}\n1: one\n---\nbody"
    )

    assert note.front_matter == {
        "country": "NO",
        "at": "12:30",
        "version": "1.10",
        "due": "2026-01-02",
        "done": True,
        "count": 3,
        "share": 0.5,
        "nothing": None,
        "list": ["a", ["b"]],
        "within": {"x": "y"},
        "1": "one",
    }
    assert note.front_matter_error is None


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(
    "written",
    [
        "a: [",
        "a: b: c",
        "\ta: b",
        "- a\n- b",
        "only words",
        "!!int _",
        "a: !!bool x",
        "a: !!timestamp x",
        "a: !!python/object/apply:os.system [ls]",
        "? [a]\n: b",
        "[" * 9_000,
        "- " * 9_000,
        "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: &d [*c, *c, *c]\n"
        "e: &e [*d, *d, *d]\nf: &f [*e, *e, *e]\ng: &g [*f, *f, *f]",
        "a: &a [*a]",
        "a: \0",
    ],
)
def test_front_matter_that_is_no_yaml_is_said_and_the_rest_is_read(written):
    note = markdown.parse(f"---\n{written}\n---\n# Heading\n[[Ada]]\n")

    assert note.front_matter_error
    assert (note.front_matter, note.title, names(note)) == ({}, "Heading", ["Ada"])


YAML = [
    "a: b\n",
    *"[]{}\"'#,%~é\t\n\u2028\ufeff",
    *"- |: |&a |*a|!!int |  |? |1.5|no|true|<<: |---\n|2026-01-01".split("|"),
]


@given(st.lists(st.sampled_from(YAML), max_size=14).map("".join))
def test_front_matter_is_read_alike_with_and_without_the_loader_in_c(text):
    fast = front_matter.parse(f"---\n{text}\n---")
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr("yaml.CSafeLoader")
        slow = front_matter.parse(f"---\n{text}\n---")

    assert fast == slow


def test_half_a_character_in_front_matter_is_replaced():
    note = markdown.parse('---\ntitle: "\\ud800x"\n"\\udc00": ["\\ud83d"]\n---\n')

    assert note.title == "\ufffdx"
    assert note.front_matter == {"title": "\ufffdx", "\ufffd": ["\ufffd"]}


def test_merged_mappings_are_not_multiplied():
    lines = ["a0: &a0 {x: y}", *(f"a{n}: &a{n} {{!!merge <<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60))]
    note = markdown.parse("---\n" + "\n".join(lines) + "\n---\n")

    assert note.front_matter.get("a0") in (None, {"x": "y"})


@pytest.mark.parametrize(
    "text",
    ["--- \ntitle: T\n---", "\ufeff---\ntitle: T\n---\n", "---\r\ntitle: T\r\n---\r\nx", "---\ntitle: T\n...\nx"],
)
def test_front_matter_is_found_however_its_lines_end(text):
    assert markdown.parse(text).title == "T"


@pytest.mark.parametrize(
    "text", ["\n---\ntitle: T\n---\n", "---\ntitle: T\n", "----\ntitle: T\n----\n", "a\n---\nb\n---\n"]
)
def test_lines_elsewhere_are_no_front_matter(text):
    note = markdown.parse(text)

    assert note.front_matter == {}
    assert note.outline.body_start == 0


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("date: 2026-01-02", "2026-01-02"),
        ("created: 2026-01-02 10:30", "2026-01-02 10:30"),
        ("Date: 2026-01-02T10:30:00+01:00", "2026-01-02T10:30:00+01:00"),
        ("date: soon\ncreated: 2026-01-02", "2026-01-02"),
        ("date: 2026-13-45", None),
        ("date: [2026-01-02]", None),
        ("date: 2026-03", "2026-03-01"),
        ("date: 13.04.2026", "2026-04-13"),
        ("date: 13/04/2026", "2026-04-13"),
        ("date: 2026/3/1", "2026-03-01"),
        ("date: 20260505", "2026-05-05"),
        ("date: 03/04/2026", None),
        ("date: 2026-02-30", None),
        ("date: 2026-W10", None),
        ("other: 2026-01-02", None),
    ],
)
def test_the_date_is_the_front_matters(written, date):
    assert date == markdown.parse(f"---\n{written}\n---\n").date


@pytest.mark.parametrize(
    ("written", "aliases"),
    [
        ("aliases: [NO, On, Countess of Lovelace]", ("NO", "On", "Countess of Lovelace")),
        ("aliases: Ada, Countess of Lovelace", ("Ada", "Countess of Lovelace")),
        ("alias:\n  - Ada\n  - Ada\n  - 42", ("Ada", "42")),
        ("aliases:", ()),
        ("aliases: {a: b}", ()),
    ],
)
def test_aliases_are_the_front_matters(written, aliases):
    assert aliases == markdown.parse(f"---\n{written}\n---\n").aliases


# Links


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Ada]]", ("Ada", "Ada", "Ada", None, False)),
        ("[[Ada Lovelace|the countess]]", ("Ada Lovelace", "Ada Lovelace", "the countess", None, False)),
        ("[[People/Ada#Life|her]]", ("People/Ada", "Ada", "her", "Life", False)),
        ("[[Ada#^block]]", ("Ada", "Ada", "Ada#^block", "^block", False)),
        ("[[Ada^block]]", ("Ada", "Ada", "Ada^block", "^block", False)),
        ("![[Ada.md]]", ("Ada.md", "Ada", "Ada.md", None, True)),
        ("| [[Ada\\|her]] |", ("Ada", "Ada", "her", None, False)),
        ("[her](people/Ada%20Lovelace.md)", ("people/Ada Lovelace.md", "Ada Lovelace", "her", None, False)),
        ('[her](<../Ada L.md#life> "title")', ("../Ada L.md", "Ada L", "her", "life", False)),
        ("[her](Ada_(countess).md)", ("Ada_(countess).md", "Ada_(countess)", "her", None, False)),
        ("[her]: Ada.md", ("Ada.md", "Ada", "her", None, False)),
        ("[[東京]]", ("東京", "東京", "東京", None, False)),
    ],
)
def test_a_link_tells_its_target_and_its_words(text, link):
    (parsed,) = markdown.parse(f"See {text}." if not text.endswith("Ada.md") else text).links

    assert link == (parsed.target, parsed.name, parsed.text, parsed.heading, parsed.embedded)


@pytest.mark.parametrize(
    "text",
    [
        "`[[Ada]]`",
        "``a ` [[Ada]]``",
        "```\n[[Ada]]\n```",
        "~~~md\n[[Ada]]\n~~~",
        "    [[Ada]]",
        "- a\n\n      [[Ada]]",
        "<!-- [[Ada]] -->",
        "text <!-- [[Ada]] --> text",
        "<div>\n[[Ada]]\n</div>",
        "%% [[Ada]] %%",
        "%%\n- a\n\n[[Ada]]\n%%\nb",
        "\\[[Ada]]",
        "[[]]",
        "[[ | x]]",
        "[[#Heading]]",
        "[[Ada\nLovelace]]",
        "[[Ada",
        "[x](https://example.org/ada.md)",
        "[x](ada.txt)",
        "[x](#heading)",
        "[x]",
    ],
)
def test_what_is_code_or_leads_elsewhere_is_no_link(text):
    assert markdown.parse(text).links == ()


@pytest.mark.parametrize(
    "text",
    [
        "a %%hidden%% b [[Ada]]",
        "`%%` [[Ada]] `%%`",
        "50 %% [[Ada]]",
        "5%% of it [[Ada]]\n\nand 7%% more",
        "[[A%%B]] [[Ada]] [[C%%D]]",
        "```\n%%\n```\n[[Ada]]\n\n`` %% ``",
    ],
)
def test_a_comment_hides_no_more_than_itself(text):
    (link,) = [link for link in markdown.parse(text).links if link.name == "Ada"]

    assert text[link.offset :].startswith("[[Ada]]")


def test_links_stand_where_they_stand():
    text = "---\nrelated: '[[Zoë]]'\n---\n> [[Ada]] and\n> `code` [x](b.md)\n\n- [[C]]\r\n  - ![[D]]\n"
    found = [(link.name, text[link.offset :][:2]) for link in markdown.parse(text).links]

    assert found == [("Zoë", "[["), ("Ada", "[["), ("b", "[x"), ("C", "[["), ("D", "[[")]


# Tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#one and #two/three.", ["one", "two/three"]),
        ("(#one, #two)", ["one", "two"]),
        ("open [x #one", ["one"]),
        ("#日本 #a_b-c #👍 #1a", ["日本", "a_b-c", "👍", "1a"]),
        ("#dash- #slash/", ["dash", "slash"]),
        ("#NoHeading", ["NoHeading"]),
        ("# Heading #tag", ["tag"]),
        ("- a\n  - #b", ["b"]),
        ("# heading", []),
        ("[[#Plan]] [[#Plan|see]] ![[#^b1]] [#one] [[#two\n]]", ["one", "two"]),
        ("#123 #2024-01-02 #/a # #- ##a", []),
        ("`#a` \\#b http://x.org/#c a#b [x](y.md#z) &#39;", []),
        ("```\n#a\n```\n\n    #b\n\n<!-- #c -->", []),
        ("---\ntags: [a, '#b', c d, 2024]\n---\n#e", ["a", "b", "c-d", "e"]),
        ("---\ntags: a, b c\ntag: d\n---\n", ["a", "b", "c", "d"]),
        ("---\n# tags: a\nx: '#y'\n---\n", []),
    ],
)
def test_tags_are_found_where_they_are_meant(text, expected):
    assert expected == tags(text)


# Sections


def test_sections_have_the_headings_that_lead_to_them():
    text = "before\n\n# One\n## Two\n\n#### Four\nx\n\nThree\n---\n\n# Last\n> # quoted\n"
    outline = markdown.parse(text).outline
    shown = [(text[section.start :].split("\n")[0], section.level, section.path) for section in outline.sections]

    assert shown == [
        ("before", 0, None),
        ("# One", 1, "One"),
        ("## Two", 2, "One › Two"),
        ("#### Four", 4, "One › Two › Four"),
        ("Three", 2, "One › Three"),
        ("# Last", 1, "Last"),
    ]
    assert markdown.section_at(outline, text.index("x\n")).heading == "Four"
    assert markdown.section_at(outline, 0).heading is None


@given(notes)
def test_any_text_is_a_note(text):
    note = markdown.parse(text)
    starts = [section.start for section in note.outline.sections]

    assert starts[0] == 0
    assert sorted(set(starts)) == starts
    assert sorted(set(note.outline.blocks)) == list(note.outline.blocks)
    assert all(0 <= start < end <= len(text) for start, end in note.outline.prose)
    assert all(text[link.offset] == "[" for link in note.links)
    assert all(tag.offset == 0 or text.startswith("#" + tag.name, tag.offset) for tag in note.tags)
    assert all(link.name and link.text for link in note.links)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(
    "part",
    [
        "[",
        "[[",
        "![",
        "[a](b",
        "[a](((",
        "`",
        "`` ` ",
        "> ",
        "- ",
        "#",
        "#a ",
        "<!--",
        "<",
        "\\",
        "[a]: b\n",
        "[[a]]",
        "](",
        "\r",
    ],
)
def test_much_of_anything_is_read(part):
    note = markdown.parse(part * 20_000)

    assert note.front_matter_error is None
