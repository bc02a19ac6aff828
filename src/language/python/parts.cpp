// NumPy's calls that take an array apart, or repeat it and put numbers around it: the cuts of np.array_split(x, 4) are
// numbers here, because split() makes pieces of one size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "language/python/arguments.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Without one row, or column.
PythonAnswer of_delete(PythonArguments& given, const std::string& x) {
  const auto axis = given.take(2, "axis");
  const auto rank = given.rank(0);
  const auto at = std::stoul(given.text(1));
  if (!rank || (!axis && *rank != 1) || (axis && axis->text != "0" && axis->text != "1") || !given.none_left())
    return given.refuse();
  const bool column = axis && axis->text == "1";
  if (column && *rank < 2) return given.refuse();
  const auto* before = column ? ":, " : "";
  return PythonPiece{
      fmt::format("concatenate({{{0}[{1}:{2}], {0}[{1}{3}:]}}{4})", x, before, at, at + 1, column ? ", axis = 1" : "")};
}

// Without some elements, whose indices ascend: the pieces between them.
PythonAnswer of_deletions(PythonArguments& given, const std::string& x) {
  std::string pieces;
  std::size_t next = 0;
  for (const auto& part : given.at(1).parts) {
    if (part.text.size() > 8 || part.text.find_first_not_of("0123456789") != std::string::npos) return given.refuse();
    const auto at = std::stoul(part.text);
    if (at < next) return given.refuse();
    if (at > next) pieces += fmt::format("{}[{}:{}], ", x, next == 0 ? "" : std::to_string(next), at);
    next = at + 1;
  }
  if (given.at(1).parts.empty()) return given.refuse();
  return PythonPiece{fmt::format("concatenate({{{}{}[{}:]}})", pieces, x, next)};
}

}  // namespace

std::optional<PythonCuts> cuts_of(const PythonCall& call, const PythonNames& names) {
  static constexpr std::string_view kSplits[] = {"split", "array_split", "hsplit", "vsplit", "chunk"};
  if (std::find(std::begin(kSplits), std::end(kSplits), call.function) == std::end(kSplits)) return std::nullopt;
  if (call.arguments.size() < 2 || call.arguments.size() > 3) return std::nullopt;
  const auto& x = call.arguments[0];
  std::string axis = call.function == "hsplit" && names.rank(x.text) != 1 ? "1" : "0";
  if (call.arguments.size() == 3) axis = call.arguments[2].text;
  for (const auto& [name, piece] : call.named) {
    if (name != "axis" && name != "dim") return std::nullopt;
    axis = piece.text;
  }
  if (axis.size() != 1 || !is_digits(axis)) return std::nullopt;
  PythonCuts cuts{x.bound(Binding::primary), static_cast<std::size_t>(axis[0] - '0'), {}};
  const auto& sections = call.arguments[1];
  if (sections.kind == PieceKind::list) {
    for (const auto& part : sections.parts) cuts.places.push_back(part.text);
    return cuts;
  }
  const auto extents = names.extents ? names.extents(x.text) : std::nullopt;
  const bool torch = call.of_torch && (call.function == "split" || call.function == "chunk");
  if ((call.function != "array_split" && !torch) || !is_digits(sections.text) || !extents ||
      cuts.axis >= extents->size() || !(*extents)[cuts.axis])
    return std::nullopt;
  const auto n = *(*extents)[cuts.axis], pieces = std::uint64_t{std::stoul(sections.text)};
  if (torch) {  // pieces of one size, and what is left; chunk() is given how many at most
    const auto size = call.function == "split" || pieces == 0 ? pieces : (n + pieces - 1) / pieces;
    for (auto place = size; size > 0 && place < n && cuts.places.size() < 31; place += size)
      cuts.places.push_back(std::to_string(place));
    return cuts;
  }
  if (pieces == 0 || pieces > n || pieces > 32) return std::nullopt;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i + 1 < pieces; ++i)  // the first ones are longer
    cuts.places.push_back(std::to_string(at += n / pieces + (i < n % pieces ? 1 : 0)));
  return cuts;
}

std::vector<std::string> PythonCuts::slices() const {
  std::vector<std::string> slices;
  std::string first, before;
  for (std::size_t d = 0; d < axis; ++d) before += ":, ";
  for (const auto& place : places) {
    slices.push_back(fmt::format("{}[{}{}:{}]", x, before, first, place));
    first = place;
  }
  slices.push_back(fmt::format("{}[{}{}:]", x, before, first));
  return slices;
}

PythonAnswer of_parts(PythonArguments& given) {
  const auto& name = given.function();
  if (name == "roll" && given.count() > 1 && given.at(1).parts.size() > 1) {  // one axis after the other
    const auto shifts = given.at(1).parts;
    const auto axes = given.take(2, "axis").value_or(PythonPiece{}).parts;
    if (axes.size() != shifts.size() || !given.none_left()) return given.refuse();
    auto text = given.text(0);
    for (std::size_t i = 0; i < axes.size(); ++i)
      text = fmt::format("roll({}, {}, axis = {})", text, shifts[i].text, axes[i].text);
    return PythonPiece{text};
  }
  if (given.is_plain() || given.is_method() || given.count() == 0) return std::nullopt;
  if (name == "array_split" || name == "hsplit") {
    if (const auto cuts = given.cuts())
      return PythonPiece{fmt::format("split({}, {{{}}}{})", given.text(0), fmt::join(cuts->places, ", "),
                                     cuts->axis > 0 ? fmt::format(", axis = {}", cuts->axis) : "")};
    if (name == "array_split" || given.count() != 2) return given.refuse();
    return PythonPiece{
        fmt::format("split({}, {}, axis = {})", given.text(0), given.text(1), given.rank(0) == 1 ? 0 : 1)};
  }
  const auto x = given.at(0).bound(Binding::primary);
  if (name == "delete" && given.count() > 1 && is_digits(given.text(1))) return of_delete(given, x);
  if (name == "delete" && given.count() == 2 && given.rank(0) == 1 && given.none_left()) return of_deletions(given, x);
  if (name == "resize" && given.count() == 2 && given.none_left()) {  // again and again
    std::vector<std::string> extents, factors;
    if (given.at(1).kind != PieceKind::list) extents.push_back(given.text(1));
    for (const auto& part : given.at(1).parts) extents.push_back(part.text);
    for (const auto& part : given.at(1).parts) factors.push_back(part.bound(Binding::product));
    const auto all = factors.empty() ? given.text(1) : fmt::format("{}", fmt::join(factors, " * "));
    const auto flat = fmt::format("{}[arange<int>({}) % {}.size]",
                                  given.rank(0) == 1 ? x : fmt::format("flatten({})", given.text(0)), all, x);
    return PythonPiece{extents.size() == 1 ? flat : fmt::format("reshape({}, {})", flat, fmt::join(extents, ", "))};
  }
  if (name != "pad" || given.count() < 2 || given.rank(0) != 1) return std::nullopt;
  // One number before, another one after.
  const auto* values = given.find("constant_values");
  if (values == nullptr || values->parts.size() != 2) return std::nullopt;
  const auto constants = given.take("constant_values")->parts;
  const auto mode = given.take(2, "mode");
  const auto& widths = given.at(1);
  if ((mode && mode->text != "\"constant\"") || !given.none_left() || widths.parts.size() == 1 ||
      widths.parts.size() > 2)
    return given.refuse();
  const auto left = widths.parts.empty() ? widths.text : widths.parts[0].text;
  const auto right = widths.parts.empty() ? widths.text : widths.parts[1].text;
  return PythonPiece{fmt::format("pad(pad({}, {{{}, 0}}, value = {}), {{0, {}}}, value = {})", given.text(0), left,
                                 constants[0].text, right, constants[1].text)};
}

}  // namespace xcuda::language
