"""How is the answer shown?

Everything that a person reads is worded here, except the sentences of a finding: they are kept with the run, and are
made where it is found (`byhistory.verdict.sentence`, `byhistory.alarms.telling`). `answers/` has what commands say.
"""

from byhistory.report.composing import make_story
from byhistory.report.github import to_github
from byhistory.report.junit import to_junit
from byhistory.report.machine import to_json
from byhistory.report.markdown import to_markdown
from byhistory.report.outputs import Output, by_name, outputs
from byhistory.report.page import to_html
from byhistory.report.story import Story
from byhistory.report.table import to_csv
from byhistory.report.terminal import to_text

__all__ = [
    "Output",
    "Story",
    "by_name",
    "make_story",
    "outputs",
    "to_csv",
    "to_github",
    "to_html",
    "to_json",
    "to_junit",
    "to_markdown",
    "to_text",
]
