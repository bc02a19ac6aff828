// NumPy's and PyTorch's random numbers: here they are initial values of an array.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "language/python/arguments.hpp"

namespace xcuda::language {
namespace {

// rng.normal(loc=0, scale=1, size=None): the parameters that come before the size.
struct Draw {
  std::string_view names, first, first_value, second, second_value, here, type;
};

constexpr Draw kDraws[] = {
    {"random random_sample sample ranf", "", "", "", "", "uniform", "double"},
    {"standard_normal", "", "", "", "", "normal", "double"},
    {"uniform", "low", "0", "high", "1", "uniform", "double"},
    {"normal", "loc", "0", "scale", "1", "normal", "double"},
    {"lognormal", "mean", "0", "sigma", "1", "lognormal", "double"},
    {"poisson", "lam", "1", "", "", "poisson", "int"},
    {"randint integers", "low", "", "high", "", "randint", "int"},
};

const Draw* find_draw(std::string_view function) {
  const auto* found = std::find_if(std::begin(kDraws), std::end(kDraws), [&](const Draw& one) {
    for (auto left = one.names; !left.empty();) {
      const auto end = std::min(left.find(' '), left.size());
      if (left.substr(0, end) == function) return true;
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
  });
  return found == std::end(kDraws) ? nullptr : found;
}

// "[3][4]" of (3, 4), of 3 and of m.shape; nothing where they are not known.
std::optional<std::string> extents_of(const PythonArguments& given, const PythonPiece& size) {
  std::string extents;
  for (const auto& part : size.parts) extents += fmt::format("[{}]", part.text);
  if (size.kind == PieceKind::list) return extents.empty() ? std::nullopt : std::optional(extents);
  if (size.text.ends_with(".shape")) {
    const auto rank = given.rank_of(PythonPiece{size.text.substr(0, size.text.size() - 6)});
    for (std::size_t d = 0; d < rank.value_or(0); ++d) extents += fmt::format("[{}[{}]]", size.text, d);
    return extents.empty() ? std::nullopt : std::optional(extents);
  }
  return given.rank_of(size) > 0 ? std::nullopt : std::optional(fmt::format("[{}]", size.text));
}

PythonPiece drawn(std::string type, std::string extents, std::string text) {
  return {std::move(text), Binding::primary, PieceKind::new_array, {}, std::move(type), std::move(extents)};
}

// rand(3, 4), randn(3, 4): each argument is an extent.
PythonAnswer of_extents(PythonArguments& given, std::string_view here, const std::string& seed) {
  std::string extents;
  for (std::size_t i = 0; i < given.count(); ++i) {
    const auto one = extents_of(given, given.at(i));
    if (!one) return std::nullopt;
    extents += *one;
  }
  if (!given.none_left()) return std::nullopt;
  return drawn("double", extents, fmt::format("{}(0, 1{})", here, seed));
}

}  // namespace

std::optional<std::string> drawing_of(const PythonArguments& given) {
  const auto& name = given.function();
  if (name.starts_with("random.")) return name.substr(std::string_view("random.").size());
  static constexpr std::string_view kOfModules[] = {"rand", "randn", "randint", "randperm"};
  const bool alone =
      given.is_plain() && (name == "randn" || ((name == "rand" || name == "random") && given.count() > 0));
  return !given.is_method() && (alone || (!given.is_plain() && among(name, kOfModules))) ? std::optional(name)
                                                                                         : std::nullopt;
}

PythonAnswer of_random(PythonArguments& given, std::string_view function) {
  auto seeded = given.take("seed");
  if (const auto next = seeded ? std::string() : given.next_seed(); !next.empty()) seeded = PythonPiece{next};
  const auto seed = seeded ? ", seed = " + seeded->text : std::string();
  if (function == "rand" || function == "randn" || (function == "random" && given.count() > 1))
    return of_extents(given, function == "randn" ? "normal" : "uniform", seed);
  if (function == "shuffle" && given.count() == 1 && given.none_left())
    return python_statement(fmt::format("{0} = permutation({0}{1})", given.text(0), seed));
  if (function == "permutation" || function == "randperm" || function == "choice") {
    if (given.count() == 0) return std::nullopt;
    const bool one = function == "choice" && given.count() == 1 && given.find("size") == nullptr;
    if (one) given.name("size", PythonPiece{"1"});
    if (seeded) given.name("seed", *seeded);
    auto answer = given.call(function == "choice" ? "choice" : "permutation");
    if (one) answer.text += "[0]";
    return answer;
  }
  const auto* draw = find_draw(function);
  if (draw == nullptr) return std::nullopt;
  const std::size_t before = (draw->first.empty() ? 0 : 1) + (draw->second.empty() ? 0 : 1);
  const auto size = given.take(before, "size");
  auto first = draw->first.empty() ? std::nullopt : given.take(0, draw->first);
  auto second = draw->second.empty() ? std::nullopt : given.take(1, draw->second);
  const bool closed = given.take("endpoint").value_or(PythonPiece{}).text == "true";
  const auto type = taken_type(given);
  if (given.count() > before + 1 || !given.none_left() || given.is_refused()) return std::nullopt;
  if (draw->here == "randint") {  // one bound alone is the upper one
    if (!first) return std::nullopt;
    if (!second) second = std::exchange(first, PythonPiece{"0"});
    if (closed) second = PythonPiece{second->bound(Binding::sum) + " + 1"};
  }
  for (const auto* bound : {&first, &second})
    if (*bound && ((*bound)->kind != PieceKind::expression || given.rank_of(**bound) > 0)) return std::nullopt;
  const auto extents = size ? extents_of(given, *size) : std::string();
  if (!extents) return std::nullopt;
  std::string bounds = first ? first->text : std::string(draw->first_value);
  if (bounds.empty()) bounds = "0";
  if (draw->here != "poisson")
    bounds += ", " + (second ? second->text : draw->second.empty() ? "1" : std::string(draw->second_value));
  return drawn(type.value_or(std::string(draw->type)), *extents, fmt::format("{}({}{})", draw->here, bounds, seed));
}

}  // namespace xcuda::language
