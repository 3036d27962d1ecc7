"""Objects on S3 that only the first of several writers makes: a put that is refused if there is one already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Create = Callable[[str, bytes], bool]
_TAKEN, _BUSY, _UNKNOWN = 412, 409, 501
"""How a server answers a conditional put: it exists, somebody else is writing it, conditions are not known."""
_TRIES = 5
"""How often a put is tried, by choice: two writers that collide five times in a row are a fault, not chance."""


def creating(url: str) -> Create | None:
    """A function that makes an object unless it exists, at an address as pyarrow reads it; None without botocore.

    It takes `bucket/key` and the bytes. True: the object exists now, ours or an earlier one. False: the server does not
    know conditions, and nothing was written.
    """
    try:
        import botocore.session
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError:
        return None
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    endpoint = options.get("endpoint_override")
    client: Any = botocore.session.Session().create_client(
        "s3",
        region_name=options.get("region"),
        endpoint_url=f"{options.get('scheme', 'https')}://{endpoint}" if endpoint else None,
        aws_access_key_id=unquote(parts.username) if parts.username else None,
        aws_secret_access_key=unquote(parts.password) if parts.password else None,
        config=Config(s3={"addressing_style": "path"}) if endpoint else None,  # as pyarrow asks such a server
    )

    def create(path: str, data: bytes) -> bool:
        bucket, _, key = path.partition("/")
        for _ in range(_TRIES):
            try:
                client.put_object(Bucket=bucket, Key=key, Body=data, IfNoneMatch="*")
            except ClientError as refused:
                status = refused.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
                if status == _BUSY:
                    continue  # The other writer may still fail.
                if status in (_TAKEN, _UNKNOWN):
                    return bool(status == _TAKEN)
                raise OSError(str(refused)) from refused
            except BotoCoreError as why:
                raise OSError(str(why)) from why
            return True
        raise OSError(f"{path} was being written by others each of {_TRIES} times")

    return create
