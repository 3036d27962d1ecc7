"""The same on Spark Connect, where there is no JVM to reach for. Its own process: one has one kind of session."""

import pytest
from tests.spark.again import run_battery
from tests.spark.conftest import REMOTE

pytestmark = [pytest.mark.spark, pytest.mark.own_process, pytest.mark.slow]


def test_the_battery_passes_on_a_connect_server():
    pytest.importorskip("grpc", reason="Spark Connect needs byhistory[connect]")
    assert " passed" in run_battery(**{REMOTE: "local[2]"})
