"""What the commands that answer an alarm say."""

from functools import partial

from byhistory.alarms import ROWS, Alarm, Cause
from byhistory.report.answers.decision import decided

AMOUNT = Alarm(Cause("constraint", ("amount",), "sum", 1), ("7",), ("amount",))
AGAIN = Alarm(Cause("repeated run", (ROWS,)), ("7",), (ROWS,))
in_words = partial(decided, "orders", "7", repeated=None, good=9, window=60)


def test_data_that_came_again_are_not_called_the_number_of_rows():
    assert "about: amount, the change of data from run to run" in in_words("accepted", about=[AMOUNT, AGAIN])


def test_an_answer_about_some_columns_names_no_others():
    lines = in_words("new normal", about=[AMOUNT, AGAIN], named=["amount"]).splitlines()
    assert "about: amount" in lines
