"""How scripts/soak tells growth from noise."""
import random

import pytest
from growth import FEWEST, judge, tenth


def samples(value, rounds=200, **more):
    """Of one quantity, as value(at) says."""
    return [{"at": i / rounds, "it": value(i / rounds), **{key: each(i / rounds) for key, each in more.items()}} for i in range(rounds)]


def test_tenths_hold_each_sample_once():
    found = samples(lambda at: at, rounds=100)
    assert [len(tenth(found, number)) for number in range(1, 11)] == [10] * 10
    assert tenth([{"at": 1.02}], 10) and not tenth([{"at": 1.02}], 9)


@pytest.mark.parametrize("growth, too_much", [(0, False), (0.03, False), (0.07, True), (1, True), (-0.5, False)])
def test_a_steady_growth_is_told_by_its_amount(growth, too_much):
    grown = judge(samples(lambda at: 100 * (1 + growth * (at - 0.15) / 0.8)), "it", 1)
    assert grown.too_much == too_much
    assert grown.growth == pytest.approx(growth, abs=0.01)


def test_growth_in_the_first_tenth_does_not_count():
    assert not judge(samples(lambda at: 1 if at < 0.1 else 100), "it", 1).too_much


def test_growth_below_the_floor_does_not_count():
    assert not judge(samples(lambda at: 3 + at), "it", 1).too_much
    assert judge(samples(lambda at: 3 + at), "it", 0.5).too_much


def test_noise_is_no_growth():
    def alarm(seed):
        noise = random.Random(seed)
        return judge(samples(lambda at: noise.lognormvariate(0, 0.5), rounds=60), "it", 0).too_much

    assert sum(alarm(seed) for seed in range(300)) <= 3


def test_single_samples_that_are_off_are_no_growth():
    noise = random.Random(1)
    assert not judge(samples(lambda at: 100 if at < 0.9 or noise.random() < 0.7 else 1000), "it", 1).too_much


def test_growth_is_found_in_noise():
    noise = random.Random(1)
    assert judge(samples(lambda at: (1 + 0.2 * at) * noise.uniform(0.97, 1.03)), "it", 0).too_much


def test_a_busier_machine_is_no_growth():
    slower = lambda at: 1 + at  # noqa: E731 - a shape, like the others
    assert judge(samples(slower, other=slower), "it", 0).too_much
    assert not judge(samples(slower, other=slower), "it", 0, beside="other").too_much
    assert judge(samples(lambda at: slower(at) * (1 + 0.2 * at), other=slower), "it", 0, beside="other").too_much


def test_too_few_samples_say_nothing():
    assert not judge(samples(lambda at: at, rounds=3 * FEWEST), "it", 0).measured
    assert judge(samples(lambda at: at, rounds=4 * FEWEST), "it", 0).measured
    assert not judge([], "it", 0, beside="other").measured


def test_a_tenth_with_few_samples_borrows_from_its_neighbours():
    def few(value):  # 40 samples, of which the second tenth and the last one have a single one each
        found = samples(value, rounds=40)
        return [each for i, each in enumerate(found) if i < 5 or 7 < i < 36 or i == 39]

    assert judge(few(lambda at: 100 + 50 * at), "it", 1).too_much
    assert not judge(few(lambda at: 100), "it", 1).too_much


def test_what_begins_at_nothing_grows():
    assert judge(samples(lambda at: 0 if at < 0.5 else 7), "it", 1).too_much
    assert not judge(samples(lambda at: 0), "it", 1).too_much
