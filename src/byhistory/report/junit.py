"""The answer for a CI system: JUnit XML, one suite per table and one test case per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from byhistory.plain import plain, plain_sentence
from byhistory.report.story import ColumnStory, Story, as_story
from byhistory.report.words import headline
from byhistory.verdict import Finding, Verdict

_OF_TABLE = "(table)"
_COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""What a suite counts, and the elements that it counts."""


def to_junit(*of: Story | Verdict, errors: Mapping[str, str] | None = None) -> str:
    """One XML document of one or more verdicts, and of the tables that could not be judged, each with the reason.

    In shadow mode nothing is a failure: what was found is written as output. So are warnings, unless the story fails
    from them on.

    >>> print(to_junit(Verdict("7", (), {}, table="orders"), errors={"visits": "no such path"}))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="2" failures="0" errors="1" skipped="0">
      <testsuite name="orders" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="orders" name="(table)" />
        <system-out>run 7 of orders is as usual: 0 constraints on 0 columns hold.</system-out>
      </testsuite>
      <testsuite name="visits" tests="1" failures="0" errors="1" skipped="0">
        <testcase classname="visits" name="(table)">
          <error message="no such path" />
        </testcase>
      </testsuite>
    </testsuites>
    """
    root = Element("testsuites")
    for each in of:
        _suite(root, as_story(each))
    for table, why in (errors or {}).items():
        suite = SubElement(root, "testsuite", name=plain(table))
        SubElement(_case(suite, _OF_TABLE), "error", message=plain_sentence(why))
    for element in (root, *root):
        attributes = {what: str(len(list(element.iter(tag)))) for what, tag in _COUNTED.items()}
        element.attrib.update(attributes)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'


def _suite(root: Element, story: Story) -> None:
    suite = SubElement(root, "testsuite", name=plain(story.table or "table"))
    found = story.verdict.findings
    _judged(_case(suite, _OF_TABLE), story, [f for f in found if not f.column])
    for column in story.columns:
        _of_column(_case(suite, column.name), story, column)
    known = {c.name for c in story.columns}
    for name in dict.fromkeys(f.column for f in found if f.column and f.column not in known):
        _judged(_case(suite, name), story, [f for f in found if f.column == name])
    SubElement(suite, "system-out").text = f"{headline(story)}."


def _case(suite: Element, name: str) -> Element:
    return SubElement(suite, "testcase", classname=suite.attrib["name"], name=plain(name))


def _of_column(case: Element, story: Story, column: ColumnStory) -> None:
    why = "" if column.verdict.outcomes else column.verdict.state or "not judged"
    unjudged = [
        f"{o.constraint.metric} could not be judged: {plain_sentence(o.reason)}" for o in column.verdict.not_evaluable
    ]
    if why and not column.findings:
        SubElement(case, "skipped", message=plain_sentence(why, [c.name for c in story.columns]))
    _judged(case, story, column.findings, unjudged)


def _judged(case: Element, story: Story, findings: Sequence[Finding], more: Sequence[str] = ()) -> None:
    names = [c.name for c in story.columns]
    stopping = [f for f in findings if story.fails(f.level)]
    if stopping:  # a test case fails once; its text has all sentences
        sentences = [_sentence(f, names) for f in stopping]
        SubElement(case, "failure", message=sentences[0], type=_type(stopping[0])).text = "\n".join(sentences)
    quiet = [*(_sentence(f, names) for f in findings if f not in stopping), *more]
    if quiet:
        SubElement(case, "system-out").text = "\n".join(quiet)


def _sentence(finding: Finding, names: list[str]) -> str:
    parts = [("warning: " if finding.level == "warn" else "") + plain_sentence(finding.sentence, names)]
    if finding.again:
        parts.append(plain_sentence(finding.again))
    if finding.looks_like:
        parts.append(f"looks like: {plain_sentence(finding.looks_like)}")
    return "; ".join(parts)


def _type(finding: Finding) -> str:
    return finding.about if finding.outcome is None else finding.outcome.constraint.metric
