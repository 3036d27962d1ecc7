"""One Spark for all tests that need one, started when the first of them asks for it."""

import pytest


@pytest.fixture(scope="session")
def spark():
    from byhistory.spark.session import local_session

    session = local_session("byhistory tests")
    yield session
    session.stop()
