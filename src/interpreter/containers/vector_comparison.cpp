// v == w, v < w of vectors.
#include <algorithm>

#include "interpreter/host/comparison.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

std::optional<Value> Vectors::compare(cell::BinaryOperator op, const Value& left, const Value& right) const {
  const auto *first = std::get_if<Pointer>(&left), *second = std::get_if<Pointer>(&right);
  if (!cell::is_comparison(op) || first == nullptr || second == nullptr || !is_vector(*first) || !is_vector(*second) ||
      first->type != second->type || !language::kind_of(first->type))
    return std::nullopt;
  const auto size = first->type.size;
  const auto bytes_of = [&](const Pointer& vector) {
    const auto elements = now(vector);
    std::vector<std::byte> bytes(elements.bytes);
    if (!bytes.empty()) session_.submission().read(elements.address, bytes);
    return bytes;
  };
  const auto a = bytes_of(*first), b = bytes_of(*second);
  const auto holds = [&](cell::BinaryOperator of, std::size_t at) {
    const auto one = [&](const auto& bytes) {
      return language::ScalarValue::load(first->type, std::span(bytes).subspan(at, size));
    };
    return language::binary(of, one(a), one(b), language::Where{frame_.text, run_.current}).truth();
  };
  const auto common = std::min(a.size(), b.size());
  if (op == cell::BinaryOperator::equal || op == cell::BinaryOperator::different) {
    bool same = a.size() == b.size();
    for (std::size_t at = 0; at < common && same; at += size) same = holds(cell::BinaryOperator::equal, at);
    return language::ScalarValue::of(same == (op == cell::BinaryOperator::equal));
  }
  for (std::size_t at = 0; at < common; at += size) {
    if (holds(cell::BinaryOperator::less, at)) return language::ScalarValue::of(interpreter::compare(op, 0, 1));
    if (holds(cell::BinaryOperator::greater, at)) return language::ScalarValue::of(interpreter::compare(op, 1, 0));
  }
  return language::ScalarValue::of(interpreter::compare(op, a.size(), b.size()));
}

}  // namespace xcuda::interpreter
