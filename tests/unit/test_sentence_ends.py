"""Where a sentence ends: after a full stop that belongs to no abbreviation, initial, number or address."""

from __future__ import annotations

import pytest

from keepgraph.language import sentences

# A bar stands where one sentence ends and the next begins.
ENGLISH = [
    "Ada left.|Bob stayed.",
    "Ada left!|Did Bob stay?|He did.",
    "Ada Lovelace reports to Dr. Grace Hopper.|She likes it.",
    "Atlas is blocked by St. Brigid's Hospital.|It opens in May.",
    "Ada reports to Gen. Arthur Wellesley.|He is strict.",
    "We met Lt. Col. Jane Frost and Prof. A. Turing.|Both agreed.",
    "Mr. and Mrs. Hall left with Ms. Ito.|The rest stayed.",
    "Rev. Sam Obi married Capt. Kim Roe.|We cried.",
    "J. R. R. Tolkien wrote it.|C. S. Lewis read it.",
    "Ada B. Lovelace signed.|Then she left.",
    "We chose plan B.|The team agreed.",
    "Bob and I.|Then the others.",
    "He works at Acme Inc. in Leeds.|She does not.",
    "He works at Acme Inc.|He likes it.",
    "Acme Inc. Europe was sold to Foo Ltd. of Bath.|Nobody knew.",
    "Bring pens, paper, etc. to the room.|Thanks.",
    "Bring pens, paper, etc.|Bob brings the rest.",
    "Use a queue, e.g. Kafka, i.e. a log.|It scales.",
    "It is Smith et al. (2020) again.|See Fig. 3 and No. 5 on p. 12.",
    "We meet at 5 p.m. on Jan. 5.|Do not be late.",
    "We meet at 5 p.m.|Bob opens the door.",
    "The U.S. Senate voted.|The U.K. did not.",
    "She moved to the U.S.|He stayed.",
    "Version 2.5 is out.|Version 3.0 follows in 2027.|Good.",
    "Read https://example.org/a.b/c.|Then write to ada@example.org.|Done.",
    "We use Node.js.|It is fast.",
    "Well... maybe not.|Wait...|Bob knows.",
    "He said “No.”|She said (quietly) yes.|Fine.",
    "“Really?” asked Ada.|“Yes!” said Bob.",
    "approx. 20 people vs. 30 last year.|Fewer, then.",
    "i went home.|then i slept.",
    "She has a Ph.D. in physics.|He has none.",
    "We paid $3.50 vs. $4.00 at Joe's.|Cheap!",
    "Sgt. Mgr. Hall signed for the dept. of works.|All good.",
]
GERMAN = [
    "Wir nutzen z.B. Redis und d. h. einen Cache.|Er ist schnell.",
    "Dr. Weiß und Hr. Braun kommen am 3. Mai.|Wir auch.",
    "Sie kommt ca. um 9 bzw. um 10.|Danach gehen wir.",
    "Hr. Dr. med. Kranz operiert heute.|Er ist gut.",
    "Stifte, Papier usw.|Die Liste ist lang.",
    "Siehe Nr. 12 in Bd. 3 auf S. 40.|Dort steht es.",
    "Der 2. Weltkrieg endete 1945.|Das war im Mai.",
]
FRENCH = [
    "M. Dupont a vu Mme. Curie.|Elle est partie.",
    "Il y en a env. 20, p. ex. Lyon et Nice.|La suite demain.",
    "Le Dr. Roux arrive av. J.-C. ou presque.|Il rit.",
    "Voir l'art. 5 et le no. 7.|C'est tout.",
]


@pytest.mark.parametrize("marked", [*ENGLISH, *GERMAN, *FRENCH])
def test_a_sentence_ends_where_a_reader_ends_it(marked):
    text = marked.replace("|", " ")

    assert [text[each.start : each.end] for each in sentences.split(text)] == marked.split("|")


@pytest.mark.parametrize("marked", [*ENGLISH, *GERMAN, *FRENCH])
def test_a_text_is_cut_where_its_sentences_begin(marked):
    text = marked.replace("|", " ")
    starts = [start for start in sentences.starts(text, 0, len(text)) if start < len(text)]

    assert starts == [each.start for each in sentences.split(text)][1:]
