"""Whether a phrase names what another describes: sure, perhaps, or something else."""

from __future__ import annotations

import pytest

from keepgraph.language import phrase_matching
from keepgraph.language.phrase_matching import Agreement

PHRASES = [
    ("No  Money", "no money", Agreement.EQUAL),
    ("waiting for the licence.", "Waiting for the licence", Agreement.EQUAL),
    ("licence", "waiting for the licence", Agreement.SURE),
    ("the licence has arrived", "waiting for the licence", Agreement.SURE),
    ("the license came on Monday by mail", "waiting for the licence", Agreement.SURE),
    ("licence B", "waiting for licence B", Agreement.SURE),
    ("licence", "waiting for licence A", Agreement.SURE),
    ("API keys", "waiting for the API key", Agreement.SURE),
    ("legal signed the contract", "contract not signed by legal", Agreement.SURE),
    ("budget approved", "no budget", Agreement.SURE),
    ("Acme replied", "waiting for Acme to reply", Agreement.SURE),
    ("die Lizenz ist da", "warten auf die Lizenz", Agreement.SURE),
    ("le contrat est signé", "en attente du contrat", Agreement.SURE),
    ("the meeting", "waiting for the meeting", Agreement.SURE),
    ("driving licence", "waiting for the licence", Agreement.PARTIAL),
    ("database outage fixed", "waiting for the database", Agreement.PARTIAL),
    ("licence from Bosch arrived", "waiting for the licence of Siemens", Agreement.PARTIAL),
    ("security review done", "legal review", Agreement.PARTIAL),
    ("not the licence", "waiting for the licence", Agreement.PARTIAL),
    ("no licence yet", "waiting for the licence", Agreement.PARTIAL),
    ("the licence hasn't arrived", "waiting for the licence", Agreement.PARTIAL),
    ("the licence should arrive tomorrow", "waiting for the licence", Agreement.PARTIAL),
    ("noch keine Lizenz", "warten auf die Lizenz", Agreement.PARTIAL),
    ("pas de licence", "en attente de la licence", Agreement.PARTIAL),
    ("still no budget", "no budget", Agreement.SURE),
    ("no longer waiting for the licence", "waiting for the licence", Agreement.SURE),
    ("we are not waiting for the licence any more", "waiting for the licence", Agreement.SURE),
    ("waiting for the licence of Boreas", "waiting for the licence", Agreement.PARTIAL),
    ("the licence arrived for Boreas", "waiting for the licence", Agreement.PARTIAL),
    ("Boreas' licence", "waiting for the licence", Agreement.PARTIAL),
    ("licence (Boreas)", "waiting for the licence", Agreement.PARTIAL),
    ("renewal of the licence", "waiting for the licence", Agreement.PARTIAL),
    ("a call about the licence", "waiting for the licence", Agreement.PARTIAL),
    ("die Lizenz für Boreas", "warten auf die Lizenz", Agreement.PARTIAL),
    ("licence and permit arrived", "waiting for the licence", Agreement.SURE),
    ("Ana signed the licence", "waiting for the licence", Agreement.SURE),
    ("licence A", "waiting for licence B", Agreement.CONTRADICTION),
    ("licence a", "licence b", Agreement.CONTRADICTION),
    ("Q3 report", "waiting for the Q4 report", Agreement.CONTRADICTION),
    ("the second quote", "waiting for the first quote", Agreement.CONTRADICTION),
    ("phase two", "phase 1", Agreement.CONTRADICTION),
    ("Ana", "waiting for the licence", Agreement.NONE),
    ("waiting", "waiting for the licence", Agreement.NONE),
    ("it is done", "waiting for the licence", Agreement.NONE),
    ("", "waiting for the licence", Agreement.NONE),
    ("!!!", "???", Agreement.NONE),
    ("許可証", "許可証", Agreement.EQUAL),
]


@pytest.mark.parametrize(("phrase", "text", "agreement"), PHRASES)
def test_a_phrase_names_a_text_as_surely_as_it_should(phrase, text, agreement):
    assert phrase_matching.compare(phrase, text).agreement == agreement


@pytest.mark.parametrize(("phrase", "text", "agreement"), PHRASES)
def test_no_phrase_is_both_something_else_and_sure(phrase, text, agreement):
    match = phrase_matching.compare(phrase, text)

    assert not (match.is_other_matter and match.agreement >= Agreement.SURE)
