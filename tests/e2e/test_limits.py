"""Tests of samples at the limits of the format: a category and terms named in 148 cultures, and paths of up to 1,285 bytes.

Each is uploaded and awaited until it is published; then every item, every aggregate, and every response in every culture is compared with
the oracle.
"""

import unittest

from expected_aggregates import ExpectedAggregates
from items import expected_items
from oracle import Category, Json, Taxonomy, optional_fields
from stack import SAMPLES, Stack, stack, until
from test_releases import same


class Published:
    """A sample as version 1 of a tenant of its own."""

    def __init__(self, file: str, tenant: str) -> None:
        body = (SAMPLES / file).read_bytes()
        self.running: Stack = stack()
        self.taxonomy = Taxonomy.read(SAMPLES / file)
        self.tenant = self.running.fresh_tenant(tenant)
        self.head = self.running.wait_projected(self.running.push(self.tenant, body))
        told = self.running.told.wait_for(self.tenant, 1)[-1]
        assert (told["type"], told["data"]["to"], self.head["V"]) == ("taxonomy.published.v1", 1, 1), told

    def check_table(self) -> None:
        """Compares every stored item."""
        state = expected_items(self.taxonomy, self.tenant)
        expected = {key: item | {"V": 1} for key, item in state.items()}
        same(f"table of {self.tenant}", expected, self.running.projection(self.tenant))

    def check_counts(self) -> None:
        """Compares the aggregates, after a wait, because the aggregator follows the stream."""
        running, tenant = self.running, self.tenant
        until(f"the totals of {tenant}", 60, lambda: running.item(f"STATS#{tenant}", "TENANT").get("V") == 1 or None)
        aggregates = ExpectedAggregates(tenant)
        aggregates.commit(1, None, self.taxonomy, self.head["CommittedAt"])
        same(f"what is counted of {tenant}", aggregates.table, running.stats(tenant))

    def check_answers(self) -> int:
        """Compares every response in every culture, and without one; returns the number of responses."""
        answers = 0
        for asked in [None, *self.taxonomy.cultures]:
            what, query = f"{self.tenant} in {asked}", {"culture": asked} if asked else {}
            found = self._batch(query)
            same(f"terms of {what}", {id_: self._term(id_, asked) for id_ in self.taxonomy.terms}, found)
            deepest = max(self.taxonomy.terms.values(), key=lambda term: term.depth)
            alone = self._get(f"/terms/{deepest.id}", query)
            same(f"term {deepest.id} of {what}", self._term(deepest.id, asked), alone)
            categories = {id_: self._category(node, asked) for id_, node in self.taxonomy.categories.items()}
            served = {id_: self._get(f"/categories/{id_}", query) for id_ in categories}
            same(f"categories of {what}", categories, served)
            listed = {item["id"]: (item["name"], item["culture"], item.get("path")) for item in self._list(query)}
            shown = {id_: (one["name"], one["culture"], one.get("path")) for id_, one in categories.items()}
            same(f"list of {what}", shown, listed)
            answers += len(found) + len(served) + 2
        return answers

    def _get(self, path: str, query: dict[str, str]) -> Json:
        answer = self.running.api.get(f"/v1/tenants/{self.tenant}{path}", **query)
        assert answer.status == 200, answer
        body: Json = answer.body
        return body

    def _list(self, query: dict[str, str]) -> list[Json]:
        page = self._get("/categories", query)
        assert "nextCursor" not in page, page
        items: list[Json] = page["items"]
        return items

    def _batch(self, query: dict[str, str]) -> dict[int, Json]:
        asked = sorted(self.taxonomy.terms)
        answer = self.running.api.post(f"/v1/tenants/{self.tenant}/terms:batchGet", {"ids": asked}, **query)
        assert answer.status == 200, answer
        assert [item["id"] for item in answer.body["items"]] == asked, "a batch answers in the order asked"
        return {item["id"]: item.get("term") or item for item in answer.body["items"]}

    def _served(self, asked: str | None) -> Json:
        served: Json = {"tenant": self.tenant, "version": 1}
        return served | ({"requestedCulture": asked} if asked else {})

    def _term(self, term_id: int, asked: str | None) -> Json:
        return self.taxonomy.term_answer(term_id, asked) | self._served(asked)

    def _category(self, category: Category, asked: str | None) -> Json:
        label, culture = self.taxonomy.label(category, asked or self.taxonomy.default_culture)
        answer = {
            "id": category.id,
            "name": label.name,
            "culture": culture,
            "altNames": category.alt_names.get(culture, []),
            "metadata": category.metadata,
            "deprecated": category.deprecated,
            "replacedBy": category.replaced_by,
            "relations": category.relations,
            "removed": False,
        }
        path = {} if label.path is None else {"path": label.path}
        return answer | path | optional_fields(category, culture) | self._served(asked)


class Limits(unittest.TestCase):
    def test_148_cultures_of_a_node_are_served_in_each_of_them(self) -> None:
        published = Published("many-cultures.json", "many-cultures")
        taxonomy = published.taxonomy
        self.assertEqual([len(node.labels) for node in taxonomy.categories.values()], [148])
        self.assertEqual(published.head["Cultures"], taxonomy.cultures)
        published.check_table()
        published.check_counts()
        # Without a culture and in each of 148: four terms in a batch, one alone, the category alone and in the list.
        self.assertEqual(published.check_answers(), 149 * 7)

    def test_paths_of_up_to_1285_bytes_are_served_whole(self) -> None:
        published = Published("long-paths.json", "long-paths")
        nodes = published.taxonomy.nodes
        lengths = {len(label.path.encode()) for node in nodes for label in node.labels.values() if label.path}
        self.assertEqual(max(lengths), 1285)
        self.assertTrue({1000, 1001, 1284} <= lengths, lengths)
        published.check_table()
        published.check_counts()
        self.assertEqual(published.check_answers(), 4 * (len(published.taxonomy.terms) + 3))


if __name__ == "__main__":
    unittest.main()
