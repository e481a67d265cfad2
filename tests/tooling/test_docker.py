"""Tests of reading the address of docker's bridge, as different versions and starts of dockerd describe it."""

import json
import subprocess
import unittest
from typing import Any
from unittest.mock import patch

from checks import docker
from local.problem import Problem

NAMED = {"com.docker.network.bridge.name": "docker0", "com.docker.network.driver.mtu": "1500"}


def described(ranges: Any, options: Any = None) -> str:
    """Returns a shortened output of `docker network inspect bridge`."""
    return json.dumps([{"Name": "bridge", "Driver": "bridge", "IPAM": {"Driver": "default", "Config": ranges}, "Options": options or NAMED}])


class TheBridge(unittest.TestCase):
    def test_has_the_gateway_that_docker_reports(self) -> None:
        found = docker.read_bridge(described([{"Subnet": "172.17.0.0/16", "Gateway": "172.17.0.1"}]))
        self.assertEqual(found, docker.Bridge("docker0", "172.17.0.1"))

    def test_has_no_gateway_at_the_first_start_of_dockerd(self) -> None:
        self.assertEqual(docker.read_bridge(described([{"Subnet": "172.17.0.0/16"}])), docker.Bridge("docker0", None))
        self.assertEqual(docker.read_bridge(described([{"Subnet": "172.17.0.0/16", "Gateway": ""}])), docker.Bridge("docker0", None))

    def test_has_no_gateway_where_docker_reports_no_ranges(self) -> None:
        self.assertEqual(docker.read_bridge(described(None)), docker.Bridge("docker0", None))

    def test_has_the_ipv4_gateway_of_two_ranges(self) -> None:
        ranges = [{"Subnet": "fd00::/80", "Gateway": "fd00::1"}, {"Subnet": "10.0.0.0/24", "Gateway": "10.0.0.1"}]
        self.assertEqual(docker.read_bridge(described(ranges)).gateway, "10.0.0.1")

    def test_may_have_a_prefix_length_with_the_gateway(self) -> None:
        self.assertEqual(docker.read_bridge(described([{"Gateway": "172.17.42.1/16"}])).gateway, "172.17.42.1")

    def test_may_have_another_interface(self) -> None:
        found = docker.read_bridge(described([{"Subnet": "10.1.0.0/16"}], {"com.docker.network.bridge.name": "br0"}))
        self.assertEqual(found, docker.Bridge("br0", None))

    def test_is_a_problem_in_an_unknown_form(self) -> None:
        for text in ("", "[]", "{}", "[{}]", "[null]", '[{"IPAM": null}]'):
            with self.subTest(text), self.assertRaises(Problem):
                docker.read_bridge(text)


class TheGateway(unittest.TestCase):
    def test_is_the_address_of_the_interface_where_docker_reports_none(self) -> None:
        with described_by([{"Subnet": "172.17.0.0/16"}]), patch.object(docker, "address_of", {"docker0": "172.17.0.1"}.get):
            self.assertEqual(docker.gateway(), "172.17.0.1")

    def test_names_the_interface_that_has_no_address(self) -> None:
        with described_by([{"Subnet": "172.17.0.0/16"}]), patch.object(docker, "address_of", lambda _: None):
            with self.assertRaisesRegex(Problem, "docker0 has no IPv4 address"):
                docker.gateway()

    def test_of_an_interface_is_read_from_the_machine(self) -> None:
        self.assertEqual(docker.address_of("lo"), "127.0.0.1")
        self.assertIsNone(docker.address_of("no-such-bridge"))


def described_by(ranges: Any) -> Any:
    """Returns a patch under which docker describes its bridge like this."""
    answer = subprocess.CompletedProcess([], 0, described(ranges), "")
    return patch.object(docker, "capture", lambda _: answer)


if __name__ == "__main__":
    unittest.main()
