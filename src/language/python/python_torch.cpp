// PyTorch's calls whose arguments or results differ from those that NumPy has under the same names.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/arguments.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {
namespace {

// How many elements a piece has, of torch.split(x, 2) and torch.chunk(x, 3), where the pieces are of one size.
PythonAnswer of_pieces(PythonArguments& given) {
  const auto axis = given.take(2, "axis").value_or(PythonPiece{"0"});
  if (given.count() < 2 || given.at(1).kind == PieceKind::list || !given.none_left() || axis.text.size() != 1)
    return given.refuse();
  const auto& n = given.text(1);
  if (n.empty() || n.size() > 8 || n.find_first_not_of("0123456789") != std::string::npos || n == "0")
    return given.refuse();
  const auto extent = given.extent(0, static_cast<std::size_t>(axis.text[0] - '0'));
  const auto by = std::stoull(n);
  if (!extent || *extent % by != 0) return given.refuse();
  return PythonPiece{fmt::format("split({}, {}{})", given.text(0), given.function() == "split" ? *extent / by : by,
                                 axis.text == "0" ? "" : ", axis = " + axis.text)};
}

// flip(x, axis = 0) for each of the axes.
PythonAnswer of_flips(PythonArguments& given) {
  const auto* named = given.find("axis");
  const auto* axes = given.count() > 1 ? &given.at(1) : named;
  if (axes == nullptr || axes->parts.empty() || given.count() > 2) return std::nullopt;
  const auto parts = axes->parts;
  given.take("axis");
  if (!given.none_left()) return given.refuse();
  auto text = given.text(0);
  for (const auto& one : parts) text = fmt::format("flip({}, axis = {})", text, one.text);
  return PythonPiece{text};
}

}  // namespace

PythonAnswer of_torch(PythonArguments& given) {
  const auto& name = given.function();
  if (given.count() == 0 || given.is_plain()) return std::nullopt;
  if (name == "flip") return of_flips(given);
  if (!given.is_torch() || given.is_method()) return std::nullopt;
  if ((name == "max" || name == "min") && given.count() == 2 && given.rank(1) != 0)  // of each two elements
    return given.none_left() ? PythonAnswer(given.call(name)) : given.refuse();
  if (name == "std" || name == "var") {  // of a sample, unless it says otherwise
    auto ddof = given.take("correction").value_or(PythonPiece{"1"});
    if (const auto unbiased = given.take("unbiased")) ddof.text = unbiased->text == "true" ? "1" : "0";
    if (given.count() == 2) {
      given.name("axis", given.at(1));
      given.drop(1);
    }
    given.name("ddof", ddof);
    return given.call(name);
  }
  if (name == "nonzero") return given.none_left() ? PythonAnswer(given.call("argwhere")) : given.refuse();
  if (name == "equal") return given.count() == 2 ? PythonAnswer(given.call("array_equal")) : given.refuse();
  if (name == "split" || name == "chunk") return of_pieces(given);
  return std::nullopt;
}

}  // namespace xcuda::language
