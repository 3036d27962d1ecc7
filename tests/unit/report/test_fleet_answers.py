"""Many tables checked together: the last line."""

from __future__ import annotations

from byhistory.constraints import Level
from byhistory.report.answers.fleet import TableResult, ending
from byhistory.verdict import Finding, Verdict


def result(table: str, level: Level, code: int) -> TableResult:
    findings = () if level == "as usual" else (Finding("constraint", "n", "mean is 3", level),)
    return TableResult(table, code, Verdict("7", findings, {}, table=table))


def test_a_warning_is_called_one_whether_the_command_fails_for_it_or_not():
    goes_on = [result("orders", "as usual", 0), result("visits", "warn", 0)]
    assert ending(goes_on, 0) == "as usual: 2 of 2 tables pass; warn: visits"
    fails = [result("orders", "as usual", 0), result("visits", "warn", 1)]
    assert ending(fails, 1) == "warn: 1 of 2 tables pass; warn: visits"
    both = [result("orders", "stop", 1), result("visits", "warn", 1)]
    assert ending(both, 1) == "stop: 0 of 2 tables pass; stop: orders; warn: visits"
