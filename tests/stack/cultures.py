"""The order in which a reader takes the cultures of names: docs/decisions/0005-http.md, implemented a second time.

It knows the languages of the tests alone, by a table of its own. A tag that it would have to guess at is an error.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

# Script and region that a language has where its tag names none.
_USUAL = {
    "bg": ("Cyrl", "BG"), "bs": ("Latn", "BA"), "cs": ("Latn", "CZ"), "da": ("Latn", "DK"), "de": ("Latn", "DE"), "en": ("Latn", "US"),
    "es": ("Latn", "ES"), "fi": ("Latn", "FI"), "fr": ("Latn", "FR"), "gsw": ("Latn", "CH"), "he": ("Hebr", "IL"), "hr": ("Latn", "HR"),
    "it": ("Latn", "IT"), "ja": ("Jpan", "JP"), "lb": ("Latn", "LU"), "nb": ("Latn", "NO"), "nl": ("Latn", "NL"), "nn": ("Latn", "NO"),
    "no": ("Latn", "NO"), "pl": ("Latn", "PL"), "pt": ("Latn", "BR"), "ru": ("Cyrl", "RU"), "sr": ("Cyrl", "RS"), "sv": ("Latn", "SE"),
    "tr": ("Latn", "TR"), "uk": ("Cyrl", "UA"), "zh": ("Hans", "CN"),
}  # fmt: skip
_SCRIPT_OF_REGION = {"zh-TW": "Hant", "zh-HK": "Hant", "zh-MO": "Hant", "sr-ME": "Latn"}
_REGION_OF_SCRIPT = {"zh-Hant": "TW"}
_LATIN_AMERICA = set("AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE".split())
_LIKE_BRITAIN = set("AU GB HK IE IN KE NG NZ SG ZA".split())
_OLD = {"iw": "he", "no": "nb"}
_READ_ALSO = {
    "nb-Latn": "nn-Latn", "nn-Latn": "nb-Latn", "hr-Latn": "bs-Latn", "bs-Latn": "hr-Latn", "gsw-Latn": "de-Latn", "lb-Latn": "de-Latn",
    "sr-Cyrl": "sr-Latn", "sr-Latn": "sr-Cyrl",
}  # fmt: skip
_ALIKE_LANGUAGES = [[pair.split("-")[0] for pair in pairs] for pairs in _READ_ALSO.items()]
_TAG = re.compile(r"([a-z]{2,3})(?:-([A-Z][a-z]{3}))?(?:-([A-Z]{2}|[0-9]{3}))?")


@dataclass(frozen=True)
class _Meaning:
    """What a tag says, and what it means without saying it."""

    language: str
    writing: str
    region: str
    full: str

    @property
    def general(self) -> list[str]:
        """Returns the regions of more and more general tags, the own one first and `` for none."""
        found = [self.region]
        if self.writing == "es-Latn" and self.region in _LATIN_AMERICA:
            found.append("419")
        if self.writing == "en-Latn" and self.region in _LIKE_BRITAIN:
            found.append("001")
        return [*found, ""] if self.region else found


def _meaning(tag: str) -> _Meaning:
    if "-" not in tag and tag not in _USUAL:
        return _Meaning(tag, tag, "", tag)
    found = _TAG.fullmatch(tag)
    if not found or _OLD.get(found[1], found[1]) not in _USUAL:
        raise ValueError(f"the oracle does not know {tag}")
    language = _OLD.get(found[1], found[1])
    region = found[3] or ""
    usual_script, usual_region = _USUAL[language]
    script = found[2] or _SCRIPT_OF_REGION.get(f"{language}-{region}", usual_script)
    writing = f"{language}-{script}"
    return _Meaning(language, writing, region, f"{writing}-{region or _REGION_OF_SCRIPT.get(writing, usual_region)}")


def order_of(available: Collection[str], requested: str, default: str) -> list[str]:
    """Returns the cultures in which a reader takes a name, the best first, for a tenant without a chain. The default ends them."""
    placed = [(place, tag) for tag in available if (place := _place(requested, tag)) is not None]
    order = [tag for _, tag in sorted(placed)]
    return [*order[: order.index(default)], default] if default in order else [*order, default]


def _place(requested: str, tag: str) -> tuple[int, ...] | None:
    """Returns the step of the rule by which a reader takes a culture, and its place in that step."""
    if tag == requested:
        return (0,)
    languages = [_OLD.get(language, language) for language in (requested.split("-")[0], tag.split("-")[0])]
    if languages[0] != languages[1] and languages not in _ALIKE_LANGUAGES:
        return None
    wanted, offered = _meaning(requested), _meaning(tag)
    if offered.full == wanted.full:
        return (1,)
    if offered.writing == wanted.writing:
        if offered.region in wanted.general[1:]:
            return (2, wanted.general.index(offered.region))
        steps, shared = next((steps, region) for steps, region in enumerate(wanted.general) if region in offered.general)
        return (3, steps, int(offered.full != (f"{wanted.writing}-{shared}" if shared else _usual(offered))))
    is_unusual = int(offered.full != _usual(offered))
    if offered.language == wanted.language and ("-" not in requested or "-" not in tag):
        return (4, is_unusual)
    return (5, is_unusual) if _READ_ALSO.get(wanted.writing) == offered.writing else None


def _usual(meaning: _Meaning) -> str:
    """Returns what a language and a script mean without a region."""
    return f"{meaning.writing}-{_REGION_OF_SCRIPT.get(meaning.writing, _USUAL[meaning.language][1])}"
