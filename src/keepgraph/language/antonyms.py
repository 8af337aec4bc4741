"""What words are for and against: actions, refusals and opposites. Knows no names.

Words are folded and English, but for the commonest refusals of some neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_AGAINST = re.compile(
    "not|no|never|off|dont|without|ban|bans|banned|end|ends|rid|close|closed|fire|fired|"
    "nicht|kein|keine|keinen|nie|ohne|ne|pas|jamais|sans|sin|nunca|non|senza|"
    "(stop|drop|deprecat|retir|remov|disabl|forbid|reject|abandon|cancel|avoid|refus|prohibit|delet|quit|declin|"
    r"discontinu|sunset|shorten|reduc|decreas|exclud|deny|against)\w*"
)
_KEEPING = re.compile("(keep|stay|remain|continu|maintain|hold)\\w*")
_CHANGING = re.compile("(mov|switch|migrat|chang|replac|convert|transfer)\\w*")
_DOING = re.compile(
    "use|uses|used|using|go|goes|going|put|get|getting|run|runs|running|do|does|doing|set|have|has|need|needs|must|"
    "take|takes|taking|plan|want|host|roll|hire|hiring|make|making|turn|"
    "(adopt|choos|pick|select|start|introduc|enabl|allow|permit|recruit|requir|writ|build|implement|creat|launch|"
    r"begin|decid)\w*"
)
_POSTPONING = re.compile("(postpon|delay|defer)\\w*")
_ACTIONS = (_KEEPING, _CHANGING, _DOING, _POSTPONING, _AGAINST)

_PREFIXES = ("hyper", "hypo")

# Words that are each other's opposite, by how they begin.
_OPPOSITES = tuple(
    tuple(side.split("|") for side in pair.split("/"))
    for pair in (
        "left/right north/south east/west high|hyper/low|hypo client/server front/back inbound/outbound "
        "internal/external public/private import/export upload/download input/output buy|purchas/sell|lend "
        "win|won/los grant/revok split|separat/merg|join|combin open/clos before/after more/less|fewer "
        "increas|rais|grow/decreas|reduc|lower|cut add/remov allow|permit/forbid|ban|block "
        "accept|approv/reject|declin enabl/disabl start|begin/stop|end expand/shrink extend/short lock/unlock "
        "encrypt/decrypt push/pull up/down top/bottom early/late old/new summer/winter morning/evening day/night "
        "employee|staff/customer|client teacher/student doctor|physician/patient men|man|male/women|woman|female "
        "adult/child|kid domestic|home/foreign|abroad remote/onsite online/offline synchron/asynchron "
        "central/decentral single/multi major/minor horizontal/vertical hot|warm/cold|cool wet/dry "
        "hire|hiring|recruit/fire|firing|dismiss|sack|layoff borrow/lend insid|indoor/outsid|outdoor "
        "beginner/advanced temporary/permanent optional/mandatory manual/automat paid/free rich/poor urban/rural "
        "advanc/postpon|delay "
    ).split()
)


def turned_round(asked: Sequence[str], known: Sequence[str], *, hinted: bool) -> bool:
    """Whether one of the two is against what the other is for."""
    ours, theirs = _are_against(asked), _are_against(known)
    return ours != theirs and not (hinted and theirs)


def opposed(asked: Sequence[str], known: Sequence[str]) -> bool:
    """Whether one has a word, and the other not that word but its opposite."""
    for one, other in _OPPOSITES:
        ours, theirs = ((_has(each, one), _has(each, other)) for each in (asked, known))
        if ours[0] != ours[1] and theirs == ours[::-1]:
            return True
    return False


def _has(words: Sequence[str], stems: Sequence[str]) -> bool:
    """Whether a word is one of these, but for its ending: short stems bear a short one."""
    return any(
        word.startswith(stem) and (stem in _PREFIXES or len(word) - len(stem) <= (3 if len(stem) > 3 else 1))
        for word in words
        for stem in stems
    )


def agree(one: str, other: str) -> bool:
    """Whether two words both say only what is done, and do not say the contrary."""
    kinds = [next((kind for kind in _ACTIONS if kind.fullmatch(word)), None) for word in (one, other)]
    return None not in kinds and (kinds[0] is kinds[1] or set(kinds) in ({_DOING, _KEEPING}, {_DOING, _CHANGING}))


def _are_against(words: Sequence[str]) -> bool:
    return any(is_against(word) for word in words)


def is_action(word: str) -> bool:
    """Whether a word only says what is done."""
    return any(kind.fullmatch(word) for kind in _ACTIONS)


def is_against(word: str) -> bool:
    """Whether a word refuses, ends or forbids."""
    return bool(_AGAINST.fullmatch(word))
