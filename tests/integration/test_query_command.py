"""`kg query`, as a person and as a script use it, and its prompt, as somebody types at it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

import fork_server
import homes
from keepgraph.cli import query_execution, query_prompt
from keepgraph.cli.output import tables
from words import FillOnce, Kg

ESCAPES = "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202e"
OWN = [sys.executable, "-m", "keepgraph.cli"]
CTRL_P = "\x10"
BRACKETED_PASTE = b"\x1b[?2004h"
"""What a terminal is sent once at each prompt, when keys are read already."""


@pytest.fixture
def peopled(run: Kg, path: Path, fill_once: FillOnce) -> Kg:
    """A graph with two people, a decision and a literal."""

    def fill() -> None:
        run("record", "person:Priya", "decided_in", "decision:Adopt SQLite")
        run("record", "person:Robert", "reports_to", "person:Priya")
        run("record", "project:Atlas", "tagged", "=active")

    fill_once(path, fill)
    return run


def code(result: Result) -> str | None:
    """The code of a refusal, however it is shown."""
    found = re.search(r"\(([A-Z_]+)\)$", result.stderr, re.MULTILINE)
    return found[1] if found else None


# What is shown


def test_rows_are_shown_in_a_table(peopled: Kg) -> None:
    result = peopled("query", "MATCH (p:Person) RETURN p.name AS who, 7 AS n, true AS yes ORDER BY who")

    assert result.stdout.splitlines() == [
        "who     n  yes",
        "------  -  ----",
        "Priya   7  true",
        "Robert  7  true",
        "(2 rows)",
    ]
    assert (result.exit_code, result.stderr) == (0, "")


def test_nodes_relationships_and_paths_are_shown_in_short_and_each_row_stays_a_row(peopled: Kg) -> None:
    result = peopled("query", "MATCH p = (a:Person)<-[r:REPORTS_TO]-(b) RETURN a, r, b, p")
    shown = re.split(r"  +", result.stdout.splitlines()[2])

    assert shown == [
        '(:Person {name: "Priya"})',
        "[:REPORTS_TO]",
        '(:Person {name: "Robert"})',
        "(Priya)<-[:REPORTS_TO]-(Robert)",
    ]


def test_a_node_that_is_found_twice_is_in_two_rows(peopled: Kg) -> None:
    peopled("record", "person:Priya", "tagged", "=lead")
    result = peopled("query", "MATCH (p:Person {name: 'Priya'})-->() RETURN p")

    assert result.stdout.count("Priya") == 2
    assert "(2 rows)" in result.stdout


def test_null_is_nothing_and_an_empty_text_is_quotes(run: Kg) -> None:
    run("record", "person:Ada", "tagged", "=x")
    result = run("query", "RETURN null AS a, '' AS b, [null, ''] AS c")

    assert result.stdout.splitlines()[2] == '   ""  [null, ""]'


def test_a_table_without_rows_has_its_header(peopled: Kg) -> None:
    result = peopled("query", "MATCH (p:Source) RETURN p.name AS who")

    assert result.stdout.splitlines() == ["who", "---", "(0 rows)"]
    assert result.exit_code == 0


def test_rows_that_are_left_out_are_told_of(peopled: Kg) -> None:
    result = peopled("query", "UNWIND range(1, 300) AS n RETURN n")
    fewer = peopled("query", "UNWIND range(1, 300) AS n RETURN n", "--limit", "2")
    enough = peopled("query", "UNWIND range(1, 300) AS n RETURN n LIMIT 250")

    assert result.stdout.splitlines()[-1] == "(the first 200 rows; there are more: add LIMIT, or --limit N)"
    assert fewer.stdout.splitlines()[-1].startswith("(the first 2 rows; ")
    assert enough.stdout.splitlines()[-1] == "(250 rows)"
    assert result.stderr == ""


def test_with_json_it_is_the_answer_of_the_tool(peopled: Kg) -> None:
    question = "MATCH (p:Person)-[r]->(q:Person) RETURN p, r, q"
    ours = json.loads(peopled("query", question, "--json").stdout)
    tools = json.loads(peopled("tool", "call", "run_cypher", "--json", json.dumps({"query": question})).stdout)

    assert {**ours, "execution_ms": 0} == {**tools, "execution_ms": 0}
    assert ours["type"] == "graph"


def test_csv_is_read_as_it_was_meant(run: Kg) -> None:
    text = 'say "a, b"\r\nand =1+1'
    run("record", "person:Ada", "tagged", "=x")
    result = run(
        "query",
        "RETURN $text AS t, 1.5 AS f, true AS b, null AS n, '' AS e, [1, null] AS l",
        "--csv",
        "-p",
        f"text={text}",
    )
    read = list(csv.reader(io.StringIO(result.stdout_bytes.decode(), newline="")))

    assert read == [["t", "f", "b", "n", "e", "l"], [text, "1.5", "true", "", "", "[1, null]"]]
    assert result.stdout_bytes.endswith(b',true,,"","[1, null]"\r\n')


def test_csv_has_its_columns_though_there_are_no_rows(peopled: Kg) -> None:
    assert peopled("query", "MATCH (p:Source) RETURN p.name, p", "--csv").stdout_bytes == b"p.name,p\r\n"


def test_nodes_in_csv_are_json(peopled: Kg) -> None:
    result = peopled("query", "MATCH (p:Person {name: 'Priya'}) RETURN p", "--csv")
    _, (node,) = csv.reader(io.StringIO(result.stdout_bytes.decode(), newline=""))

    assert json.loads(node)["properties"]["name"] == "Priya"


def test_a_formula_is_written_as_it_is(run: Kg) -> None:
    run("record", "person:Ada", "tagged", "=x")

    assert run("query", "RETURN '=1+1' AS x", "--csv").stdout_bytes == b"x\r\n=1+1\r\n"


@pytest.mark.parametrize("form", [(), ("--json",), ("--explain",)])
def test_stored_text_cannot_steer_the_terminal(run: Kg, form: Sequence[str]) -> None:
    run("record", "project:Atlas", "tagged", f"={ESCAPES}", "--source", ESCAPES)
    result = run("query", "MATCH p = (a)-[r]->(b) RETURN p, a, r, b, b.value, [r.source], properties(r)", *form)

    assert result.exit_code == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", result.output)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_is_typed_cannot_steer_it_either(peopled: Kg, form: Sequence[str]) -> None:
    for text in (f"RETURN `{ESCAPES}`", f"RETURN 1 AS `{ESCAPES}`", f"MATCH (a:`{ESCAPES}`) RETURN a", f"x{ESCAPES}"):
        result = peopled("query", text, *form)

        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", result.output)


# The width of a terminal


def test_wide_letters_are_counted_by_their_width() -> None:
    shown = list(tables.format_table(["x", "y"], [["日本", 1], ["e\u0301", 22]], width=None))

    assert shown == ["x      y", "----  --", "日本   1", "e\u0301     22"]


def test_long_cells_are_cut_on_a_terminal_alone() -> None:
    row = ["short", "x" * 500, "日" * 500]
    narrow = list(tables.format_table(["a", "b", "c"], [row], width=40))
    wide = list(tables.format_table(["a", "b", "c"], [row], width=None))

    assert narrow[-1] == "short  " + "x" * 14 + "…  " + "日" * 7 + "…"
    assert "x" * 500 in wide[-1]


@pytest.mark.parametrize("width", [1, 5, 20, 60])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    row = ["short", "x" * 500, "日" * 500, 12, None, ["y" * 50], "", True]
    shown = list(tables.format_table([f"column {n}" for n in range(8)], [row, row], width=width))

    assert max(len(tables.padding(line)) for line in shown) <= width


def test_where_columns_do_not_fit_each_row_is_a_block() -> None:
    columns, row = ["name", "kind", "number", "more", "last"], ["Ada", "person", 7, "a long text", None]

    assert list(tables.format_table(columns, [row, row], width=20))[:7] == [
        "name    Ada",
        "kind    person",
        "number  7",
        "more    a long text",
        "last",
        "",
        "name    Ada",
    ]


# Where the query and its parameters come from


def test_a_query_is_read_from_a_file_and_from_the_input(peopled: Kg, tmp_path: Path) -> None:
    file = tmp_path / "q.cypher"
    file.write_text("\ufeffMATCH (p:Person)\r\nRETURN count(p) AS n;\r\n", encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    results = [
        peopled("query", "--file", str(file)),
        peopled("query", "-f", "-", input=text),
        peopled("query", input=text),
    ]

    assert [result.stdout.splitlines()[2:] for result in results] == [["2", "(1 row)"]] * 3


def test_parameters_are_json_or_text(run: Kg, tmp_path: Path) -> None:
    run("record", "person:Ada", "tagged", "=x")
    file = tmp_path / "p.json"
    file.write_text('{"a": "from the file", "b": [1, {"c": null}]}')
    said = ("-p", "a=2026-05-01", "-p", "$n=12", "-p", 't="12"', "-p", "e=", "-p", "x=NaN", "-p", "eq=a=b")
    result = run("query", "--json", "RETURN [$a, $b, $n, $t, $e, $x, $eq]", "--params-file", str(file), *said)

    assert json.loads(result.stdout)["result"] == ["2026-05-01", [1, {"c": None}], 12, "12", "", "NaN", "a=b"]


def test_a_parameter_that_the_query_has_not_is_told_of(peopled: Kg) -> None:
    result = peopled("query", "RETURN $name AS x", "-p", "name=Ada", "-p", "nmae=Bob")

    assert (result.exit_code, result.stderr) == (0, "note: the query has no $nmae\n")


def test_the_past_is_asked_as_by_other_commands(run: Kg) -> None:
    run("record", "person:Ada", "reports_to", "person:Bob", "--from", "2020-01-01", "--to", "2021-01-01")
    asked = "MATCH (:Person)-[r:REPORTS_TO]->() RETURN count(r) AS n"
    found = [
        run("query", asked, *moment).stdout.splitlines()[2].strip()
        for moment in ((), ("--as-of", "2020-06-01"), ("--known-at", "2020-06-01"))
    ]

    assert found == ["0", "1", "0"]


# Explaining


def test_explaining_shows_the_statement_its_plan_and_who_does_the_work(peopled: Kg) -> None:
    whole = peopled("query", "--explain", "MATCH (p:Person)-[:DECIDED_IN]->(d) RETURN d.name").stdout
    part = peopled("query", "--explain", "MATCH (p:Person) RETURN [p, [p]]").stdout

    assert re.search(r"^SELECT .*\nFROM fact", whole)
    assert re.search(r"^[├└]─ (SEARCH|SCAN)", whole, re.MULTILINE)
    assert whole.endswith("SQLite finds all rows.\n")
    assert part.endswith("Python does the rest.\n")


def test_explaining_does_not_run_the_query(peopled: Kg) -> None:
    endless = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN count(*)"
    result = peopled("query", "--explain", "--json", endless)

    assert json.loads(result.stdout)["by"] in ("sql", "sql and python", "python")


# What goes wrong


def test_an_error_shows_the_place_in_the_query(peopled: Kg) -> None:
    result = peopled("query", "MATCH (n)\nRETURN 1 +* n.name")

    assert result.exit_code == 1
    assert code(result) == "QUERY_SYNTAX_INVALID"
    assert "\n  RETURN 1 +* n.name\n            ^\nhint: " in result.stderr
    assert result.stdout == ""


def test_the_place_in_a_long_line_is_shown_with_what_is_around_it() -> None:
    text = "日" * 5000 + "ab" + "y" * 5000
    shown = list(query_execution.mark_span(text, 5000, 5002))

    assert shown == ["  …" + "日" * 40 + "ab" + "y" * 40 + "…", "  " + " " * 81 + "^^"]


@pytest.mark.parametrize("span", [(0, 0), (3, 3), (0, 99), (99, 120), (2, 1)])
def test_any_place_can_be_shown(span: tuple[int, int]) -> None:
    line, carets = query_execution.mark_span("ab\n", *span)

    assert len(carets) <= len(line) + 1
    assert "^" in carets


def test_with_json_an_error_is_the_envelope_of_queries(peopled: Kg) -> None:
    result = peopled("query", "--json", "CREATE (n:Person)")

    told = json.loads(result.stdout)
    assert (told["type"], told["code"], told["error"]["stage"]) == ("error", "QUERY_REFUSED", "security")
    assert (result.exit_code, result.stderr) == (1, "")


def test_what_was_mended_is_told_on_the_other_stream(peopled: Kg) -> None:
    result = peopled("query", "MATCH (p:person) RETURN count(p) AS n")

    assert result.stdout.splitlines()[2] == "2"
    assert result.stderr.startswith("fixed: ")


def test_a_question_that_found_nothing_tells_what_may_be_wrong(peopled: Kg) -> None:
    result = peopled("query", "MATCH (p:Person {name: 'Pryia'}) RETURN p.name")

    assert result.stdout.endswith("(0 rows)\n")
    assert result.stderr.startswith("note: ")
    assert "Priya" in result.stderr


@pytest.mark.parametrize(
    ("words", "input", "exit_code", "said"),
    [
        ((), b"", 1, "the query is empty"),
        (("",), None, 1, "the query is empty"),
        ((" \n\t",), None, 1, "the query is empty"),
        (("-f", "/no/such/file"), None, 1, "No such file"),
        (("-f", "."), None, 2, "is a directory"),
        (("-f", "/dev/zero"), None, 1, "too long"),
        (("-f", "-"), b"RETURN '\xff'", 1, "byte 9 cannot be read"),
        ((), "RETURN 1".encode("utf-16"), 1, "is not UTF-8"),
        ((), b"x" * 10_000_000, 1, "too long"),
        ((), b"RETURN '" + b"x" * 100_000 + b"'", 1, "INVALID_ARGUMENTS"),
        ((), b"RETURN '\0'", 1, "NUL"),
        (("RETURN '\ud800'",), None, 1, "INVALID_ARGUMENTS"),
        (("RETURN 1", "-f", "x"), None, 2, "given twice"),
        (("RETURN 1", "more"), None, 2, "unexpected extra argument"),
        (("RETURN 1", "--csv", "--json"), None, 2, "--csv cannot be combined"),
        (("RETURN 1", "-p", "x"), None, 2, "is not NAME=VALUE"),
        (("RETURN 1", "-p", "=1"), None, 2, "is not NAME=VALUE"),
        (("RETURN 1", "-p", "a b=1"), None, 2, "is not NAME=VALUE"),
        (("RETURN $x", "-p", "x=" + "[" * 100_000), None, 0, "(1 row)"),
        (("RETURN $x", "-p", "x=" + "9" * 30), None, 1, "INVALID_ARGUMENTS"),
        (("RETURN $x",), None, 1, "QUERY_"),
        (("RETURN 1", "--params-file", "/no/such/file"), None, 1, "No such file"),
        (("RETURN 1", "--limit", "0"), None, 1, "INVALID_ARGUMENTS"),
        (("RETURN 1", "--limit", "10001"), None, 1, "INVALID_ARGUMENTS"),
        (("RETURN 1", "--limit", "many"), None, 2, "is not a valid integer"),
        (("RETURN 1", "--as-of", "soon"), None, 1, "MOMENT_INVALID"),
        (("CREATE (n)",), None, 1, "QUERY_REFUSED"),
    ],
)
def test_bad_input_has_an_answer(
    peopled: Kg, words: tuple[str, ...], input: bytes | None, exit_code: int, said: str
) -> None:
    result = peopled("query", *words, input=input)

    assert (result.exit_code, said in result.output) == (exit_code, True), result.output[:1000]
    assert len(result.output) < 3_000 or exit_code == 0


@pytest.mark.parametrize("content", [b"\x00\x01\xfe\xff" * 1000, b"[1]", b"{", b"[" * 100_000, b"\xff"])
def test_a_file_of_parameters_that_is_none_is_refused(peopled: Kg, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "p.json"
    file.write_bytes(content)
    result = peopled("query", "RETURN 1", "--params-file", str(file))

    assert (result.exit_code, code(result)) == (1, "INVALID_ARGUMENTS")


def test_a_file_that_may_not_be_read_is_named(peopled: Kg, tmp_path: Path) -> None:
    file = tmp_path / "q.cypher"
    file.write_text("RETURN 1")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("whoever runs this may read everything")
    result = peopled("query", "-f", str(file))

    assert (result.exit_code, str(file) in result.stderr) == (1, True)


def test_a_graph_that_is_not_there_is_not_made(run: Kg, path: Path) -> None:
    result = run("query", "RETURN 1")

    assert (result.exit_code, code(result)) == (1, "GRAPH_NOT_FOUND")
    assert not path.exists()


@pytest.mark.skipif(os.name != "posix", reason="a pipe breaks in another way there")
@pytest.mark.parametrize("form", [(), ("--csv",)])
def test_whoever_stops_reading_hears_no_complaint(peopled: Kg, path: Path, form: Sequence[str]) -> None:
    asked = "UNWIND range(1, 10000) AS n RETURN n, 'a text that is long enough to fill any pipe' AS x"
    with subprocess.Popen(
        [*OWN, "--db", str(path), "query", asked, "--limit", "10000", *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:
        first = asking.stdout.readline()
        asking.stdout.close()
        said = asking.stderr.read()

    assert (first.split()[0][:1], said) == (b"n", b"")


def test_a_query_loads_nothing_slow(peopled: Kg, path: Path) -> None:
    asked = f"""
import sys
from keepgraph.cli.root import kg
kg(["--db", {str(path)!r}, "query", "RETURN 1"], standalone_mode=False)
slow = {{"mcp", "rich", "numpy", "jsonschema", "platformdirs", "prompt_toolkit", "asyncio", "readline", "curses"}}
print(*sorted(slow & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("words", [("--help",), ("query", "--help"), ("install", "--help")])
def test_help_loads_no_prompt_and_no_client(words: Sequence[str]) -> None:
    asked = f"""
import sys
from keepgraph.cli.root import kg
kg({list(words)!r}, standalone_mode=False)
print(*sorted({{"mcp", "prompt_toolkit", "asyncio", "pydantic"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == ""


# The prompt


class Typist:
    """Somebody at a terminal: types when there is a prompt, and sees all that is shown until it ends."""

    def __init__(self, *words: str, columns: int = 100, **environment: str) -> None:
        pty = pytest.importorskip("pty")
        self._terminal, theirs = pty.openpty()
        self._prompt = b"kg> " if environment.get("TERM") == "dumb" else BRACKETED_PASTE
        # A terminal that is not asked where its cursor is: nobody would answer.
        terminal = {"TERM": "xterm", "COLUMNS": str(columns), "PROMPT_TOOLKIT_NO_CPR": "1"}
        self._asking = subprocess.Popen(
            [*fork_server.python(), "-m", "keepgraph.cli", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, **terminal, **environment},
            preexec_fn=_take_the_terminal,
        )
        os.close(theirs)
        self._shown = b""
        self._prompts = 0

    @property
    def seen(self) -> str:
        """What was shown, without what moves the cursor and colours."""
        return re.sub("\x1b\\[[0-9;?]*[a-zA-Z]|\r+(?=\n)", "", self._shown.decode(errors="replace"))

    def type(self, *statements: str | bytes) -> Typist:
        """Type each as soon as there is a new prompt, and Enter after it, but for Ctrl-D."""
        for statement in statements:
            typed = statement.encode() if isinstance(statement, str) else statement
            self._wait_for_prompt()
            os.write(self._terminal, typed if typed.endswith(b"\x04") else typed.replace(b"\n", b"\r") + b"\r")
        return self

    def interrupt(self, *, after: str, seconds: float = 0) -> Typist:
        """Ctrl-C, so many seconds after a text was seen."""
        while after not in self.seen:
            assert self._look()
        time.sleep(seconds)
        os.write(self._terminal, b"\x03")
        return self

    def leave(self) -> str:
        """All that was shown until it ended, as it should, without an error."""
        while self._asking.poll() is None or select.select([self._terminal], [], [], 0)[0]:
            if not self._look():
                break
        code = self._asking.wait(timeout=30)
        os.close(self._terminal)
        assert code == 0
        return self.seen

    def _wait_for_prompt(self) -> None:
        self._prompts += 1
        while self._shown.count(self._prompt) < self._prompts:
            if not self._look():
                self._asking.wait()
                raise AssertionError(f"it has ended: {self.seen}")

    def _look(self) -> bool:
        if not select.select([self._terminal], [], [], 60)[0]:
            self._asking.kill()
            self._asking.wait()
            raise AssertionError(f"nothing comes any more: {self.seen}")
        try:
            shown = os.read(self._terminal, 65536)
        except OSError:  # so a terminal of Linux ends
            return False
        self._shown += shown
        return bool(shown)


def _take_the_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def typist(peopled: Kg, path: Path) -> Callable[..., Typist]:
    return lambda *words, **more: Typist("--db", str(path), "query", *words, **more)


def test_queries_are_typed_one_after_the_other(typist: Callable[..., Typist]) -> None:
    seen = typist().type("MATCH (p:Person)\nRETURN count(p) AS people;", "RETURN 'a' AS b\n", ":quit").leave()

    assert re.search(r"^people\n------\n +2\n\(1 row, [0-9.]+ ms\)$", seen, re.MULTILINE)
    assert "\nb\n-\na\n" in seen


def test_an_error_does_not_end_the_prompt(typist: Callable[..., Typist]) -> None:
    seen = typist().type("MATCH (n RETURN n;", ":limit 0", ":nothing", "RETURN 'still here' AS x;", "\x04").leave()

    assert "QUERY_SYNTAX_INVALID" in seen
    assert "\nstill here\n" in seen


def test_commands_set_parameters_and_the_limit_and_explain(typist: Callable[..., Typist]) -> None:
    seen = (
        typist()
        .type(":param x [1, 2]", ":param who Ada L", ":params", "UNWIND $x AS n RETURN n, $who AS who;", ":limit 1")
        .type(
            ":param $y => 7",
            ":param z = 8",
            "RETURN $y + $z AS sum;",
            ":param",
            "UNWIND $x AS n RETURN n;",
            ":explain RETURN 1;",
            ":param x",
            ":params",
            ":help",
            ":schema",
            ":quit",
        )
        .leave()
    )

    assert '$x = [1, 2]\n$who = "Ada L"\n' in seen
    assert "\n1  Ada L\n2  Ada L\n" in seen
    assert "\nsum\n---\n 15\n" in seen
    assert "(the first row, " in seen
    assert "SQLite finds all rows." in seen
    assert seen.count("$x = [1, 2]\n") == 1
    assert ":explain QUERY" in seen
    assert "\n(:Person)  2  aliases, " in seen
    assert "(:Person)-[:REPORTS_TO]->(:Person)  1\n" in seen


def test_ctrl_c_drops_a_line_and_stops_a_query_and_the_prompt_stays(typist: Callable[..., Typist]) -> None:
    endless = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN count(*) AS z;"
    prompted = typist().type("MATCH (n)").interrupt(after="…").type(endless).interrupt(after="AS z;\n", seconds=1)
    seen = prompted.type("RETURN 'still here' AS x;", ":quit").leave()

    assert "(CANCELLED)" in seen
    assert "\nstill here\n" in seen


def test_a_dumb_terminal_is_enough(typist: Callable[..., Typist]) -> None:
    seen = typist(TERM="dumb").type("MATCH (p:Pers\t)\nRETURN count(p) AS people;", ":quit").leave()

    assert "\npeople\n------\n     2\n" in seen


def test_ctrl_d_leaves_also_on_an_empty_line_of_a_query(typist: Callable[..., Typist]) -> None:
    seen = typist().type("MATCH (n)\n\x04").leave()

    assert "error" not in seen


def test_what_is_no_utf_8_is_refused_and_the_prompt_stays(typist: Callable[..., Typist]) -> None:
    seen = typist().type(b"RETURN '\xff' AS x;", "RETURN 'still here' AS x;", ":quit").leave()

    assert "\nerror: the input is not UTF-8\n" in seen
    assert "\nstill here\n" in seen


def test_what_is_pasted_runs_one_after_the_other(typist: Callable[..., Typist]) -> None:
    pasted = b"\x1b[200~:param x 7\nRETURN $x\n  AS seven;\n\nRETURN 'b' AS b;\n\x1b[201~"
    seen = typist().type(pasted, ":quit").leave()

    assert "\nseven\n-----\n    7\n" in seen.replace("seven;\n", "")
    assert "\nb\n-\nb\n" in seen


@pytest.mark.parametrize(
    ("text", "expected", "is_finished"),
    [
        ("", [], True),
        (" ", [], True),
        ("MATCH (n)", ["MATCH (n)"], False),
        ("MATCH (n)\n", ["MATCH (n)"], True),
        ("MATCH (n)\nRETURN n;", ["MATCH (n)\nRETURN n;"], True),
        ("MATCH (n)\nRETURN n; ", ["MATCH (n)\nRETURN n; "], True),
        ("RETURN 1;\nRETURN 2", ["RETURN 1;", "RETURN 2"], False),
        ("\n\nRETURN 1\n \nRETURN 2;\n", ["RETURN 1", "RETURN 2;"], True),
        (" :param x 1", [" :param x 1"], True),
        (":limit 1\nMATCH (n\n:Person)", [":limit 1", "MATCH (n\n:Person)"], False),
        ("RETURN 1\n:quit", ["RETURN 1\n:quit"], False),
    ],
)
def test_a_query_ends_with_a_semicolon_or_an_empty_line_and_a_command_with_its_line(
    text: str, expected: list[str], is_finished: bool
) -> None:
    assert query_prompt.split(text) == expected
    assert query_prompt.is_finished(text) == is_finished


def test_a_terminal_of_twenty_columns_is_wide_enough(typist: Callable[..., Typist]) -> None:
    asked = "MATCH (a)-[r]->(b) RETURN a, r, b, a.name, 'x' AS `a long name of a column`"
    seen = typist(asked, columns=20).leave()

    assert max(map(len, seen.splitlines()[:-1])) <= 20


def test_csv_on_a_terminal_does_not_steer_it(typist: Callable[..., Typist]) -> None:
    seen = typist("RETURN $x AS x", "-p", f"x={ESCAPES}", "--csv").leave()

    assert seen.startswith("x\n")
    assert "\x1b" not in seen


def test_tab_completes_words_of_the_graph(typist: Callable[..., Typist]) -> None:
    seen = typist().type("MATCH (p:Pers\t)-[:REPO\t]->(q) RETURN p.nam\t AS x;", ":quit").leave()

    assert "\nRobert\n" in seen


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("", "mat", {"MATCH"}),
        ("MATCH (p:", "Per", {"Person"}),
        ("MATCH (p:Person|", "dec", {"Decision"}),
        ("MATCH (p)-[:", "dec", {"DECIDED_IN"}),
        ("MATCH (p)-[:TAGGED|", "bel", {"BELONGS_TO"}),
        ("MATCH (p)-[:TAGGED]->(q:", "li", {"Literal"}),
        ("RETURN p.", "nam", {"name"}),
        ("RETURN ", "toLow", {"toLower("}),
        (":", "sch", {"schema"}),
        ("MATCH (p {name:", "tru", {"TRUE"}),
        ("WHERE (p)-[:TAGGED]->() AND p:", "per", {"Person"}),
        ("RETURN ", "zzz", set()),
    ],
)
def test_what_fits_a_place_completes_it(graph, before: str, text: str, expected: set[str]) -> None:
    assert set(query_prompt.complete(graph.call("list_query_words"), before, text)) == expected


# What is kept of what was typed


def test_what_was_typed_is_there_the_next_time(typist: Callable[..., Typist], path: Path) -> None:
    typist().type("RETURN 'first' AS a;", ":quit").leave()
    typist().type("RETURN 'second' AS b;", ":quit").leave()
    kept = path.with_suffix(".history")

    assert kept.read_text().splitlines() == ["RETURN 'first' AS a;", ":quit", "RETURN 'second' AS b;", ":quit"]
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_query_of_several_lines_comes_back_as_one(typist: Callable[..., Typist], path: Path) -> None:
    typist().type("RETURN 'b'\n  AS b\n", ":quit").leave()
    seen = typist().type(f"{CTRL_P * 2}\n", ":quit").leave()

    assert "\nb\n-\nb\n" in seen
    assert path.with_suffix(".history").read_text() == "RETURN 'b'\n  AS b\n\n:quit\n" * 2


def test_a_session_of_another_terminal_keeps_its_lines(typist: Callable[..., Typist], path: Path) -> None:
    other = typist().type("RETURN 'other';")
    typist().type("RETURN 'one';", ":quit").leave()
    other.type(":quit").leave()

    assert path.with_suffix(".history").read_text().splitlines() == [
        *("RETURN 'one';", ":quit"),
        *("RETURN 'other';", ":quit"),
    ]


def test_no_more_than_a_thousand_lines_are_kept(typist: Callable[..., Typist], path: Path) -> None:
    kept = path.with_suffix(".history")
    kept.write_text("".join(f"RETURN {n};\n" for n in range(1500)))
    typist().type(":quit").leave()

    assert kept.read_text().splitlines() == [*(f"RETURN {n};" for n in range(501, 1500)), ":quit"]


def test_nothing_is_kept_where_nobody_wants_it(typist: Callable[..., Typist], path: Path) -> None:
    typist(KG_NO_HISTORY="1").type("RETURN 1;", ":quit").leave()

    assert not path.with_suffix(".history").exists()


def test_of_an_encrypted_graph_no_file_keeps_what_was_typed(home: Path) -> None:
    homes.run_ok("profile", "create", "work", "--encrypted")
    homes.run_ok("--profile", "work", "record", "person:Ada", "tagged", "=x")
    before = set(homes.read_tree(home))
    seen = (
        Typist("--profile", "work", "query")
        .type(f"RETURN '{homes.MARKER}' AS x;", f":param x {homes.MARKER}", "RETURN $x;", f"MATCH (n:{homes.MARKER} x;")
        .type(":quit")
        .leave()
    )

    assert seen.count("what you type here is not kept") == 1
    assert f"\n{homes.MARKER}\n" in seen
    assert homes.files_with(home, homes.MARKER) == []
    assert {name for name in homes.read_tree(home) if "history" in name} == set()
    assert {name for name in set(homes.read_tree(home)) - before if not name.endswith(("-wal", "-shm"))} == set()


def test_what_was_kept_before_a_graph_was_encrypted_is_taken_away(home: Path) -> None:
    homes.run_ok("profile", "create", "work")
    homes.run_ok("--profile", "work", "record", "person:Ada", "tagged", "=x")
    kept = home / "data" / "keepgraph" / "work.history"
    kept.write_text(f"RETURN '{homes.MARKER}';\n")
    homes.run_ok("--profile", "work", "encrypt")
    Typist("--profile", "work", "query").type(":quit").leave()

    assert not kept.exists()
    assert homes.files_with(home, homes.MARKER) == []
