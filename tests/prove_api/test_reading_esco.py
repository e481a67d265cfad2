"""Tests of every operation over all occupations of ESCO, against their file."""

import unittest

from reading import Reading


class Esco(Reading, unittest.TestCase):
    """Eight levels, alternative names, relations."""

    name, file, cultures = "esco", "esco/occupations-v1.json", ["en-GB", "es-ES", "zu"]


if __name__ == "__main__":
    unittest.main()
