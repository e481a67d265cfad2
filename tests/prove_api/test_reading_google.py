"""Tests of every operation over all terms of google's taxonomy, against its file."""

import unittest

from reading import Reading


class Google(Reading, unittest.TestCase):
    """Eight cultures."""

    name, file, cultures = "google", "google/taxonomy-v1.json", ["en-US", "fr-FR", "zh-CN", "pt"]


if __name__ == "__main__":
    unittest.main()
