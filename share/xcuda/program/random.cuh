namespace xcuda {

template <class T> struct Uniform {
  unsigned long long seed;
  double low, high;
  __device__ T operator()(size_t i) const {
    if constexpr (std::is_integral_v<T>)
      return rounded<T>(floor(uniform53(seed, i, low, high)));
    else if constexpr (sizeof(T) <= 4)
      return rounded<T>(uniform24(seed, i, low, high));
    else
      return rounded<T>(uniform53(seed, i, low, high));
  }
};
template <class T> struct Normal {
  unsigned long long seed;
  double mean, deviation;
  __device__ T operator()(size_t i) const { return rounded<T>(normal(seed, i, mean, deviation)); }
};
// Of what names no seed: counted, as in the notebook.
inline unsigned long long next_seed() {
  static unsigned long long seed = 0x5eed;
  return seed++;
}
template <class T> void uniform(Array<T>& x, double low, double high, unsigned long long seed) {
  fill(x, Uniform<T>{seed, low, high});
}
template <class T> void randint(Array<T>& x, double low, double high, unsigned long long seed) {
  uniform(x, low, high, seed);
}
template <class T> struct LogNormal {
  Normal<T> exponent;
  __device__ T operator()(size_t i) const { return static_cast<T>(exp(exponent(i))); }
};
template <class T> void lognormal(Array<T>& x, double mean, double deviation, unsigned long long seed) {
  fill(x, LogNormal<T>{{seed, mean, deviation}});
}
template <class T> void normal(Array<T>& x, double mean, double deviation, unsigned long long seed) {
  fill(x, Normal<T>{seed, mean, deviation});
}

}  // namespace xcuda
