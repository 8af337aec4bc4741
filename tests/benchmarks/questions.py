"""Natural questions in Cypher against the SQL that one would write by hand: the same rows, and how long each takes.

python tests/benchmarks/questions.py FILE [--only WORD] [--rounds N]

FILE is a graph as generate.py makes it; it is only read.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import generate
import measure
from measure import Figure

import keepgraph
from keepgraph import errors, store
from keepgraph.model import Key
from keepgraph.temporal import timestamps

RATIO, MILLISECONDS = 2.0, 10.0
"""A question meets its goal by either."""

HOLDS = "{0}.retracted_at IS NULL AND {0}.valid_from <= :now AND :now < {0}.valid_to"
MAX_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Question:
    """One question, in Cypher and in SQL by hand, where `[f]` stands for the condition that fact `f` holds.

    Attributes:
        ordered: whether the order of the rows is part of the answer.
        cut: whether a limit leaves it open which rows are given, so that only their number is compared.
    """

    what: str
    cypher: str
    sql: str
    ordered: bool = False
    cut: bool = False


QUESTIONS = (
    Question(
        "the latest ten facts",
        """
        MATCH (a)-[r]->(b)
        RETURN a.name, type(r), coalesce(b.name, b.value), r.recorded_at ORDER BY r.recorded_at DESC LIMIT 10
        """,
        """
        SELECT a.name, upper(p.name), coalesce(b.name, f.literal), f.recorded_at
        FROM fact AS f JOIN entity AS a ON a.id = f.subject JOIN predicate AS p ON p.id = f.predicate
        LEFT JOIN entity AS b ON b.id = f.object
        WHERE [f] ORDER BY f.recorded_at DESC LIMIT 10
        """,
        cut=True,
    ),
    Question(
        "the latest ten of a type, between types",
        """
        MATCH (a:Person)-[r:REPORTS_TO]->(b:Person)
        RETURN a.name, b.name, r.recorded_at ORDER BY r.recorded_at DESC, a.name, b.name LIMIT 10
        """,
        """
        SELECT a.name, b.name, f.recorded_at
        FROM fact AS f INDEXED BY fact_recorded JOIN entity AS a ON a.id = f.subject
        JOIN entity AS b ON b.id = f.object
        WHERE [f] AND f.predicate = (SELECT id FROM predicate WHERE name = 'reports_to')
          AND a.type = (SELECT id FROM entity_type WHERE name = 'person')
          AND b.type = (SELECT id FROM entity_type WHERE name = 'person')
        ORDER BY f.recorded_at DESC, a.name, b.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "what is new since a day",
        """
        MATCH (a)-[r]->(b) WHERE r.recorded_at >= '2026-10-31'
        RETURN a.name, type(r), coalesce(b.name, b.value) LIMIT 10000
        """,
        """
        SELECT a.name, upper(p.name), coalesce(b.name, f.literal)
        FROM fact AS f JOIN entity AS a ON a.id = f.subject JOIN predicate AS p ON p.id = f.predicate
        LEFT JOIN entity AS b ON b.id = f.object
        WHERE [f] AND f.recorded_at >= '2026-10-31'
        """,
    ),
    Question(
        "of people and projects since a day, by duration",
        """
        MATCH (a:Person)-[r:BELONGS_TO]->(b:Project) WHERE r.recorded_at > datetime() - duration('P3D')
        RETURN a.name, b.name
        """,
        """
        SELECT a.name, b.name
        FROM fact AS f INDEXED BY fact_recorded JOIN entity AS a ON a.id = f.subject
        JOIN entity AS b ON b.id = f.object
        WHERE [f] AND f.recorded_at > '2026-10-29T00:00:00.000Z'
          AND +f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
          AND a.type = (SELECT id FROM entity_type WHERE name = 'person')
          AND b.type = (SELECT id FROM entity_type WHERE name = 'project')
        """,
    ),
    Question(
        "how many between two days",
        """
        MATCH ()-[r]->() WHERE r.recorded_at >= date('2026-09-01') AND r.recorded_at < date('2026-09-08')
        RETURN count(r)
        """,
        """
        SELECT count(*) FROM fact AS f
        WHERE [f] AND f.recorded_at >= '2026-09-01T00:00:00.000Z' AND f.recorded_at < '2026-09-08T00:00:00.000Z'
        """,
    ),
    Question(
        "what began to hold in a week",
        """
        MATCH (a)-[r]->(b) WHERE r.valid_from >= '2026-09-01' AND r.valid_from < '2026-09-08'
        RETURN a.name, type(r), r.valid_from LIMIT 1000
        """,
        """
        SELECT a.name, upper(p.name), f.valid_from
        FROM fact AS f JOIN entity AS a ON a.id = f.subject JOIN predicate AS p ON p.id = f.predicate
        WHERE [f] AND f.valid_from >= '2026-09-01' AND f.valid_from < '2026-09-08' AND f.valid_from <> ''
        """,
    ),
    Question(
        "what ends next",
        """
        MATCH (a)-[r]->(b) WHERE r.valid_to < '2026-11-08'
        RETURN a.name, type(r), r.valid_to ORDER BY r.valid_to LIMIT 20
        """,
        """
        SELECT a.name, upper(p.name), f.valid_to
        FROM fact AS f INDEXED BY fact_ends JOIN entity AS a ON a.id = f.subject
        JOIN predicate AS p ON p.id = f.predicate
        WHERE [f] AND f.valid_to < '2026-11-08' AND f.valid_to <> '~' ORDER BY f.valid_to LIMIT 20
        """,
        cut=True,
    ),
    Question("how many facts", "MATCH ()-[r]->() RETURN count(r)", "SELECT count(*) FROM fact AS f WHERE [f]"),
    Question(
        "how many things of each kind",
        "MATCH (n:Entity) RETURN labels(n)[0] AS label, count(*) AS total",
        """
        SELECT upper(substr(t.name, 1, 1)) || substr(t.name, 2), total
        FROM (SELECT type, count(*) AS total FROM entity GROUP BY type) JOIN entity_type AS t ON t.id = type
        """,
    ),
    Question(
        "how many facts of each type",
        "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS total ORDER BY total DESC",
        """
        SELECT upper(p.name), total
        FROM (
            SELECT f.predicate, count(*) AS total FROM fact AS f INDEXED BY fact_by_predicate
            WHERE [f] GROUP BY f.predicate
        ) JOIN predicate AS p ON p.id = predicate
        ORDER BY total DESC
        """,
        ordered=True,
    ),
    Question(
        "which types between which kinds",
        """
        MATCH (a)-[r]->(b) RETURN labels(a)[0] AS one, type(r) AS type, labels(b)[0] AS other, count(*) AS total
        """,
        """
        SELECT upper(substr(s.name, 1, 1)) || substr(s.name, 2), upper(p.name),
               CASE WHEN o.name IS NULL THEN 'Literal' ELSE upper(substr(o.name, 1, 1)) || substr(o.name, 2) END, total
        FROM (
            SELECT a.type AS one, f.predicate, b.type AS other, count(*) AS total
            FROM fact AS f INDEXED BY fact_by_predicate JOIN entity AS a ON a.id = f.subject
            LEFT JOIN entity AS b ON b.id = f.object
            WHERE [f] GROUP BY 1, 2, 3
        )
        JOIN entity_type AS s ON s.id = one JOIN predicate AS p ON p.id = predicate
        LEFT JOIN entity_type AS o ON o.id = other
        """,
    ),
    Question(
        "top ten by facts that lead out",
        "MATCH (n)-[r]->() RETURN n.name AS name, count(r) AS degree ORDER BY degree DESC, name LIMIT 10",
        """
        SELECT n.name, degree
        FROM (SELECT f.subject, count(*) AS degree FROM fact AS f WHERE [f] GROUP BY f.subject)
        JOIN entity AS n ON n.id = subject
        ORDER BY degree DESC, n.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "top ten by facts in both directions",
        "MATCH (n:Person)--() RETURN n.name AS name, count(*) AS degree ORDER BY degree DESC, name LIMIT 10",
        """
        SELECT n.name, sum(degree) AS total
        FROM (
            SELECT f.subject AS node, count(*) AS degree FROM fact AS f WHERE [f] GROUP BY f.subject
            UNION ALL
            SELECT f.object, count(*) FROM fact AS f INDEXED BY fact_in
            WHERE [f] AND f.object IS NOT NULL AND f.object <> f.subject GROUP BY f.object
        )
        JOIN entity AS n ON n.id = node
        WHERE n.type = (SELECT id FROM entity_type WHERE name = 'person')
        GROUP BY n.id ORDER BY total DESC, n.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "the projects with most members",
        """
        MATCH (:Person)-[:BELONGS_TO]->(p:Project)
        RETURN p.name AS name, count(*) AS members ORDER BY members DESC, name LIMIT 10
        """,
        """
        SELECT p.name, count(*) AS members
        FROM fact AS f INDEXED BY fact_by_predicate JOIN entity AS a ON a.id = f.subject
        JOIN entity AS p ON p.id = f.object
        WHERE [f] AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
          AND a.type = (SELECT id FROM entity_type WHERE name = 'person')
          AND p.type = (SELECT id FROM entity_type WHERE name = 'project')
        GROUP BY p.name ORDER BY members DESC, p.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "the most frequent tags",
        "MATCH ()-[:TAGGED]->(t) RETURN t.value AS tag, count(*) AS total ORDER BY total DESC, tag LIMIT 10",
        """
        SELECT f.literal, count(*) AS total FROM fact AS f INDEXED BY fact_by_predicate
        WHERE [f] AND f.predicate = (SELECT id FROM predicate WHERE name = 'tagged')
        GROUP BY f.literal ORDER BY total DESC, f.literal LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "what has a tag",
        "MATCH (n)-[:TAGGED]->({value: 'mentor'}) RETURN n.name LIMIT 10000",
        """
        SELECT n.name FROM fact AS f JOIN entity AS n ON n.id = f.subject
        WHERE [f] AND f.literal = 'mentor' AND f.predicate = (SELECT id FROM predicate WHERE name = 'tagged')
        """,
    ),
    Question(
        "all about something, where it leads",
        "MATCH (n {name: 'Atlas'})-[r]->(m) RETURN type(r), coalesce(m.name, m.value) LIMIT 10000",
        """
        SELECT upper(p.name), coalesce(m.name, f.literal)
        FROM entity AS n JOIN fact AS f ON f.subject = n.id JOIN predicate AS p ON p.id = f.predicate
        LEFT JOIN entity AS m ON m.id = f.object
        WHERE [f] AND n.name = 'Atlas'
        """,
    ),
    Question(
        "all about something, both ways",
        "MATCH (n {name: 'Atlas'})-[r]-(m) RETURN type(r), coalesce(m.name, m.value) LIMIT 10000",
        """
        SELECT upper(p.name), other
        FROM (
            SELECT f.predicate AS type, coalesce(m.name, f.literal) AS other
            FROM entity AS n JOIN fact AS f ON f.subject = n.id LEFT JOIN entity AS m ON m.id = f.object
            WHERE [f] AND n.name = 'Atlas'
            UNION ALL
            SELECT f.predicate, m.name
            FROM entity AS n JOIN fact AS f INDEXED BY fact_in ON f.object = n.id
            JOIN entity AS m ON m.id = f.subject
            WHERE [f] AND n.name = 'Atlas' AND f.object <> f.subject
        )
        JOIN predicate AS p ON p.id = type
        """,
    ),
    Question(
        "how many facts of each type at either end",
        """
        MATCH (n)-[r]->(m) WHERE n.name = 'Atlas' OR m.name = 'Atlas'
        RETURN type(r) AS type, count(*) AS total ORDER BY total DESC, type
        """,
        """
        SELECT upper(p.name), count(*)
        FROM (
            SELECT f.id, f.predicate FROM entity AS n JOIN fact AS f ON f.subject = n.id WHERE [f] AND n.name = 'Atlas'
            UNION
            SELECT f.id, f.predicate FROM entity AS n JOIN fact AS f ON f.object = n.id WHERE [f] AND n.name = 'Atlas'
        ) AS about
        JOIN predicate AS p ON p.id = about.predicate
        GROUP BY p.name ORDER BY count(*) DESC, p.name
        """,
    ),
    Question(
        "the latest about something",
        """
        MATCH (n:Project {name: 'Atlas'})-[r]-(m)
        RETURN type(r), m.name, r.recorded_at ORDER BY r.recorded_at DESC, m.name LIMIT 10
        """,
        """
        SELECT upper(p.name), other, at
        FROM (
            SELECT f.predicate AS type, coalesce(m.name, f.literal) AS other, f.recorded_at AS at
            FROM entity AS n JOIN fact AS f ON f.subject = n.id LEFT JOIN entity AS m ON m.id = f.object
            WHERE [f] AND n.name = 'Atlas'
            UNION ALL
            SELECT f.predicate, m.name, f.recorded_at
            FROM entity AS n JOIN fact AS f INDEXED BY fact_in ON f.object = n.id
            JOIN entity AS m ON m.id = f.subject
            WHERE [f] AND n.name = 'Atlas' AND f.object <> f.subject
        )
        JOIN predicate AS p ON p.id = type
        ORDER BY at DESC, other LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "who with whom",
        """
        MATCH (a:Person {name: 'Kasha Bandyopadhyay'})-[:BELONGS_TO]->(p:Project)<-[:BELONGS_TO]-(b:Person)
        RETURN b.name AS name, count(DISTINCT p) AS shared ORDER BY shared DESC, name LIMIT 10
        """,
        """
        SELECT b.name, count(DISTINCT f.object) AS shared
        FROM entity AS a
        JOIN fact AS f ON f.subject = a.id AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
        JOIN fact AS g INDEXED BY fact_in ON g.object = f.object AND g.predicate = f.predicate AND g.id <> f.id
        JOIN entity AS b ON b.id = g.subject AND b.type = a.type
        JOIN entity AS p ON p.id = f.object AND p.type = (SELECT id FROM entity_type WHERE name = 'project')
        WHERE [f] AND [g] AND a.name = 'Kasha Bandyopadhyay'
          AND a.type = (SELECT id FROM entity_type WHERE name = 'person')
        GROUP BY b.name ORDER BY shared DESC, b.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "who with whom, either way",
        """
        MATCH (a:Person {name: 'Kasha Bandyopadhyay'})-[:BELONGS_TO]-(p)-[:BELONGS_TO]-(b:Person)
        RETURN b.name AS name, count(DISTINCT p) AS shared ORDER BY shared DESC, name LIMIT 10
        """,
        """
        SELECT b.name, count(DISTINCT f.object) AS shared
        FROM entity AS a
        JOIN fact AS f ON f.subject = a.id AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
        JOIN fact AS g INDEXED BY fact_in ON g.object = f.object AND g.predicate = f.predicate AND g.id <> f.id
        JOIN entity AS b ON b.id = g.subject AND b.type = a.type
        WHERE [f] AND [g] AND a.name = 'Kasha Bandyopadhyay'
          AND a.type = (SELECT id FROM entity_type WHERE name = 'person')
        GROUP BY b.name ORDER BY shared DESC, b.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "a walk of exactly two",
        "MATCH (a {name: 'Kasha Bandyopadhyay'})-[:BELONGS_TO*2]-(b) RETURN count(DISTINCT b)",
        """
        SELECT count(DISTINCT g.subject)
        FROM entity AS a
        JOIN fact AS f ON f.subject = a.id AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
        JOIN fact AS g INDEXED BY fact_in ON g.object = f.object AND g.predicate = f.predicate AND g.id <> f.id
        WHERE [f] AND [g] AND a.name = 'Kasha Bandyopadhyay'
        """,
    ),
    Question(
        "whether two are connected",
        "MATCH (a {name: 'Kasha Bandyopadhyay'})-[r]-(b {name: 'Atlas'}) RETURN type(r)",
        """
        SELECT upper(p.name)
        FROM entity AS a JOIN entity AS b
        JOIN fact AS f ON f.subject = a.id AND f.object = b.id JOIN predicate AS p ON p.id = f.predicate
        WHERE [f] AND a.name = 'Kasha Bandyopadhyay' AND b.name = 'Atlas'
        UNION ALL
        SELECT upper(p.name)
        FROM entity AS a JOIN entity AS b
        JOIN fact AS f ON f.subject = b.id AND f.object = a.id JOIN predicate AS p ON p.id = f.predicate
        WHERE [f] AND a.name = 'Kasha Bandyopadhyay' AND b.name = 'Atlas'
        """,
    ),
    Question(
        "a word in any name",
        "MATCH (n) WHERE n.name CONTAINS 'Atlas' RETURN n.name LIMIT 10000",
        """
        SELECT name FROM entity WHERE instr(name, 'Atlas') > 0
        UNION ALL
        SELECT DISTINCT f.literal FROM fact AS f WHERE [f] AND f.literal IS NOT NULL AND instr(f.literal, 'Atlas') > 0
        """,
    ),
    Question(
        "a word in the name of a kind, in any case",
        "MATCH (n:Decision) WHERE toLower(n.name) CONTAINS 'encryption' RETURN n.name LIMIT 10000",
        """
        SELECT name FROM entity
        WHERE type = (SELECT id FROM entity_type WHERE name = 'decision') AND instr(lower(name), 'encryption') > 0
        """,
    ),
    Question(
        "a word in the text of a fact",
        "MATCH (a)-[r]->(b) WHERE r.text CONTAINS 'kubernetes quota' RETURN r.text LIMIT 1000",
        "SELECT f.text FROM fact AS f WHERE [f] AND instr(f.text, 'kubernetes quota') > 0 LIMIT 1000",
    ),
    Question(
        "a walk of two",
        """
        MATCH (p:Person {name: 'Kasha Bandyopadhyay'})-[:REPORTS_TO]->(m)-[:BELONGS_TO]->(j:Project)
        RETURN m.name, j.name LIMIT 10000
        """,
        """
        SELECT m.name, j.name
        FROM entity AS a
        JOIN fact AS f ON f.subject = a.id AND f.predicate = (SELECT id FROM predicate WHERE name = 'reports_to')
        JOIN fact AS g ON g.subject = f.object AND g.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
        JOIN entity AS m ON m.id = f.object JOIN entity AS j ON j.id = g.object
        WHERE [f] AND [g] AND a.name = 'Kasha Bandyopadhyay'
          AND j.type = (SELECT id FROM entity_type WHERE name = 'project')
        """,
    ),
    Question(
        "a walk of three, counted",
        """
        MATCH (a {name: 'Ratjun Santtono'})-[]->(b)-[]->(c)-[]->(d) RETURN count(DISTINCT d)
        """,
        """
        SELECT count(DISTINCT coalesce(h.object, h.literal))
        FROM entity AS a CROSS JOIN fact AS f INDEXED BY fact_out ON f.subject = a.id
        CROSS JOIN fact AS g INDEXED BY fact_out ON g.subject = f.object
        CROSS JOIN fact AS h INDEXED BY fact_by_predicate
          ON h.predicate IN (SELECT id FROM predicate) AND h.subject = g.object
        WHERE f.object IS NOT NULL AND g.object IS NOT NULL AND [f] AND [g] AND [h] AND a.name = 'Ratjun Santtono'
          AND g.id <> f.id AND h.id <> f.id AND h.id <> g.id
        """,
    ),
    Question(
        "walks of one to three, by where they end",
        """
        MATCH (a {name: 'Kasha Bandyopadhyay'})-[:REPORTS_TO*1..3]->(b)
        RETURN b.name AS name, count(*) AS ways ORDER BY ways DESC, name LIMIT 10
        """,
        """
        SELECT b.name, count(*)
        FROM (
            SELECT f.object AS reached
            FROM entity AS a JOIN fact AS f INDEXED BY fact_by_predicate ON f.subject = a.id
            WHERE [f] AND a.name = 'Kasha Bandyopadhyay'
              AND f.predicate = (SELECT id FROM predicate WHERE name = 'reports_to')
            UNION ALL
            SELECT g.object
            FROM entity AS a JOIN fact AS f INDEXED BY fact_by_predicate ON f.subject = a.id
            JOIN fact AS g INDEXED BY fact_by_predicate ON g.subject = f.object AND g.predicate = f.predicate
            WHERE [f] AND [g] AND a.name = 'Kasha Bandyopadhyay' AND g.id <> f.id
              AND f.predicate = (SELECT id FROM predicate WHERE name = 'reports_to')
            UNION ALL
            SELECT h.object
            FROM entity AS a JOIN fact AS f INDEXED BY fact_by_predicate ON f.subject = a.id
            JOIN fact AS g INDEXED BY fact_by_predicate ON g.subject = f.object AND g.predicate = f.predicate
            JOIN fact AS h INDEXED BY fact_by_predicate ON h.subject = g.object AND h.predicate = f.predicate
            WHERE [f] AND [g] AND [h] AND a.name = 'Kasha Bandyopadhyay' AND g.id <> f.id AND h.id NOT IN (f.id, g.id)
              AND f.predicate = (SELECT id FROM predicate WHERE name = 'reports_to')
        ) AS walk
        JOIN entity AS b ON b.id = walk.reached
        GROUP BY b.name ORDER BY count(*) DESC, b.name LIMIT 10
        """,
    ),
    Question(
        "distinct neighbours",
        "MATCH (n {name: 'Atlas'})--(m) RETURN count(DISTINCT m)",
        """
        SELECT count(DISTINCT other)
        FROM (
            SELECT coalesce(f.object, f.literal) AS other FROM entity AS n JOIN fact AS f ON f.subject = n.id
            WHERE [f] AND n.name = 'Atlas'
            UNION ALL
            SELECT f.subject FROM entity AS n JOIN fact AS f INDEXED BY fact_in ON f.object = n.id
            WHERE [f] AND n.name = 'Atlas'
        )
        """,
    ),
    Question(
        "how many decisions each project has, none too",
        """
        MATCH (p:Project) OPTIONAL MATCH (p)<-[:BELONGS_TO]-(d:Decision)
        RETURN p.name AS name, count(d) AS decisions ORDER BY decisions DESC, name LIMIT 10
        """,
        """
        SELECT p.name, (
            SELECT count(*) FROM fact AS f INDEXED BY fact_in JOIN entity AS d ON d.id = f.subject
            WHERE f.object = p.id AND f.object IS NOT NULL AND [f]
              AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
              AND d.type = (SELECT id FROM entity_type WHERE name = 'decision')
        ) AS decisions
        FROM entity AS p
        WHERE p.type = (SELECT id FROM entity_type WHERE name = 'project')
        ORDER BY decisions DESC, p.name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "decisions of a project since a day",
        """
        MATCH (p:Project {name: 'Atlas'})<-[r:BELONGS_TO]-(d:Decision) WHERE r.recorded_at >= '2026-01-01'
        RETURN d.name, r.recorded_at ORDER BY r.recorded_at DESC, d.name
        """,
        """
        SELECT d.name, f.recorded_at
        FROM entity AS p JOIN fact AS f INDEXED BY fact_in ON f.object = p.id JOIN entity AS d ON d.id = f.subject
        WHERE [f] AND p.name = 'Atlas' AND p.type = (SELECT id FROM entity_type WHERE name = 'project')
          AND f.predicate = (SELECT id FROM predicate WHERE name = 'belongs_to')
          AND d.type = (SELECT id FROM entity_type WHERE name = 'decision') AND f.recorded_at >= '2026-01-01'
        ORDER BY f.recorded_at DESC, d.name
        """,
        ordered=True,
    ),
    Question(
        "the latest decisions",
        "MATCH (d:Decision) RETURN d.name, d.created_at ORDER BY d.created_at DESC, d.name LIMIT 10",
        """
        SELECT name, created_at FROM entity WHERE type = (SELECT id FROM entity_type WHERE name = 'decision')
        ORDER BY created_at DESC, name LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "what has no facts",
        "MATCH (n:Concept) WHERE NOT (n)--() RETURN count(n)",
        """
        SELECT count(*) FROM entity AS n
        WHERE n.type = (SELECT id FROM entity_type WHERE name = 'concept')
          AND NOT EXISTS (
              SELECT 1 FROM fact AS f INDEXED BY fact_by_predicate
              WHERE f.predicate IN (SELECT id FROM predicate) AND f.subject = n.id AND [f]
          )
          AND NOT EXISTS (
              SELECT 1 FROM fact AS f INDEXED BY fact_in WHERE f.object = n.id AND [f] AND f.object IS NOT NULL
          )
        """,
    ),
    Question(
        "facts by month",
        """
        MATCH ()-[r:DECIDED_IN]->() RETURN substring(r.recorded_at, 0, 7) AS month, count(*) AS total ORDER BY month
        """,
        """
        SELECT substr(f.recorded_at, 1, 7) AS month, count(*) FROM fact AS f
        WHERE [f] AND f.predicate = (SELECT id FROM predicate WHERE name = 'decided_in') GROUP BY month ORDER BY month
        """,
        ordered=True,
    ),
    Question(
        "facts by month, as a date",
        "MATCH ()-[r]->() RETURN date.truncate('month', r.recorded_at) AS month, count(*) AS total ORDER BY month",
        """
        SELECT substr(f.recorded_at, 1, 7) || '-01' AS month, count(*) FROM fact AS f
        WHERE [f] GROUP BY month ORDER BY month
        """,
        ordered=True,
    ),
    Question(
        "facts from a source",
        "MATCH (a)-[r]->(b) WHERE r.source CONTAINS 'notes.example/38557' RETURN a.name, r.source",
        """
        SELECT a.name, p.source
        FROM provenance AS p CROSS JOIN fact AS f ON f.id = p.fact JOIN entity AS a ON a.id = f.subject
        WHERE [f] AND instr(p.source, 'notes.example/38557') > 0
        """,
    ),
    Question(
        "how many facts each name of a list has",
        """
        UNWIND ['Atlas', 'mentor', 'Kasha Bandyopadhyay'] AS name MATCH (n {name: name})-[r]-()
        RETURN name, count(r) AS total
        """,
        """
        SELECT name, sum(facts) FROM (
            SELECT n.name, count(*) AS facts FROM entity AS n JOIN fact AS f INDEXED BY fact_by_predicate
              ON f.predicate IN (SELECT id FROM predicate) AND f.subject = n.id
            WHERE [f] AND n.name IN ('Atlas', 'mentor', 'Kasha Bandyopadhyay') GROUP BY n.name
            UNION ALL
            SELECT n.name, count(*) FROM entity AS n JOIN fact AS f INDEXED BY fact_in ON f.object = n.id
            WHERE [f] AND f.object IS NOT NULL AND f.object <> f.subject
              AND n.name IN ('Atlas', 'mentor', 'Kasha Bandyopadhyay')
            GROUP BY n.name
            UNION ALL
            SELECT f.literal, count(*) FROM fact AS f
            WHERE [f] AND f.literal IN ('Atlas', 'mentor', 'Kasha Bandyopadhyay') GROUP BY f.literal
        )
        GROUP BY name
        """,
    ),
)


def figures(graph_file: Path, *, rounds: int, key: Key | None = None, only: str = "") -> Iterator[Figure]:
    """Each question, asked and answered by hand by turns."""
    conn = store.connections.connect(graph_file, "ro", key=key)
    now = timestamps.from_datetime(generate.ENDED)
    suffix = ", encrypted" if key else ""
    with keepgraph.open(graph_file, read_only=True, key=key and key.digits, clock=lambda: generate.ENDED) as graph:
        for question in QUESTIONS:
            if only and only not in question.what:
                continue
            sql = with_conditions(question.sql)
            bound = {"now": now} if ":now" in sql else {}

            def by_hand(sql: str = sql, bound: dict[str, str] = bound) -> list[tuple[Any, ...]]:
                return conn.execute(sql, bound).fetchall()

            def asked(question: Question = question) -> dict[str, Any]:
                return graph.call("run_cypher", query=question.cypher, limit=MAX_ROWS)

            try:
                answer = asked()
            except errors.QueryTooSlow:
                yield Figure(f"{question.what}{suffix}", "too slow", "≤ 2 × or 10 ms", met=False)
                continue
            same = same_rows(question, rows_of(answer), by_hand())
            ours, hand = times(asked, by_hand, rounds=rounds)
            detail = f"by hand {hand:.2f} ms, {ours / hand:.1f} ×, {answer.get('row_count', 0)} rows"
            detail += "" if same else ", OTHER ROWS"
            met = same and (ours <= MILLISECONDS or ours <= RATIO * hand)
            yield Figure(f"{question.what}{suffix}", f"{ours:.2f} ms", "≤ 2 × or 10 ms", met, detail)
    conn.close()


def rows_of(answer: dict[str, Any]) -> list[list[Any]]:
    if "rows" not in answer:
        return [[answer["result"]]]
    return [list(row.values()) if isinstance(row, dict) else list(row) for row in answer["rows"]]


def with_conditions(sql: str) -> str:
    for alias in "fgh":
        sql = sql.replace(f"[{alias}]", HOLDS.format(alias))
    return sql


def same_rows(question: Question, ours: Sequence[Sequence[Any]], hand: Sequence[Sequence[Any]]) -> bool:
    if question.cut:
        return len(ours) == len(hand)
    one, other = [list(map(repr, row)) for row in ours], [list(map(repr, row)) for row in hand]
    return one == other if question.ordered else sorted(one) == sorted(other)


def times(asked: measure.Work, by_hand: measure.Work, *, rounds: int) -> tuple[float, float]:
    """The least time of each, taken by turns; fewer rounds where one takes long."""
    began = time.perf_counter()
    measure.by_turns([asked, by_hand], rounds=1, warm_up=0)
    many = rounds if time.perf_counter() - began < 0.5 else max(2, rounds // 5)
    ours, hand = measure.by_turns([asked, by_hand], rounds=many, warm_up=0)
    return min(ours), min(hand)


def main() -> None:
    parser = argparse.ArgumentParser(description="Ask natural questions, and answer them by hand.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="the questions with this text in their name")
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    for line in figures(given.file, rounds=given.rounds, only=given.only):
        print(f"{line.figure:>12}  {'yes' if line.met else 'NO':3}  {line.what}: {line.detail}", flush=True)


if __name__ == "__main__":
    main()
