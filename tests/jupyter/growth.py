"""Whether what is measured again and again grows, told from noise: for scripts/soak."""
import itertools
import math
import statistics

MOST_GROWTH = 0.05
FEWEST = 6  # samples at either end: fewer cannot be told from chance
UNLIKELY = 2.8  # standard deviations: one time in 400 by chance


def rank_deviations(first, last):
    """By how many standard deviations more of `last` is above `first` than chance would have it (Mann and Whitney)."""
    above = sum((b > a) + (b == a) / 2 for a in first for b in last)
    pairs = len(first) * len(last)
    return (above - pairs / 2) / math.sqrt(pairs * (len(first) + len(last) + 1) / 12)


def trend_deviations(values):
    """By how many standard deviations more of the later ones are above the earlier ones (Mann and Kendall)."""
    rising = sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    count = len(values)
    return rising / math.sqrt(count * (count - 1) * (2 * count + 5) / 18)


class Growth:
    """From `first` to `last` (values of one quantity), in which `all` values rise or not; nothing is measured of too few."""

    def __init__(self, first, last, all, floor):
        self.measured = len(all) >= 3 * FEWEST
        if not self.measured:
            return
        self.first, self.last = statistics.median(first), statistics.median(last)
        self.growth = self.last / self.first - 1 if self.first else math.inf if self.last else 0
        chance = max(rank_deviations(first, last), trend_deviations(all)) < UNLIKELY
        self.too_much = self.growth > MOST_GROWTH and self.last - self.first > floor and not chance


def tenth(samples, number):
    """Those of a tenth of the time, counted from 1; "at" runs from 0 to 1, and a last round may end later."""
    return [each for each in samples if (number - 1) / 10 <= each["at"] and (each["at"] < number / 10 or number == 10)]


def judge(samples, key, floor, beside=None):
    """From the second tenth to the last one; where a busy machine leaves a tenth with too few samples, its neighbours help.

    Growth counts when the medians of the two differ by more than 5 % and by more than `floor`, and noise hardly ever has the
    last tenth so far above the second, or all samples rise so. beside: the key of the same quantity of something that does
    not age, at the same time; each sample is divided by its own, as a busier machine changes both."""
    usual = statistics.median(each[beside] for each in samples) if beside and samples else 1
    settled = [each for each in samples if each["at"] >= 0.1]
    windows = [tenth(samples, 2), tenth(samples, 10), settled]
    if len(windows[0]) < FEWEST:
        windows[0] = settled[:FEWEST]
    if len(windows[1]) < FEWEST:
        windows[1] = settled[-FEWEST:]
    return Growth(*[[each[key] * usual / each[beside] if beside else each[key] for each in window] for window in windows], floor)
