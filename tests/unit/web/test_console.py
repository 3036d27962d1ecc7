"""The console's pages: what they show, who may do what, and that nothing of the data becomes markup."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from tests.unit.report.stories import HOSTILE
from tests.unit.web import consoles
from tests.unit.web.consoles import TODAY, TOKENS, client, guard_of, seal_of, seen_of, sign_in, with_accounts

from byhistory.config import Config, parse_config
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.web import verbs
from byhistory.web.access import Access, Proxy, checked
from byhistory.web.api import routes
from byhistory.web.app import POLICY
from byhistory.web.links import link

PAGES = ("/", "/day", "/table", "/run", "/column", "/preview")


@pytest.fixture(scope="module")
def guard():
    return guard_of()


@pytest.fixture(scope="module")
def opened(guard):
    with client(guard) as found:
        yield found


def address(
    path: str, table: str = "orders", run: str = TODAY, column: str = "amount", what: str = "new normal"
) -> str:
    given = {"t": table, "r": run, "c": column, "what": what}
    return path if path in ("/", "/day") else link(path, **given)


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_every_page_shows_what_it_is_about(opened):
    told = {path: opened.get(address(path)) for path in PAGES}
    assert {path: page.status_code for path, page in told.items()} == dict.fromkeys(PAGES, 200)
    assert "orders" in told["/"].text
    assert "stopped" in told["/"].text
    assert "amount" in told["/day"].text
    assert "values multiplied by 100" in told["/run"].text
    assert "Learned again from" in told["/preview"].text
    assert "country" in told["/table"].text
    assert "What must hold" in told["/column"].text


NAMES = [h for h in HOSTILE if len(h) < 1_000 and h.isprintable()]  # labels with controls are refused by the guard
NAMES += [h for h in HOSTILE if len(h) < 1_000 and not h.isprintable() and "\ud800" not in h]


@pytest.mark.parametrize("name", NAMES)
def test_no_hostile_name_becomes_an_element(name):
    guard = guard_of(())
    for day in range(3):
        label = f"{day}{name}" if name.isprintable() else f"{day}"
        guard.judge(profile_table({name: [1, 2, 3 + day]}, run=label), name)
    kept = guard.records.runs(name)[-1].run
    with client(guard) as opened:
        for path in PAGES:
            answer = opened.get(address(path, name, kept, name, "reject"))
            assert answer.status_code == 200, (path, answer.text[:600])
            elements = Elements(answer.text).found
            assert not [t for t, _ in elements if t in ("img", "u", "style", "object", "iframe")], path
            assert all(a.get("src", "").startswith("/static/") for t, a in elements if t == "script"), path
            assert not [a for _, a in elements for key in a if key.startswith("on") or key == "style"], path
            assert not [a for _, a in elements if (a.get("href") or "").lower().startswith("javascript:")], path


def test_no_page_asks_another_host_for_anything(opened):
    for path in PAGES:
        for tag, attributes in Elements(opened.get(address(path)).text).found:
            for key in ("href", "src", "action", "data-preview"):
                found = urlsplit(attributes.get(key) or "")
                assert not found.netloc, (path, tag, attributes)
                assert found.scheme in ("", "data"), (path, tag, attributes)


def test_every_answer_carries_the_policy(opened):
    for path in ("/", "/signin", "/healthz", "/static/console.js", "/nowhere", "/api/v1/tables", "/metrics"):
        answer = opened.get(path)
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY


def test_where_nobody_signs_in_no_other_name_of_the_host_is_answered(opened):
    assert opened.get("/", headers={"host": "evil.example"}).status_code == 400


def test_a_decision_is_kept_with_who_and_why_and_can_be_undone():
    guard = guard_of()
    with client(guard) as opened:
        page = opened.get(address("/run")).text
        given = {"seal": seal_of(page), "seen": seen_of(page), "what": "new normal", "why": "cents <b>now</b>"}
        assert opened.post(link("/decide", t="orders", r=TODAY), data=given).status_code == 303
        (said,) = guard.store.decisions("orders")
        assert (said.what, said.who, said.why) == ("new normal", "ann", "cents <b>now</b>")
        page = opened.get(address("/run")).text
        assert "cents &lt;b&gt;now&lt;/b&gt;" in page
        assert consoles.next_day(guard).ok
        again = opened.get(address("/run")).text
        undo = {"seal": seal_of(again), "seen": seen_of(again), "what": "undo"}
        assert opened.post(link("/decide", t="orders", r=TODAY), data=undo).status_code == 303
        assert guard.decisions.alarms("orders")[0].state == "back"


def test_who_decides_on_what_is_over_is_told_so():
    guard = guard_of()
    with client(guard) as opened:
        page = opened.get(address("/run")).text
        guard.decisions.reject("orders", TODAY, who="bob", why="first")
        given = {"seal": seal_of(page), "seen": seen_of(page), "what": "accept"}
        answer = opened.post(link("/decide", t="orders", r=TODAY), data=given)
        assert answer.status_code == 409
        assert [d.who for d in guard.store.decisions("orders")] == ["bob"]


def test_a_preview_changes_nothing_and_says_what_the_decision_then_does(guard):
    before = guard.store.state("orders")
    told = guard.decisions.preview("orders", TODAY, "new normal")
    assert guard.store.state("orders") == before
    assert told.columns == ("amount",)
    assert any(m.column == "amount" and m.before != m.after for m in told.moved)
    forgiven = guard.decisions.preview("orders", TODAY, "accept")
    assert not [m for m in forgiven.moved if m.column == "amount"]
    twin = guard_of()
    twin.decisions.accept("orders", TODAY, new_normal=True, who="ann")
    assert len(twin.records.learned_runs("orders")) == told.runs


def test_one_answer_goes_to_every_table_that_a_cause_shows_in():
    guard = guard_of(("orders", "refunds"))
    with client(guard) as opened:
        page = opened.get("/day").text
        assert "2 tables" in page
        runs = [tag["value"] for name, tag in Elements(page).found if name == "input" and tag.get("name") == "run"]
        assert len(runs) == 2
        given = {"seal": seal_of(page), "run": runs, "what": "accept", "why": "a test day"}
        answer = opened.post("/many", data=given)
        assert "Answered 2 tables" in answer.text
    assert [guard.store.decisions(t)[0].why for t in ("orders", "refunds")] == ["a test day"] * 2


def test_nothing_is_shown_and_nothing_is_done_without_signing_in(guard, tmp_path):
    with client(guard, with_accounts(tmp_path)) as opened:
        for path in PAGES:
            answer = opened.get(address(path))
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/signin")
        for operation in routes.ALL:
            assert opened.request(operation.method, routes.ROOT + operation.path).status_code == 401
        assert opened.get("/metrics").status_code == 401
        assert opened.get("/events").status_code == 401
        assert opened.post("/decide", data={"what": "accept"}).status_code == 401
        assert opened.get("/healthz").text == "ok\n"


def test_the_role_read_reads_and_no_more(guard, tmp_path):
    before = guard.store.state("orders")
    with client(guard, with_accounts(tmp_path)) as opened:
        sign_in(opened, "read")
        page = opened.get(address("/run")).text
        assert "may look and not decide" in page
        given = {"seal": seal_of(page), "what": "accept", "m": "mean", "c": "amount", "run": f"t=orders&r={TODAY}"}
        for path in ("/decide", "/many", "/setting"):
            assert opened.post(link(path, t="orders", r=TODAY), data=given).status_code == 403
        token = {"authorization": f"Bearer {TOKENS['read']}"}
        body = {"table": "orders", "run": TODAY, "what": "accept"}
        assert opened.post("/api/v1/decide", json=body, headers=token).status_code == 403
        for method in ("key", "load", "record", "decide", "put_setting", "forget"):
            call = {"method": method, "arguments": {}}
            assert opened.post("/api/v1/store", json=call, headers=token).status_code == 403
    assert guard.store.state("orders") == before


def test_a_session_is_closed_to_scripts_and_ends_with_its_account(guard, tmp_path):
    access = with_accounts(tmp_path, is_https=True)
    with client(guard, access) as opened:
        opened.base_url = "https://localhost"
        sign_in(opened, "decide")
        cookie = opened.get("/signin").headers.get("set-cookie", "")
        assert opened.get("/").status_code == 200
        form = opened.get("/")
        assert "set-cookie" not in form.headers
        consoles.write_accounts(access.file, [])
        assert opened.get("/").status_code == 303
        fresh = opened.get("/signin", headers={"cookie": ""})
        cookie = fresh.headers["set-cookie"]
        for word in ("__Host-byhistory=", "HttpOnly", "Secure", "SameSite=lax", "Path=/"):
            assert word in cookie


def test_a_proxy_is_believed_by_its_address_only(guard, tmp_path):
    access = consoles.behind_proxy(tmp_path)
    with client(guard, access, client=("10.0.0.7", 1)) as opened:
        assert "decide" in opened.get("/", headers={"x-user": "decide"}).text
        assert "read only" in opened.get("/", headers={"x-user": "somebody new"}).text
        assert opened.get("/").status_code == 303
    with client(guard, access, client=("10.0.0.8", 1)) as opened:
        assert opened.get("/", headers={"x-user": "decide"}).status_code == 303


@pytest.mark.parametrize(
    "access", [Access(), Access(proxy=Proxy("x-user", ())), Access(proxy=Proxy("x", ("nowhere",)))]
)
def test_a_console_that_anybody_could_use_is_not_served(access):
    with pytest.raises(Exception, match="To go on"):
        checked(access, "0.0.0.0")  # noqa: S104 - what is refused


def test_the_list_is_sifted_and_sorted():
    config = parse_config('[tables.a]\nowner = "ann"\ntags = ["gold"]\n[tables.b]\nowner = "bob"')
    guard = guard_of((), config=config)
    for table in ("a", "b", "c"):
        guard.judge(profile_table({"n": [1, 2]}, run="1"), table)

    def names(page: str) -> list[str]:
        return re.findall(r"<a data-open[^>]*><bdi>(.*?)</bdi>", page)

    with client(guard) as opened:
        assert names(opened.get("/").text) == ["a", "b", "c"]
        assert names(opened.get("/?owner=bob").text) == ["b"]
        assert names(opened.get("/?tag=gold").text) == ["a"]
        assert names(opened.get("/?q=C").text) == ["c"]
        assert names(opened.get("/?state=stopped").text) == []
        for sort in ("worst", "name", "late", "stopped", "nonsense"):
            assert len(names(opened.get(f"/?sort={sort}&p=99").text)) == 3


def test_the_api_says_what_the_pages_say(guard, tmp_path):
    with client(guard, with_accounts(tmp_path)) as opened:
        opened.headers["authorization"] = f"Bearer {TOKENS['decide']}"
        listed = opened.get("/api/v1/tables").json()["tables"]
        assert [(t["table"], t["state"], t["waiting"]) for t in listed] == [("orders", "stopped", 1)]
        assert opened.get("/api/v1/table?table=orders").json()["alarms"][0]["columns"] == ["amount"]
        assert opened.get("/api/v1/runs?table=orders").json()["runs"][-1]["outcome"] == "stop"
        assert opened.get("/api/v1/verdict?table=orders").json()["causes"][0]["columns"] == ["amount"]
        assert opened.get("/api/v1/inbox").json()["waiting"][0]["table"] == "orders"
        body = {"table": "orders", "run": TODAY, "what": "accept", "why": "fine"}
        assert opened.post("/api/v1/preview", json=body).json()["byhistory_preview"] == 1
        decided = opened.post("/api/v1/decide", json=body).json()
        assert (decided["run"]["decision"]["who"], decided["run"]["decision"]["why"]) == ("decide", "fine")
        opened.post("/api/v1/decide", json={**body, "what": "undo"})
        setting = {"table": "orders", "column": "amount", "metric": "mean", "what": "mute"}
        assert opened.post("/api/v1/settings", json=setting).json()["overrides"][0]["mute"]
        assert opened.post("/api/v1/settings", json={**setting, "what": "unset"}).json()["overrides"] == []
        budget = {"table": "orders", "what": "budget", "budget": 0.02}
        assert opened.post("/api/v1/settings", json=budget).json()["budget"] == 0.02
        assert opened.post("/api/v1/settings", json={**budget, "what": "unset budget"}).json()["budget"] == 0.01
        assert opened.post("/api/v1/decide", json={"table": "orders"}).status_code == 400
        assert opened.post("/api/v1/decide", content=b"{").status_code == 400
        assert opened.get("/api/v1/runs?table=nothing").status_code == 404


def test_the_document_has_every_operation(opened):
    document = opened.get("/api/v1/openapi.json").json()
    told = {(m.upper(), p) for p, methods in document["paths"].items() for m in methods}
    assert told == {(o.method, routes.ROOT + o.path) for o in routes.ALL}
    assert json.dumps(document)


def test_prometheus_is_told_how_the_tables_stand(opened):
    text = opened.get("/metrics").text
    assert 'byhistory_table_state{table="orders",state="stopped"} 1.0' in text
    assert 'byhistory_runs{table="orders"} 11.0' in text
    assert re.search(r'byhistory_last_run_age_seconds\{table="orders"\} \d', text)


def test_what_another_process_records_appears():
    guard = guard_of()
    with client(guard) as opened:
        watch = opened.app.state.console.watch
        before = watch.number
        assert watch.standings()["orders"].last.run == TODAY
        consoles.next_day(guard)
        watch.look()
        (change,) = watch.changes(before)
        assert (change.table, change.run) == ("orders", consoles.label(consoles.DAYS + 1))
        watch.look()
        assert len(watch.changes(before)) == 1


def test_every_verb_has_its_own_key():
    keys = [v.key for v in verbs.ALL if v.key]
    assert len(set(keys)) == len(keys)


def test_a_run_that_does_not_come_stands_in_the_strip_and_leads_nowhere():
    now = [datetime(2026, 1, 1, 5, tzinfo=timezone.utc)]
    guard = Validator("memory:", config=Config(), clock=lambda: now[0])
    for _ in range(20):
        guard.judge(profile_table({"n": [1, 2, 3]}, run=f"{now[0]:%Y-%m-%d}"), "orders")
        now[0] += timedelta(days=1)
    now[0] += timedelta(days=3)
    found = guard.decisions.standing("orders").strip
    assert [(r.run, r.mark) for r in found if r.at is None] == [("2026-01-21", "late")]
    with client(guard) as opened:
        listed = opened.get("/").text.partition("<tbody>")[2].partition("</tbody>")[0]
        assert 'class="m-late"' in listed
        assert 'class="badge s-late"' in listed
        assert "late: 2026-01-21" in listed
        assert "r=2026-01-21" not in listed  # there is no page of a run that never came
