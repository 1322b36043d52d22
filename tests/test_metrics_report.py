"""The report on the log: every panel obeys one filter, every denominator is accounted for, days belong to a zone."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from log_builder import DEFAULT, START, Candidate, Prompt, append, hours, log_of, memories

from workbench.errors import BadInput
from workbench.judge import ledgers_by
from workbench.metrics import replay_summary
from workbench.metrics.binomial import loss_bound
from workbench.metrics.report import GROUPINGS, Report, calendar_day, last_hours, memory_table, page, report
from workbench.metrics.report.helpfulness import read_parts
from workbench.metrics.report.sufficiency import sufficiency
from workbench.params import Params
from workbench.replay import logged
from workbench.replay.explain import explain
from workbench.replay.query import prepare
from workbench.replay.selection import Selection
from workbench.store import Database, in_memory

EXCLUSIVE = tuple(by for by in GROUPINGS if by != "signal")


def _step(found: Report, name: str) -> int:
    return next(step.count for step in found.denominators if step.step == name)


def _event(number: int, metadata: dict[str, object], **columns: object) -> dict[str, object]:
    return {
        "id": str(number), "query_text": "q", "node_uri": "a://1", "retrieval_path": "dense", "view_type": "gist",
        "pre_rank_score": 0.8, "final_rank_score": 0.7, "selected": True, "used_in_answer": False,
        "metadata": json.dumps(metadata), "created_at": START, **columns,
    }  # fmt: skip


def test_case_04_rows_without_a_query_id_and_deleted_memories() -> None:
    rows = [_event(n, {}) for n in range(3)]
    rows += [_event(3 + n, {"query_id": "q7", "displayed_position": place}) for n, place in enumerate(("3", "x", None))]
    rows.append(_event(6, {"query_id": "q8"}, node_uri="gone://1"))
    with in_memory() as db:
        append(db, "recall_events", rows)
        for table, kept in memories({"a://1": "n1"}).items():
            append(db, table, kept)
        append(
            db,
            "recall_queries",
            [{"query_id": query, "query_text": "alpha", "created_at": START} for query in ("q7", "q8")],
        )
        logged.materialise(db, Params.default())
        found = report(db, None)
        listed = {row["query_id"]: row["deleted"] for row in page(db, None).rows}
        places = db.rows("SELECT logged_displayed_position FROM wb.logged_candidates ORDER BY query_id")
    assert (_step(found, "logged signal rows"), _step(found, "unattributed rows")) == (7, 3)
    assert (_step(found, "logged queries"), _step(found, "selected prompts")) == (2, 2)
    assert (_step(found, "shown memories"), _step(found, "of these deleted since")) == (2, 1)
    assert listed == {"q7": 0, "q8": 1}
    assert places == [(3,), (None,)]


def test_case_05_a_query_rebuilt_from_its_path_rows() -> None:
    views: list[dict[str, object]] = [
        {"signal": "dense", "view": "gist", "raw": 0.88, "weight": 1.0},
        {"signal": "dense", "view": "question", "raw": 0.90, "weight": 0.96},
    ]
    tokenised: list[dict[str, object]] = [{"signal": "exact", "raw": 0.78}]
    filler: list[dict[str, object]] = [
        {"signal": "dense", "view": view, "raw": 0.5, "weight": weight, "breakdown": {"lexical_damp": 0.430677}}
        for view, weight in (("gist", 1.0), ("question", 0.96))
    ]
    filler.append({"signal": "lexical", "view": "gist", "raw": 0.1, "breakdown": {"lexical_damp": 0.430677}})
    candidates = [
        Candidate("a://n", 0.7, events=views),
        Candidate("a://token", 0.3, False, events=tokenised),
        *[Candidate(f"a://{i}", 0.4, False, events=filler + filler[: i < 13]) for i in range(38)],
    ]
    assert sum(len(candidate.events or ()) for candidate in candidates) == 130
    with log_of([Prompt("q", candidates)]) as db:
        whole = explain(db, DEFAULT, "q").as_json()
    found = {one["uri"]: one for one in whole["candidates"]}
    assert (len(whole["signal_rows"]), len(found)) == (130, 40)
    assert all(any(one[signal] for signal in ("exact", "dense", "lexical")) for one in found.values())
    assert found["a://n"]["dense"] == pytest.approx(0.88)
    assert found["a://n"]["terms"]["dense"] == pytest.approx(0.264)
    reasons = [row["reason"] for row in whole["signal_rows"] if row["uri"] == "a://token"]
    assert reasons == ["tokenised match in keywords, address or path"]
    for one in found.values():
        assert "lexical_damp" not in one["terms"]
        assert sum(one["terms"].values()) == pytest.approx(one["score"], abs=1e-6)


def _sums_are_equal(found: Report) -> None:
    """Steps that share a whole and a split add up to it."""
    counts = {step.step: step.count for step in found.denominators}
    assert len(counts) == len(found.denominators), "each step has a name of its own"
    sums: dict[tuple[str, str | None], int] = {}
    for step in found.denominators:
        if step.whole is not None:
            sums[step.whole, step.split] = sums.get((step.whole, step.split), 0) + step.count
    assert len(sums) == 13
    assert {key: counts[key[0]] for key in sums} == sums


def _case_06() -> list[Prompt]:
    rng = random.Random(6)
    clients = ["codex"] * 60 + ["pi"] * 25 + [None] * 15
    texts = ["give 50% off", "give 500 off", "a_b", "aXb", "refund"]
    made = []
    for number, client in enumerate(clients):
        uris = rng.sample([f"{domain}://{i}" for domain in ("core", "project") for i in range(5)], rng.randint(0, 4))
        candidates = [Candidate(uri, 0.9 - place / 10, used=rng.random() < 0.2) for place, uri in enumerate(uris)]
        made.append(
            Prompt(
                f"q{number:03}",
                candidates,
                rng.choice(texts),
                rng.choice([None, "s1", "s2"]),
                client,
                rng.choice([None, 100, 12_000]),
                START + hours(number * 5),
            )
        )
    return made


def _filter(rng: random.Random) -> Selection:
    since = rng.choice([None, START + hours(rng.randint(0, 250))])
    return Selection(
        clients=rng.choice([None, ("codex",), ("pi", ""), ("",), ("nobody",)]),
        text=rng.choice([None, "50%", "a_b", "OFF", "nowhere"]),
        since=since,
        until=rng.choice([None, START + hours(rng.randint(100, 500))]),
    )


def test_case_06_every_panel_obeys_the_same_filter() -> None:
    rng = random.Random(60)
    with log_of(_case_06()) as db:
        for _ in range(20):
            count = _filter(rng).materialise(db)
            rows = page(db, size=100).rows
            assert page(db).total == len(rows) == count
            clients = ledgers_by(db, DEFAULT).values()
            assert sum(client.prompts for client in clients) == count
            found = report(db, zone="Asia/Shanghai")
            overall = found.overall
            assert overall.prompts == _step(found, "selected prompts") == count
            assert overall.silent_prompts == sum(row["shown"] == 0 for row in rows)
            assert found.shift.earlier.prompts + found.shift.later.prompts == count
            assert found.position.first_judged + found.position.later_judged <= overall.judged
            assert sum(client.used for client in clients) == overall.used
            _sums_are_equal(found)
            for by in EXCLUSIVE:
                parts = read_parts(db, by, "Asia/Shanghai")
                assert sum(part.shown for part in parts) == overall.shown == sum(row["shown"] for row in rows)
                assert sum(part.used for part in parts) == overall.used == sum(row["used"] for row in rows)
                assert sum(part.unknown for part in parts) == overall.unknown
                if by in ("client", "day", "week"):
                    assert sum(part.prompts for part in parts) == count
                    assert sum(part.silent_prompts for part in parts) == overall.silent_prompts


def test_case_06_no_client_is_selectable_and_the_text_is_literal() -> None:
    with log_of(_case_06()) as db:
        assert Selection(clients=("",)).materialise(db) == 15
        assert {part.part: part.prompts for part in report(db).parts} == {"": 15}
        for text in ("50%", "a_b"):
            Selection(text=text).materialise(db)
            texts = {row["query_text"] for row in page(db, size=100).rows}
            assert texts == {"give 50% off" if text == "50%" else "a_b"}


def test_case_06_pages_end_where_they_end() -> None:
    with log_of(_case_06()) as db:
        Selection().materialise(db)
        whole = page(db, size=100)
        assert (len(whole.rows), whole.total, whole.has_more) == (100, 100, False)
        pages = [page(db, offset=offset, size=20) for offset in range(0, 100, 20)]
        assert [one.has_more for one in pages] == [True, True, True, True, False]
        assert [row for one in pages for row in one.rows] == list(whole.rows)
        beyond = page(db, offset=100, size=20)
        assert (beyond.rows, beyond.total, beyond.has_more) == ([], 100, False)
        with pytest.raises(BadInput):
            page(db, offset=-1)


def _hourly(first: datetime, last: datetime) -> list[Prompt]:
    """One query an hour of these local days, both included."""
    made, at = [], first.astimezone(UTC)
    while at < (last + timedelta(days=1)).astimezone(UTC):
        made.append(Prompt(at.isoformat(), at=at))
        at += hours(1)
    return made


def test_case_07_calendar_days_belong_to_a_zone() -> None:
    zone = ZoneInfo("America/New_York")
    spring = _hourly(datetime(2026, 3, 7, tzinfo=zone), datetime(2026, 3, 9, tzinfo=zone))
    autumn = _hourly(datetime(2026, 10, 31, tzinfo=zone), datetime(2026, 11, 2, tzinfo=zone))
    with log_of([*spring, *autumn]) as db:
        found = report(db, None, by="day", zone="America/New_York")
        assert found.as_json()["zone"] == "America/New_York"
        assert {part.part: part.prompts for part in found.parts} == {
            "2026-03-07": 24, "2026-03-08": 23, "2026-03-09": 24,
            "2026-10-31": 24, "2026-11-01": 25, "2026-11-02": 24,
        }  # fmt: skip
    with log_of([Prompt("q", at=datetime(2026, 3, 1, 20, tzinfo=UTC))]) as db:
        assert report(db, None, by="day", zone="Asia/Shanghai").parts[0].part == "2026-03-02"
        assert report(db, None, by="day", zone="UTC").parts[0].part == "2026-03-01"
        with pytest.raises(BadInput, match="Mars"):
            report(db, None, by="day", zone="Mars/Olympus")


def test_case_07_last_24_hours_is_not_a_calendar_day() -> None:
    zone = "America/New_York"
    now = datetime(2026, 3, 9, 3, 10, tzinfo=ZoneInfo(zone))
    prompts = _hourly(datetime(2026, 3, 7, tzinfo=ZoneInfo(zone)), datetime(2026, 3, 9, tzinfo=ZoneInfo(zone)))
    with log_of(prompts) as db:
        for span, count in (
            (last_hours(now), 24),
            (calendar_day(now, zone), 24),
            (calendar_day(now - hours(24), zone), 23),
        ):
            assert Selection(since=span[0], until=span[1]).materialise(db) == count
    start, end = calendar_day(now - hours(24), zone)
    assert (end.astimezone(UTC) - start.astimezone(UTC)) == hours(23)
    assert last_hours(now)[0] != calendar_day(now, zone)[0]


_BY_DAY = """
import sys
sys.path.insert(0, {tests!r})
from datetime import UTC, datetime
from log_builder import Prompt, log_of
from workbench.metrics.report import report
with log_of([Prompt(str(hour), at=datetime(2026, 3, 1, hour, tzinfo=UTC)) for hour in range(24)]) as db:
    days = [report(db, None, "day", zone).parts for zone in ("UTC", "Asia/Shanghai")]
    print([(part.part, part.prompts) for parts in days for part in parts])
"""


def test_case_07_days_do_not_depend_on_the_environment() -> None:
    script = _BY_DAY.format(tests=str(Path(__file__).parent))
    said = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True,
            cwd=Path(__file__).parent.parent,
        ).stdout
        for zone in ("UTC", "Asia/Shanghai", "America/New_York")
    }  # fmt: skip
    assert said == {"[('2026-03-01', 24), ('2026-03-01', 16), ('2026-03-02', 8)]\n"}


def test_case_09_prompts_that_no_user_typed() -> None:
    envelope = 'Conversation info (untrusted metadata):\n```json\n{"id": 1}\n```\n'
    texts = ["deploy the service again"] * 8 + [f"{envelope}question {i}" for i in range(5)]
    texts += [f"what does {envelope} mean?"] + [f"other question {i}" for i in range(6)]
    prompts = [Prompt(f"real{i}", text=prepare(text).text) for i, text in enumerate(texts)]
    prompts += [Prompt(f"boot{i}", text="pi", session="boot", client="pi") for i in range(30)]
    prompts += [Prompt(f"admin{i}", client="admin") for i in range(10)]
    prompts += [Prompt(f"ping{i}", text="HEARTBEAT_OK") for i in range(20)]
    with log_of(prompts) as db:
        assert Selection(once=True).materialise(db) == 13
        found = report(db)
        assert (found.overall.prompts, _step(found, "repeats of a text")) == (13, 0)
        assert Selection().materialise(db) == 20
        found = report(db)
        assert _step(found, "repeats of a text") == 7
        assert (_step(found, "selected prompts"), _step(found, "distinct texts")) == (20, 13)
        counts = {
            traffic: _step(found, f"of these {traffic}") for traffic in ("prompt", "startup", "console", "heartbeat")
        }
        assert counts == {"prompt": 20, "startup": 30, "console": 10, "heartbeat": 20}
        assert _step(found, "of these search") == 0
        assert Selection(traffic=None).materialise(db) == sum(counts.values()) == _step(found, "logged queries")


def test_what_an_agent_searched_for_is_no_prompt() -> None:
    prompts = [Prompt(name, text="refund rule", session="s", at=START + hours(place))
               for place, name in enumerate(("searched", "typed later"))]  # fmt: skip
    prompts += [Prompt("other session", text="refund rule", session="t"), Prompt("both", text="ship it", session="u")]
    search: dict[str, object] = {"source": "claudecode", "uris": [], "searched_at": START + timedelta(seconds=2)}
    with log_of(prompts) as db:
        searches = (("s", "refund rule "), ("u", "ship it"))
        rows = [search | {"search_id": of, "session_id": of, "query_text": text} for of, text in searches]
        append(db, "wb.agent_searches", rows)
        typed = {"prompt_id": "p", "source": "claudecode", "session_id": "u", "query_text": "ship it"}
        append(db, "wb.agent_prompts", [typed])
        Selection(traffic=("search",)).materialise(db)
        assert [row["query_id"] for row in page(db).rows] == ["searched"]
        assert _step(report(db), "of these search") == 1
        assert Selection().materialise(db) == 3
        assert explain(db, DEFAULT, "searched").asked.facts["traffic"] == "search"


def test_tiers_of_the_exact_match_stand_in_words() -> None:
    def exact(uri: str, raw: float, *, used: bool = False) -> Candidate:
        return Candidate(uri, 0.8, used=used, events=[{"signal": "exact", "raw": raw}])

    prompts = [Prompt("q", [exact("a://1", 0.98, used=True), exact("a://2", 0.78), Candidate("a://3", 0.7)])]
    prompts.append(Prompt("r", [exact("a://4", 1.0), exact("a://5", 0.9), exact("a://6", 0.84), exact("a://7", 0.72)]))
    with log_of(prompts) as db:
        found = report(db, None, by="tier")
    assert {part.part: (part.shown, part.used) for part in found.parts} == {
        "1.00 the prompt is the address or path": (1, 0),
        "0.98 the prompt is a keyword": (1, 1),
        "0.90 the keywords contain the prompt": (1, 0),
        "0.84 the prompt contains a keyword": (1, 0),
        "0.78 tokenised match in keywords, address or path": (1, 0),
        "0.72 the address or path contains the prompt": (1, 0),
        "no exact match": (1, 0),
    }


def test_case_13_a_memory_is_counted_across_its_addresses() -> None:
    old = [Prompt(f"q{i}", [Candidate("core://a", 0.8)], at=START + hours(i)) for i in range(5)]
    both = Prompt("q5", [Candidate("core://a", 0.8), Candidate("project://b", 0.7, used=True)], at=START + hours(9))
    moved = {
        "id": "1", "event_type": "move", "node_uri": "core://a", "node_uuid": "n", "created_at": START + hours(20),
    }  # fmt: skip
    with log_of([*old, both], {"core://c": "n", "project://b": "n"}, memory_events=[moved]) as db:
        (memory,) = memory_table(db, None)
        logged_uris = {uri for (uri,) in db.rows("SELECT DISTINCT uri FROM wb.logged_candidates")}
    assert (memory["node"], memory["shown"], memory["used"], memory["twice"]) == ("n", 6, 1, 1)
    assert memory["uris"] == ["core://a", "core://c", "project://b"]
    assert not memory["deleted"]
    assert logged_uris == {"core://a", "project://b"}, "old recalls keep their logged address"


def test_signals_that_contributed_overlap() -> None:
    rows: list[dict[str, object]] = [
        {"signal": "dense", "view": "gist", "raw": 0.9},
        {"signal": "lexical", "view": "gist", "raw": 0.0},
        {"signal": "exact", "raw": 0.98},
    ]
    with log_of([Prompt("q", [Candidate("a://1", 0.8, used=True, events=rows), Candidate("a://2", 0.7)])]) as db:
        found = report(db, None, by="signal")
    assert {part.part: (part.shown, part.used) for part in found.parts} == {"dense": (2, 1), "exact": (1, 1)}


def test_auc_and_separation_inside_the_shown_set() -> None:
    rng = random.Random(1)
    pairs = [(round(rng.gauss(0.75 + 0.03 * used, 0.05), 2), used) for used in [True] * 40 + [False] * 160]
    rng.shuffle(pairs)
    prompts = [
        Prompt(f"q{i}", [Candidate(f"a://{j}", score, used=used) for j, (score, used) in enumerate(pairs[i : i + 2])],
               session=f"s{i % 25}")
        for i in range(0, 200, 2)
    ]  # fmt: skip
    with log_of(prompts) as db:
        found = report(db, None).separation
    used, unused = ([score for score, kind in pairs if kind is which] for which in (True, False))
    wins = sum((a > b) + (a == b) / 2 for a in used for b in unused)
    assert found.auc == pytest.approx(wins / (len(used) * len(unused)))
    assert found.auc is not None
    assert found.auc_interval is not None
    assert found.auc_interval.low < found.auc < found.auc_interval.high
    assert found.gap == pytest.approx((found.used_p25 or 0) - (found.unused_p75 or 0))


def test_an_empty_selection_reports_no_data() -> None:
    with log_of([Prompt("q", [Candidate("a://1", 0.8)])]) as db:
        Selection(text="nowhere").materialise(db)
        said = report(db).as_json()
    assert (said["prompts"], said["use_rate"], said["shown_per_prompt"], said["use_rate_interval"]) == (
        0,
        None,
        None,
        None,
    )
    assert said["separation"]["auc"] is None
    assert said["duration_ms"]["p50"] is None
    assert said["sufficiency"].startswith("No prompt passes the filter")
    assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_what_the_used_memories_suffice_for() -> None:
    assert loss_bound(0) is None
    assert loss_bound(73) == pytest.approx(0.0402, abs=1e-4)
    assert "up to 4 % of the helpful ones" in sufficiency(73, 2018)
    assert sufficiency(1, 5) == "1 memory was used in 5 prompts: too few to compare configurations."
    assert sufficiency(0, 12).startswith("None of 12 prompts has a used memory")


def test_an_unknown_grouping_is_refused() -> None:
    with in_memory() as db, pytest.raises(BadInput, match="moon"):
        report(db, None, by="moon")


def test_the_real_log_reports_what_its_tables_hold(conformance: Path) -> None:
    with in_memory() as db:
        _load_tables(db, conformance / "tables")
        found = report(db, None)
        summary = replay_summary(db, DEFAULT, None)
        shown, used = db.row(
            "SELECT count(*) FILTER (selected), count(*) FILTER (used_in_answer) FROM recall_query_candidates"
        )
        prompts, silent = db.row("SELECT count(*), count(*) FILTER (shown_count = 0) FROM recall_queries")
    assert _step(found, "shown addresses") == shown
    assert (found.judged.linked, found.judged.blanket) == (found.overall.used, 0)
    assert found.overall.used <= used
    assert (summary["prompts"], found.overall.silent_prompts) == (found.overall.prompts, silent)
    assert found.overall.prompts == prompts
    assert summary["used_kept"] + summary["used_lost"] == found.overall.used


def _load_tables(db: Database, folder: Path) -> None:
    for table in ("recall_queries", "recall_query_candidates", "recall_events", "paths", "edges", "memories", "nodes"):
        columns = [name for (name,) in db.rows(f"SELECT column_name FROM (DESCRIBE {table})")]
        held = {name for (name,) in db.rows(f"SELECT column_name FROM (DESCRIBE FROM '{folder / table}.parquet')")}
        wanted = ", ".join(name for name in columns if name in held)
        db.execute(f"INSERT INTO {table} BY NAME SELECT {wanted} FROM '{folder / table}.parquet'")
    logged.materialise(db, Params.default())
