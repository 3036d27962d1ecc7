"""What is sent to workers is worked out once, however many tables are checked side by side."""

from concurrent.futures import ThreadPoolExecutor

from byhistory.spark import ship


def test_tables_side_by_side_send_one_archive():
    ship._archive_of.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        archives = list(pool.map(lambda _: ship.archive_of(), range(8)))
    assert all(one is archives[0] for one in archives), "parsed once: the parser may fail in two threads at once"
