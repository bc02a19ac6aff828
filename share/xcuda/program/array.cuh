// --- Arrays of the device: memory that is freed with its object, and parts of it ------------------------------------
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace xcuda {

constexpr int kMostDimensions = 6;

// Ends the program with what CUDA says.
inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

struct Shape {
  int rank = 0;
  size_t extent[kMostDimensions] = {};
  __host__ __device__ size_t count() const {
    size_t product = 1;
    for (int d = 0; d < rank; ++d) product *= extent[d];
    return product;
  }
  size_t at(long d) const { return extent[d < 0 ? d + rank : d]; }
  bool operator==(const Shape& other) const {
    return rank == other.rank && std::equal(extent, extent + rank, other.extent);
  }
};
template <class... Extents> Shape shape(Extents... extents) {
  static_assert(sizeof...(extents) <= kMostDimensions);
  return {sizeof...(extents), {static_cast<size_t>(extents)...}};
}

// start:stop:step, one dimension of a part; what is negative counts from the end, and what is left out is kOpen.
constexpr long kOpen = LONG_MAX;
struct Range {
  long start, stop, step;
  explicit Range(long start = kOpen, long stop = kOpen, long step = 1) : start(start), stop(stop), step(step) {}
};
struct NewAxis {};

// Elements of an array, perhaps not in one piece; strides count elements.
template <class T> struct View {
  T* data = nullptr;
  Shape shape;
  ptrdiff_t stride[kMostDimensions] = {};

  View(T* memory, const Shape& of) : data(memory), shape(of) {
    ptrdiff_t next = 1;
    for (int d = shape.rank; d-- > 0; next *= static_cast<ptrdiff_t>(shape.extent[d])) stride[d] = next;
  }
  // part(3, Range(0, n)) is a row's first n elements; dimensions that are not named are kept whole.
  template <class... Subscripts> View part(const Subscripts&... subscripts) const {
    View result = *this;
    result.shape.rank = 0;
    int d = 0;
    const auto keep = [&](const Range& range) {
      const long extent = static_cast<long>(shape.extent[d]), step = range.step;
      const auto place = [&](long given, long otherwise, long least, long most) {
        return given == kOpen ? otherwise : std::clamp(given < 0 ? given + extent : given, least, most);
      };
      const bool back = step < 0;
      const long start = place(range.start, back ? extent - 1 : 0, back ? -1 : 0, back ? extent - 1 : extent),
                 stop = place(range.stop, back ? -1 : extent, back ? -1 : 0, back ? extent - 1 : extent);
      const long count = back ? (start - stop - step - 1) / -step : (stop - start + step - 1) / step;
      if (count > 0) result.data += start * stride[d];
      result.shape.extent[result.shape.rank] = static_cast<size_t>(std::max(count, 0L));
      result.stride[result.shape.rank++] = stride[d++] * step;
    };
    const auto take = [&](const auto& subscript) {
      using Subscript = std::decay_t<decltype(subscript)>;
      if constexpr (std::is_same_v<Subscript, Range>) {
        keep(subscript);
      } else if constexpr (std::is_same_v<Subscript, NewAxis>) {
        result.shape.extent[result.shape.rank] = 1;
        result.stride[result.shape.rank++] = 0;
      } else {
        const long at = static_cast<long>(subscript), extent = static_cast<long>(shape.extent[d]);
        if (at >= extent || at < -extent) check(cudaErrorInvalidValue, "an index out of bounds");
        result.data += (at < 0 ? at + extent : at) * stride[d++];
      }
    };
    (take(subscripts), ...);
    while (d < shape.rank) keep(Range());
    return result;
  }
  bool contiguous() const {
    const View packed(data, shape);
    for (int d = 0; d < shape.rank; ++d)
      if (shape.extent[d] > 1 && stride[d] != packed.stride[d]) return false;
    return true;
  }
  size_t span() const {  // elements between the first and the last, both included
    size_t reach = 1;
    for (int d = 0; d < shape.rank; ++d) reach += (shape.extent[d] - 1) * static_cast<size_t>(std::abs(stride[d]));
    return reach;
  }
  View<const T> read() const {
    View<const T> result(data, shape);
    std::copy(stride, stride + kMostDimensions, result.stride);
    return result;
  }
  operator T*() const { return data; }
  std::remove_const_t<T> get() const {  // of one element
    std::remove_const_t<T> value;
    check(cudaMemcpy(&value, data, sizeof(T), cudaMemcpyDeviceToHost), "reading an element");
    return value;
  }
  void set(const T& value) const {
    check(cudaMemcpy(data, &value, sizeof(T), cudaMemcpyHostToDevice), "writing an element");
  }
  // What a host statement does to one element: change([&](auto& e) { e.mass += 1; })
  template <class Change> void change(const Change& with) const {
    auto value = get();
    with(value);
    set(value);
  }
  // To the elements, not to the view.
  template <class Right> const View& operator=(const Right& right) const;
  const View& operator=(const View& right) const { return operator=(right.read()); }
  View(const View&) = default;
};

template <class T> class Array {
 public:
  using Element = T;
  template <class First, class... Rest>
  requires std::is_convertible_v<First, size_t>
  explicit Array(First first, Rest... rest) : Array(xcuda::shape(first, rest...)) {}
  explicit Array(const Shape& shape) : shape_(shape) {
    check(cudaMalloc(&data_, bytes()), "allocating an array");
    check(cudaMemset(data_, 0, bytes()), "clearing an array");
  }
  Array(const Array& other) : Array(other.shape_) {
    check(cudaMemcpy(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice), "copying an array");
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), shape_(other.shape_) {}
  ~Array() { free(); }
  void free() { cudaFree(std::exchange(data_, nullptr)); }
  friend void swap(Array& a, Array& b) { std::swap(a.data_, b.data_); }

  // Row by row; what is missing stays zero.
  void assign(std::initializer_list<T> values) {
    check(cudaMemcpy(data_, values.begin(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "filling an array");
  }
  template <class Right> Array& operator=(const Right& right) { return view() = right, *this; }
  Array& operator=(const Array& right) { return view() = right, *this; }

  T* data() const { return data_; }
  operator T*() const { return data_; }  // as an argument of a kernel
  const Shape& shape() const { return shape_; }
  size_t count() const { return shape_.count(); }
  size_t bytes() const { return count() * sizeof(T); }
  View<T> view() const { return {data_, shape_}; }
  Array in_shape(const Shape& shape) && {  // the same elements
    shape_ = shape;
    return std::move(*this);
  }
  template <class... Subscripts> View<T> part(const Subscripts&... subscripts) const {
    return view().part(subscripts...);
  }

 private:
  T* data_ = nullptr;
  Shape shape_;
};

template <class T> T only(const Array<T>& x) { return x.part().get(); }  // of one element
template <class T> T only(const View<T>& x) { return x.get(); }
template <class T>
requires std::is_arithmetic_v<T> T only(T x) { return x; }
template <class T> Array<T> like(const Array<T>& other) { return Array<T>(other.shape()); }

}  // namespace xcuda
