"""Texts of every kind for models: names, scripts, signs, blanks, sentences, and texts longer than a model reads."""

from __future__ import annotations

NAMES = ["Ada Lovelace", "ada lovelace", "Augusta Ada King", "Priya", "Q3 roadmap", "ACME, Inc.", "x", "R2-D2", "C++"]
ACCENTS = ["Zoë Krüger", "José Ñandú", "Łukasz Żółć", "Đặng Thị Hương", "naïve café", "cafe\u0301", "ß", "İstanbul"]
SCRIPTS = ["東京タワー", "李伟", "서울 사무소", "Анна Каренина", "Ελένη", "محمد", "שלום", "नमस्ते", "ไทย", "𝔘𝔫𝔦", "𠀋"]
SIGNS = ["🎉", "👩‍👩‍👧", "Ship it 🚀🚀", "!!!", "—", "…", "\u200b", "a\u0000b", "[MASK] [SEP]", "\ufffd", "∑∫√", "½"]
BLANKS = ["", " ", "\t\n", "\u00a0", "\u3000"]
SENTENCES = [
    "Ada wrote the first program for the Analytical Engine.",
    "The API team is blocked by the vendor's contract until May.",
    "We decided to keep SQLite, because nothing else fits in one file.",
    "Wir haben beschlossen, am Montag zu liefern.",
    "def f(x): return x ** 2",
    "https://example.org/a/b?c=d#e",
    "2026-05-01T09:30:00+02:00",
    "a" * 150,
    "a" * 99,
]
LONG = ["word " * count for count in (253, 254, 255, 300, 2000)] + [
    "The meeting moved to Thursday. " * 60,
    "東京" * 400,
    "🎉 " * 500,
]
DIVERSE = NAMES + ACCENTS + SCRIPTS + SIGNS + BLANKS + SENTENCES + LONG
