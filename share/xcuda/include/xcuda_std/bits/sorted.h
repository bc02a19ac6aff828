// Algorithms of <algorithm> over heaps, sorted ranges and orders drawn at random. Heaps are those of libstdc++.
#pragma once
#include "../random"

namespace std {

template <class I, class N, class T, class C> constexpr void xcuda_rise(I first, N hole, N top, T value, C less) {
  for (; hole > top && less(first[(hole - 1) / 2], value); hole = (hole - 1) / 2) first[hole] = first[(hole - 1) / 2];
  first[hole] = value;
}
template <class I, class N, class T, class C> constexpr void xcuda_sink(I first, N hole, N size, T value, C less) {
  const N top = hole;
  N child = hole;
  while (child < (size - 1) / 2) {
    child = 2 * (child + 1);
    if (less(first[child], first[child - 1])) --child;
    first[hole] = first[child];
    hole = child;
  }
  if (size % 2 == 0 && child == (size - 2) / 2) {
    child = 2 * (child + 1);
    first[hole] = first[child - 1];
    hole = child - 1;
  }
  xcuda_rise(first, hole, top, value, less);
}
template <class I, class C = xcuda_less> constexpr void make_heap(I first, I last, C less = {}) {
  const auto n = last - first;
  if (n < 2) return;
  for (auto at = (n - 2) / 2; at >= 0; --at) xcuda_sink(first, at, n, first[at], less);
}
template <class I, class C = xcuda_less> constexpr void push_heap(I first, I last, C less = {}) {
  const auto n = last - first;
  if (n > 1) xcuda_rise(first, n - 1, n - n, *(last - 1), less);
}
template <class I, class C = xcuda_less> constexpr void pop_heap(I first, I last, C less = {}) {
  const auto n = last - first - 1;
  if (n < 1) return;
  const auto value = *--last;
  *last = *first;
  xcuda_sink(first, n - n, n, value, less);
}
template <class I, class C = xcuda_less> constexpr void sort_heap(I first, I last, C less = {}) {
  for (; last - first > 1; --last) pop_heap(first, last, less);
}
template <class I, class C = xcuda_less> constexpr bool is_heap(I first, I last, C less = {}) {
  for (auto i = last - first - 1; i > 0; --i)
    if (less(first[(i - 1) / 2], first[i])) return false;
  return true;
}

template <class I, class C = xcuda_less> constexpr void inplace_merge(I first, I middle, I last, C less = {}) {
  xcuda_merge_runs(first, middle, last, less);
}
template <class I, class T, class C = xcuda_less>
constexpr pair<I, I> equal_range(I at, I end, const T& value, C less = {}) {
  return {lower_bound(at, end, value, less), upper_bound(at, end, value, less)};
}
template <class I, class P> constexpr I partition_point(I at, I end, P p) { return find_if_not(at, end, p); }
template <class I, class P> constexpr bool is_partitioned(I at, I end, P p) {
  return none_of(find_if_not(at, end, p), end, p);
}
template <class I, class C = xcuda_less> constexpr I is_sorted_until(I at, I end, C less = {}) {
  if (at == end) return end;
  for (I next = at + 1; next != end; ++at, ++next)
    if (less(*next, *at)) return next;
  return end;
}
template <class I, class J, class C = xcuda_less> constexpr bool includes(I a, I a_end, J b, J b_end, C less = {}) {
  for (; b != b_end; ++a) {
    if (a == a_end || less(*b, *a)) return false;
    if (!less(*a, *b)) ++b;
  }
  return true;
}
template <class I, class J, class O, class C = xcuda_less>
constexpr O set_union(I a, I a_end, J b, J b_end, O out, C less = {}) {
  for (; a != a_end && b != b_end; ++out) {
    if (less(*b, *a)) {
      *out = *b++;
    } else {
      if (!less(*a, *b)) ++b;
      *out = *a++;
    }
  }
  return copy(b, b_end, copy(a, a_end, out));
}
template <class I, class J, class O, class C = xcuda_less>
constexpr O set_intersection(I a, I a_end, J b, J b_end, O out, C less = {}) {
  while (a != a_end && b != b_end) {
    if (less(*a, *b)) {
      ++a;
    } else if (less(*b, *a)) {
      ++b;
    } else {
      *out++ = *a++;
      ++b;
    }
  }
  return out;
}
template <class I, class J, class O, class C = xcuda_less>
constexpr O set_difference(I a, I a_end, J b, J b_end, O out, C less = {}) {
  while (a != a_end && b != b_end) {
    if (less(*a, *b)) {
      *out++ = *a++;
    } else {
      if (!less(*b, *a)) ++a;
      ++b;
    }
  }
  return copy(a, a_end, out);
}
template <class I, class P> constexpr I stable_partition(I first, I last, P p) {
  I kept = first;
  for (I at = first; at != last; ++at)
    if (p(*at)) {
      rotate(kept, at, at + 1);
      ++kept;
    }
  return kept;
}

// The orders of libstdc++, which draws two places from one number where the engine's range allows it.
template <class I, class G> void shuffle(I first, I last, G&& g) {
  using Wide = unsigned long;
  using Draw = uniform_int_distribution<Wide>;
  const Wide n = last - first;
  if (n < 2) return;
  const Wide range = static_cast<Wide>(g.max()) - g.min();
  Wide at = 1;
  if (range / n >= n) {
    if (n % 2 == 0) swap(first[at++], first[Draw(0, 1)(g)]);
    for (; at < n; at += 2) {
      const Wide both = Draw(0, (at + 1) * (at + 2) - 1)(g);
      swap(first[at], first[both / (at + 2)]);
      swap(first[at + 1], first[both % (at + 2)]);
    }
    return;
  }
  for (; at < n; ++at) swap(first[at], first[Draw(0, at)(g)]);
}

}  // namespace std
