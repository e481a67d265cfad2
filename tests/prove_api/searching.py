"""Suggestions by brute force over the names of a file, for cultures in Latin letters: every name is compared, without an index."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

from oracle import Taxonomy, Term

#: Letters without a decomposition.
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n", "ĳ": "ij", "ə": "a"})
CLASSES = ("whole", "start", "word", "typo")
KINDS = ("name", "altName", "notation")


def folded(text: str) -> str:
    """Returns letters without case and accents."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).translate(PLAIN)


def words(text: str) -> list[str]:
    """Returns the runs of letters and digits."""
    spaced = "".join(letter if letter.isalnum() else " " for letter in folded(text))
    return spaced.split()


def allowed_typos(word: str) -> int:
    """Returns the number of allowed typos: none in short words and in words with a digit."""
    if len(word) <= 4 or any(letter.isdigit() for letter in word):
        return 0
    return 1 if len(word) <= 8 else 2


def distance_to_start(word: str, name: str) -> int:
    """Returns the least optimal string alignment distance from a word to any start of a name's word with the same first letter; large if none is near."""
    if not name or name[0] != word[0]:
        return 99
    rows = [list(range(len(name) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other in enumerate(name, 1):
            cost = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return min(rows[-1])


@dataclass(frozen=True)
class Name:
    """A name of a term."""

    term: Term
    text: str
    kind: Literal["name", "altName"]
    folded: tuple[str, ...]


class Names:
    """The names of a culture, searched by brute force."""

    def __init__(self, taxonomy: Taxonomy, culture: str) -> None:
        self.names: list[Name] = []
        for term in taxonomy.terms.values():
            if culture in term.labels:
                own = term.labels[culture].name
                self.names.append(Name(term, own, "name", tuple(words(own))))
                self.names += [Name(term, other, "altName", tuple(words(other))) for other in term.alt_names.get(culture, [])]

    def found(self, query: str) -> dict[int, str]:
        """Returns the class of the best name of every term that matches."""
        asked, best = words(query), dict[int, int]()
        for name in self.names:
            class_ = self._class(asked, name.folded)
            if class_ is not None and class_ < best.get(name.term.id, len(CLASSES)):
                best[name.term.id] = class_
        return {term: CLASSES[class_] for term, class_ in best.items()}

    def _class(self, asked: list[str], name: tuple[str, ...]) -> int | None:
        if not asked:
            return None
        if tuple(asked) == name:
            return 0
        if " ".join(name).startswith(" ".join(asked)):
            return 1
        if all(any(word.startswith(part[:32]) for word in name) for part in asked):
            return 2
        if all(any(word.startswith(part) or distance_to_start(part, word) <= allowed_typos(part) for word in name) for part in asked):
            return 3
        return None
