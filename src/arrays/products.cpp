#include "arrays/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "arrays/deferred.hpp"
#include "base/half.hpp"
#include "library/product.hpp"

namespace xcuda::arrays {
namespace {

using Factor = std::array<double, 2>;  // real and imaginary part

library::Operand operand_of(const Pointer& pointer) {
  return {pointer.address, pointer.type.scalar, pointer.shape, strides_of(pointer)};
}

// "3 × 4", "4 elements".
std::string size_text(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("{} element{}", shape[0], shape[0] == 1 ? "" : "s");
  return fmt::format("{}", fmt::join(shape, " × "));
}

bool is_library_type(Scalar scalar) { return scalar >= Scalar::float16 || scalar == Scalar::int8; }

// The number of a node that is one for all elements.
std::optional<Factor> factor_of(const ArrayNode& node) {
  if (!node.shape.empty()) return std::nullopt;
  if (node.kind == ArrayNode::Kind::literal) {
    if (node.text == "true" || node.text == "false") return std::nullopt;
    return Factor{std::strtod(node.text.c_str(), nullptr), 0};
  }
  if (node.kind != ArrayNode::Kind::scalar) return std::nullopt;
  const auto kind = language::kind_of(node.array.type);
  if (!kind) return std::nullopt;
  const auto part = [&](std::size_t at, Scalar scalar) {
    return language::ScalarValue::load(type_of(scalar), std::span(node.bytes).subspan(at)).as_real();
  };
  if (*kind == language::Kind::complex64) return Factor{part(0, Scalar::float32), part(4, Scalar::float32)};
  if (*kind == language::Kind::complex128) return Factor{part(0, Scalar::float64), part(8, Scalar::float64)};
  return Factor{language::ScalarValue::load(node.array.type, node.bytes).as_real(), 0};
}

// Whether C++ leaves a product of `type` and this number in that type.
bool keeps_type(const ArrayNode& node, Scalar type) {
  auto scalar = node.array.type.scalar;
  if (node.kind == ArrayNode::Kind::literal) {
    const bool integer = node.text.find_first_of(".eE") == std::string::npos;
    scalar = integer ? Scalar::int32 : node.text.back() == 'f' ? Scalar::float32 : Scalar::float64;
  }
  switch (type) {
    case Scalar::float64: return scalar <= Scalar::float64;
    case Scalar::float32: return scalar <= Scalar::float32;
    case Scalar::float16:
    case Scalar::bfloat16: return scalar < Scalar::float16 || scalar == type;
    case Scalar::complex64: return scalar == Scalar::float32 || scalar == type;
    case Scalar::complex128: return scalar == Scalar::float64 || scalar == type;
    default: return false;
  }
}

Factor times(const Factor& a, const Factor& b) { return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]}; }

// The pointer with the extents that a node's shape lacks where vectors were given.
Pointer with_matrix(Pointer pointer, const ProductTerm& term) {
  auto strides = strides_of(pointer);
  const auto insert = [&](std::size_t at) {
    pointer.shape.insert(pointer.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
  };
  if (term.left_vector) insert(pointer.shape.size() - (term.right_vector ? 0 : 1));
  if (term.right_vector) insert(pointer.shape.size());
  pointer.strides = std::move(strides);
  return pointer;
}

// A product's shape without those.
Shape without_matrix(const Shape& shape, const ProductTerm& term) {
  Shape result(shape.begin(), shape.end() - 2);
  if (!term.left_vector) result.push_back(shape[shape.size() - 2]);
  if (!term.right_vector) result.push_back(shape.back());
  return result;
}

bool overlap(const ByteRange& a, const ByteRange& b) { return a.first < b.last && b.first < a.last; }

}  // namespace

void unify(ArrayMath& math, Pointer& left, Pointer& right, cell::Span span) {
  if (left.type.scalar == right.type.scalar) {
    right.type = left.type;  // char and signed char
    return;
  }
  const auto common =
      language::type_of(language::common_kind(*language::kind_of(left.type), *language::kind_of(right.type)));
  for (auto* one : {&left, &right})
    if (one->type.scalar != common.scalar)
      *one = math.evaluate(apply_node(ArrayNode::Kind::cast, common.name, {array_node(*one, span)}, one->shape, span));
}

// relu?(alpha * product + beta * addend + bias)
struct Products::Sum {
  const ArrayNode* product = nullptr;
  const ArrayNode* addend = nullptr;
  const ArrayNode* bias = nullptr;
  Factor alpha{1, 0}, beta{0, 0};
  library::Activation activation = library::Activation::none;
  bool more = false;  // than the product alone
};

std::optional<Products::Sum> Products::sum_of(const ArrayNode& root, const Type* target) const {
  using Kind = ArrayNode::Kind;
  Sum sum;
  const auto* node = &root;
  if (node->kind == Kind::function && node->text == "relu" && !node->of_cells) {
    sum.activation = library::Activation::relu;
    sum.more = true;
    node = node->inputs[0].get();
  }
  const auto result = node->shape;
  std::vector<const ArrayNode*> factors;
  const auto add = [&](const auto& self, const ArrayNode& term, const Factor& factor) -> bool {
    if (term.shape.empty()) return false;
    if (term.kind == Kind::product) {
      if (sum.product != nullptr || term.shape != result) return false;
      sum.product = &term;
      sum.alpha = factor;
      return true;
    }
    sum.more = true;
    if (term.kind == Kind::array) {
      if (term.shape == result) {
        if (sum.addend != nullptr) return false;
        sum.addend = &term;
        sum.beta = factor;
        return true;
      }
      // One number for each column.
      const bool row = count_of(term.shape) == result.back() && term.shape.back() == result.back();
      if (sum.bias != nullptr || !row || factor != Factor{1, 0}) return false;
      sum.bias = &term;
      return true;
    }
    if (term.kind == Kind::unary && term.unary == cell::UnaryOperator::minus)
      return self(self, *term.inputs[0], times(factor, {-1, 0}));
    if (term.kind != Kind::binary) return false;
    const auto& left = *term.inputs[0];
    const auto& right = *term.inputs[1];
    using cell::BinaryOperator;
    const bool minus = term.binary == BinaryOperator::subtract;
    if (minus || term.binary == BinaryOperator::add)
      return self(self, left, factor) && self(self, right, minus ? times(factor, {-1, 0}) : factor);
    if (term.binary != BinaryOperator::multiply) return false;
    const bool first = left.shape.empty();
    const auto& number = first ? left : right;
    const auto value = factor_of(number);
    if (!value) return false;
    factors.push_back(&number);
    return self(self, first ? right : left, times(factor, *value));
  };
  if (!add(add, *node, {1, 0}) || sum.product == nullptr) return std::nullopt;
  const auto& type = sum.product->product->type;
  if (target != nullptr && target->scalar != type.scalar) return std::nullopt;
  if (target == nullptr)
    for (const auto* one : factors)
      if (!keeps_type(*one, type.scalar)) return std::nullopt;
  if (!fits(sum, type)) return std::nullopt;
  return sum;
}

// What the libraries take.
bool Products::fits(const Sum& sum, const Type& type) const {
  const auto& term = *sum.product->product;
  if (!sum.more) return true;
  if (term.value || term.left.type.scalar != type.scalar) return false;  // computed already; int8
  for (const auto* one : {sum.addend, sum.bias})
    if (one != nullptr && one->array.type.scalar != type.scalar) return false;
  if (!type.is_complex() && (sum.alpha[1] != 0 || sum.beta[1] != 0)) return false;
  const bool real = type.is_floating();
  const bool gpu = workspace_.device_info().kind == device::Kind::cuda;
  const bool epilogue = sum.bias != nullptr || sum.activation != library::Activation::none;
  if (epilogue && (!real || (gpu && type.scalar == Scalar::float64))) return false;
  // The bias goes along the columns of a matrix, which a vector has not.
  if (sum.bias != nullptr && (term.right_vector || !is_contiguous(sum.bias->array))) return false;
  return true;
}

void Products::call(const Sum& sum, const Pointer& target) {
  const auto& term = *sum.product->product;
  library::Call call;
  call.library = workspace_.library(library::Family::blas).path;
  call.operands = {operand_of(with_matrix(target, term)), operand_of(term.left), operand_of(term.right), {}, {}};
  Pointer addend;  // lives until the call is posted
  if (sum.addend != nullptr) {
    addend = with_matrix(sum.addend->array, term);
    const auto place = operand_of(addend);
    const auto order = library::layout_of(call.operands[library::kResult])->order;
    const auto layout = library::layout_of(place);
    if (!layout || (layout->order != order && !library::can_be_either(place)))
      addend = with_matrix(math_.contiguous(sum.addend->array), term);
    call.operands[library::kAddend] = operand_of(addend);
  }
  if (sum.bias != nullptr) {
    auto bias = sum.bias->array;
    bias.shape = {term.shape.back()};
    bias.strides.clear();
    call.operands[library::kBias] = operand_of(bias);
  }
  call.scalars = {sum.alpha[0], sum.alpha[1], sum.addend != nullptr ? sum.beta[0] : 0,
                  sum.addend != nullptr ? sum.beta[1] : 0};
  for (auto& one : call.scalars) one *= term.scale;  // of a sum that is more than the product it is 1
  call.precision = term.precision;
  call.activation = sum.activation;
  workspace_.call(std::move(call), term.text);
}

Pointer Products::compute(const Sum& sum, const Shape& shape) {
  auto& term = *sum.product->product;
  if (!sum.more && term.value) return *term.value;
  Pointer result;
  if (size_of(term.left.type.scalar) == 1 && workspace_.device_info().kind == device::Kind::cuda) {
    result = multiply_bytes(term);
  } else {
    result = math_.temporary(term.type, shape);
    call(sum, result);
  }
  if (!sum.more) term.value = result;
  return result;
}

ArrayNodePtr Products::without_products(const ArrayNodePtr& node) {
  if (node->kind == ArrayNode::Kind::array || node->kind == ArrayNode::Kind::scalar) return node;
  if (node->kind == ArrayNode::Kind::deferred) return array_node(value_of(*node), node->span);
  if (const auto sum = node->shape.empty() ? std::nullopt : sum_of(*node, nullptr))
    return array_node(compute(*sum, node->shape), node->span);
  std::shared_ptr<ArrayNode> copy;
  for (std::size_t i = 0; i < node->inputs.size(); ++i) {
    auto input = without_products(node->inputs[i]);
    if (input == node->inputs[i]) continue;
    if (copy == nullptr) copy = std::make_shared<ArrayNode>(*node);
    copy->inputs[i] = std::move(input);
  }
  return copy == nullptr ? node : copy;
}

std::optional<Type> Products::type_of_sum(const ArrayNodePtr& node) const {
  const auto sum = node->shape.empty() || node->kind == ArrayNode::Kind::array ? std::nullopt : sum_of(*node, nullptr);
  return sum ? std::optional(sum->product->product->type) : std::nullopt;
}

bool Products::store(const ArrayNodePtr& node, const Pointer& target) {
  if (target.variable || target.shape != node->shape || node->kind == ArrayNode::Kind::array) return false;
  const auto sum = sum_of(*node, &target.type);
  if (!sum) return false;
  const auto& term = *sum->product->product;
  if (term.value || term.left.type.scalar != term.type.scalar) return false;
  const auto layout = library::layout_of(operand_of(with_matrix(target, term)));
  const bool joined = sum->bias != nullptr || sum->addend != nullptr;  // whose copies would be row by row
  if (!layout || (joined && layout->order != library::Order::row)) return false;
  const auto written = bytes_of(target);
  if (overlap(written, bytes_of(term.left)) || overlap(written, bytes_of(term.right))) return false;
  if (sum->bias != nullptr && overlap(written, bytes_of(sum->bias->array))) return false;
  if (sum->addend != nullptr && overlap(written, bytes_of(sum->addend->array)) &&
      (sum->addend->array.address != target.address || strides_of(sum->addend->array) != strides_of(target)))
    return false;
  call(*sum, target);
  return true;
}

ArrayNodePtr Products::node(const ProductRequest& request) {
  auto term = std::make_shared<ProductTerm>();
  term->left = request.left;
  term->right = request.right;
  term->text = fmt::format("matmul({}, {})", request.left_text, request.right_text);
  auto& left = term->left;
  auto& right = term->right;
  term->precision = fp8_of(request);
  term->scale = request.scale;
  const bool fp8 = term->precision != library::Precision::full;
  if (fp8) left.type = right.type = type_of(Scalar::uint8);
  term->left_vector = left.shape.size() == 1;
  term->right_vector = right.shape.size() == 1;
  const auto fail = [&](std::string_view why) {
    return math_.error(ErrorKind::value,
                       fmt::format("matmul: {} {} {} and {} {} {}; {}", request.left_text,
                                   term->left_vector ? "has" : "is", size_text(request.left.shape), request.right_text,
                                   term->right_vector ? "has" : "is", size_text(request.right.shape), why),
                       request.span);
  };
  left.strides = strides_of(left);
  right.strides = strides_of(right);
  const auto insert = [](Pointer& pointer, std::size_t at) {
    pointer.shape.insert(pointer.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    pointer.strides.insert(pointer.strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
  };
  if (term->left_vector) insert(left, 0);
  if (term->right_vector) insert(right, 1);
  const auto m = left.shape[left.shape.size() - 2], k = left.shape.back(), rows = right.shape[right.shape.size() - 2],
             n = right.shape.back();
  if (k != rows)
    throw fail(fmt::format("the {} {} of {} must match the {} {} of {}", k, term->left_vector ? "elements" : "columns",
                           request.left_text, rows, term->right_vector ? "elements" : "rows", request.right_text));
  // What the library cannot read where it lies is copied, before it is repeated.
  for (auto* one : {&left, &right}) {
    if (library::layout_of(operand_of(*one))) continue;
    *one = math_.contiguous(*one);
    one->strides = strides_of(*one);
  }
  const auto batches = [](const Pointer& pointer) { return Shape(pointer.shape.begin(), pointer.shape.end() - 2); };
  const auto batch = broadcast(batches(left), batches(right));
  if (!batch) throw fail("the extents before the last two do not match");
  for (auto* one : {&left, &right}) {
    auto shape = *batch;
    shape.insert(shape.end(), one->shape.end() - 2, one->shape.end());
    // As broadcast_strides() does, but an extent of 1 of the matrix keeps its stride.
    std::vector<std::int64_t> strides(shape.size(), 0);
    const auto missing = shape.size() - one->shape.size();
    for (std::size_t d = 0; d < one->shape.size(); ++d)
      if (one->shape[d] > 1 || d + 2 >= one->shape.size()) strides[missing + d] = one->strides[d];
    one->shape = std::move(shape);
    one->strides = std::move(strides);
  }
  term->shape = *batch;
  term->shape.push_back(m);
  term->shape.push_back(n);
  if (!fp8 && !is_library_type(left.type.scalar)) return of_integers(*term, request.span);
  term->type = fp8 ? type_of(Scalar::float32) : left.type.scalar == Scalar::int8 ? type_of(Scalar::int32) : left.type;
  if (k == 0 || count_of(term->shape) == 0) return array_node(of_nothing(*term), request.span);
  workspace_.library(library::Family::blas);  // missing: an error before anything is computed
  auto result = std::make_shared<ArrayNode>();
  result->kind = ArrayNode::Kind::product;
  result->span = request.span;
  const bool number = term->left_vector && term->right_vector && batch->empty();
  if (number) term->left_vector = term->right_vector = false;
  result->shape = without_matrix(term->shape, *term);
  result->product = std::move(term);
  if (!number) return result;
  auto value = compute(*sum_of(*result, nullptr), result->shape);
  value.shape.clear();
  return array_node(value, request.span);
}

// Sums of nothing are 0.
Pointer Products::of_nothing(const ProductTerm& term) {
  auto result = math_.temporary(term.type, without_matrix(term.shape, term));
  if (result.bytes != 0) workspace_.fill({result.address, result.bytes, {std::byte{0}}});
  return result;
}

// Sums in 64 bits, as sum() has them: a product of each row and each column, added up on the way.
ArrayNodePtr Products::of_integers(const ProductTerm& term, cell::Span span) {
  auto left = term.left, right = term.right;
  const auto rank = term.shape.size();
  left.shape.push_back(1);
  left.strides.push_back(0);
  right.shape.insert(right.shape.end() - 2, 1);
  right.strides.insert(right.strides.end() - 2, 0);
  auto whole = term.left.shape;
  whole.push_back(term.shape.back());
  ReduceRequest request;
  request.node = apply_node(ArrayNode::Kind::function, "xcuda::dot_term",
                            {array_node(left, span), array_node(right, span)}, std::move(whole), span);
  request.reducer = "xcuda::Sum<xcuda_Own>";
  request.axis = rank - 1;
  auto result = math_.reduce(request);
  result.shape = without_matrix(term.shape, term);
  result.strides.clear();
  return array_node(result, span);
}

namespace {

// Rows of bytes that the library reads where they lie: k runs fastest, and everything is a multiple of 16 bytes.
bool has_aligned_rows(const Pointer& rows) {
  constexpr std::int64_t kUnit = 16;
  const auto rank = rows.shape.size();
  if (rows.address % kUnit != 0 || rows.shape.back() % kUnit != 0 || rows.strides.back() != 1) return false;
  return std::all_of(rows.strides.begin(), rows.strides.end() - 1, [](auto stride) { return stride % kUnit == 0; }) &&
         rows.strides[rank - 2] >= static_cast<std::int64_t>(rows.shape.back());
}

}  // namespace

// cuBLASLt takes int8 and fp8 only where k runs fastest in both factors, and k, n and the distances are multiples of 16
// bytes. Other factors are copied into such rows that end in zeros.
Pointer Products::multiply_bytes(const ProductTerm& term) {
  const auto rank = term.shape.size();
  const auto up = [](std::uint64_t extent, std::uint64_t step) { return ceil_div(extent, step) * step; };
  const auto k = up(term.left.shape.back(), 16), n = up(term.shape.back(), 16);
  const auto padded = [&](const Pointer& from, std::uint64_t rows) {
    auto shape = from.shape;
    if (shape[rank - 2] == rows && has_aligned_rows(from)) return from;
    shape[rank - 2] = rows;
    shape[rank - 1] = k;
    auto whole = math_.temporary(from.type, shape);
    workspace_.fill({whole.address, whole.bytes, {std::byte{0}}});
    auto part = whole;
    part.strides = row_major(shape);
    part.shape = from.shape;
    math_.store(array_node(from, {}), part);
    return whole;
  };
  auto across = term.right;
  std::swap(across.shape[rank - 2], across.shape[rank - 1]);
  std::swap(across.strides[rank - 2], across.strides[rank - 1]);
  const auto left = padded(term.left, term.shape[rank - 2]);
  auto right = padded(across, n);
  if (right.strides.empty()) right.strides = row_major(right.shape);
  std::swap(right.shape[rank - 2], right.shape[rank - 1]);
  std::swap(right.strides[rank - 2], right.strides[rank - 1]);
  auto shape = term.shape;
  shape[rank - 1] = n;
  auto whole = math_.temporary(term.type, shape);
  library::Call call;
  call.library = workspace_.library(library::Family::blas).path;
  call.operands = {operand_of(whole), operand_of(left), operand_of(right), {}, {}};
  call.scalars = {term.scale, 0, 0, 0};
  call.precision = term.precision;
  workspace_.call(std::move(call), term.text);
  auto part = whole;
  part.strides = row_major(shape);
  part.shape = term.shape;
  part = math_.contiguous(part);
  part.shape = without_matrix(term.shape, term);
  part.strides.clear();
  return part;
}

}  // namespace xcuda::arrays
