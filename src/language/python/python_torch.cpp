// PyTorch's calls whose arguments or results differ from those that NumPy has under the same names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/arguments.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {
namespace {

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
  if (name == "split" || name == "chunk") {
    const auto cuts = given.cuts();
    if (!cuts || cuts->places.empty()) return given.refuse();
    return PythonPiece{fmt::format("split({}, {{{}}}{})", given.text(0), fmt::join(cuts->places, ", "),
                                   cuts->axis > 0 ? fmt::format(", axis = {}", cuts->axis) : "")};
  }
  return std::nullopt;
}

}  // namespace xcuda::language
