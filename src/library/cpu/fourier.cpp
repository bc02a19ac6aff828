#include "library/cpu/fourier.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "library/transform.hpp"

namespace xcuda::library::cpu {
namespace {

constexpr std::uint64_t kPlanBytes = std::uint64_t{256} << 20;   // kept at most
constexpr std::uint64_t kWorthAThread = std::uint64_t{1} << 15;  // elements

template <class T> T* new_numbers(std::unique_ptr<T[]>& memory, std::uint64_t count) {
  memory.reset(new T[count]);  // of unknown contents
  return memory.get();
}

std::uint64_t elements_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

std::vector<std::int64_t> without_gaps(const std::vector<std::uint64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (auto d = shape.size(); d-- > 0; stride *= static_cast<std::int64_t>(shape[d])) strides[d] = stride;
  return strides;
}

}  // namespace

// Runs groups of lanes, each with the buffers of its thread.
template <class T>
template <class Function>
void FourierLines<T>::each_group(std::uint64_t groups, std::uint64_t elements, Function function) {
  const auto most =
      std::min<std::uint64_t>({static_cast<std::uint64_t>(threads_), groups, elements / kWorthAThread + 1});
  std::vector<LaneBuffer<T>> buffers(most);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&](LaneBuffer<T>& buffer) {
    for (auto group = next++; group < groups; group = next++) function(group, buffer);
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < most; ++i) others.emplace_back(work, std::ref(buffers[i]));
  work(buffers[0]);
  for (auto& other : others) other.join();
}

template <class T> const FourierPlan<T>& FourierLines<T>::plan(std::uint64_t n) {
  if (const auto found = plans_.find(n); found != plans_.end()) return *found->second;
  if (bytes_ > kPlanBytes) {
    plans_.clear();
    bytes_ = 0;
  }
  auto made = std::make_unique<FourierPlan<T>>(n);
  if (made->inner) {  // transformed once for all, with the factor of the way back
    auto& kernel = made->kernel;
    const Line line{reinterpret_cast<T*>(kernel.data()), 1};
    if (made->splits()) {
      split_line(*made->inner, line, line, Direction::forward);
    } else {
      LaneGroup<T> group;
      group.plan = made->inner.get();
      group.from.at = group.to.at = line.at;
      group.from.count = group.to.count = 1;
      LaneBuffer<T> buffer;
      transform_lanes(group, buffer);
    }
    for (auto& one : kernel) one /= static_cast<T>(kernel.size());
  }
  bytes_ += made->bytes();
  return *plans_.emplace(n, std::move(made)).first->second;
}

// Lines that lie side by side in the target follow each other.
template <class T>
auto FourierLines<T>::starts_of(const Request& request, const Place& from, const Place& to) -> Starts {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < to.shape.size(); ++d)
    if (d != request.axis && to.shape[d] > 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::abs(to.strides[a]) > std::abs(to.strides[b]); });
  Starts starts{{0}, {0}};
  for (const auto d : order) {
    Starts more;
    for (std::size_t line = 0; line < starts.to.size(); ++line)
      for (std::uint64_t i = 0; i < to.shape[d]; ++i) {
        more.from.push_back(starts.from[line] + static_cast<std::int64_t>(i) * from.strides[d]);
        more.to.push_back(starts.to[line] + static_cast<std::int64_t>(i) * to.strides[d]);
      }
    starts = std::move(more);
  }
  return starts;
}

template <class T> void FourierLines<T>::transform(const Request& request, const Place& from, const Place& to) {
  const auto& one = plan(request.n);
  const auto starts = starts_of(request, from, to);
  // Too few lines to fill the lanes are better split, each into many.
  const bool few = starts.to.size() * 2 <= kLanes<T>;
  if (one.fits_lanes() && !(few && one.splits()))
    in_lanes(request, one, starts, from, to);
  else
    one_by_one(request, one, starts, from, to);
}

template <class T>
void FourierLines<T>::in_lanes(const Request& request, const FourierPlan<T>& plan, const Starts& starts,
                               const Place& from, const Place& to) {
  const std::size_t each = request.kind == LineKind::complex ? 1 : 2;  // lines in a lane
  const auto lines = starts.to.size(), together = each * kLanes<T>;
  each_group((lines + together - 1) / together, lines * request.n, [&](std::uint64_t number, LaneBuffer<T>& buffer) {
    LaneGroup<T> group;
    group.plan = &plan;
    group.kind = request.kind;
    group.direction = request.direction;
    const auto strands = [&](const Place& place, const std::vector<std::int64_t>& start, std::size_t which) {
      Strands<T> result;
      result.at = place.at;
      result.step = place.strides[request.axis];
      for (auto line = number * together + which; line < std::min((number + 1) * together, lines); line += each)
        result.offset[result.count++] = start[line];
      return result;
    };
    group.from = strands(from, starts.from, 0);
    group.to = strands(to, starts.to, 0);
    if (each == 2) {
      group.second_from = strands(from, starts.from, 1);
      group.second_to = strands(to, starts.to, 1);
    }
    transform_lanes(group, buffer);
  });
}

// A line that is real on one side goes through memory in which it is complex.
template <class T>
void FourierLines<T>::one_by_one(const Request& request, const FourierPlan<T>& plan, const Starts& starts,
                                 const Place& from, const Place& to) {
  const auto n = static_cast<std::int64_t>(plan.n), half = n / 2 + 1;
  const auto step_from = from.strides[request.axis], step_to = to.strides[request.axis];
  std::unique_ptr<T[]> memory;
  for (std::size_t line = 0; line < starts.to.size(); ++line) {
    const Line in{from.at + 2 * starts.from[line], step_from}, out{to.at + 2 * starts.to[line], step_to};
    if (request.kind == LineKind::complex) {
      transform_line(plan, in, out, request.direction);
      continue;
    }
    auto* const x = memory ? memory.get() : new_numbers(memory, 2 * plan.n);
    const Line whole{x, 1};
    if (request.kind == LineKind::from_real) {
      for (std::int64_t i = 0; i < n; ++i) {
        x[2 * i] = from.at[starts.from[line] + i * step_from];
        x[2 * i + 1] = 0;
      }
      transform_line(plan, whole, whole, request.direction);
      for (std::int64_t i = 0; i < half; ++i) std::copy_n(x + 2 * i, 2, out.at + 2 * i * step_to);
    } else {
      for (std::int64_t i = 0; i < half; ++i) {
        const auto* const element = in.at + 2 * i * step_from;
        const bool alone = i == 0 || 2 * i == n;
        x[2 * i] = element[0];
        x[2 * i + 1] = alone ? 0 : element[1];
        if (alone) continue;
        x[2 * (n - i)] = element[0];
        x[2 * (n - i) + 1] = -element[1];
      }
      transform_line(plan, whole, whole, request.direction);
      for (std::int64_t i = 0; i < n; ++i) to.at[starts.to[line] + i * step_to] = x[2 * i];
    }
  }
}

template <class T>
void FourierLines<T>::transform_line(const FourierPlan<T>& plan, const Line& from, const Line& to,
                                     Direction direction) {
  if (!plan.inner) return split_line(plan, from, to, direction);
  const auto size = plan.inner->n;
  std::vector<std::complex<T>> memory(size);
  const Line line{reinterpret_cast<T*>(memory.data()), 1};
  auto* const x = line.at;
  const auto times = [](T* a, T re, T im, const std::complex<T>& b) {
    a[0] = re * b.real() - im * b.imag();
    a[1] = re * b.imag() + im * b.real();
  };
  // Backwards: real and imaginary part change places before and after.
  const int re = direction == Direction::backward ? 1 : 0, im = 1 - re;
  for (std::uint64_t k = 0; k < plan.n; ++k) {
    const auto* const element = from.at + 2 * static_cast<std::int64_t>(k) * from.step;
    times(x + 2 * k, element[re], element[im], plan.chirp[k]);
  }
  split_line(*plan.inner, line, line, Direction::forward);
  for (std::uint64_t k = 0; k < size; ++k) times(x + 2 * k, x[2 * k], x[2 * k + 1], plan.kernel[k]);
  split_line(*plan.inner, line, line, Direction::backward);
  for (std::uint64_t k = 0; k < plan.n; ++k) {
    T result[2];
    times(result, x[2 * k], x[2 * k + 1], plan.chirp[k]);
    auto* const element = to.at + 2 * static_cast<std::int64_t>(k) * to.step;
    element[re] = result[0];
    element[im] = result[1];
  }
}

// D. H. Bailey, "FFTs in external or hierarchical memory" (1990): the columns of the line as a matrix, the roots
// between, and the rows, which the result has as columns.
template <class T>
void FourierLines<T>::split_line(const FourierPlan<T>& plan, const Line& from, const Line& to, Direction direction) {
  const auto columns = static_cast<std::int64_t>(plan.rows->n), rows = static_cast<std::int64_t>(plan.columns->n);
  std::unique_ptr<T[]> memory;
  auto* const between = new_numbers(memory, 2 * plan.n);
  const auto lanes = static_cast<std::int64_t>(kLanes<T>);
  const auto strands = [&](T* at, std::int64_t first, std::int64_t last, std::int64_t apart, std::int64_t step) {
    Strands<T> result;
    result.at = at;
    result.step = step;
    for (auto line = first; line < std::min(first + lanes, last); ++line) result.offset[result.count++] = line * apart;
    return result;
  };
  const auto groups = [&](std::int64_t lines) { return static_cast<std::uint64_t>((lines + lanes - 1) / lanes); };
  each_group(groups(columns), plan.n, [&](std::uint64_t number, LaneBuffer<T>& buffer) {
    const auto first = static_cast<std::int64_t>(number) * lanes;
    LaneGroup<T> group;
    group.plan = plan.columns.get();
    group.direction = direction;
    group.between = plan.between.get();
    group.column = static_cast<std::uint64_t>(first);
    group.from = strands(from.at, first, columns, from.step, columns * from.step);
    group.to = strands(between, first, columns, 1, columns);
    transform_lanes(group, buffer);
  });
  each_group(groups(rows), plan.n, [&](std::uint64_t number, LaneBuffer<T>& buffer) {
    const auto first = static_cast<std::int64_t>(number) * lanes;
    LaneGroup<T> group;
    group.plan = plan.rows.get();
    group.direction = direction;
    group.from = strands(between, first, rows, columns, 1);
    group.to = strands(to.at, first, rows, to.step, rows * to.step);
    transform_lanes(group, buffer);
  });
}

namespace {

// Real lines come first on the way to complex numbers, and last on the way back.
template <class T> void transform_axes(const Call& call, FourierLines<T>& lines) {
  using Place = typename FourierLines<T>::Place;
  const auto place = [](const Operand& operand) {
    return Place{reinterpret_cast<T*>(operand.address), operand.shape, operand.strides};
  };
  const auto to = place(call.operands[kTransformed]);
  auto from = place(call.operands[kGiven]);
  const bool from_real = size_of(call.operands[kGiven].type) == sizeof(T),
             to_real = size_of(call.operands[kTransformed].type) == sizeof(T);
  const auto axes = static_cast<std::size_t>(call.scalars[0]), last = to.shape.size() - 1;
  typename FourierLines<T>::Request request;
  request.direction = call.scalars[1] > 0 ? Direction::backward : Direction::forward;
  const auto along = [&](std::size_t axis, LineKind kind, const Place& target) {
    request.axis = axis;
    request.kind = kind;
    request.n = kind == LineKind::from_real ? from.shape[axis] : target.shape[axis];
    lines.transform(request, from, target);
    from = target;
  };
  std::unique_ptr<T[]> memory;
  auto target = to;
  if (to_real && axes > 1) {
    target.shape = from.shape;
    target.strides = without_gaps(from.shape);
    target.at = new_numbers(memory, 2 * elements_of(from.shape));
  }
  if (!to_real) along(last, from_real ? LineKind::from_real : LineKind::complex, to);
  for (std::size_t k = 1; k < axes; ++k) along(last - k, LineKind::complex, target);
  if (to_real) along(last, LineKind::to_real, to);
}

}  // namespace

Report Fourier::run(const Call& call) {
  check_transform(call);
  const auto type = call.operands[kTransformed].type;
  if (type == Scalar::float32 || type == Scalar::complex64) {
    transform_axes(call, single_);
    return {0, "", "float"};
  }
  transform_axes(call, wide_);
  return {0, "", "double"};
}

}  // namespace xcuda::library::cpu
