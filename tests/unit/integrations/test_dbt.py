"""Which models of dbt are judged, and how."""

from __future__ import annotations

import json

import pytest

from byhistory.config import parse_config
from byhistory.errors import ByHistoryError
from byhistory.integrations.dbt import Model, _condition, models_of


def node(name: str, meta: object, materialized: str = "table") -> dict[str, object]:
    return {
        "name": name,
        "relation_name": f'"shop"."main"."{name}"',
        "config": {"materialized": materialized, "meta": {"byhistory": meta} if meta else {}},
    }


def target(folder, **models: tuple[object, str, str]):
    nodes = {f"model.shop.{name}": node(name, meta, kind) for name, (meta, kind, _) in models.items()}
    results = [{"unique_id": f"model.shop.{name}", "status": status} for name, (*_, status) in models.items()]
    (folder / "manifest.json").write_text(json.dumps({"nodes": nodes, "metadata": {"adapter_type": "duckdb"}}))
    (folder / "run_results.json").write_text(json.dumps({"results": results}))
    return folder


def test_models_that_were_built_and_ask_for_it_are_judged(tmp_path):
    found = models_of(
        target(
            tmp_path,
            orders=({"budget": 0.02, "columns": {"amount": {"mute": ["max"]}}}, "table", "success"),
            renamed=({"table": "clicks"}, "incremental", "success"),
            failed=(True, "table", "error"),
            unguarded=(None, "table", "success"),
            inlined=(True, "ephemeral", "success"),
        ),
        parse_config("shadow = true"),
    )
    assert [model.name for model in found] == ["orders", "clicks"]
    assert (found[0].config.budget, found[0].config.columns["amount"].mute) == (0.02, ("max",))
    assert found[0].config.shadow, "what meta leaves out is as the file says"


def test_an_entry_that_nobody_knows_is_named(tmp_path):
    with pytest.raises(ByHistoryError, match=r"meta of the model orders.*'bugdet'"):
        models_of(target(tmp_path, orders=({"bugdet": 0.02}, "table", "success")))


def test_a_label_is_never_read_as_sql():
    model = Model("orders", "orders", parse_config('[tables.orders]\nrun_column = "ds"').table("orders"))
    assert _condition(model, "x' or 1=1", '"').endswith("= 'x'' or 1=1'")
    marked = Model("orders", "orders", parse_config("[tables.orders]\nwhere = \"ds = '{run}'\"").table("orders"))
    with pytest.raises(ByHistoryError, match="name the run_column"):
        _condition(marked, "1", '"')
