// Keyword arguments of NumPy that functions here do not have: what they ask for in other words, or by its place.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/arguments.hpp"

namespace xcuda::language {
namespace {

using Answer = PythonAnswer;

bool is_digit(std::string_view text) { return text.size() == 1 && text[0] >= '0' && text[0] <= '9'; }

// Where an argument goes that NumPy's function calls otherwise.
struct Placed {
  std::string_view function, keyword;
  std::size_t place;
};
constexpr Placed kPlaced[] = {{"eye", "N", 0},
                              {"eye", "M", 1},
                              {"tri", "N", 0},
                              {"tri", "M", 1},
                              {"full", "shape", 0},
                              {"repeat", "repeats", 1},
                              {"tile", "reps", 1},
                              {"split", "indices_or_sections", 1},
                              {"array_split", "indices_or_sections", 1},
                              {"hsplit", "indices_or_sections", 1},
                              {"vsplit", "indices_or_sections", 1},
                              {"searchsorted", "v", 1},
                              {"broadcast_to", "shape", 1},
                              {"transpose", "axes", 1},
                              {"take", "indices", 1}};

void place_keywords(PythonArguments& given) {
  if (given.count() == 0)
    for (const auto* first : {"a", "x", "arr", "ary", "m"})
      if (auto piece = given.take(first)) {
        given.add(*std::move(piece));
        break;
      }
  for (const auto& one : kPlaced)
    if (given.function() == one.function && given.count() == one.place)
      if (auto piece = given.take(one.keyword)) given.add(*std::move(piece));
}

// The layout of a new array does not change its elements.
Answer of_order(PythonArguments& given) {
  const auto& name = given.function();
  if ((name == "ravel" || name == "flatten") && given.count() == 2 && given.text(1).starts_with('"')) {
    given.name("order", given.at(1));
    given.drop(1);
  }
  const auto* order = given.find("order");
  if (order == nullptr) return std::nullopt;
  const bool by_columns = order->text == "\"F\"";
  static constexpr std::string_view kOrders[] = {"\"C\"", "\"F\"", "\"A\"", "\"K\""};
  static constexpr std::string_view kReading[] = {"ravel", "flatten", "reshape"};
  if (!among(order->text, kOrders)) return given.refuse();
  given.take("order");
  if (!by_columns || !among(name, kReading) || given.count() == 0) return std::nullopt;
  const auto transposed = given.at(0).bound(Binding::primary) + ".T";
  if (name != "reshape") return PythonPiece{fmt::format("flatten({})", transposed)};
  auto extents = given.count() == 2 ? given.at(1).parts : std::vector<PythonPiece>();
  for (std::size_t i = 1; i < given.count() && given.count() > 2; ++i) extents.push_back(given.at(i));
  if (extents.empty() || !given.none_left()) return given.refuse();
  std::string reversed;
  for (auto i = extents.size(); i-- > 0;) reversed += ", " + extents[i].text;
  return PythonPiece{fmt::format("reshape(copy({}){}).T", transposed, reversed)};
}

// sum(x, where=c), max(x, initial=0), cumsum(x, dtype=float)
Answer of_reductions(PythonArguments& given) {
  auto name = std::string_view(given.function());
  if (name == "amin" || name == "amax") name.remove_prefix(1);
  const bool sum = name == "sum", prod = name == "prod", any = name == "any", all = name == "all",
             extreme = name == "min" || name == "max";
  static constexpr std::string_view kOthers[] = {"mean", "std", "var"}, kTyped[] = {"cumsum", "cumprod", "trace"};
  const bool reduces = sum || prod || any || all || extreme || among(name, kOthers);
  if ((!reduces && !among(name, kTyped)) || given.count() == 0) return std::nullopt;
  if (!any && !all && !extreme)
    if (const auto type = taken_type(given))
      given.set(0, {fmt::format("({}){}", *type, given.at(0).bound(Binding::unary)), Binding::unary});
  if (given.is_refused() || !reduces) return std::nullopt;
  const bool along = given.find("axis") != nullptr || given.count() > 1;
  if (const auto where = given.take("where")) {
    const auto rank = given.rank(0);
    const auto* neutral = sum ? "0" : prod ? "1" : any ? "false" : "true";
    if (!along && rank && *rank > 0 && given.rank_of(*where) == rank)
      given.set(0, {fmt::format("{}[{}]", given.at(0).bound(Binding::primary), where->text)});
    else if (sum || prod || any || all)
      given.set(0, {fmt::format("where({}, {}, {})", where->text, given.text(0), neutral)});
    else
      return given.refuse();
  }
  const auto initial = given.take("initial");
  if (!initial) return std::nullopt;
  if (extreme && (along || !given.none_left())) return given.refuse();
  if (extreme) return PythonPiece{fmt::format("{}(append({}, {}))", name, given.text(0), initial->text)};
  if (!sum && !prod) return given.refuse();
  return PythonPiece{fmt::format("{} {} {}", given.call(name).text, sum ? "+" : "*",
                                 initial->bound(sum ? Binding::product : Binding::unary)),
                     sum ? Binding::sum : Binding::product};
}

// Where both are NaN, too.
Answer of_equal_nan(PythonArguments& given) {
  const auto equal = given.take("equal_nan");
  if (!equal || equal->text == "false") return std::nullopt;
  if (given.count() < 2) return given.refuse();
  const auto& name = given.function();
  const bool exact = name == "array_equal";
  if (exact && (!given.rank(0) || given.rank(0) != given.rank(1))) return given.refuse();
  const auto close = exact
                         ? fmt::format("{} == {}", given.at(0).bound(Binding::order), given.at(1).bound(Binding::order))
                         : given.call("isclose").text;
  const auto text = fmt::format("{} || (isnan({}) && isnan({}))", close, given.text(0), given.text(1));
  return name == "isclose" ? PythonPiece{text, Binding::either} : PythonPiece{fmt::format("all({})", text)};
}

Answer of_nan_to_num(PythonArguments& given) {
  const auto greatest = given.take("posinf"), least = given.take("neginf");
  if ((!greatest && !least) || given.count() != 1) return std::nullopt;
  auto text = given.call("nan_to_num").text;
  const auto x = given.at(0).bound(Binding::order);
  if (least) text = fmt::format("where({} == -INFINITY, {}, {})", x, least->text, text);
  if (greatest) text = fmt::format("where({} == INFINITY, {}, {})", x, greatest->text, text);
  return PythonPiece{text};
}

// Beyond the first and the last place.
Answer of_interp(PythonArguments& given) {
  const auto left = given.take("left"), right = given.take("right");
  if ((!left && !right) || given.count() != 3 || !given.none_left()) return std::nullopt;
  auto text = given.call("interp").text;
  const auto x = given.at(0).bound(Binding::shift), places = given.at(1).bound(Binding::primary);
  if (right) text = fmt::format("where({} > {}[-1], {}, {})", x, places, right->text, text);
  if (left) text = fmt::format("where({} < {}[0], {}, {})", x, places, left->text, text);
  return PythonPiece{text};
}

Answer of_rot90(PythonArguments& given) {
  const auto axes = given.take(2, "axes");
  if (!axes) return std::nullopt;
  const auto k = given.take(1, "k").value_or(PythonPiece{"1"});
  if (axes->parts.size() != 2 || !given.none_left()) return given.refuse();
  const bool forward = axes->parts[0].text == "0" && axes->parts[1].text == "1",
             backward = axes->parts[0].text == "1" && axes->parts[1].text == "0";
  if (!forward && !backward) return given.refuse();
  return PythonPiece{
      fmt::format("rot90({}, {}{})", given.text(0), backward ? "-" : "", backward ? k.bound(Binding::unary) : k.text)};
}

// expand_dims(x, axis=(0, 2))
Answer of_expand_dims(PythonArguments& given) {
  const auto* axes = given.count() == 2 ? &given.at(1) : given.find("axis");
  if (axes == nullptr || axes->parts.empty()) return std::nullopt;
  std::vector<std::string> places;
  for (const auto& one : axes->parts) {
    if (!is_digit(one.text)) return given.refuse();
    places.push_back(one.text);
  }
  std::sort(places.begin(), places.end());
  auto text = given.text(0);
  for (const auto& place : places) text = fmt::format("expand_dims({}, {})", text, place);
  return PythonPiece{text};
}

// moveaxis(x, [0, 1], [1, 0])
Answer of_moveaxis(PythonArguments& given) {
  const auto from = given.take(1, "source"), to = given.take(2, "destination");
  if (!from || !to || given.count() == 0) return std::nullopt;
  if (from->parts.empty()) return PythonPiece{fmt::format("moveaxis({}, {}, {})", given.text(0), from->text, to->text)};
  const auto rank = given.rank(0).value_or(0);
  if (rank == 0 || from->parts.size() != to->parts.size()) return given.refuse();
  std::vector<std::string> order(rank);
  std::vector<bool> taken(rank);
  for (std::size_t i = 0; i < from->parts.size(); ++i) {
    const auto a = axis_of(from->parts[i].text, rank), b = axis_of(to->parts[i].text, rank);
    if (!a || !b || taken[*a] || !order[*b].empty()) return given.refuse();
    taken[*a] = true;
    order[*b] = std::to_string(*a);
  }
  std::size_t next = 0;
  std::string text;
  for (auto& one : order) {
    if (one.empty()) {
      while (taken[next]) ++next;
      one = std::to_string(next++);
    }
    text += ", " + one;
  }
  return PythonPiece{fmt::format("permute_dims({}{})", given.text(0), text)};
}

// argsort(x, descending=True): from the end
PythonPiece fallen(const PythonPiece& order, PythonArguments& given) {
  const auto* axis = given.count() > 1 ? &given.at(1) : given.find("axis");
  return {fmt::format("flip({}, axis = {})", order.text, axis == nullptr ? "-1" : axis->text)};
}

Answer of_quantiles(PythonArguments& given) {
  if (auto how = given.take("interpolation")) given.name("method", *std::move(how));
  const auto* keep = given.find("keep");
  if (keep == nullptr || keep->text != "true" || given.count() != 2 || given.rank(1) != 0) return std::nullopt;
  const auto* axis = given.find("axis");
  if (axis == nullptr) return given.refuse();
  const auto place = axis->text;
  given.take("keep");
  return PythonPiece{fmt::format("expand_dims({}, {})", given.call(given.function()).text, place)};
}

}  // namespace

PythonAnswer of_keywords(PythonArguments& given) {
  const auto& name = given.function();
  if (const auto* type = given.find("dtype"); type != nullptr && type->text == "None") given.take("dtype");
  place_keywords(given);
  if (name == "argsort")
    if (const auto falls = given.take("descending")) {
      if (falls->text != "true" && falls->text != "false") return given.refuse();
      const auto order = given.call("argsort");
      return falls->text == "true" ? PythonAnswer(fallen(order, given)) : PythonAnswer(order);
    }
  if (name != "sort" && name != "argsort")
    if (auto answer = of_order(given); answer || given.is_refused()) return answer;
  if (given.count() == 0) return std::nullopt;
  if (name == "isin" || name == "in1d") {
    given.take("assume_unique");
    if (const auto invert = given.take("invert"); invert && invert->text == "true")
      return PythonPiece{"!" + given.call("isin").text, Binding::unary};
    return std::nullopt;
  }
  if (name == "searchsorted") {
    if (const auto order = given.take("sorter"))
      given.set(0, {fmt::format("{}[{}]", given.at(0).bound(Binding::primary), order->text)});
    return std::nullopt;
  }
  static constexpr std::string_view kEqual[] = {"isclose", "allclose", "array_equal"};
  if (among(name, kEqual)) return of_equal_nan(given);
  if (name == "nan_to_num") return of_nan_to_num(given);
  if (name == "interp") return of_interp(given);
  if (name == "rot90") return of_rot90(given);
  if (name == "expand_dims") return of_expand_dims(given);
  if (name == "moveaxis") return of_moveaxis(given);
  if (name == "percentile" || name == "quantile") return of_quantiles(given);
  return of_reductions(given);
}

}  // namespace xcuda::language
