"""Identifiers of people and documents, each in one spelling by which two are compared.

E-mail addresses, telephone numbers, ORCID iDs, DOIs, arXiv ids, ISBNs, URLs, and addresses of git repositories. Nothing
is fetched. An identifier in a URL counts as the identifier: a DOI behind the address of a publisher.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from keepgraph import lazy

MAX_LENGTH = 2000

DOI = lazy.compile(r"(?:.*?(?:\bdoi\b[:\s]*|doi\.org/))?(?P<id>10\.\d{4,9}/[^\s\"<>]+?)[.,;)]*", re.I)
ARXIV = lazy.compile(
    r"(?:\S*arxiv\S*?[\s:/]+)?(?P<id>\d{4}\.\d{4,5}|[a-z\-]{2,12}(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?\W*", re.I
)
ISBN = lazy.compile(r"(?:isbn(?:-1[03])?:?\s*)(?P<id>[\dxX][\dxX\- ]{8,16})", re.I)
_BARE_ISBN = lazy.compile(r"97[89](?:[- ]?\d){10}")
URL = lazy.compile(r"(?:https?://|www\.)\S+|(?:[a-z0-9\-]+\.)+[a-z]{2,}/\S+", re.I)

PAGE, PHONE = "url", "tel"
_PREFIXES = ("doi", "arxiv", "isbn", "orcid", "tel")
_MIN_DIGITS = 7  # of an identifier without @ and /
_EMAIL = lazy.compile(r"(?:mailto:|[^<>@]*<)?(?P<id>[^\s@<>(),;:\"\[\]]+@(?:[\w\-]+\.)+[^\W\d_]{2,})>?(?:\?\S*)?", re.I)
_PHONE = lazy.compile(r"(?P<scheme>tel:|(?=\+)|(?=00[1-9]))(?P<id>\+?\d[\d\s().\-/]{5,24})", re.I)
_ORCID = lazy.compile(r"(?:(?:https?://)?(?:www\.)?orcid(?:\.org/|:?\s*))?(?P<id>(?:\d{4}-){3}\d{3}[\dX])/?", re.I)
_GIT = lazy.compile(r"(?:ssh://)?git@(?P<host>(?:[a-z0-9\-]+\.)+[a-z]{2,})[:/](?P<path>[^\s:]+)", re.I)
_KEYS_OF_PHONES = ("phone", "tel", "mobile")

_DOI_IN_URL = lazy.compile(
    r".*?/(?P<id>10\.\d{4,9}/[^\s\"<>?#]+?)(?:/(?:full|pdf|abstract|meta|epdf|html))?/?(?:[?#].*)?"
)
_BARE_ARXIV = lazy.compile(r"\d{4}\.\d{4,5}(?:v\d+)?")
_TRACKING = lazy.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|yclid|ref|ref_src|source|lang|hl|si|feature|share|s|t|via|cmpid|mc_cid|mc_eid|usp|"
    r"pli|igshid|igsh|spm|trk|_hs\w+"
)
_MIN_LETTERS_IN_A_ROW = 3  # of a telephone number, however it is grouped
_AROUND = " <>()[].,;\"'"
_DIGITS_OF_ISBN = 10
_PREFIX_OF_ISBN = "978"


def may_be(text: str) -> bool:
    """Whether a text may be an identifier: a test that costs next to nothing, and that most names do not pass."""
    return "@" in text or "/" in text or sum(map(str.isdigit, text)) >= _MIN_DIGITS


def key_of_name(text: str) -> str | None:
    """The key by which an identifier finds its bearer: its one spelling in lower case; None for other text."""
    identifier = canonical(text) if may_be(text) else None
    return identifier.lower() if identifier is not None else None


def canonical(text: str, *, key: str = "") -> str | None:
    """The one spelling of an identifier; None if the text is not one.

    That is `doi:10.1000/1`, `arxiv:1706.03762`, `isbn:9781942788812`, `orcid:0000-0002-1825-0097`, `tel:+351912345678`,
    `ada@example.org`, or host and path of a URL or of a git repository. Each is its own spelling.

    Args:
        key: the name of the property whose value the text is; "isbn" or "phone" say what a bare number is.
    """
    stripped = text.strip(_AROUND)
    if not stripped or len(stripped) > MAX_LENGTH:
        return None
    if "@" in stripped:
        if match := _EMAIL.fullmatch(stripped):
            return match["id"].casefold()
        if match := _GIT.fullmatch(stripped):
            return page(f"https://{match['host']}/{match['path']}")
    if (match := _ORCID.fullmatch(stripped)) and _is_orcid(match["id"].upper()):
        return f"orcid:{match['id'].upper()}"
    is_phone = any(word in key.casefold() for word in _KEYS_OF_PHONES) and not stripped.casefold().startswith("tel:")
    if match := _PHONE.fullmatch(f"tel:{stripped}" if is_phone else stripped):
        return _phone(match["id"])
    if match := DOI.fullmatch(stripped) or (URL.fullmatch(stripped) and _DOI_IN_URL.fullmatch(stripped)):
        return f"doi:{match['id'].casefold()}"
    is_arxiv = "arxiv" in f"{key} {stripped}".casefold() or _BARE_ARXIV.fullmatch(stripped)
    if is_arxiv and (match := ARXIV.fullmatch(stripped)):
        return f"arxiv:{match['id'].casefold()}"
    is_isbn = "isbn" in key.casefold() or (_BARE_ISBN.fullmatch(stripped) and _is_checked(stripped))
    if match := ISBN.fullmatch(f"isbn {stripped}" if is_isbn else stripped):
        number = _isbn(match["id"])
        return number and f"isbn:{number}"
    return page(stripped)


def spelling(text: str) -> str:
    """The one spelling of an identifier; any other text as it is."""
    return (canonical(text) if may_be(text) else None) or text


def kind(identifier: str) -> str:
    """What a canonical identifier is: doi, arxiv, isbn, orcid, tel, email, or `PAGE`."""
    prefix, colon, _ = identifier.partition(":")
    if colon and prefix in _PREFIXES:
        return prefix
    return "email" if "@" in identifier else PAGE


def page(text: str) -> str | None:
    """A URL without what does not identify the page: scheme, www, tracking parameters, fragment, slash at the end.

    None for anything but the URL of a page: another text, or the address of a whole site.
    """
    url = text.strip(_AROUND)
    if not URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        parameters = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return None
    host, path = parts.netloc.casefold().removeprefix("www."), unquote(parts.path).rstrip("/")
    path = path.removesuffix(".git")
    identifying = [pair for pair in parameters if not _TRACKING.fullmatch(pair[0])]
    query = f"?{urlencode(identifying)}" if identifying else ""
    return f"{host}{path}{query}" if path or query else None


def letters(identifier: str) -> str:
    """A part of a canonical identifier that every spelling of it has, lower case, without spaces and hyphens.

    It serves to look for candidates in text before each is read.
    """
    kind, _, number = identifier.partition(":")
    if kind == "isbn":
        return number[3:-1]  # of ten digits and of thirteen
    if kind == "tel":
        return number[-_MIN_LETTERS_IN_A_ROW:]
    if kind == "orcid":
        return number.replace("-", "").casefold()
    core = number if kind in ("doi", "arxiv") else identifier.partition("?")[0]
    longest = max(re.findall(r"[!-~]+", core.replace('"', " ").replace("\\", " ")), key=len, default="")
    pieces = [piece for piece in longest.split("/") if piece]
    return max(pieces, key=len, default="").replace("-", "").casefold()


def _isbn(text: str) -> str | None:
    """The thirteen digits of an ISBN of ten or thirteen."""
    digits = re.sub(r"[\s\-]", "", text).upper()
    if len(digits) == _DIGITS_OF_ISBN:
        body = _PREFIX_OF_ISBN + digits[:-1]
        if not body.isdecimal():
            return None
        check = -sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(body)) % 10
        return f"{body}{check}"
    return digits if digits.isdecimal() and len(digits) == len("9780000000000") else None


def _is_checked(isbn: str) -> bool:
    """Whether the last of thirteen digits is the check digit of the others (ISO 2108)."""
    digits = [int(digit) for digit in isbn if digit.isdecimal()]
    return sum(digit * (3 if position % 2 else 1) for position, digit in enumerate(digits)) % 10 == 0


def _phone(text: str) -> str | None:
    """A telephone number as in RFC 3966, `tel:+351912345678`; one without the code of a country stays without."""
    written = text.replace("(0)", "")
    digits = re.sub(r"\D", "", written)
    if written.startswith("00"):
        written, digits = "+", digits[2:]
    sign = "+" if written.startswith("+") else ""
    return f"tel:{sign}{digits}" if len(digits) >= _MIN_DIGITS else None


def _is_orcid(text: str) -> bool:
    """Whether the check character of an ORCID iD is right (ISO 7064, MOD 11-2)."""
    total = 0
    for digit in text[:-1].replace("-", ""):
        total = (total + int(digit)) * 2
    return text[-1] == "0123456789X"[(12 - total % 11) % 11]
