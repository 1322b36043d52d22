"""Measures: hand-computed cases, agreement with ir_measures, and the range against all ways the unknown could fall."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import product
from math import log2
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outcome_lists import UNKNOWN, UNUSED, USED, Outcome, figure, listed

from workbench.errors import BadInput
from workbench.metrics.figures import figures
from workbench.metrics.jaccard import Jaccard
from workbench.metrics.judged import Judged
from workbench.metrics.measure import Measure
from workbench.metrics.ndcg import nDCG
from workbench.metrics.net_help import NetHelp
from workbench.metrics.noise import Noise
from workbench.metrics.precision import P
from workbench.metrics.rbo import RBO
from workbench.metrics.recall import R
from workbench.metrics.rr import RR
from workbench.metrics.shown import Shown
from workbench.metrics.use_rate import UseRate
from workbench.store import Database

LABELS = st.sampled_from((USED, UNUSED, UNUSED, UNKNOWN))
PROMPTS = st.lists(
    st.builds(Outcome, st.lists(LABELS, max_size=6), st.lists(LABELS, max_size=3)), min_size=1, max_size=6
)
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_case_29_queries_with_nothing_to_find() -> None:
    prompts = [
        Outcome([USED, UNUSED]),
        Outcome([USED]),
        Outcome([USED, UNUSED, UNUSED]),
        Outcome([UNUSED], gone=[USED]),  # the used memory is outside the first twelve
        *[Outcome([UNUSED, UNUSED])] * 5,
        Outcome([]),
    ]
    ndcg, mrr, recall = (figure(prompts, measure) for measure in (nDCG(3), RR(), R(3)))
    assert (ndcg.prompts, ndcg.n, ndcg.judged_n, mrr.n, recall.n) == (10, 4, 4, 4, 4)
    assert ndcg.unhelpful == pytest.approx(3 / 4)
    assert mrr.unhelpful == pytest.approx(3 / 4)
    assert recall.unhelpful == pytest.approx(3 / 4)
    noise = figure(prompts, Noise())
    assert noise.n == 10
    assert noise.unhelpful == pytest.approx((1 + 0 + 2 + 1 + 10) / 10)
    assert figure(prompts[:3], nDCG(3)).unhelpful == pytest.approx(1.0)


@pytest.mark.parametrize("measure", [nDCG(3), RR(), R(3), Judged(3), UseRate(), Jaccard(), RBO()])
def test_an_empty_set_has_no_data(measure: Measure) -> None:
    found = figure([Outcome([])], measure)
    assert (found.judged, found.unhelpful, found.low, found.high, found.n) == (None, None, None, None, 0)
    assert found.as_json()["range"] is None


def test_without_prompts_no_measure_has_data() -> None:
    with listed([]) as db:
        for measure in (P(3), Noise(), NetHelp(), Shown()):
            found = figures(db, [measure])[""][measure.name]
            assert (found.prompts, found.n, found.unhelpful, found.low) == (0, 0, None, None)


def test_ideal_holds_positives_that_are_not_returned() -> None:
    found = figure([Outcome([UNUSED, USED], gone=[USED, USED])], nDCG(3))
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert found.unhelpful == pytest.approx((1 / log2(3)) / ideal)


def test_the_three_readings_differ_where_something_is_unknown() -> None:
    found = figure([Outcome([UNKNOWN, USED, UNUSED])], P(1))
    assert (found.judged, found.unhelpful, found.low, found.high) == (1, 0, 0, 1)
    assert figure([Outcome([UNKNOWN, USED])], RR()).judged == 1
    assert figure([Outcome([UNKNOWN, USED])], RR()).unhelpful == 0.5
    judged = figure([Outcome([UNKNOWN, USED, UNUSED])], Judged(2))
    assert judged.unhelpful == 0.5


def test_prompts_with_unknown_alone_widen_the_range_and_nothing_else() -> None:
    found = figure([Outcome([USED]), Outcome([UNUSED, UNKNOWN])], RR())
    assert (found.judged, found.unhelpful, found.n) == (1, 1, 1)
    assert [found.low, found.high] == pytest.approx([0.75, 1])


def test_net_help_weighs_noise() -> None:
    found = figure([Outcome([USED, UNUSED, UNKNOWN]), Outcome([])], NetHelp(0.1))
    assert found.judged == pytest.approx((1 - 0.1) / 2)
    assert found.unhelpful == pytest.approx((1 - 0.2) / 2)
    assert found.high == pytest.approx((2 - 0.1) / 2)


def test_overlap_with_the_logged_list() -> None:
    same = Outcome([USED, UNUSED])
    assert figure([same], Jaccard()).unhelpful == 1
    assert figure([same], RBO()).unhelpful == pytest.approx(1)
    assert figure([Outcome([UNKNOWN, USED], gone=[UNUSED])], Jaccard()).unhelpful == pytest.approx(1 / 3)
    assert figure([Outcome([], gone=[UNUSED])], RBO()).unhelpful == 0
    # Places 1 and 2 of three agree, the lists differ at the third: overlaps 1, 2, 2 at depths 1, 2, 3.
    p = 0.9
    expected = (1 - p) / p * (p + p**2 + 2 / 3 * p**3) + 2 / 3 * p**3
    assert figure([Outcome([USED, UNUSED, UNKNOWN], gone=[UNUSED])], RBO(p)).unhelpful == pytest.approx(expected)


@pytest.mark.parametrize("wrong", [lambda: P(0), lambda: nDCG(-1), lambda: RBO(1.0), lambda: NetHelp(-1)])
def test_a_bad_parameter_is_refused_with_its_value(wrong: Callable[[], Measure]) -> None:
    with pytest.raises(BadInput):
        wrong()


def test_measures_of_groups_cover_the_same_prompts() -> None:
    prompts = [Outcome([USED, UNUSED], client="pi"), Outcome([UNUSED], client=""), Outcome([], client="pi")]
    with listed(prompts) as db:
        parts = figures(db, [Noise()], "client")
    assert {client: (row["noise_per_prompt"].n, row["noise_per_prompt"].judged) for client, row in parts.items()} == {
        "": (1, 1.0),
        "pi": (2, 0.5),
    }


# --- the oracle -----------------------------------------------------------------------------------------------------


def _oracle(prompts: Sequence[Outcome], name: str, judged_only: bool) -> list[float]:
    """Per-prompt values of ir_measures; prompts without a judged memory get a judged one that no list returns."""
    warnings.simplefilter("ignore")
    import ir_measures

    measure: Any = ir_measures.parse_measure(name)
    if judged_only:
        measure = measure(judged_only=True)
    qrels, run = [], []
    for i, prompt in enumerate(prompts):
        rows = [(f"s{place}", label) for place, label in enumerate(prompt.shown, 1)]
        rows += [(f"g{place}", label) for place, label in enumerate(prompt.gone, 1)]
        qrels.append(ir_measures.Qrel(f"q{i}", "never", 0))
        qrels += [ir_measures.Qrel(f"q{i}", doc, int(label == USED)) for doc, label in rows if label != UNKNOWN]
        run += [ir_measures.ScoredDoc(f"q{i}", f"s{place}", 100.0 - place) for place in range(1, len(prompt.shown) + 1)]
    values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    return [values.get(f"q{i}", 0.0) for i in range(len(prompts))]


def _has_positive(prompt: Outcome) -> bool:
    return USED in (*prompt.shown, *prompt.gone)


@pytest.mark.parametrize(
    ("measure", "name", "counts"),
    [
        (P(1), "P@1", lambda prompt: True),
        (P(3), "P@3", lambda prompt: True),
        (P(5), "P@5", lambda prompt: True),
        (R(1), "R@1", _has_positive),
        (R(3), "R@3", _has_positive),
        (RR(), "RR", _has_positive),
        (nDCG(1), "nDCG@1", _has_positive),
        (nDCG(3), "nDCG@3", _has_positive),
        (nDCG(10), "nDCG@10", _has_positive),
    ],
    ids=lambda value: value.name if isinstance(value, Measure) else "",
)
@given(prompts=PROMPTS)
@RELAXED
def test_measures_agree_with_ir_measures(
    measure: Measure, name: str, counts: Callable[[Outcome], bool], prompts: list[Outcome]
) -> None:
    found = figure(prompts, measure)
    for judged_only, value in ((True, found.judged), (False, found.unhelpful)):
        values = [
            value for value, prompt in zip(_oracle(prompts, name, judged_only), prompts, strict=True) if counts(prompt)
        ]
        assert value == (pytest.approx(sum(values) / len(values), abs=1e-9) if values else None)


@pytest.mark.parametrize("k", [1, 3, 5])
@given(prompts=PROMPTS)
@RELAXED
def test_judged_agrees_with_ir_measures(k: int, prompts: list[Outcome]) -> None:
    values = _oracle(prompts, f"Judged@{k}", judged_only=False)
    values = [value for value, prompt in zip(values, prompts, strict=True) if prompt.shown]
    expected = pytest.approx(sum(values) / len(values), abs=1e-9) if values else None
    found = figure(prompts, Judged(k))
    assert (found.judged, found.unhelpful, found.low, found.high) == (expected,) * 4


# --- the range ------------------------------------------------------------------------------------------------------


def _fallen(prompts: Sequence[Outcome]) -> list[list[Outcome]]:
    """All ways in which the unknown of these prompts could fall."""
    flat = [label for prompt in prompts for label in (*prompt.shown, *prompt.gone)]
    ways = []
    for choice in product((USED, UNUSED), repeat=flat.count(UNKNOWN)):
        chosen = iter(choice)

        def fall(labels: Sequence[str], chosen: Any = chosen) -> list[str]:
            return [next(chosen) if label == UNKNOWN else label for label in labels]

        ways.append([Outcome(fall(prompt.shown), fall(prompt.gone)) for prompt in prompts])
    return ways


FEW = st.lists(
    st.builds(
        Outcome,
        st.lists(st.sampled_from((USED, UNUSED, UNKNOWN)), max_size=4),
        st.lists(st.sampled_from((USED, UNKNOWN)), max_size=1),
    ),
    min_size=1,
    max_size=3,
).filter(lambda prompts: sum([*p.shown, *p.gone].count(UNKNOWN) for p in prompts) <= 5)


@pytest.mark.parametrize(
    "measure", [P(2), R(2), RR(), nDCG(2), nDCG(3), Noise(), UseRate(), NetHelp()], ids=lambda measure: measure.name
)
@given(prompts=FEW)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_range_is_that_of_all_ways_the_unknown_could_fall(measure: Measure, prompts: list[Outcome]) -> None:
    found = figure(prompts, measure)
    values = [value for way in _fallen(prompts) if (value := figure(way, measure).unhelpful) is not None]
    assert found.low == (pytest.approx(min(values), abs=1e-9) if values else None)
    assert found.high == (pytest.approx(max(values), abs=1e-9) if values else None)


def test_an_empty_store_gives_no_figures(db: Database) -> None:
    from workbench.metrics.summary import replay_summary
    from workbench.params import Params
    from workbench.replay.run import Settings

    found = replay_summary(db, Settings(Params.default(), Params.default()), None)
    assert (found["prompts"], found["shown"], found["silent_prompts"]) == (0, 0, 0)
    assert set(found["metrics"].values()) == set(found["intervals"].values()) == {None}
    assert found["sign_test_used"] is None
