"""The changelog is gathered from fragments."""

from scripts.changelog import ROOT, TITLE, fragments, with_entries


def test_every_entry_of_the_repository_is_a_sentence():
    found = [(path.name, entry) for path, of in fragments(ROOT / "CHANGES").items() for entry in of]
    assert not [(name, entry) for name, entry in found if not entry.endswith(".") or entry.startswith("#")]


def test_a_new_version_comes_before_the_older_ones():
    first = with_entries(TITLE, "0.1.0", "2026-11-17", ["It is there."])
    second = with_entries(first, "0.2.0", "2026-12-01", ["It is faster."])
    assert second.index("## 0.2.0 (2026-12-01)") < second.index("It is faster.") < second.index("## 0.1.0")
    assert second.startswith(TITLE)


def test_gathering_again_adds_to_the_section_of_the_version_and_changes_nothing_else():
    once = with_entries(TITLE, "0.1.0", "2026-11-16", ["It is there."])
    again = with_entries(once, "0.1.0", "2026-11-17", ["It is faster."])
    assert again.count("## 0.1.0") == 1
    assert again.index("It is there.") < again.index("It is faster.")
    assert with_entries(again, "0.1.0", "2026-11-17", []) == again
