"""Which English words are ordinary ones, that a capital alone does not make a name. Knows no table and no grammar.

What the lexicon of the model says, where it is installed, and a small table of ours where it is not. All words are in
small letters.
"""

from __future__ import annotations

from functools import cache, lru_cache

from keepgraph.language import lexicons, numbers
from keepgraph.ml import wordlist

_LONGEST = 40
_WORDS_KEPT = 20_000

_SMALL = """
    a about above according across actually after again against all almost along already also although always am
    among an and another any anybody anyone anything anyway are aren't around as at away back be because been
    before behind being below besides between beyond both but by can cannot can't could couldn't despite did
    didn't do does doesn't doing done don't down due during each either else enough etc even ever every everybody
    everyone everything except few finally first for former from further furthermore had has have having he hence
    her here hers herself him himself his how however i i'd i'll i'm i've if in indeed inside instead into is
    isn't it its it's itself just last late later latter least less let let's likewise many maybe me meanwhile
    might mine more moreover most much must my myself near neither never nevertheless next no nobody none
    nonetheless nor not nothing now of off often oh ok okay on once one ones only onto or other others otherwise
    our ours ourselves out outside over own per perhaps please quite rather really recently same second several
    shall she should shouldn't similarly since so some somebody someone something sometimes soon still such than
    thanks that that's the their theirs them themselves then there therefore there's these they they're thing
    things third this those though through throughout thus to today tomorrow tonight too toward towards under
    unless unlike until up upon us usually very was wasn't we we'll we're we've well were weren't what whatever
    what's when whenever where whereas wherever whether which whichever while who whoever whole whom whose why
    will with within without won't would wouldn't yes yesterday yet you your you're yours yourself hi hello hey
    dear regards cheers sorry yeah hmm new old good bad great big small long short high low early whoever
    afterwards alternatively apparently basically certainly clearly consequently currently eventually fortunately
    generally hopefully initially lately luckily mainly mostly namely obviously originally overall possibly
    presumably previously probably sadly seriously somehow somewhat somewhere specifically subsequently suddenly
    supposedly surely typically ultimately unfortunately english french german spanish italian dutch polish
    russian chinese japanese american european british
"""

_ALSO_NAMES = """
    access ally april art august bard bill bond box brave bridge brook carol chad chance char chase chip chuck
    cliff clay cloud dale dash dawn dean delta dick discord dot drew drop earl echo edge excel experience faith
    fall fay fern flash flow frank gene ginger glen go grace grant gray guy harmony hazel heath heather hop hope
    hunter iris ivy jack jade jasmine jean jet joy june keynote king lance lane lee light linear lily mail major
    march mark mason mat max may mercy miles mint miss mo nick norm notes notion numbers olive opal outlook pages
    paige parker pat patience pearl penny pierce poppy prudence rank ray reed rest rich rob robin rock rocky rod
    rose ruby rusty sage sandy see sherry shell signal skip sketch sky slack spring square stone story sue summer
    sun swift teams teddy terry thread trello tuck victor violet wade ward wash web west will willow win word wood
    young zoom
"""

_BEGIN_SENTENCES = """
    access adopt agreed amend ask bet bill brainstorm browse build bump chase check chose chuck clone close commit
    dash debug decided demo deploy discord draft drew drop dump edit email excel fetch fix flag flow followed
    frank go got grace grant hope kick kept kill lance linear made march mark may met migrate miss mock move need
    needs nick notes notion numbers opened outlook pages pair park pat patch pause ping pin plan postpone
    prioritise prioritize prune push put quick rank ran react rebase refactor reminder rename rest revert review
    rewrite rob rollback run said sat saw see send sent sent ship showed signal sketch skip slack spent spike
    spoke stand start sue swap swift switch sync talk teams tell thread told took tag tbd todo triage tweak
    unblock unpin update use used wade watch went will win word write wrote zoom
"""

_ENDINGS = tuple(
    "ed ing ly tion sion ment ness able ible ful less ous ive ise ize ify ance ence ship hood ism ist ability".split()
)
_OF_VERBS = frozenset(["ed", "ing", "ly"])
_BEGINNINGS = "un re over under pre mis dis non out de co sub inter".split()


@lru_cache(maxsize=_WORDS_KEPT)
def is_given_name(word: str) -> bool:
    """Whether a word is known as a given name; the answer is kept, as texts ask for the same words."""
    return lexicons.is_given_name(word)


@lru_cache(maxsize=_WORDS_KEPT)
def is_small(word: str) -> bool:
    """Whether a word only joins, points or comments: the, however, yesterday."""
    return word.replace("’", "'") in _words(_SMALL)


@lru_cache(maxsize=_WORDS_KEPT)
def is_ordinary(word: str) -> bool:
    """Whether a word is one of the language, whatever else bears it as a name: mark, stripe, board, may.

    Words that are inflected are; places and given names, which are in the lexicon too, are not.
    """
    if is_small(word) or word in _words(_ALSO_NAMES) or word in _words(_BEGIN_SENTENCES) or is_of_calendar(word):
        return True
    return word in wordlist.words() and not is_given_name(word) and bool(_inflected(word))


@lru_cache(maxsize=_WORDS_KEPT)
def is_only_ordinary(word: str) -> bool:
    """Whether a word is an ordinary one that is hardly anybody's or anything's name: it has a capital in titles."""
    return is_ordinary(word) and not is_of_calendar(word) and word not in _words(_ALSO_NAMES)


@lru_cache(maxsize=_WORDS_KEPT)
def may_begin(word: str) -> bool:
    """Whether a word is likely to begin a sentence as what it says, so that its capital there says nothing.

    Small words are, verbs (marked, marking) and adjectives (swiftly); the table has those that are names as well.
    """
    if is_small(word) or word in _words(_BEGIN_SENTENCES):
        return True
    known = word in wordlist.words() and not is_given_name(word)
    return known and bool(_inflected(word) & _OF_VERBS)


@lru_cache(maxsize=_WORDS_KEPT)
def is_known(word: str) -> bool:
    """Whether a word is English as far as one can tell: it, its stem, or its ending is. Any, without a lexicon.

    Names of places and of well-known things are in the lexicon too: what is not known is a name, not the reverse.
    """
    known = wordlist.words()
    if not known or len(word) > _LONGEST or is_small(word) or word in known or is_ordinary(word):
        return True
    if word.endswith(_ENDINGS):
        return True
    stems = {word.removesuffix(ending) for ending in ("s", "es", "d", "er", "est", "or", "y", "'s")} - {word}
    stems |= {word.removeprefix(beginning) for beginning in _BEGINNINGS} - {word}
    stems |= {stem.removesuffix("s") for stem in stems}
    if word.endswith(("ies", "ied", "ier")):
        stems.add(f"{word[:-3]}y")
    return any(len(stem) > 2 and (stem in known or f"{stem}e" in known) for stem in stems)


def is_in_use(word: str) -> bool:
    """Whether a word is frequent in English, as a word or a name; none is where there is no lexicon."""
    return word in wordlist.words()


@lru_cache(maxsize=_WORDS_KEPT)
def is_of_calendar(word: str) -> bool:
    """Whether a word is a day or a month, in full or for short."""
    return word in numbers.DAYS or word in numbers.DAYS_FOR_SHORT or word in numbers.MONTHS


@lru_cache(maxsize=_WORDS_KEPT)
def _inflected(word: str) -> frozenset[str]:
    """The endings with which a word is in the lexicon as well."""
    known = wordlist.words()
    stem = word.removesuffix("e")
    found = {ending for ending in ("s", "es", "ed", "ing", "ly") if word + ending in known}
    found |= {ending for ending in ("ed", "ing") if stem + ending in known or word + word[-1:] + ending in known}
    if word.endswith("y") and {f"{word[:-1]}ied", f"{word[:-1]}ies"} & known:
        found.add("ed")
    past = word.endswith(("ed", "ing")) and bool({word[:-2], word[:-1], word[:-3], f"{word[:-3]}e"} & known)
    return frozenset(found | {"ed"} if past else found)


@cache
def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())
