"""What texts say of a relation: sentences that state it, deny it, or leave it open."""

from __future__ import annotations

import pytest

from keepgraph import store
from keepgraph.engine.verification import text_evidence

ENTITIES = (
    ("person", "Anna Berg"),
    ("organisation", "Acme"),
    ("person", "Ben Ito"),
    ("project", "Atlas"),
    ("place", "Oslo"),
    ("person", "Carla Ruiz"),
    ("service", "Billing"),
    ("service", "Ledger"),
    ("person", "Max Orn"),
    ("person", "Lena Orn"),
)
CASES = [
    ("Anna Berg", "works_at", "Acme", "says", "Anna Berg works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Since 2019, Anna has been working for Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna, who lives in Oslo, works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna Berg works as a designer at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna lives in Oslo and works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Acme employs Anna Berg."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna and Ben work at Acme."),
    ("Ben Ito", "works_at", "Acme", "says", "Anna and Ben work at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna Berg does not work at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna no longer works at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna has never worked at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Does Anna work at Acme?"),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna might work at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna will work at Acme next year."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna worked at Acme until 2020."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna used to work at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "If Anna works at Acme, we should call her."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna wants to work at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "I doubt that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna allegedly works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna's brother works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna met the team of Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna lives in Oslo and Ben works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna works at Acme Logistics."),
    ("Anna Berg", "leads", "Atlas", "says", "Atlas is led by Anna Berg."),
    ("Anna Berg", "leads", "Atlas", "says", "Anna leads the Atlas project."),
    ("Anna Berg", "leads", "Atlas", "says", "The leader of Atlas is Anna Berg."),
    ("Anna Berg", "leads", "Atlas", "silent", "Atlas leads Anna to new places."),
    ("Ben Ito", "reports_to", "Anna Berg", "says", "Ben reports to Anna."),
    ("Anna Berg", "reports_to", "Ben Ito", "silent", "Ben reports to Anna."),
    ("Ben Ito", "reports_to", "Anna Berg", "says", "Ben's manager is Anna."),
    ("Ben Ito", "reports_to", "Anna Berg", "says", "Anna Berg is Ben's manager."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna lives in Oslo, not in Bergen."),
    ("Anna Berg", "lives_in", "Oslo", "denies", "Anna doesn't live in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "denies", "It is not true that Anna lives in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "uncertain", "Ben thinks that Anna lives in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Ben has left, but Anna lives in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Ben might move, but Anna lives in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "uncertain", "Anna plans to live in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "uncertain", "Anna lived in Oslo."),
    ("Anna Berg", "collaborates with", "Ben Ito", "says", "Anna collaborates with Ben."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna Berg lives in the city of Oslo."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Ben claims that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Neither Ben nor Anna works at Acme."),
    ("Anna Berg", "leads", "Atlas", "denies", "Atlas is not led by Anna Berg."),
    ("Anna Berg", "works_at", "Acme", "silent", "Annabel works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna's boss lives in Oslo and works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Ben met Anna and works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Ben met Anna, who works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "I know that Anna lives in Oslo and works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna's colleague Ben works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna heard a talk by someone who works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme, or so they say."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna works for the rival of Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "The father of Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna should work at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Imagine Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme unless she quits."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna isn't working at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna, unlike Ben, does not work at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Unlike Ben, Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "It is unclear whether Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna stopped working at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Nobody from Acme knows Anna."),
    ("Anna Berg", "works_at", "Acme", "denies", "No one believes it, and Anna does not work at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Ask Anna who works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna and the man who works at Acme met."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "From 2010 to 2015 Anna worked at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "In the novel, Anna works at Acme?"),
    ("Anna Berg", "works_at", "Acme", "silent", "Working with Anna at Acme was fun."),
    ("Anna Berg", "leads", "Atlas", "says", "Anna Berg now leads Atlas."),
    ("Anna Berg", "leads", "Atlas", "denies", "Atlas is no longer led by Anna."),
    ("Anna Berg", "leads", "Atlas", "uncertain", "Anna was asked to lead Atlas."),
    ("Anna Berg", "lives_in", "Oslo", "silent", "Anna lives near Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "silent", "Anna lives in a book about Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "uncertain", "Anna lives in Oslo according to a rumour."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna is living in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "denies", "Anna does not live in Oslo but in Bergen."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna does not live in Bergen but lives in Oslo."),
    ("Anna Berg", "lives_in", "Oslo", "uncertain", "Soon Anna lives in Oslo."),
    ("Ben Ito", "reports_to", "Anna Berg", "silent", "Ben reports to the boss of Anna."),
    ("Ben Ito", "reports_to", "Anna Berg", "uncertain", "Ben reported to Anna."),
    ("Ben Ito", "reports_to", "Anna Berg", "denies", "Ben doesn't report to Anna any more."),
    ("Anna Berg", "works_at", "Acme", "denies", "It is false that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "It's untrue that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "It is wrong that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "It is a lie that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "It is a myth that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "There is a rumour that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "The fiction that Anna works at Acme is popular."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "It is a legend that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme. That is not true."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme. This was wrong."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme. Just kidding!"),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme. No, that's false."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. That is true."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. That is not far from Oslo."),
    ("Anna Berg", "works_at", "Acme", "silent", "Everyone but Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "Everyone other than Anna works at Acme."),
    ("Anna Berg", "reports_to", "Ben Ito", "silent", "Unlike Anna, Carla reports to Ben."),
    ("Anna Berg", "reports_to", "Ben Ito", "silent", "Besides Anna, Carla reports to Ben."),
    ("Anna Berg", "reports_to", "Ben Ito", "silent", "Anna, Carla reports to Ben."),
    ("Anna Berg", "reports_to", "Ben Ito", "uncertain", "Anna or Carla reports to Ben."),
    ("Anna Berg", "reports_to", "Ben Ito", "says", "Anna and Carla report to Ben."),
    ("Anna Berg", "reports_to", "Ben Ito", "says", "Anna, Lena and Carla report to Ben."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme is UNGROUNDED."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme is not grounded."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "“Anna works at Acme” is unproven."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme was refuted."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme (not true)."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme, which is false."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme, but that turned out to be wrong."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "That Anna works at Acme has never been verified."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme, which is not far from Oslo."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme, not at Bolt."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Let Anna work at Acme."),
    ("Billing", "depends_on", "Ledger", "uncertain", "Make sure Billing depends on Ledger."),
    ("Billing", "depends_on", "Ledger", "uncertain", "Please ensure that Billing depends on Ledger."),
    ("Anna Berg", "reports_to", "Ben Ito", "uncertain", "Have Anna report to Ben."),
    ("Billing", "depends_on", "Ledger", "uncertain", "Check that Billing depends on Ledger."),
    ("Billing", "depends_on", "Ledger", "says", "Billing depends on Ledger."),
    ("Anna Berg", "married_to", "Max Orn", "says", "Anna is married to Max."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme in my dream."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "In the novel, Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme in the test data."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "I dreamt that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "No one said that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "I don't know that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works\nat Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at\nAcme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna does not\nwork at Acme."),
    ("Anna Berg", "works_at", "Acme", "silent", "- Anna\n- works at Acme"),
    ("Anna Berg", "works_at", "Acme", "silent", "Anna\n\nworks at Acme"),
    ("Anna Berg", "works_at", "Acme", "says", "Anna has worked at Acme since 2019."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna has lived in Oslo for ten years."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna has worked at Acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna hasn't worked at Acme since 2019."),
    ("Anna Berg", "founded", "Acme", "says", "Anna founded Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "anna works at acme."),
    ("Anna Berg", "works_at", "Acme", "denies", "Anna does NOT work at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Myth: Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "The following is not true: Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Everyone at Acme likes it that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme and likes it."),
    ("Anna Berg", "works_at", "Acme", "says", "Everyone knows that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Nobody is surprised. Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme and not at Bolt."),
    ("Anna Berg", "works_at", "Acme", "says", "As you know, Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "says", "I was told that Anna works at Acme, and it is correct."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. It is false economy, she says."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. She is not happy there."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. That is why she moved."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. It was founded in 1990."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. This is not new."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna works at Acme. It is unclear how long."),
    ("Anna Berg", "works_at", "Acme", "says", "We make bikes, and Anna works at Acme."),
    ("Billing", "depends_on", "Ledger", "says", "Billing depends on Ledger in the test environment."),
    ("Billing", "depends_on", "Ledger", "says", "Billing depends on Ledger, which is obsolete."),
    ("Billing", "depends_on", "Ledger", "says", "Billing depends on Ledger (deprecated)."),
    ("Anna Berg", "lives_in", "Oslo", "says", "Anna lives in Oslo, but it is wrong to call her a local."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Anna works at Acme: false."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "The claim “Anna works at Acme” has been debunked."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "There is no evidence that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Contrary to what people say, Anna works at Acme? No."),
    ("Anna Berg", "works_at", "Acme", "denies", "It is simply not the case that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "It would be false to say that Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Had Anna worked at Acme, we would know."),
    ("Anna Berg", "works_at", "Acme", "says", "Anna has been working at Acme for three years."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "Suppose Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "A liar says that Anna works at Acme. It's a lie."),
    ("Anna Berg", "founded", "Acme", "denies", "Anna never founded Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", "In a parallel world, Anna works at Acme."),
    ("Anna Berg", "works_at", "Acme", "uncertain", 'For example, "Anna works at Acme" is a sentence.'),
]


@pytest.fixture(scope="module")
def judge(new_file):
    """Judges a text in a graph that has the entities."""
    import keepgraph

    with keepgraph.open(new_file()) as graph:
        for entity_type, name in ENTITIES:
            graph.call("add_entity", entity={"type": entity_type, "name": name})

        def judge(subject, predicate, target, *texts):
            with graph.database.read("a test") as tx:
                ends = [(store.entities.by_key(tx, name.lower()) or [name])[0] for name in (subject, target)]
                return text_evidence.judge(tx, subject=ends[0], predicate=predicate, object=ends[1], texts=texts)

        judge.graph = graph
        yield judge


def test_a_sentence_says_denies_or_leaves_open_and_else_is_silent(judge):
    verdicts = [
        (text, judge(subject, predicate, target, text).verdict) for subject, predicate, target, _, text in CASES
    ]

    assert [(text, expected) for *_, expected, text in CASES] == verdicts


def test_two_texts_that_disagree_leave_it_open(judge):
    verdict = judge("Anna Berg", "works_at", "Acme", "Anna works at Acme.", "Anna Berg doesn't work at Acme.")

    assert verdict.verdict == "uncertain"
    assert "disagree" in verdict.reason


def test_a_stored_text_is_named_and_a_given_one_counts_before_it(judge):
    judge.graph.call("add_memory", name="Note", episode_body="It is cold. Ben Ito lives in Oslo.", sync=True)
    stored = judge("Ben Ito", "lives_in", "Oslo")
    given = judge("Ben Ito", "lives_in", "Oslo", "Ben Ito does not live in Oslo.")

    assert (stored.verdict, stored.sentence) == ("says", "Ben Ito lives in Oslo.")
    assert stored.source is not None
    assert (given.verdict, given.source) == ("denies", None)


@pytest.mark.parametrize("text", ["", "\0", "Anna Acme " * 3000, "Anna (" * 500 + "Acme", "ANNA\nACME", "Anna Acme 🙂"])
def test_odd_texts_are_read_without_a_finding(judge, text):
    assert judge("Anna Berg", "works_at", "Acme", text).verdict == "silent"


@pytest.mark.parametrize("name", ["", " ", '"', "(?x", "*"])
def test_odd_names_are_never_mentioned(judge, name):
    assert judge(name, "works_at", "Acme", "Anna works at Acme.").verdict == "silent"
