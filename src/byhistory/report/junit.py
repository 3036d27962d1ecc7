"""The answer for a CI system: JUnit XML, a suite a table and a test case a column."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from byhistory.plain import plain, said
from byhistory.report.story import ColumnStory, Story, story
from byhistory.report.words import headline
from byhistory.verdict import Finding, Verdict

_OF_TABLE = "(table)"


def to_junit(*of: Story | Verdict) -> str:
    """One XML document of one or more verdicts. In shadow mode nothing is a failure: what was found is in the output.

    >>> print(to_junit(Verdict("7", (), {}, table="orders")))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="0" errors="0" skipped="0">
      <testsuite name="orders" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="orders" name="(table)"/>
        <system-out>run 7 of orders is as usual: 0 constraints on 0 columns hold.</system-out>
      </testsuite>
    </testsuites>
    """
    suites = [_suite(story(each)) for each in of]
    totals = [sum(counts) for counts in zip(*(counts for _, counts in suites), strict=True)] or [0, 0, 0]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counted(totals)}>"]
    for text, _ in suites:
        lines += text
    return "\n".join([*lines, "</testsuites>"])


def _suite(told: Story) -> tuple[list[str], list[int]]:
    name = plain(told.table or "table")
    found = told.verdict.findings
    known = {c.name for c in told.columns}
    others = dict.fromkeys(f.column for f in found if f.column and f.column not in known)
    cases = [_case(told, _OF_TABLE, [f for f in found if not f.column])]
    cases += [_of_column(told, column) for column in told.columns]
    cases += [_case(told, column, [f for f in found if f.column == column]) for column in others]
    counts = [len(cases), *(sum(f"<{what} " in "".join(case) for case in cases) for what in ("failure", "skipped"))]
    head = f"  <testsuite name={quoteattr(name)} {_counted(counts)}>"
    out = f"    <system-out>{escape(headline(told.verdict))}.</system-out>"
    return [head, *(line for case in cases for line in case), out, "  </testsuite>"], counts


def _counted(counts: list[int]) -> str:
    return f'tests="{counts[0]}" failures="{counts[1]}" errors="0" skipped="{counts[2]}"'


def _of_column(told: Story, column: ColumnStory) -> list[str]:
    why = "" if column.verdict.outcomes else column.verdict.state or "not judged"
    unjudged = [f"{o.constraint.metric} could not be judged: {said(o.reason)}" for o in column.verdict.not_evaluable]
    return _case(told, column.name, column.findings, why, unjudged)


def _case(
    told: Story, name: str, findings: Sequence[Finding], why_skipped: str = "", more: Sequence[str] = ()
) -> list[str]:
    names = [c.name for c in told.columns]
    stopping = [f for f in findings if f.stops and not told.verdict.is_shadow]
    quiet = [_sentence(f, names) for f in findings if f not in stopping] + list(more)
    inner = []
    if stopping:  # a test case fails once; its text has all sentences
        sentences = [_sentence(f, names) for f in stopping]
        kind = quoteattr(_type(stopping[0]))
        text = escape("\n".join(sentences))
        inner.append(f"      <failure message={quoteattr(sentences[0])} type={kind}>{text}</failure>")
    elif why_skipped and not findings:
        inner.append(f"      <skipped message={quoteattr(said(why_skipped, names))}/>")
    if quiet:
        text = escape("\n".join(quiet))
        inner.append(f"      <system-out>{text}</system-out>")
    suite = quoteattr(plain(told.table or "table"))
    head = f"    <testcase classname={suite} name={quoteattr(plain(name))}"
    return [head + ">", *inner, "    </testcase>"] if inner else [head + "/>"]


def _sentence(finding: Finding, names: list[str]) -> str:
    parts = [said(finding.sentence, names)]
    if finding.resembles is not None:
        parts.append(f"looks like: {said(finding.resembles.sentence)}")
    return "; ".join(parts)


def _type(finding: Finding) -> str:
    return finding.about if finding.outcome is None else finding.outcome.constraint.metric
