"""Tests of the oracle against expectations worked out by hand; no running stack is needed."""

import json
import unittest
from pathlib import Path

from history import TOMBSTONE_SECONDS, History
from items import expected_items
from oracle import Json, Taxonomy, canonical_tag, fold, resolve
from replay import replay
from versions import SCHEMA, canonical, expected_changes, expected_counts, expected_event, expected_snapshot, rfc3339

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def sample(version: int) -> Taxonomy:
    return Taxonomy.read(SAMPLES / f"job-board-v{version}.json")


def node(node_id: int, text: str, **more: object) -> Json:
    return {"id": node_id, "names": [{"culture": "en-GB", "name": text}], **more}


def taxonomy(*categories: Json) -> Taxonomy:
    return Taxonomy({"defaultCulture": "en-GB", "categories": list(categories)})


class Texts(unittest.TestCase):
    def test_a_run_of_tabs_and_line_breaks_is_one_space(self) -> None:
        for written, folded in [
            ("a\tb", "a b"),
            ("a\r\n\tb", "a b"),
            ("a \t b", "a   b"),
            ("\ta\n", " a "),
            ("a  b\u00a0c", "a  b\u00a0c"),
        ]:
            self.assertEqual(fold(written), folded, repr(written))

    def test_tags_are_written_in_their_usual_case(self) -> None:
        for written, canonical in [
            ("EN-gb", "en-GB"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("es-419", "es-419"),
            ("en-x-ABCD", "en-x-abcd"),
            ("de", "de"),
        ]:
            self.assertEqual(canonical_tag(written), canonical)


class Fallback(unittest.TestCase):
    def test_lookup_shortens_then_takes_the_only_region_then_the_default(self) -> None:
        for available, requested, served in [
            ("en-GB fr-FR", "fr-FR", "fr-FR"),
            ("en-GB fr", "fr-CA", "fr"),
            ("en-GB fr fr-FR", "fr-CA", "fr"),
            ("en-GB fr-FR", "fr", "fr-FR"),
            ("en-GB fr-FR", "fr-CA", "fr-FR"),
            ("en-GB fr-FR fr-CA", "fr", "en-GB"),
            ("en-GB zh-Hant", "zh-Hant-TW", "zh-Hant"),
            ("en-GB zh-Hant", "zh", "en-GB"),
            ("en-GB fr-x-old", "fr", "en-GB"),
            ("en-GB fr", "fr-x-old", "fr"),
            ("en-GB", "de-DE", "en-GB"),
        ]:
            self.assertEqual(resolve(available.split(), requested, "en-GB"), served, f"{requested} among {available}")


class Answers(unittest.TestCase):
    def test_ancestors_are_nearest_first_and_the_category_is_no_level(self) -> None:
        answer = sample(1).term_answer(113)
        self.assertEqual(answer["finalName"], "Sector:Rust development")
        self.assertEqual(answer["depth"], 5)
        self.assertEqual([above["id"] for above in answer["ancestors"]], [112, 111, 110, 100])
        self.assertEqual(answer["ancestors"][-1]["finalName"], "Sector:Information technology")
        self.assertEqual(answer["altNames"], ["Rustacean"])

    def test_each_part_of_an_answer_falls_back_for_itself(self) -> None:
        answer = sample(1).term_answer(211, "de-DE")
        self.assertEqual(answer["finalName"], "Arbeitsort:Straßburg")
        self.assertEqual(
            [(above["finalName"], above["culture"]) for above in answer["ancestors"]],
            [("Arbeitsort:Grand Est", "en-GB"), ("Arbeitsort:Frankreich", "de-DE"), ("Arbeitsort:Europa", "de-DE")],
        )

    def test_a_term_without_the_culture_is_answered_wholly_in_the_default(self) -> None:
        answer = sample(1).term_answer(204, "de-DE")
        self.assertEqual(answer["finalName"], "Location:Paris, 11th arrondissement")
        self.assertEqual({above["culture"] for above in answer["ancestors"]}, {"en-GB"})
        self.assertEqual(answer["category"], {"id": 2, "name": "Location", "culture": "en-GB", "path": "location"})

    def test_a_plain_name_serves_where_names_has_none(self) -> None:
        read = taxonomy({"id": 0, "name": "Sector", "terms": [node(0, "Tab\there", name="ignored")]})
        self.assertEqual(read.term_answer(0)["finalName"], "Sector:Tab here")


class TableItems(unittest.TestCase):
    def test_a_term_is_an_item_and_one_for_each_further_culture(self) -> None:
        items = expected_items(sample(1), "acme")
        found = {key: item for key, item in items.items() if key[0] == "TERM#acme#152"}
        self.assertEqual(
            sorted(sk for _, sk in found),
            ["CULTURE#de-DE", "CULTURE#fr-FR", "TERM#acme#152"],
        )
        self.assertEqual(
            found["TERM#acme#152", "TERM#acme#152"],
            {
                "PK": "TERM#acme#152",
                "SK": "TERM#acme#152",
                "GSI1PK": "CHILDREN#acme#TERM#151",
                "GSI1SK": "paediatric nursing\t0000000000000152",
                "EntityType": "Term",
                "CategoryId": 1,
                "CategoryPath": "sector",
                "Name": "Paediatric nursing",
                "Culture": "en-GB",
                "FinalName": "Sector:Paediatric nursing",
                "Path": ["/paediatric-nursing"],
                "Lineage": "151\tNursing\t+/nursing\n150\tHealthcare\t=healthcare",
                "Names": {"de-DE": "Kinderkrankenpflege", "fr-FR": "Soins infirmiers pédiatriques"},
            },
        )
        self.assertTrue(items["TERM#acme#151", "TERM#acme#151"]["HasChildren"])

    def test_a_category(self) -> None:
        items = expected_items(sample(1), "acme")
        self.assertEqual(
            items["CATEGORY#acme#1", "CATEGORY#acme#1"],
            {
                "PK": "CATEGORY#acme#1",
                "SK": "CATEGORY#acme#1",
                "GSI1PK": "CATEGORIES#acme",
                "GSI1SK": "010\t0000000000000001",
                "EntityType": "Category",
                "Name": "Sector",
                "Culture": "en-GB",
                "Path": "sector",
                "Names": {
                    "de-DE": {"Name": "Branche", "Path": "branche"},
                    "fr-FR": {"Name": "Secteur d’activité", "Path": "secteur-d-activite"},
                },
                "SortKey": "010",
                "Metadata": '{"facet":true,"icon":"briefcase"}',
            },
        )

    def test_another_culture_says_what_it_had_to_borrow(self) -> None:
        item = expected_items(sample(1), "acme")["TERM#acme#211", "CULTURE#de-DE"]
        self.assertEqual(
            item["Lineage"],
            "210\tGrand Est\t=europe/france/grand-est\ten-GB\n201\tFrankreich\t+/frankreich\n200\tEuropa\t=europa",
        )
        self.assertNotIn("CategoryCulture", item)

    def test_a_path_is_stored_by_what_it_adds_if_it_adds_something(self) -> None:
        def at(node_id: int, path: str, **more: object) -> Json:
            return {"id": node_id, "names": [{"culture": "en-GB", "name": "A", "path": path}], **more}

        items = expected_items(taxonomy(at(1, "a", terms=[at(2, "a", children=[at(3, "a/b")])])), "acme")
        self.assertEqual(items["TERM#acme#2", "TERM#acme#2"]["Path"], "a")
        self.assertEqual(items["TERM#acme#3", "TERM#acme#3"]["Path"], ["/b"])

    def test_the_order_is_cut_between_characters(self) -> None:
        items = expected_items(taxonomy(node(1, "C", terms=[node(2, "x" + "É" * 499)])), "acme")
        # 1 byte and 449 characters of 2 bytes are 899: the 450th would end at 901.
        self.assertEqual(items["TERM#acme#2", "TERM#acme#2"]["GSI1SK"], "x" + "é" * 449 + "\t0000000000000002")


class Versions(unittest.TestCase):
    def commit(self, *versions: Taxonomy) -> History:
        history = History()
        for number, version in enumerate(versions, start=1):
            history.commit(number, expected_items(version, "acme"), 1_000_999)
        return history

    def test_the_same_content_in_another_order_writes_nothing(self) -> None:
        history = self.commit(taxonomy(node(1, "C", terms=[node(2, "a"), node(3, "b")])))
        again = taxonomy(node(1, "C", terms=[node(3, "b"), node(2, "a")]))
        written = history.compare(expected_items(again, "acme"))
        self.assertEqual((written.put, written.removed), (0, 0))

    def test_renaming_a_term_rewrites_it_and_its_descendants(self) -> None:
        def with_name(name: str) -> Taxonomy:
            return taxonomy(node(1, "C", terms=[node(2, name, children=[node(3, "b")]), node(4, "c")]))

        history = self.commit(with_name("a"))
        written = history.compare(expected_items(with_name("A+"), "acme"))
        # 2 and, in the lineage of 3, its new name.
        self.assertEqual((written.put, written.removed), (2, 0))

    def test_what_is_removed_stays_or_expires(self) -> None:
        names = [{"culture": "en-GB", "name": "b"}, {"culture": "fr", "name": "b"}]
        both = taxonomy(node(1, "C", terms=[node(2, "a"), {"id": 3, "names": names}]))
        one = taxonomy(node(1, "C", terms=[node(2, "a")]))
        table = self.commit(both, one).table
        gone = table["TERM#acme#3", "TERM#acme#3"]
        self.assertEqual((gone["Name"], gone["Deprecated"], gone["Removed"], gone["V"]), ("b", True, True, 2))
        self.assertNotIn("GSI1PK", gone)
        self.assertEqual(
            table["TERM#acme#3", "CULTURE#fr"],
            {
                "PK": "TERM#acme#3",
                "SK": "CULTURE#fr",
                "EntityType": "TermCulture",
                "V": 2,
                "Removed": True,
                "ExpiresAt": 1_000 + TOMBSTONE_SECONDS,
            },
        )
        self.assertEqual(table["TERM#acme#2", "TERM#acme#2"]["V"], 1)
        restored = self.commit(both, one, both).table["TERM#acme#3", "TERM#acme#3"]
        self.assertEqual((restored["V"], restored.get("Removed")), (3, None))

    def test_the_samples_differ_as_their_readme_says(self) -> None:
        before, after = sample(1), sample(2)
        self.assertEqual(before.terms.keys() - after.terms.keys(), {123, 171, 172, 173})
        self.assertEqual(after.terms.keys() - before.terms.keys(), {135, 136, 178, 212, 213})
        moved = {
            term_id
            for term_id in before.terms.keys() & after.terms.keys()
            if _place(before, term_id) != _place(after, term_id)
        }
        self.assertEqual(moved, {145, 10})
        self.assertEqual(after.term_answer(600)["finalName"], "Experience level:Entry level")


class Chain(unittest.TestCase):
    first = node(
        1,
        "C",
        terms=[node(2, "a", children=[node(3, "b")]), node(4, "c", metadata={"z": 1, "a": [2]}, replacedBy=[0])],
    )

    def replayed(self, *facts: Json) -> Json:
        """Replays facts on category 1 and terms 2, 3 and 4; returns each by its id."""
        after = replay(expected_snapshot(taxonomy(self.first)), {"projectionFormat": 1, "facts": list(facts)})
        return {record["id"]: record for record in after["categories"] + after["terms"]}

    def test_a_snapshot_is_these_bytes(self) -> None:
        self.assertEqual(
            canonical(expected_snapshot(taxonomy(self.first))).decode(),
            '{"formatVersion":1,"projectionFormat":1,"defaultCulture":"en-GB","fallbackChain":[],'
            '"categories":[{"id":1,"names":[["en-GB","C"]]}],'
            '"terms":[{"id":2,"category":1,"names":[["en-GB","a"]]},'
            '{"id":3,"category":1,"parent":2,"names":[["en-GB","b"]]},'
            '{"id":4,"category":1,"names":[["en-GB","c"]],"metadata":{"a":[2],"z":1},"replacedBy":[0]}]}',
        )

    def test_a_first_version_is_replayed_from_nothing(self) -> None:
        said = {"default_culture": "en-GB", "fallback_chain": ["en"]}
        facts = [{"configured": said}, {"categoryAdded": {"id": 0, "names": [["en-GB", "C", "c"]]}}]
        after = replay(None, {"projectionFormat": 1, "facts": facts})
        self.assertEqual(
            canonical(after).decode(),
            '{"formatVersion":1,"projectionFormat":1,"defaultCulture":"en-GB","fallbackChain":["en"],'
            '"categories":[{"id":0,"names":[["en-GB","C","c"]]}],"terms":[]}',
        )

    def test_facts_change_what_they_say(self) -> None:
        moved = {"id": 3, "from": {"category": 1, "parent": 2}, "to": {"category": 1}}
        french = {"node": {"term": 3}, "culture": "fr", "from": None, "to": "B"}
        path = {"node": {"term": 3}, "culture": "fr", "from": None, "to": "b"}
        after = self.replayed(
            {"termMoved": moved},
            {"renamed": french},
            {"pathChanged": path},
            {"deprecated": {"node": {"category": 1}}},
            {"changed": {"node": {"term": 4}, "field": "replacedBy", "from": [0]}},
            {"termRemoved": {"id": 2}},
        )
        self.assertEqual(
            after,
            {
                1: {"id": 1, "names": [["en-GB", "C"]], "deprecated": True},
                3: {"id": 3, "category": 1, "names": [["en-GB", "b"], ["fr", "B", "b"]]},
                4: {"id": 4, "category": 1, "names": [["en-GB", "c"]], "metadata": {"a": [2], "z": 1}},
            },
        )

    def test_facts_that_were_made_for_something_else_are_noticed(self) -> None:
        for fact in [
            {"termAdded": {"id": 2, "category": 1, "names": [["en-GB", "a"]]}},
            {"termRemoved": {"id": 9}},
            {"renamed": {"node": {"term": 2}, "culture": "en-GB", "from": "x", "to": "y"}},
            {"termMoved": {"id": 3, "from": {"category": 1}, "to": {"category": 1, "parent": 4}}},
            {"changed": {"node": {"term": 2}, "field": "notation", "from": "old"}},
            {"somethingElse": {"node": {"term": 2}, "from": None, "to": None}},
        ]:
            with self.subTest(fact=fact), self.assertRaises((AssertionError, KeyError)):
                self.replayed(fact)

    def test_a_version_is_counted_by_category_depth_and_culture(self) -> None:
        names = [{"culture": "en-GB", "name": "d"}, {"culture": "fr", "name": "d"}]
        second = node(7, "D", terms=[{"id": 8, "names": names, "deprecated": True}])
        totals, categories = expected_counts(taxonomy(self.first, second))
        first = {"terms": 3, "leaves": 2, "deprecated": 0, "depths": [2, 1], "names": {"en-GB": 3}}
        other = {"terms": 1, "leaves": 1, "deprecated": 1, "depths": [1], "names": {"en-GB": 1, "fr": 1}}
        self.assertEqual(categories, [{"id": 1, **first}, {"id": 7, **other}])
        counts = {"terms": 4, "leaves": 3, "deprecated": 1, "depths": [3, 1], "names": {"en-GB": 4, "fr": 1}}
        self.assertEqual(totals, {"categories": 2, **counts})

    def test_a_term_is_counted_once_in_each_kind_of_change(self) -> None:
        before = taxonomy(node(1, "C", terms=[node(2, "a", children=[node(3, "b")]), node(4, "c", deprecated=True)]))
        after = taxonomy(node(1, "X", terms=[node(2, "A"), node(4, "c", children=[node(3, "B"), node(5, "e")])]))
        expected = {"added": 1, "changed": 3, "removed": 0, "renamed": 2, "moved": 1, "deprecated": 0, "restored": 1}
        self.assertEqual(expected_changes(before, after), expected | {"finalNames": 3})

    def test_a_notification_is_an_example_of_the_published_schema(self) -> None:
        schema = json.loads((SAMPLES.parent / "docs" / "notification.schema.json").read_text())
        self.assertEqual(schema["$id"], SCHEMA)
        for event in schema["examples"]:
            kind, identity = event["id"].split("-", 1)
            data = event["data"]
            at = data["projectedAt"] if kind == "published" else data["at"]
            self.assertEqual(expected_event(event["source"], kind, identity, at, data), event)

    def test_a_time_is_written_as_the_service_writes_it(self) -> None:
        for epoch_ms, text in [
            (1_767_225_600_000, "2026-01-01T00:00:00Z"),
            (1_767_225_600_050, "2026-01-01T00:00:00.05Z"),
            (1_767_225_600_123, "2026-01-01T00:00:00.123Z"),
        ]:
            self.assertEqual(rfc3339(epoch_ms), text)

    def test_a_final_name_changes_with_the_name_of_the_category_or_the_default_culture(self) -> None:
        names = [{"culture": "en-GB", "name": "a"}, {"culture": "fr-FR", "name": "A"}]
        category = {"id": 1, "names": names, "terms": [{"id": 2, "names": names}, {"id": 3, "names": names}]}
        before = taxonomy(category)
        french = Taxonomy({"defaultCulture": "fr-FR", "categories": [category]})
        renamed = taxonomy(category | {"names": [{"culture": "en-GB", "name": "b"}]})
        for after, expected in [(before, 0), (french, 2), (renamed, 2)]:
            self.assertEqual(expected_changes(before, after)["finalNames"], expected)
        self.assertEqual(expected_changes(None, before)["finalNames"], 0)


def _place(read: Taxonomy, term_id: int) -> tuple[int, int | None]:
    term = read.terms[term_id]
    return term.category.id, term.parent.id if term.parent else None


if __name__ == "__main__":
    unittest.main()
