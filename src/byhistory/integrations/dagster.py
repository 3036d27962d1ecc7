"""Dagster: asset checks that keep what follows from running on a partition that is to be stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from byhistory.files.pattern import path_of_run
from byhistory.integrations.command import Checked, Command, check

Label = Callable[[Any], str]


def partition_key(context: Any) -> str:
    """The label of the run: the partition that is being made."""
    return str(context.partition_key)


def asset_check_of(
    asset: Any,
    command: Command,
    *,
    run: Label = partition_key,
    name: str = "as_usual",
    blocking: bool = True,
    partitions_def: Any = None,
) -> Any:
    """An asset check that runs a command; `{run}` in its path stands for the label, which `run` reads off the context.

    Stop is an error: the check fails and, blocking, nothing downstream of the asset runs. A warning fails the check
    with the severity WARN, which blocks nothing. The page about the run is in the metadata.
    """
    import dagster as dg

    def as_usual(context):  # type: ignore[no-untyped-def]  # Dagster reads annotations, and knows its own types only
        label = command.run or run(context)
        asked = replace(command, run=label, path=path_of_run(command.path, label))
        return _result(check(asked, context.log.info))

    return dg.asset_check(
        asset=asset,
        name=name,
        blocking=blocking,
        partitions_def=partitions_def,
        description=f"Is this run of {command.table} as usual, judged by its past runs?",
    )(as_usual)


def asset_checks_of(assets: Sequence[Any], command: Callable[[str], Command], **how: Any) -> list[Any]:
    """One check for each of many assets; `command` gives that of an asset by the last part of its key."""
    return [asset_check_of(asset, command(asset.key.path[-1]), **how) for asset in assets]


def _result(checked: Checked) -> Any:
    import dagster as dg

    is_warned = checked.level == "warn" and not checked.is_stopped and not checked.verdict.get("shadow")
    metadata: dict[str, Any] = {"status": checked.status, "run": checked.run, "verdict": checked.sentence}
    if checked.report:
        is_address = "://" in checked.report
        metadata["report"] = (dg.MetadataValue.url if is_address else dg.MetadataValue.path)(checked.report)
    for place, cause in enumerate(checked.verdict.get("causes", ()), 1):
        metadata[f"cause {place}"] = f"{', '.join(cause['columns'])}: {cause['sentence']}"
    return dg.AssetCheckResult(
        passed=not checked.is_stopped and not is_warned,
        severity=dg.AssetCheckSeverity.WARN if is_warned else dg.AssetCheckSeverity.ERROR,
        description=checked.sentence,
        metadata=metadata,
    )
