// --- Initial values, with the bits that they have in the notebook
// -----------------------------------------------------

namespace xcuda {

template <class T> __device__ T rounded(double value) {
  if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);  // once: to nearest even, towards zero for integers
}
// Element i, counted row by row, is rule(i).
template <class T, class Rule> void fill(Array<T>& x, Rule rule) {
  const Shape row = shape(x.count());
  View<T>(x.data(), row) = map<1>(row, rule);
}

template <class T> struct Steps {
  double start, step;
  __device__ T operator()(size_t i) const {
    return rounded<T>(__dadd_rn(start, __dmul_rn(static_cast<double>(i), step)));
  }
};
template <class T> struct WholeSteps {
  unsigned long long start, step;
  __device__ T operator()(size_t i) const { return static_cast<T>(start + i * step); }
};
template <class T> void arange(Array<T>& x, double start = 0, double step = 1) {
  if constexpr (std::is_integral_v<T>)
    fill(x, WholeSteps<T>{static_cast<unsigned long long>(static_cast<long long>(start)),
                          static_cast<unsigned long long>(static_cast<long long>(step))});
  else
    fill(x, Steps<T>{start, step});
}
template <class T> struct Between {
  double start, stop;
  size_t count;
  __device__ T operator()(size_t i) const {
    if (i + 1 == count && count > 1) return rounded<T>(stop);
    const double step = count > 1 ? __ddiv_rn(stop - start, static_cast<double>(count - 1)) : 0.0;
    return rounded<T>(__dadd_rn(start, __dmul_rn(static_cast<double>(i), step)));
  }
};
template <class T> void linspace(Array<T>& x, double start, double stop) {
  fill(x, Between<T>{start, stop, x.count()});
}
// The number of elements may be said, too: it is that of the array.
template <class T> void linspace(Array<T>& x, double start, double stop, size_t) { linspace(x, start, stop); }

}  // namespace xcuda
