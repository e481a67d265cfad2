"""What a search must find of the names of a file, for cultures in Latin letters: every name is compared, without an index."""

import unicodedata
from dataclasses import dataclass

from oracle import Taxonomy

#: The classes of hits, the best first.
CLASSES = ("whole", "folded", "start", "word", "inside", "typo")
#: The words for *and* of the languages.
AND_WORDS = ("and", "et")
#: Letters without a decomposition.
PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n", "ĳ": "ij", "ə": "a"})


def folded(text: str) -> list[str]:
    """Returns the runs of letters and digits, without case and accents."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter)).translate(PLAIN)
    return "".join(letter if letter.isalnum() else " " for letter in letters).split()


def same(text: str) -> str:
    """Returns a text without case and with single spaces: what a whole name is compared by, where it has no quotes and dashes."""
    return " ".join(unicodedata.normalize("NFKD", text).casefold().split())


@dataclass(frozen=True)
class Name:
    """A name of a category or a term."""

    kind: str
    id: int
    text: str
    words: tuple[str, ...]


class Names:
    """The names of a culture, compared one by one."""

    def __init__(self, taxonomy: Taxonomy, culture: str) -> None:
        self.names: list[Name] = []
        for kind, nodes in (("category", taxonomy.categories), ("term", taxonomy.terms)):
            for node in nodes.values():
                if culture in node.labels:
                    texts = [node.labels[culture].name, *node.alt_names.get(culture, [])]
                    self.names += [Name(kind, node.id, text, tuple(folded(text))) for text in texts]

    def least(self, query: str) -> dict[tuple[str, int], str]:
        """Returns the nodes that must be found, each with the class that its hit has at worst."""
        asked, least = folded(query), dict[tuple[str, int], int]()
        for name in self.names:
            class_ = self._class(query, asked, name)
            if class_ is not None:
                node = (name.kind, name.id)
                least[node] = min(class_, least.get(node, class_))
        return {node: CLASSES[class_] for node, class_ in least.items()}

    def whole(self, query: str) -> set[tuple[str, int]]:
        """Returns the nodes with a name that is the query."""
        return {(name.kind, name.id) for name in self.names if same(name.text) == same(query)}

    def _class(self, query: str, asked: list[str], name: Name) -> int | None:
        if not asked:
            return None
        if same(name.text) == same(query):
            return 0
        if "".join(asked) == "".join(name.words):
            return 1
        # A sign at the end of a query ends its last word.
        if " ".join(name.words).startswith(" ".join(asked)) and query[-1].isalnum():
            last = name.words[len(asked) - 1]
            # A word for *and* does not count, but its beginning may be that of another word.
            return 3 if last in AND_WORDS and asked[-1] != last else 2
        if all(any(word.startswith(part[:32]) for word in name.words) for part in asked):
            return 3
        return None
