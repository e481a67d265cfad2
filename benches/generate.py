"""A generated taxonomy: a tree of six levels, of which the same number of terms gives the same bytes."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

LEVELS = 6
#: Every so many terms have another default name in the second version.
RENAMED = 100
#: Of each culture, the default first, the words of its names.
WORDS = {
    "en-GB": "Garden Kitchen Wireless Outdoor Tools Furniture Cleaning Supplies Portable Electric Storage Winter Lighting Vegetables Bicycle Safety",
    "fr-FR": "Jardin Cuisine Appareils Extérieur Outils Meubles Nettoyage Fournitures Portables Électriques Rangement Hiver Éclairage Légumes Câbles Sécurité",
    "de-DE": "Gartengeräte Küchenbedarf Kabellos Freizeit Werkzeuge Möbel Reinigung Zubehör Tragbar Ersatzteile Aufbewahrung Winter Gemüse Fahrräder Haushalt",
    "es-ES": "Jardín Cocina Inalámbricos Exterior Herramientas Muebles Limpieza Suministros Portátiles Eléctricos Almacenaje Invierno Verduras Papelería Hogar",
    "it-IT": "Giardino Cucina Dispositivi Esterni Attrezzi Mobili Pulizia Forniture Portatili Elettrici Accessori Contenitori Inverno Verdure Casa Sicurezza",
}


def write(path: Path, terms: int, cultures: int = len(WORDS), version: int = 1) -> Path:
    """Writes a file, unless it is there; the second version has other default names for some terms."""
    if not path.exists():
        with path.open("w", encoding="utf-8") as out:
            out.writelines(_file(terms, list(WORDS.items())[:cultures], version))
    return path


def _file(terms: int, words: Sequence[tuple[str, str]], version: int) -> Iterator[str]:
    categories = max(1, int(terms**0.5) // 10)
    languages = [(culture, of_culture.split()) for culture, of_culture in words]
    yield f'{{"defaultCulture":"{words[0][0]}","categories":['
    first = categories
    for category in range(1, categories + 1):
        count = terms // categories + (terms % categories if category == categories else 0)
        width = next(width for width in range(1, 1_001) if width == 1_000 or sum(width**level for level in range(1, LEVELS + 1)) >= count)
        path = f"category-{category}"
        yield f'{"," if category > 1 else ""}{{"id":{category},{_names(languages, category, path, version)}'
        yield from _children(languages, "terms", first, 0, count, width, path, version)
        yield "}"
        first += count
    yield "]}"


def _children(languages: Sequence[tuple[str, list[str]]], field: str, first: int, parent: int, count: int, width: int, path: str, version: int) -> Iterator[str]:
    """The children of a term of a category, 0 for the category: terms are numbered from 1, level by level, so parents follow from the numbers."""
    children = range(parent * width + 1, min(parent * width + width, count) + 1)
    if not children:
        return
    yield f',"{field}":['
    for number in children:
        own = f"{path}/{first + number}"
        yield f'{"" if number == children[0] else ","}{{"id":{first + number},{_names(languages, first + number, own, version)}'
        yield from _children(languages, "children", first, number, count, width, own, version)
        yield "}"
    yield "]"


def _names(languages: Sequence[tuple[str, list[str]]], node: int, path: str, version: int) -> str:
    """The names of a node in each culture, of one to four words, with the path in the default culture."""
    names = []
    for place, (culture, words) in enumerate(languages):
        is_renamed = version > 1 and place == 0 and node % RENAMED == 0
        dice = random.Random(node * 16 + place * 2 + is_renamed)
        name = " ".join(dice.choices(words, k=dice.randint(1, 4)))
        names.append(f'{{"culture":"{culture}","name":"{name}"' + (f',"path":"{path}"}}' if place == 0 else "}"))
    return f'"names":[{",".join(names)}]'
