"""A label reaches SQL as a parameter, never as text."""

import pytest

from byhistory.errors import ByHistoryError
from byhistory.spark.read import with_marker

RUN = ":byhistory_run"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("ds = '{run}'", f"ds = {RUN}"),
        ('ds = "{run}"', f"ds = {RUN}"),
        ("ds = {run}", f"ds = {RUN}"),
        ("ds like 'a{run}'", f"ds like concat('a', {RUN})"),
        ("ds like '{run}%'", f"ds like concat({RUN}, '%')"),
        ("ds = '{run}{run}'", f"ds = concat({RUN}, {RUN})"),
        ("-- it's\nds = '{run}' -- {run}", f"-- it's\nds = {RUN} -- "),
        ("/* don't {run} */ ds = '{run}'", f"/* don't  */ ds = {RUN}"),
        (r"x = r'\' and ds = '{run}'", rf"x = r'\' and ds = {RUN}"),
        (r"""ds like r'\{run}' or ds = R"{run}" """, rf"ds like concat(r'\', {RUN}) or ds = {RUN} "),
        ("ds = 'it''s {run}'", f"ds = concat('it''s ', {RUN})"),
        (r"ds = '{run}' and x = 'it\'s'", rf"ds = {RUN} and x = 'it\'s'"),
        ("x = 'run'", "x = 'run'"),
    ],
)
def test_wherever_a_run_stands_there_is_a_parameter(written, asked):
    assert with_marker(written) == asked


def test_a_label_is_no_name():
    with pytest.raises(ByHistoryError, match=r"\{run\} in a name"):
        with_marker("select * from `orders_{run}`")
