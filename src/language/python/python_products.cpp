// Products in Python's words: np.dot, np.inner, np.tensordot(a, b, axes=([1], [0])).
#include <fmt/format.h>

#include <algorithm>

#include "language/python/arguments.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {
std::optional<std::size_t> axis_of(std::string_view text, std::size_t rank) {
  const bool negative = text.starts_with("-");
  if (negative) text.remove_prefix(1);
  if (text.size() != 1 || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto at = static_cast<std::size_t>(text[0] - '0');
  if (at > rank || (at == rank && !negative) || (negative && at == 0)) return std::nullopt;
  return negative ? rank - at : at;
}

namespace {

using Answer = PythonAnswer;

// The axes that tensordot() multiplies, as it is given them: a number of axes, or those of a and of b.
std::optional<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> joined_axes(const PythonPiece& axes,
                                                                                         std::size_t left,
                                                                                         std::size_t right) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> joined;
  if (axes.parts.empty()) {
    const bool digit = axes.text.size() == 1 && axes.text[0] >= '0' && axes.text[0] <= '9';
    const auto count = digit ? static_cast<std::size_t>(axes.text[0] - '0') : 10;
    if (count > left || count > right) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      joined.first.push_back(left - count + i);
      joined.second.push_back(i);
    }
    return joined;
  }
  if (axes.parts.size() != 2) return std::nullopt;
  const auto add = [](const PythonPiece& part, std::size_t rank, std::vector<std::size_t>& places) {
    for (const auto& one : part.parts.empty() ? std::vector<PythonPiece>{part} : part.parts) {
      const auto at = axis_of(one.text, rank);
      if (!at || std::find(places.begin(), places.end(), *at) != places.end()) return false;
      places.push_back(*at);
    }
    return true;
  };
  if (!add(axes.parts[0], left, joined.first) || !add(axes.parts[1], right, joined.second)) return std::nullopt;
  return joined.first.size() == joined.second.size() ? std::optional(joined) : std::nullopt;
}

// As einsum() says it: "ij,jk->ik".
Answer of_tensors(PythonArguments& given, std::size_t left, std::size_t right) {
  const auto axes = given.take(2, "axes").value_or(PythonPiece{"2"});
  if (!given.none_left() || left + right > 20) return std::nullopt;
  const auto joined = joined_axes(axes, left, right);
  if (!joined) return std::nullopt;
  const auto& a = given.text(0);
  const auto& b = given.text(1);
  const bool product = joined->first == std::vector<std::size_t>{left - 1} && joined->second == std::vector{0UL};
  if (left == 2 && right == 2 && product) return PythonPiece{fmt::format("matmul({}, {})", a, b)};
  std::string first, second, result;
  for (std::size_t d = 0; d < left; ++d) first += static_cast<char>('i' + d % 18);
  char next = static_cast<char>('a');
  for (std::size_t d = 0; d < right; ++d) {
    const auto at = std::find(joined->second.begin(), joined->second.end(), d);
    second += at == joined->second.end() ? next++
                                         : first[joined->first[static_cast<std::size_t>(at - joined->second.begin())]];
  }
  for (const char letter : first)
    if (second.find(letter) == std::string::npos) result += letter;
  for (const char letter : second)
    if (first.find(letter) == std::string::npos) result += letter;
  return PythonPiece{fmt::format("einsum(\"{},{}->{}\", {}, {})", first, second, result, a, b)};
}

}  // namespace

PythonAnswer of_products(PythonArguments& given) {
  const auto& name = given.function();
  if (given.count() != 2 && !(given.count() == 3 && name == "tensordot")) return std::nullopt;
  const auto left = given.rank(0), right = given.rank(1);
  const auto& a = given.text(0);
  const auto& b = given.text(1);
  // What inv() and others give has as many dimensions as the run says: the product is the same.
  if (name == "matmul" && (!left || !right) && left != 0 && right != 0)
    return PythonPiece{fmt::format("matmul({}, {})", a, b)};
  if (!left || !right || *left == 0 || *right == 0) return std::nullopt;
  if (name == "tensordot") return of_tensors(given, *left, *right);
  if (*left == 1 && *right == 1) return PythonPiece{fmt::format("dot({}, {})", a, b)};
  if (name == "vdot" && !(given.kind(0) && given.kind(1))) return std::nullopt;  // complex numbers are conjugated
  if (name == "vdot") return PythonPiece{fmt::format("dot({}, {})", a, b)};
  if (name == "inner") return PythonPiece{fmt::format("matmul({}, {}.T)", a, given.at(1).bound(Binding::primary))};
  if (*left > 2 || *right > 2)
    if (name != "matmul") return std::nullopt;
  return PythonPiece{fmt::format("matmul({}, {})", a, b)};
}

}  // namespace xcuda::language
