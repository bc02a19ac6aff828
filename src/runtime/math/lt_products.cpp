// Products of cuBLASLt: D = f(alpha op(A) op(B) + beta C + bias), for each of a batch.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "runtime/math/lt.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr const char* kFunction = "cublasLtMatmul";

Op other_way(Op op) { return op == Op::none ? Op::transposed : Op::none; }

// Rows as columns: a matrix row by row is its transpose column by column.
struct Stored {
  std::int64_t rows = 0, columns = 0;
};
Stored stored(const LtLayout& layout) {
  const auto rows = static_cast<std::int64_t>(layout.rows), columns = static_cast<std::int64_t>(layout.columns);
  return layout.order == Order::columns ? Stored{rows, columns} : Stored{columns, rows};
}

std::uint64_t bytes_of(const LtLayout& layout) {
  const auto [rows, columns] = stored(layout);
  if (rows == 0 || columns == 0 || layout.count == 0) return 0;
  const auto one = (columns - 1) * layout.leading + rows;
  return static_cast<std::uint64_t>((layout.count - 1) * layout.distance + one) * element_bytes(layout.type);
}

struct Described {
  const LtProduct* product;
  const LtLayout *a, *b, *c, *d;
};

struct Task {
  LtProduct product;
  LtLayout a, b, c, d;
  Products each;  // column by column, without addresses; of D's transpose if D is row by row
  DataType sums = DataType::float32;
};

// What is computed; nothing: it cannot be. `why` is for people, empty where the arguments do not go together.
std::optional<Task> task_of(const Described& given, const char*& why) {
  why = "";
  if (given.product == nullptr || given.a == nullptr || given.b == nullptr || given.c == nullptr || given.d == nullptr)
    return std::nullopt;
  Task task{*given.product, *given.a, *given.b, *given.c, *given.d, {}};
  const LtProduct& product = task.product;
  const bool complex = is_complex(task.d.type);
  for (const LtLayout* layout : {given.a, given.b, given.c, given.d}) {
    if (layout->order != Order::columns && layout->order != Order::rows) why = "an order other than columns or rows";
    if (element_bytes(layout->type) == 0) why = "elements of these types";
    if (layout->leading < std::max<std::int64_t>(stored(*layout).rows, 1) || layout->count != task.d.count)
      return std::nullopt;
  }
  if (product.pointers != PointerMode::host && product.pointers != PointerMode::device) why = "vectors of scalars";
  if ((product.epilogue & ~(1u | kRelu | kBias | kGelu)) != 0) why = "this epilogue";
  if (task.c.order != task.d.order || task.c.type != task.d.type) why = "another order or type of C than of D";
  if (complex && (product.left == Op::adjoint || product.right == Op::adjoint) &&
      (task.a.order != Order::columns || task.b.order != Order::columns || task.d.order != Order::columns))
    why = "adjoint matrices row by row";
  if (product.third != Op::none) why = "a transposed C";
  const int scale = scale_type(product.computation, task.a.type, task.d.type);
  if (scale < 0) why = "this computation";
  if (*why != '\0') return std::nullopt;

  const auto rows = [](const LtLayout& of, Op op) { return op == Op::none ? of.rows : of.columns; };
  const auto columns = [](const LtLayout& of, Op op) { return op == Op::none ? of.columns : of.rows; };
  if (rows(task.a, product.left) != task.d.rows || columns(task.b, product.right) != task.d.columns ||
      columns(task.a, product.left) != rows(task.b, product.right) || task.c.rows != task.d.rows ||
      task.c.columns != task.d.columns)
    return std::nullopt;
  Products& each = task.each;
  each.m = static_cast<std::int64_t>(task.d.rows);
  each.n = static_cast<std::int64_t>(task.d.columns);
  each.k = static_cast<std::int64_t>(columns(task.a, product.left));
  each.scale = product.scale;
  each.a = {nullptr, task.a.type, task.a.leading, task.a.distance};
  each.b = {nullptr, task.b.type, task.b.leading, task.b.distance};
  each.left = task.a.order == Order::columns ? product.left : other_way(product.left);
  each.right = task.b.order == Order::columns ? product.right : other_way(product.right);
  if (task.d.order == Order::rows) {  // the transpose of D is that of B by that of A
    std::swap(each.m, each.n);
    std::swap(each.a, each.b);
    each.left = other_way(std::exchange(each.right, other_way(each.left)));
  }
  each.c = {nullptr, task.d.type, task.d.leading, task.d.distance};
  if (!can_multiply(each)) {
    why = "elements of these types";
    return std::nullopt;
  }
  const bool wide = task.d.type == DataType::float64 || is_integer(task.a.type);
  task.sums = complex ? task.d.type : wide ? DataType::float64 : DataType::float32;
  return task;
}

double activated(std::uint32_t epilogue, double x) {
  if ((epilogue & kRelu) != 0) return std::fmax(x, 0.0);
  if ((epilogue & kGelu) == 0) return x;
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

struct Addresses {
  const std::byte *a = nullptr, *b = nullptr, *c = nullptr;
  std::byte* d = nullptr;
};

// One of the batch: in sums of full precision, which are rounded once.
void run_one(const Task& task, const Addresses& at, std::int64_t number, std::complex<double> alpha,
             std::complex<double> beta) {
  Products p = task.each;
  const std::int64_t columns = p.n, rows = p.m;
  std::vector<std::byte> sums(static_cast<std::size_t>(rows * columns) * element_bytes(task.sums));
  if (beta != 0.0)
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        store(task.sums, sums.data(), j * rows + i,
              load(task.c.type, at.c, number * task.c.distance + j * task.c.leading + i));
  p.c = {nullptr, task.sums, std::max<std::int64_t>(rows, 1), 0};
  const auto offset = [&](const LtLayout& layout) {
    return number * layout.distance * static_cast<std::int64_t>(element_bytes(layout.type));
  };
  const std::byte *left = at.a + offset(task.a), *right = at.b + offset(task.b);
  if (task.d.order == Order::rows) std::swap(left, right);
  multiply_now(p, {left, right, sums.data()}, alpha, beta);
  const LtProduct& product = task.product;
  const auto bias_type = product.bias_type < 0 ? task.d.type : static_cast<DataType>(product.bias_type);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      auto value = load(task.sums, sums.data(), j * rows + i);
      if ((product.epilogue & kBias) != 0)
        value +=
            load(bias_type, product.bias, number * product.bias_distance + (task.d.order == Order::columns ? i : j));
      if ((product.epilogue & (kRelu | kGelu)) != 0) value = activated(product.epilogue, value.real());
      store(task.d.type, at.d, number * task.d.distance + j * task.d.leading + i, value);
    }
}

// Without an epilogue, in the types of BLAS, D is where the sums are.
bool is_plain(const Task& task) {
  return task.product.epilogue <= 1 && task.a.type == task.d.type && task.b.type == task.d.type &&
         task.sums == task.d.type;
}

void run_plain(const Task& task, const Addresses& at, std::int64_t number, std::complex<double> alpha,
               std::complex<double> beta) {
  const auto size = static_cast<std::int64_t>(element_bytes(task.d.type));
  std::byte* const d = at.d + number * task.d.distance * size;
  const std::byte* const c = at.c + number * task.c.distance * size;
  if (beta != 0.0 && c != d)
    for (std::int64_t j = 0; j < task.each.n; ++j)
      std::copy_n(c + j * task.c.leading * size, task.each.m * size, d + j * task.d.leading * size);
  const std::byte *left = at.a + number * task.a.distance * size, *right = at.b + number * task.b.distance * size;
  if (task.d.order == Order::rows) std::swap(left, right);
  multiply_now(task.each, {left, right, d}, alpha, beta);
}

int refused(const char* why) {
  if (*why == '\0') return kBlasCodes.value;
  say_not_supported(kFunction, why);
  return kBlasCodes.unsupported;
}

constexpr int kTheAlgorithm = 0;

}  // namespace

int multiply_lt(const void* handle, const LtProduct* product, const void* alpha, const void* a, const LtLayout* of_a,
                const void* b, const LtLayout* of_b, const void* beta, const void* c, const LtLayout* of_c, void* d,
                const LtLayout* of_d, const LtAlgorithm*, void*, std::size_t, cudaStream_t stream) {
  if (!is_lt(handle)) return kBlasCodes.uninitialized;
  const char* why = "";
  const auto task = task_of({product, of_a, of_b, of_c, of_d}, why);
  if (!task) return refused(why);
  if (alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || d == nullptr) return kBlasCodes.value;
  const bool on_device = product->pointers == PointerMode::device, biased = (product->epilogue & kBias) != 0;
  if (biased && product->bias == nullptr) return kBlasCodes.value;
  Posted posted{kFunction, stream, Waits::no, {}};
  posted.reaches = {{a, bytes_of(*of_a), "A"}, {b, bytes_of(*of_b), "B"}, {d, bytes_of(*of_d), "D"}};
  std::complex<double> by, keep;
  if (on_device) {
    for (const auto* scalar : {alpha, beta})
      posted.reaches.push_back({scalar, element_bytes(product->scale), "a scalar"});
  } else {
    by = load(product->scale, alpha);
    keep = load(product->scale, beta);
    if (keep != 0.0 && c == nullptr) return kBlasCodes.value;
  }
  if (c != nullptr && c != d && (on_device || keep != 0.0)) posted.reaches.push_back({c, bytes_of(*of_c), "C"});
  if (biased) {
    const auto type = product->bias_type < 0 ? of_d->type : static_cast<DataType>(product->bias_type);
    posted.reaches.push_back({product->bias, of_d->rows * element_bytes(type), "the bias"});
  }
  const Addresses at{static_cast<const std::byte*>(a), static_cast<const std::byte*>(b),
                     static_cast<const std::byte*>(c), static_cast<std::byte*>(d)};
  return kBlasCodes.of(post(posted, [=, task = *task] {
    const auto first = on_device ? load(task.product.scale, alpha) : by,
               second = on_device ? load(task.product.scale, beta) : keep;
    for (std::int64_t i = 0; i < task.d.count; ++i) (is_plain(task) ? run_plain : run_one)(task, at, i, first, second);
  }));
}

int find_lt_algorithms(const void* handle, const LtProduct* product, const LtLayout* a, const LtLayout* b,
                       const LtLayout* c, const LtLayout* d, const LtPreference* preference, int wanted, LtChoice* to,
                       int* found) {
  if (found == nullptr || to == nullptr || wanted < 1 || preference == nullptr) return kBlasCodes.value;
  *found = 0;
  const LtAlgorithm algorithm{};
  const int status = check_lt_algorithm(handle, product, a, b, c, d, &algorithm, to);
  if (status == 0) *found = 1;
  return status;
}

int check_lt_algorithm(const void* handle, const LtProduct* product, const LtLayout* a, const LtLayout* b,
                       const LtLayout* c, const LtLayout* d, const LtAlgorithm* algorithm, LtChoice* to) {
  if (!is_lt(handle)) return kBlasCodes.uninitialized;
  if (algorithm == nullptr || to == nullptr) return kBlasCodes.value;
  const char* why = "";
  if (!task_of({product, a, b, c, d}, why)) return refused(why);
  *to = {.algorithm = *algorithm, .workspace = 0, .status = 0, .waves = 1, .reserved = {}};
  return 0;
}

int lt_algorithm_ids(const void* handle, int, DataType, DataType, DataType, DataType, DataType, int wanted, int* ids,
                     int* found) {
  if (!is_lt(handle)) return kBlasCodes.uninitialized;
  if (wanted < 1 || ids == nullptr || found == nullptr) return kBlasCodes.value;
  ids[0] = kTheAlgorithm;
  *found = 1;
  return 0;
}

int init_lt_algorithm(const void* handle, int, DataType, DataType, DataType, DataType, DataType, int id,
                      LtAlgorithm* to) {
  if (!is_lt(handle)) return kBlasCodes.uninitialized;
  if (id < kTheAlgorithm || to == nullptr) return kBlasCodes.value;
  *to = {};
  to->data[0] = static_cast<std::uint32_t>(id);
  return 0;
}

}  // namespace xcuda::runtime::math
