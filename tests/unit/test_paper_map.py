"""The paper map is current, and nothing of the paper is missing from it."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("paper_map", ROOT / "scripts" / "paper_map.py")
paper_map = importlib.util.module_from_spec(spec)
spec.loader.exec_module(paper_map)


def test_the_map_is_the_code():
    assert paper_map.PAGE.read_text(encoding="utf-8") == paper_map.page(), "run python scripts/paper_map.py"


def test_every_part_of_the_paper_has_a_place():
    assert set(paper_map.tags()) == set(paper_map.ITEMS)


def test_every_departure_has_its_page():
    for _, file in paper_map.DEPARTURES:
        assert (ROOT / "docs" / "adr" / f"{file}.md").exists()


def test_tags_are_read_as_they_are_written():
    assert paper_map.named("Algorithm 1, Prop. 4.") == ["Prop. 4", "Algorithm 1"]
    assert paper_map.named("Algorithms 1 and 2.") == ["Algorithm 1", "Algorithm 2"]
    assert paper_map.named('Appendix "Synthetic training data", type 10.') == ["Training data, type 10"]
