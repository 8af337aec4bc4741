"""Identifiers of documents: URLs, DOIs, arXiv ids and ISBNs, each in one spelling by which two are compared.

Nothing is fetched. An identifier in a URL counts as the identifier: a DOI behind the address of a publisher.
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
URL = lazy.compile(r"(?:https?://|www\.)\S+|(?:[a-z0-9\-]+\.)+[a-z]{2,}/\S+", re.I)

_DOI_IN_URL = lazy.compile(
    r".*?/(?P<id>10\.\d{4,9}/[^\s\"<>?#]+?)(?:/(?:full|pdf|abstract|meta|epdf|html))?/?(?:[?#].*)?"
)
_BARE_ARXIV = lazy.compile(r"\d{4}\.\d{4,5}(?:v\d+)?")
_TRACKING = lazy.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|yclid|ref|ref_src|source|lang|hl|si|feature|share|s|t|via|cmpid|mc_cid|mc_eid|usp|"
    r"pli|igshid|igsh|spm|trk|_hs\w+"
)
_AROUND = " <>()[].,;\"'"
_DIGITS_OF_ISBN = 10
_PREFIX_OF_ISBN = "978"


def canonical(text: str, *, key: str = "") -> str | None:
    """The one spelling of an identifier: doi:10.1000/1, arxiv:1706.03762, isbn:9781942788812, host/path; else None.

    Args:
        key: the name of the property whose value the text is; "isbn" or "doi" say what a bare number is.
    """
    stripped = text.strip(_AROUND)
    if not stripped or len(stripped) > MAX_LENGTH:
        return None
    if match := DOI.fullmatch(stripped) or (URL.fullmatch(stripped) and _DOI_IN_URL.fullmatch(stripped)):
        return f"doi:{match['id'].casefold()}"
    is_arxiv = "arxiv" in f"{key} {stripped}".casefold() or _BARE_ARXIV.fullmatch(stripped)
    if is_arxiv and (match := ARXIV.fullmatch(stripped)):
        return f"arxiv:{match['id'].casefold()}"
    if match := ISBN.fullmatch(f"isbn {stripped}" if "isbn" in key.casefold() else stripped):
        number = _isbn(match["id"])
        return number and f"isbn:{number}"
    return page(stripped)


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
