"""Work is cut by bytes."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from byhistory.files.piece import END, OPENING, Piece, cut

files = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 10) | st.integers(0, 1 << 33)), max_size=40
).map(lambda found: [Piece(f"f{i}", size, run) for i, (run, size) in enumerate(found)])


@given(files, st.integers(1, 20))
def test_every_byte_of_every_file_is_read_by_exactly_one_task(some, tasks):
    parts: dict[str, list[tuple[int, int]]] = {}
    for task in cut(some, tasks):
        for piece in task:
            parts.setdefault(piece.path, []).append((piece.start, piece.stop))
    assert parts.keys() == {f.path for f in some if f.bytes}
    for ranges in parts.values():
        ranges.sort()
        assert ranges[0][0] == 0
        assert ranges[-1][1] == END
        assert all(left[1] == right[0] for left, right in pairwise(ranges))


@given(files, st.integers(1, 20))
def test_no_task_has_much_more_than_its_share(some, tasks):
    done = cut(some, tasks)
    share = sum(f.bytes + OPENING for f in some if f.bytes) / tasks
    assert len(done) <= tasks
    # A piece is at most one and a half shares, and half of the first and the last of a task may lie outside its share.
    assert all(sum(p.bytes for p in task) <= 2.5 * share + 2 for task in done)


@given(files, st.integers(1, 20))
def test_a_task_has_whole_runs_one_after_another(some, tasks):
    runs = [piece.run for task in cut(some, tasks) for piece in task]
    assert runs == sorted(runs, key=lambda run: (run is None, run or ""))


def test_small_files_are_read_together_and_large_ones_apart():
    small = [Piece(f"s{i:05d}", 1000) for i in range(10_000)]
    tasks = cut([*small, Piece("z", 4 << 30)], 16)
    assert len(tasks) in (15, 16)
    assert max(map(len, tasks)) > 1000
    assert sum(1 for task in tasks if task[0].path == "z") >= 9
