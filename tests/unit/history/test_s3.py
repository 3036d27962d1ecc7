"""What an S3 client of ours does where it cannot promise that the first one wins."""

from __future__ import annotations

import sys

import pytest

from byhistory.history.files import files_at
from byhistory.history.s3 import creating

URL = "s3://any:any@bucket/history?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"


@pytest.fixture
def refused(monkeypatch):
    """A put that is answered with an HTTP status, and what was asked."""
    import botocore.client
    from botocore.exceptions import ClientError

    asked = []

    def answer(status: int):
        def call(self, operation, arguments):
            del self
            asked.append((operation, arguments["IfNoneMatch"]))
            raise ClientError({"ResponseMetadata": {"HTTPStatusCode": status}, "Error": {"Code": str(status)}}, "put")

        monkeypatch.setattr(botocore.client.BaseClient, "_make_api_call", call)
        return asked

    return answer


def test_without_botocore_nothing_is_promised(monkeypatch):
    monkeypatch.setitem(sys.modules, "botocore", None)
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    assert creating(URL) is None
    assert files_at(URL).put_if_absent("byhistory.json", b"{}") is False


@pytest.mark.parametrize(("status", "promised"), [(412, True), (501, False)])
def test_a_server_says_that_there_is_one_or_that_it_knows_no_conditions(refused, status, promised):
    asked = refused(status)
    assert files_at(URL).put_if_absent("byhistory.json", b"{}") is promised
    assert asked == [("PutObject", "*")]


def test_a_put_that_others_are_at_is_tried_again_and_other_refusals_are_errors(refused):
    asked = refused(409)
    with pytest.raises(OSError, match="being written by others"):
        files_at(URL).put_if_absent("byhistory.json", b"{}")
    assert len(asked) == 5
    refused(403)
    with pytest.raises(OSError, match="403"):
        files_at(URL).put_if_absent("byhistory.json", b"{}")
