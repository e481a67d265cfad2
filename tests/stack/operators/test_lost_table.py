"""Tests of the lost table: restored by point-in-time recovery, put into the place of the stack's own, and back (docs/operations.md).

The emulator restores what the source holds at that moment, whatever time is named, so here the restore is requested before the loss."""

import unittest

from faults import deploy, sweep
from program import is_whole, succeed
from stack import SECOND, stack, until

RESTORED = "taxonomy-restored"


class LostTable(unittest.TestCase):
    def test_a_restored_table_takes_the_place_of_a_lost_one_and_gives_it_back(self) -> None:
        running, own = stack(), stack().table
        table, tenant = running.client("dynamodb"), running.published("lost-table")
        running.wait_counted(tenant, 1)
        table.restore_table_to_point_in_time(SourceTableName=own, TargetTableName=RESTORED, UseLatestRestorableTime=True)
        table.get_waiter("table_exists").wait(TableName=RESTORED, WaiterConfig={"Delay": 1})
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        described = table.update_table(TableName=RESTORED, StreamSpecification=stream)["TableDescription"]
        table.update_time_to_live(TableName=RESTORED, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ExpiresAt"})
        table.update_continuous_backups(TableName=RESTORED, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.assertGreater(self.delete(tenant), 100)
        deploy(running, RestoredTable=RESTORED, RestoredTableStreamArn=described["LatestStreamArn"])
        running.table = RESTORED
        try:
            until("the tenant to be served as before", 60, lambda: running.api.get(f"/v1/tenants/{tenant}/terms/110").status == 200 or None)
            running.wait_projected(running.push(tenant, SECOND.read_bytes()))
            running.wait_counted(tenant, 2)
            succeed("repair", tenant, "--yes")
            succeed("audit", tenant)
            is_whole(tenant)
            sweep(running, "sweep-sources")
            until("nothing to be behind", 60, lambda: "lost-table" not in succeed("tenant", "list", "--behind").out or None)
        finally:
            deploy(running, RestoredTable="", RestoredTableStreamArn="")
            running.table = own
        until("the own table to be used", 60, lambda: running.api.get(f"/v1/tenants/{tenant}").status == 404 or None)
        running.wait_counted(running.published("after-the-way-back"), 1)

    def delete(self, tenant: str) -> int:
        """Deletes the items of a tenant, as a script that went wrong would; returns their number."""
        table, deleted = stack().client("dynamodb"), 0
        for page in table.get_paginator("scan").paginate(TableName=stack().table, ProjectionExpression="PK, SK"):
            for key in page["Items"]:
                if key["PK"]["S"].split("#")[1:2] == [tenant]:
                    table.delete_item(TableName=stack().table, Key=key)
                    deleted += 1
        return deleted


if __name__ == "__main__":
    unittest.main()
