"""Tests of every operation over all terms of ICD-10-CM, against their file."""

import unittest

from reading import Reading


class Icd10cm(Reading, unittest.TestCase):
    """98,000 terms."""

    name, file, cultures = "icd10cm", "icd10cm/taxonomy.json", ["en-US"]


if __name__ == "__main__":
    unittest.main()
