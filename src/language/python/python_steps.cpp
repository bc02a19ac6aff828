// Calls of NumPy that give several values, each an expression of its own here, or that need a declaration before the
// line: np.unravel_index(i, m.shape), np.corrcoef(a, b), np.mgrid[0:3, 0:4].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/python_parser.hpp"

namespace xcuda::language {
namespace {

PythonPiece tuple_of(std::vector<PythonPiece> parts, std::string whole = {}) {
  return {std::move(whole), Binding::primary, PieceKind::tuple, std::move(parts)};
}

}  // namespace

// What PyTorch gives with the places where it was: max(dim=1), sort(), topk(2).
std::optional<PythonPiece> PythonParser::values_and_indices(const PythonCall& call) {
  const auto& name = call.function;
  const bool extreme = name == "max" || name == "min", sorts = name == "sort", best = name == "topk";
  const bool said = std::any_of(call.named.begin(), call.named.end(), [](const auto& one) {
    return one.first == "descending" || one.first == "reverse" || one.first == "largest";
  });
  if ((!extreme && !sorts && !best) || (call.of == PythonCall::Of::nothing && !said) || call.arguments.empty())
    return std::nullopt;
  std::string axis, k;
  bool torch = call.of_torch || best, descending = false, keep = false, least = false;
  std::vector<std::string> places;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) places.push_back(call.arguments[i].text);
  for (const auto& [argument, piece] : call.named) {
    const bool falls = argument == "descending" || argument == "reverse";
    torch = torch || argument == "dim" || falls;
    if (argument == "dim")
      axis = piece.text;
    else if (argument == "k" && best && places.empty())
      places.push_back(piece.text);
    else if (argument == "largest" && best)
      least = piece.text == "false";
    else if (falls && sorts)
      descending = piece.text == "true";
    else if (argument == "keepdim" && extreme)
      keep = piece.text == "true";
    else
      return std::nullopt;
  }
  if (!torch || places.size() > (best ? 2U : 1U)) return std::nullopt;
  if (best) {
    if (places.empty()) return std::nullopt;
    k = places[0];
    places.erase(places.begin());
  }
  const auto of_number = [&](const std::string& text) { return names_.rank(text) == 0; };
  if (!places.empty() && (!axis.empty() || !of_number(places[0]))) return std::nullopt;  // torch.max(a, b)
  if (!places.empty()) axis = places[0];
  if (extreme && axis.empty()) return std::nullopt;
  const auto x = with_name(call.arguments[0]).text;
  const auto rest = (axis.empty() ? "" : ", axis = " + axis) + (keep ? ", keep = true" : "");
  if (extreme)
    return tuple_of({{fmt::format("{}({}{})", name, x, rest)}, {fmt::format("arg{}({}{})", name, x, rest)}},
                    fmt::format("{}({}{})", name, x, rest));
  if (best && least) {
    if (names_.rank(x) != 1) return std::nullopt;
    return tuple_of({{fmt::format("sort({})[:{}]", x, k)}, {fmt::format("argsort({})[:{}]", x, k)}},
                    fmt::format("sort({})[:{}]", x, k));
  }
  if (best) {
    const auto values = fmt::format("topk({}, {}{})", x, k, rest);
    if (names_.rank(x) != 1) return tuple_of({{values}}, values);
    return tuple_of({{values}, {fmt::format("flip(argsort({}))[:{}]", x, k)}}, values);
  }
  const auto last = axis.empty() ? std::string(", axis = -1") : rest;
  const auto sorted = [&](std::string_view function) {
    return descending ? fmt::format("flip({}({}{}){})", function, x, rest, last)
                      : fmt::format("{}({}{})", function, x, rest);
  };
  return tuple_of({{sorted("sort")}, {sorted("argsort")}}, sorted("sort"));
}

std::string PythonParser::declared_parts(const PythonPiece& tuple, const std::vector<std::string>& targets) {
  std::string text;
  for (std::size_t i = 0; i < tuple.parts.size(); ++i) {
    const auto name = i < targets.size() ? targets[i] : name_of_result(i);
    if (name.empty()) fail();
    text += fmt::format("{}auto {} = {};", i == 0 ? "" : " ", name, tuple.parts[i].text);
  }
  return text;
}

std::optional<PythonPiece> PythonParser::in_steps(const PythonCall& call) {
  if (auto piece = values_and_indices(call)) return piece;
  if (call.of == PythonCall::Of::value || call.arguments.empty()) return std::nullopt;
  const auto& name = call.function;
  const auto count = call.arguments.size();
  const auto result = [&](std::string_view function) {
    return called({std::string(function), call.arguments, {}, PythonCall::Of::module});
  };
  if (name == "divmod" && count == 2 && call.named.empty()) return tuple_of({result("floor_divide"), result("mod")});
  if (name == "range" && call.of == PythonCall::Of::nothing && in_subscript_ > 0 && call.named.empty())
    return PythonPiece{written_call(call, "arange<int>")};
  const bool ours = find_function(name) && name != "histogram" && name != "meshgrid";
  if (call.of == PythonCall::Of::nothing && (ours || names_.known(name))) return std::nullopt;
  const auto x = call.arguments[0].bound(Binding::unary);
  if (name == "modf" && count == 1 && call.named.empty())
    return tuple_of({{fmt::format("{0} - trunc({0})", x), Binding::sum}, {fmt::format("trunc({})", x)}});
  if (auto piece = of_samples(call)) return piece;
  return of_places(call);
}

std::optional<PythonPiece> PythonParser::of_samples(const PythonCall& call) {
  const auto& name = call.function;
  const auto count = call.arguments.size();
  const auto rank = [&](std::size_t i) { return names_.rank(call.arguments[i].text); };
  if (name == "histogram" && !call.named.empty()) {
    auto counted = call;
    const auto density = std::find_if(counted.named.begin(), counted.named.end(),
                                      [](const auto& one) { return one.first == "density"; });
    if (density == counted.named.end()) return std::nullopt;
    const bool wanted = density->second.text == "true";
    counted.named.erase(density);
    const auto piece = translated_call(std::move(counted), names_);
    if (!piece || !wanted) return std::nullopt;
    const auto counts = fresh("counts"), edges = fresh("edges");
    before_ += fmt::format("auto [{}, {}] = {}; ", counts, edges, piece->text);
    return tuple_of({{fmt::format("{0} / (sum({0}) * diff({1}))", counts, edges), Binding::product}, {edges}});
  }
  if ((name != "corrcoef" && name != "cov") || count > 2 || !call.named.empty()) return std::nullopt;
  const bool pair = count == 2 && rank(0) == 1 && rank(1) == 1;
  if (!pair && (count == 2 || name == "cov" || rank(0) != 2)) {
    const bool alone = name == "cov" && count == 1 && rank(0) == 1;
    return alone ? std::optional(PythonPiece{fmt::format("var({}, ddof = 1)", call.arguments[0].text)}) : std::nullopt;
  }
  const auto rows =
      pair ? declared("rows", fmt::format("vstack({{{}, {}}})", call.arguments[0].text, call.arguments[1].text))
           : call.arguments[0].bound(Binding::primary);
  const auto parts = declared("parts", fmt::format("{0} - mean({0}, axis = 1, keep = true)", rows));
  if (name == "cov")
    return PythonPiece{fmt::format("matmul({0}, {0}.T) / ({0}.shape[1] - 1)", parts), Binding::product};
  return PythonPiece{fmt::format("matmul({0}, {0}.T) / outer(norm({0}, axis = 1), norm({0}, axis = 1))", parts),
                     Binding::product};
}

// What a keyword of NumPy's asks for in several statements.
std::optional<PythonPiece> PythonParser::of_keywords(const PythonCall& call) {
  const auto& name = call.function;
  const auto& x = call.arguments[0];
  const auto find = [&](std::string_view keyword) {
    const auto found =
        std::find_if(call.named.begin(), call.named.end(), [&](const auto& one) { return one.first == keyword; });
    return found == call.named.end() ? nullptr : &found->second;
  };
  if (const auto* wanted = find("retstep"); name == "linspace" && wanted != nullptr && wanted->text == "true") {
    auto plain = call;
    std::erase_if(plain.named, [](const auto& one) { return one.first == "retstep"; });
    const auto piece = translated_call(std::move(plain), names_);
    if (!piece || piece->kind != PieceKind::expression) return std::nullopt;
    const auto samples = declared("samples", piece->text);
    return tuple_of({{samples}, {fmt::format("{0}[1] - {0}[0]", samples), Binding::sum}});
  }
  // The weighted mean along an axis.
  const auto *weights = find("weights"), *axis = find("axis");
  if (name == "average" && weights != nullptr && axis != nullptr && call.named.size() == 2 &&
      call.arguments.size() == 1 && axis->kind == PieceKind::expression) {
    const auto w = with_name(*weights);
    const auto rank = names_.rank(x.text);
    const auto of_weights = names_.rank(w.text).value_or(1);
    const bool first = axis->text == "0", last = axis->text == "-1" || (rank == 2 && axis->text == "1");
    if (!rank || *rank > 2 || (of_weights == 1 && !first && !last)) return std::nullopt;
    const bool column = of_weights == 1 && *rank == 2 && first;
    const auto product = fmt::format("{} * {}{}", x.bound(Binding::product),
                                     w.bound(column ? Binding::primary : Binding::unary), column ? "[:, newaxis]" : "");
    const auto total = of_weights == 1 ? fmt::format("(double)sum({})", w.text)
                                       : fmt::format("(double)sum({}, axis = {})", w.text, axis->text);
    return PythonPiece{fmt::format("sum({}, axis = {}) / {}", product, axis->text, total), Binding::product};
  }
  // Indices beyond the ends.
  if (const auto* mode = find("mode"); name == "take" && mode != nullptr && call.arguments.size() == 2) {
    const bool wraps = mode->text == "\"wrap\"";
    if ((!wraps && mode->text != "\"clip\"") || call.named.size() > (axis != nullptr ? 2U : 1U)) return std::nullopt;
    const auto indices = with_name(call.arguments[1]);
    const auto of = x.bound(Binding::primary);
    const auto n = axis == nullptr ? fmt::format("(int){}.size", of) : fmt::format("(int){}.shape[{}]", of, axis->text);
    const auto inside = wraps ? fmt::format("({0} % {1} + {1}) % {1}", indices.bound(Binding::product), n)
                              : fmt::format("clip({}, 0, {} - 1)", indices.text, n);
    return PythonPiece{fmt::format("take({}, {}{})", x.text, inside, axis == nullptr ? "" : ", axis = " + axis->text)};
  }
  if (const auto* bins = find("bins"); name == "histogram" && bins != nullptr && bins->text.starts_with('"'))
    return of_named_bins(call, bins->text);
  // The weights of each bin.
  if (name == "histogram" && weights != nullptr && find("range") == nullptr && find("density") == nullptr) {
    auto counted = call;
    std::erase_if(counted.named, [](const auto& one) { return one.first == "weights"; });
    const auto w = with_name(*weights).text;
    const auto piece = translated_call(std::move(counted), names_);
    if (!piece || names_.rank(x.text) != 1) return std::nullopt;
    const auto counts = fresh("counts"), edges = fresh("edges");
    before_ += fmt::format("auto [{}, {}] = {}; ", counts, edges, piece->text);
    return tuple_of({{fmt::format("bincount(min(digitize({0}, {1}), {2}.size) - 1, {3}, minlength = {2}.size)", x.text,
                                  edges, counts, w)},
                     {edges}});
  }
  return std::nullopt;
}

// bins="auto": NumPy's estimators, of real numbers.
std::optional<PythonPiece> PythonParser::of_named_bins(const PythonCall& call, std::string_view rule) {
  const auto x = with_name(call.arguments[0]);
  if (call.named.size() != 1 || call.arguments.size() != 1) return std::nullopt;
  const auto n = fmt::format("(double){}.size", x.bound(Binding::primary));
  const auto sturges = fmt::format("ceil(log2({}) + 1)", n);
  std::string bins;
  if (rule == "\"sqrt\"") {
    bins = fmt::format("ceil(sqrt({}))", n);
  } else if (rule == "\"sturges\"") {
    bins = sturges;
  } else if (rule == "\"rice\"") {
    bins = fmt::format("ceil(2 * cbrt({}))", n);
  } else if (rule == "\"auto\"" && is_real(x)) {  // the more of Sturges' and of Freedman's and Diaconis'
    const auto spread = declared("spread", fmt::format("percentile({0}, 75) - percentile({0}, 25)", x.text));
    bins = fmt::format("max({}, {} > 0 ? ceil(ptp({}) * cbrt({}) / (2 * {})) : 0)", sturges, spread, x.text, n, spread);
  } else {
    return std::nullopt;
  }
  const auto counts = fresh("counts"), edges = fresh("edges");
  before_ += fmt::format("auto [{}, {}] = histogram({}, bins = (int){}); ", counts, edges, x.text, bins);
  return tuple_of({{counts}, {edges}});
}

std::optional<PythonPiece> PythonParser::of_places(const PythonCall& call) {
  const auto& name = call.function;
  const auto count = call.arguments.size();
  const bool unravel = name == "unravel_index", ravel = name == "ravel_multi_index";
  if ((unravel || ravel) && count == 2 && call.named.empty()) {
    std::vector<std::string> extents;
    const auto& shape = call.arguments[1];
    for (const auto& part : shape.parts) extents.push_back(part.bound(Binding::unary));
    if (shape.kind != PieceKind::list && shape.text.ends_with(".shape")) {
      const auto rank = names_.rank(shape.text.substr(0, shape.text.size() - 6)).value_or(0);
      for (std::size_t d = 0; d < rank; ++d) extents.push_back(fmt::format("{}[{}]", shape.text, d));
    }
    if (extents.size() < 2) return std::nullopt;
    if (ravel) {  // (i * 3 + j) * 4 + k
      const auto& indices = call.arguments[0].parts;
      if (indices.size() != extents.size()) return std::nullopt;
      PythonPiece sum = indices[0];
      for (std::size_t d = 1; d < extents.size(); ++d)
        sum = {fmt::format("{} * {} + {}", with_name(sum).bound(Binding::product), extents[d],
                           with_name(indices[d]).bound(Binding::product)),
               Binding::sum};
      return sum;
    }
    const auto index = with_name(call.arguments[0]).bound(Binding::product);
    std::vector<PythonPiece> parts;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      auto text = index;
      const auto inner = std::vector<std::string>(extents.begin() + static_cast<std::ptrdiff_t>(d) + 1, extents.end());
      if (inner.size() == 1) text += " / " + inner[0];
      if (inner.size() > 1) text += fmt::format(" / ({})", fmt::join(inner, " * "));
      if (d > 0) text += " % " + extents[d];
      parts.push_back({std::move(text), Binding::product});
    }
    return tuple_of(std::move(parts));
  }
  if (name == "meshgrid" && count >= 2 && call.named.size() == 1 && call.named[0].first == "indexing" &&
      call.named[0].second.text == "\"ij\"") {
    static constexpr std::string_view kNames[] = {"xs", "ys", "zs"};
    std::string results, arrays;
    std::vector<PythonPiece> parts;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = fresh(i < 3 ? std::string(kNames[i]) : fmt::format("grid{}", i));
      arrays += (i == 0 ? "" : ", ") + with_name(call.arguments[i]).text;
      results += (i == 0 ? "" : ", ") + one;
      parts.push_back({count == 2 ? one + ".T" : fmt::format("swapaxes({}, 0, 1)", one)});
    }
    before_ += fmt::format("auto [{}] = meshgrid({}); ", results, arrays);
    return tuple_of(std::move(parts));
  }
  if (auto piece = of_keywords(call)) return piece;
  if (name == "broadcast_arrays" && call.named.empty() && names_.extents) {
    std::optional<Extents> all = Extents();
    std::vector<std::string> arrays;
    for (const auto& argument : call.arguments) {
      arrays.push_back(with_name(argument).text);
      const auto one = names_.extents(arrays.back());
      all = one && all ? broadcast(*all, *one) : std::nullopt;
    }
    std::string extents;
    for (const auto& extent : all.value_or(Extents())) extents += extent ? fmt::format(", {}", *extent) : ", ?";
    if (extents.empty() || extents.find('?') != std::string::npos) return std::nullopt;
    std::vector<PythonPiece> parts;
    for (const auto& array : arrays) parts.push_back({fmt::format("broadcast_to({}{})", array, extents)});
    return tuple_of(std::move(parts));
  }
  if (name == "indices" && count == 1 && call.named.empty() && call.arguments[0].parts.size() == 2) {
    std::vector<PythonPiece> ranges;
    for (const auto& extent : call.arguments[0].parts) ranges.push_back({fmt::format("arange({})", extent.text)});
    return grid("mgrid", ranges);
  }
  return std::nullopt;
}

std::vector<PythonPiece> PythonParser::ranges() {
  std::vector<PythonPiece> found;
  if (!accept("[")) fail();
  while (!failed_ && !at("]")) {
    if (at(":")) fail();
    const auto first = value();
    if (!accept(":")) {
      found.push_back(first);
    } else {
      if (at("]") || at(",") || at(":")) fail();
      const auto stop = value();
      auto text = fmt::format("arange({}, {})", first.text, stop.text);
      if (accept(":")) {
        const auto step = std::string(peek().text);
        const bool many = peek().kind == PythonToken::Kind::number && step.ends_with("j");  // so many, with both ends
        if (many) ++position_;
        text = many ? fmt::format("linspace({}, {}, {})", first.text, stop.text, step.substr(0, step.size() - 1))
                    : fmt::format("arange({}, {}, {})", first.text, stop.text, value().text);
      }
      found.push_back({std::move(text)});
    }
    if (!accept(",")) break;
  }
  if (!accept("]")) fail();
  return found;
}

PythonPiece PythonParser::grid(std::string_view which, const std::vector<PythonPiece>& ranges) {
  if (failed_ || ranges.empty() || ranges.size() > 2) return fail();
  changed_ = true;
  for (const auto& one : ranges)
    if (!one.text.starts_with("arange(") && !one.text.starts_with("linspace(")) return fail();
  if (ranges.size() == 1) return ranges[0];
  if (which == "ogrid") return tuple_of({{ranges[0].text + "[:, newaxis]"}, {ranges[1].text + "[newaxis, :]"}});
  const auto columns = fresh("columns"), rows = fresh("rows");
  before_ += fmt::format("auto [{}, {}] = meshgrid({}, {}); ", columns, rows, ranges[1].text, ranges[0].text);
  return tuple_of({{rows}, {columns}}, fmt::format("stack({{{}, {}}})", rows, columns));
}

PythonPiece PythonParser::joined(const std::string& how) {
  const auto parts = ranges();
  std::string list;
  for (const auto& part : parts) {
    const auto rank = names_.rank(part.text);
    if (rank != 1 && (rank != 0 || how == "c_")) return fail();
    list +=
        fmt::format("{}{}", list.empty() ? "" : ", ", rank == 0 ? fmt::format("full(1, {})", part.text) : part.text);
  }
  if (failed_ || parts.empty()) return fail();
  if (parts.size() == 1 && how == "r_") return parts[0];
  return {how == "r_" ? fmt::format("concatenate({{{}}})", list) : fmt::format("stack({{{}}}, axis = 1)", list)};
}

std::string PythonParser::crossed() {
  const auto rows = value();
  if (!accept(",")) fail();
  const auto columns = value();
  if (!accept(")")) fail();
  changed_ = true;
  return fmt::format("{}[:, newaxis], {}", rows.bound(Binding::primary), columns.text);
}

}  // namespace xcuda::language
