"""How people write a name in another way: the rules of each language, written from the languages. Nothing here is of the search."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set

#: Letters that people who lack them write as others, beside letters with marks.
_PLAIN = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
#: Their marks are parts of other letters, but for that of ё.
_CYRILLIC = {"ru", "uk", "bg", "sr"}
_SIGNS = {"ja", "zh", "ko"}
#: Languages that write nouns together, so that people write their parts apart, and apart what is one word.
_COMPOUNDING = {"en", "de", "nl", "sv", "da", "nb", "no", "fi"}
_LINKS = {"de": ("s", "n", "en", "es"), "nl": ("s", "e", "en"), "sv": ("s",), "da": ("s", "e"), "nb": ("s", "e")}
AND = {
    "en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en", "sv": "och", "da": "og", "nb": "og", "fi": "ja", "pl": "i", "ru": "и", "uk": "і", "tr": "ve",
}  # fmt: skip
#: They join what stands beside them, so no compound ends or begins with them.
_SMALL = set(
    "a an and as at by for from in into of on or the to with without not nor per via no other than all"
    " der die das den dem des ein eine und oder für mit ohne von vom zu zum zur im in am an auf aus bei nicht"
    " de du des la le les l d et ou en pour sans avec à au aux par sur dans un une el los las y o con sin para por del al un una".split()
)
_MARK = "-‐'’.·・"
_LETTERS = re.compile(r"[^\W\d_]+")
_IDEOGRAPH = "\u3400-\u9fff々"


def language(culture: str) -> str:
    """The language of a culture."""
    return culture.split("-")[0]


def lower(name: str, tongue: str) -> str:
    return (name.replace("I", "ı").replace("İ", "i") if tongue == "tr" else name).lower()


def unaccented(name: str, tongue: str) -> str:
    """Without the marks that people leave out."""
    if tongue in _SIGNS:
        return name
    if tongue in _CYRILLIC:
        return name.replace("ё", "е").replace("Ё", "Е") if tongue == "ru" else name
    decomposed = unicodedata.normalize("NFD", name.translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn"))


def plain(text: str) -> str:
    """For comparing: words in lower case without marks, a space between them."""
    kept = "".join(letter if letter.isalnum() else " " for letter in unaccented(text.lower(), ""))
    return " ".join(kept.split())


def words(name: str) -> list[str]:
    return _LETTERS.findall(name)


def joined(name: str, tongue: str) -> Iterator[str]:
    """One token without the marks inside of it, or two neighbours without the space between them."""
    tokens = name.split(" ")
    for at, token in enumerate(tokens):
        without = _without_marks(token, "")
        if without != token:
            yield _replaced(tokens, at, without)
    for at, (left, right) in enumerate(zip(tokens, tokens[1:], strict=False)):
        short = _is_noun(left, 3, 6) and _is_noun(right, 3, 6) and (tongue != "de" or left.istitle() and right.istitle())
        if tongue in _SIGNS or tongue in _COMPOUNDING and short:
            yield " ".join([*tokens[:at], left + right, *tokens[at + 2 :]])


def split(name: str, tongue: str, vocabulary: Set[str]) -> Iterator[str]:
    """One token with a space in place of its marks, or one word as its two parts."""
    tokens = name.split(" ")
    for at, token in enumerate(tokens):
        without = _without_marks(token, " ")
        if without != token:
            yield _replaced(tokens, at, without)
    if tongue in _COMPOUNDING:
        for found in _LETTERS.finditer(name):
            for left in _parts(found.group(), tongue, vocabulary):
                yield f"{name[: found.start() + left]} {name[found.start() + left :]}"
    if tongue in {"ja", "zh"}:
        runs = re.finditer(f"(?<![{_IDEOGRAPH}])[{_IDEOGRAPH}]{{4}}(?![{_IDEOGRAPH}])", name)
        places = [run.start() + 2 for run in runs]
        places += [found.end() for found in re.finditer(f"[{_IDEOGRAPH}]{{2}}(?=[ァ-ヴー]{{2}})|[ァ-ヴー]{{2}}(?=[{_IDEOGRAPH}]{{2}})", name)]
        yield from (f"{name[:place]} {name[place:]}" for place in places)


def _without_marks(token: str, instead: str) -> str:
    replaced = re.sub(rf"(?<=[^\W_])[{_MARK}](?=[^\W_])", instead, token)
    # A slash between long words means one or the other.
    return re.sub(r"(?<![^\W_])([^\W_]{1,3})/(?=[^\W_]{1,3}(?![^\W_]))", rf"\1{instead}", replaced)


def _parts(word: str, tongue: str, vocabulary: Set[str]) -> Iterator[int]:
    """The places at which a word is two words of the vocabulary, the first maybe with a linking sound."""
    lowered = word.lower()
    for place in range(4, len(word) - 3):
        left, right = lowered[:place], lowered[place:]
        stems = [left, *(left.removesuffix(link) for link in _LINKS.get(tongue, ()) if left.endswith(link) and len(left) - len(link) > 3)]
        if right in vocabulary and any(stem in vocabulary for stem in stems):
            yield place


def _is_noun(token: str, least: int, most: int) -> bool:
    return bool(_LETTERS.fullmatch(token)) and least <= len(token) <= most and token.lower() not in _SMALL


def _replaced(tokens: list[str], at: int, token: str) -> str:
    return " ".join([*tokens[:at], token, *tokens[at + 1 :]])


def other_and(name: str, tongue: str) -> Iterator[str]:
    """The word of the language in place of `&`, and `&` in place of the word."""
    word = AND.get(tongue)
    if word:
        yield name.replace(" & ", f" {word} ")
        yield re.sub(rf"(?<=[^\W_]) {word} (?=[^\W_])", " & ", name)


def other_number(name: str, tongue: str, vocabulary: Set[str]) -> Iterator[str]:
    """The name with a noun in the plural in place of the singular, or the other way round."""
    if tongue in {"fr", "es"}:
        # The noun comes first and what describes it agrees with it, up to a preposition.
        found = re.match(r"[^\W\d_]+(?: [^\W\d_]+)*", name)
        phrase = found.group().split(" ") if found else []
        nouns = next((phrase[:at] for at, word in enumerate(phrase) if word.lower() in _SMALL), phrase)
        for change in _NUMBERS[tongue]:
            changed = [change(word) for word in nouns]
            if nouns and all(changed):
                yield name.replace(" ".join(nouns), " ".join(changed), 1)
    # Of a phrase the last word counts, in Russian the first: what describes it would have to agree.
    place = r"^[^\W\d_]{3,}" if tongue == "ru" else r"[^\W\d_]{3,}(?=$|,| \(| (?:of|for|für|mit) )"
    for found in re.finditer(place, name):
        word = found.group()
        if tongue in {"en", "de", "ru"} and not word.isupper() and word.lower() not in _SMALL:
            for other in _NOUNS[tongue](word, vocabulary):
                yield name[: found.start()] + other + name[found.end() :]


def _english(word: str, _: Set[str]) -> Iterable[str]:
    if re.search(r"(?:abetes|erpes|abies|eries|ecies|sis|itis|ics|ss|us|as|is|os)$", word):
        return []
    if word.endswith("s"):
        if re.search(r"..[^aeiou]ies$", word):
            return [word[:-3] + "y"]
        return [word[:-2] if re.search(r"(?:ch|sh|x|ss)es$", word) else word[:-1]] if len(word) > 3 else []
    if re.search(r"(?:ing|ed|ness|ware|al|ic|ous|ive|able|x|men|ly)$", word):
        return []
    if re.search(r"[^aeiou]y$", word):
        return [word[:-1] + "ies"]
    return [word + ("es" if re.search(r"(?:ch|sh|z)$", word) else "s")]


_GERMAN = (("ung", "ungen"), ("heit", "heiten"), ("keit", "keiten"), ("schaft", "schaften"), ("ion", "ionen"), ("tät", "täten"), ("erin", "erinnen"), ("ling", "linge"))


def _german(word: str, vocabulary: Set[str]) -> Iterable[str]:
    if not word[0].isupper():
        return
    for one, many in _GERMAN:
        if word.endswith(one) and len(word) > len(one) + 2:
            yield word.removesuffix(one) + many
        if word.endswith(many):
            yield word.removesuffix(many) + one
    if word.endswith("e"):
        yield word + "n"
    elif word.endswith("en") and word[:-1].lower() in vocabulary:
        yield word[:-1]


_RUSSIAN = (("ка", "ки"), ("а", "ы"), ("ия", "ии"), ("я", "и"), ("ь", "и"), ("", "ы"))


def _russian(word: str, vocabulary: Set[str]) -> Iterable[str]:
    """Pairs that both occur: the ending alone does not tell the gender."""
    for pair in (*_RUSSIAN, *((many, one) for one, many in _RUSSIAN)):
        other = word.removesuffix(pair[0]) + pair[1]
        if word.endswith(pair[0]) and len(word) > len(pair[0]) + 2 and other != word and other.lower() in vocabulary:
            yield other
            return


def _french_plural(word: str) -> str:
    if re.search(r"[sxz]$", word):
        return ""
    return re.sub(r"al$", "aux", word) if word.endswith("al") else word + ("x" if re.search(r"(?:eau|eu)$", word) else "s")


def _french_singular(word: str) -> str:
    if re.search(r"(?:eau|eu)x$", word):
        return word[:-1]
    return word[:-1] if len(word) > 4 and re.search(r"[^siu]s$", word) else ""


def _spanish_plural(word: str) -> str:
    if re.search(r"[aeiouáéó]$", word):
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    return re.sub(r"ión$", "iones", word) if word.endswith("ión") else word + "es" if re.search(r"(?:[aeiou][dlrj]|[aeu]n)$", word) else ""


def _spanish_singular(word: str) -> str:
    for many, one in (("iones", "ión"), ("ces", "z")):
        if word.endswith(many):
            return word.removesuffix(many) + one
    if re.search(r"(?:dad|tad|[aeiou][rl]|j)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 4 and re.search(r"[aeo]s$", word) else ""


_NUMBERS = {"fr": (_french_plural, _french_singular), "es": (_spanish_plural, _spanish_singular)}
_NOUNS = {"en": _english, "de": _german, "ru": _russian}
