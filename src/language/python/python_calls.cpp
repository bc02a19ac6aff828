// NumPy's, CuPy's and PyTorch's calls whose arguments differ from ours; calls with only another name are habits.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python/arguments.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {
namespace {

using Answer = PythonAnswer;

// --- what else differs in its arguments

// None as an order or an axis says nothing.
Answer of_norm(PythonArguments& given) {
  if (given.count() > 3) return std::nullopt;
  if (given.count() > 2 && given.text(2) != "None") given.name("axis", given.at(2));
  given.drop(2);
  if (given.count() > 1 && given.text(1) == "None") given.drop(1);
  if (const auto* order = given.find("ord"); order != nullptr && order->text == "None") given.take("ord");
  return given.call("norm");
}

Answer of_clip(PythonArguments& given) {
  const auto bound = [&](std::size_t place, std::string_view name, std::string_view other) {
    auto piece = given.take(place, name);
    if (!piece) piece = given.take(other);
    return piece && piece->text == "None" ? std::nullopt : piece;
  };
  for (const auto& [ours, theirs] : {std::pair("lo", "min"), std::pair("hi", "max")})  // clip(x, lo = 2)
    if (auto piece = given.take(ours)) given.name(theirs, *std::move(piece));
  const auto lo = bound(1, "min", "a_min"), hi = bound(2, "max", "a_max");
  if (!given.none_left() || (!lo && !hi)) return given.refuse();
  if (lo && hi) return PythonPiece{fmt::format("clip({}, {}, {})", given.text(0), lo->text, hi->text)};
  return PythonPiece{fmt::format("{}({}, {})", lo ? "max" : "min", given.text(0), lo ? lo->text : hi->text)};
}

// One where() in another: select([c, d], [x, y], 0), choose(i, [x, y]).
Answer of_choices(PythonArguments& given) {
  const auto& name = given.function();
  if (given.count() < 2 || given.at(1).parts.empty()) return std::nullopt;
  const auto& values = given.at(1).parts;
  if (name == "select" && given.at(0).parts.size() == values.size()) {
    auto text = given.take(2, "default").value_or(PythonPiece{"0"}).text;
    for (auto i = values.size(); i-- > 0;)
      text = fmt::format("where({}, {}, {})", given.at(0).parts[i].text, values[i].text, text);
    return given.none_left() ? Answer(PythonPiece{text}) : given.refuse();
  }
  if (name != "choose" || given.count() != 2 || !given.none_left()) return std::nullopt;
  auto text = values.back().text;
  for (auto i = values.size() - 1; i-- > 0;)
    text = fmt::format("where({} == {}, {}, {})", given.at(0).bound(Binding::order), i, values[i].text, text);
  return PythonPiece{text};
}

// nonzero() of what is true there: triu_indices(4, 1), tril_indices_from(m), diag_indices(4).
Answer of_triangles(PythonArguments& given) {
  auto name = std::string_view(given.function());
  const bool from = name.ends_with("_from");
  if (from) name.remove_suffix(5);
  const auto k = given.take(1, "k");
  if (!given.none_left() || given.count() > 2 || (from && given.rank(0) != 2)) return std::nullopt;
  const auto x = given.at(0).bound(Binding::primary);
  const auto extents = from ? fmt::format("{0}.shape[0], {0}.shape[1]", x) : fmt::format("{0}, {0}", given.text(0));
  if (name == "diag_indices")
    return k ? std::nullopt : Answer(PythonPiece{fmt::format("nonzero(eye<bool>({}))", extents)});
  return PythonPiece{fmt::format("nonzero({}(ones<bool>({}){}))", name.substr(0, 4), extents, k ? ", " + k->text : "")};
}

// What NumPy gives a list of: its parts one after the other.
Answer of_lists(PythonArguments& given) {
  const auto& name = given.function();
  const auto& parts = given.at(0).parts;
  if (parts.empty() || !given.none_left()) return std::nullopt;
  if (name == "polyval" && given.count() == 2 && parts.size() > 1) {  // Horner's rule
    auto sum = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i)
      sum = {fmt::format("{} * {} + {}", sum.bound(Binding::product), given.at(1).bound(Binding::unary),
                         parts[i].bound(Binding::product)),
             Binding::sum};
    return sum;
  }
  if (name == "multi_dot" && given.count() == 1) {
    auto text = parts[0].text;
    for (std::size_t i = 1; i < parts.size(); ++i) text = fmt::format("matmul({}, {})", text, parts[i].text);
    return PythonPiece{text};
  }
  if (name != "block" || given.count() != 1) return std::nullopt;
  std::string rows;
  for (const auto& row : parts) {
    if (row.parts.empty() || given.rank_of(row.parts[0]) != 2) return std::nullopt;
    rows += fmt::format("{}hstack({})", rows.empty() ? "" : ", ", row.text);
  }
  return PythonPiece{fmt::format("vstack({{{}}})", rows)};
}

Answer of_shapes(PythonArguments& given) {
  const auto& name = given.function();
  const auto x = given.at(0).bound(Binding::primary);
  if (name == "transpose" || name == "permute") {
    if (given.count() < 2) return given.call("transpose");
    const auto rank = given.rank(0);
    const bool two = name == "transpose" && given.count() == 3;
    // NumPy's x.transpose(0, 1) leaves a matrix as it is, PyTorch's does not: the line does not tell which is meant.
    if (two && !given.is_torch() && rank == 2 && given.text(1) == "0") return given.refuse();
    if (two && (given.is_torch() || (rank && *rank > 2)))
      return PythonPiece{fmt::format("swapaxes({}, {}, {})", given.text(0), given.text(1), given.text(2))};
    return given.call("permute_dims");
  }
  if (name == "astype" || name == "to") {
    const auto type = given.count() == 2 ? taken_type(given, 1) : taken_type(given);
    return type ? Answer(PythonPiece{fmt::format("({}){}", *type, given.at(0).bound(Binding::unary)), Binding::unary})
                : std::nullopt;
  }
  if (name == "size" && given.is_plain() && given.count() == 1) return std::nullopt;
  if (name == "size" && given.count() == 1) return PythonPiece{x + ".size"};
  if (name == "size" && given.count() == 2) return PythonPiece{fmt::format("{}.shape[{}]", x, given.text(1))};
  if (name == "round" || name == "around") {
    const auto decimals = given.take(1, "decimals");
    if (!decimals && !given.none_left()) return std::nullopt;
    if (!decimals && given.is_plain()) return given.call(name);
    if (!decimals) return PythonPiece{fmt::format("rint({})", given.text(0))};
    if (decimals->text.find_first_not_of("0123456789") != std::string::npos || decimals->text.size() > 1)
      return std::nullopt;
    const auto power = "1" + std::string(static_cast<std::size_t>(decimals->text[0] - '0'), '0');
    return PythonPiece{fmt::format("rint({} * {}) / {}.0", given.at(0).bound(Binding::product), power, power),
                       Binding::product};
  }
  if (name == "where" && given.count() == 1) return given.call("nonzero");
  if (name == "isin" && given.count() == 2 && given.none_left() && given.rank(1) == 0)
    return PythonPiece{fmt::format("{} == {}", given.at(0).bound(Binding::order), given.at(1).bound(Binding::order)),
                       Binding::equality};
  if (name == "clip" || (name == "clamp" && given.count() < 3)) return of_clip(given);
  if (name == "partition" || name == "argpartition") {
    if (given.count() != 2) return given.refuse();
    given.drop(1);
    return given.call(name == "partition" ? "sort" : "argsort");
  }
  const bool mode_by_place = given.count() == 3 && given.text(2).starts_with("\"");
  if (name == "pad" && (!given.is_plain() || mode_by_place) && given.count() <= 3) {
    if (const auto width = given.count() == 1 ? given.take("pad_width") : std::nullopt) given.add(*width);
    static constexpr std::string_view kModes[] = {R"("constant")", R"("edge")", R"("reflect")", R"("symmetric")",
                                                  R"("wrap")"};
    if (auto mode = given.take(2, "mode")) {
      if (!among(mode->text, kModes)) return given.refuse();
      given.name("mode", *mode);
    }
    if (auto value = given.take("constant_values")) given.name("value", *value);
    given.drop(2);
    return given.call(name);
  }
  static constexpr std::string_view kExtremes[] = {"max", "min", "amax", "amin"};
  if (among(name, kExtremes) && !given.is_plain() && given.count() == 2) {  // the second is the axis
    if (given.rank(1) != 0) return given.refuse();
    given.name("axis", given.at(1));
    given.drop(1);
    return given.call(name.substr(name.starts_with("a") ? 1 : 0));
  }
  if (name == "column_stack" && given.count() > 1) {  // column_stack(a, b), as hstack() takes them
    PythonPiece list{fmt::format("{{{}", given.text(0)), Binding::primary, PieceKind::list, {given.at(0)}};
    for (std::size_t i = 1; i < given.count(); ++i) {
      list.text += ", " + given.text(i);
      list.parts.push_back(given.at(i));
    }
    list.text += "}";
    given.drop(1);
    given.set(0, std::move(list));
  }
  if (name == "column_stack" && given.count() == 1 && !given.at(0).parts.empty()) {
    bool rows = true, matrices = true;
    for (const auto& part : given.at(0).parts) {
      const auto rank = given.rank_of(part);
      rows = rows && rank == 1;
      matrices = matrices && rank == 2;
    }
    if (matrices) return PythonPiece{fmt::format("hstack({})", given.text(0))};
    if (!rows) return given.refuse();
  }
  if (name == "view" && given.is_method() && given.count() == 1) return given.at(0);
  if (name == "reshape" && given.count() == 1)
    if (const auto shape = given.take("shape"))
      return given.none_left() ? Answer(PythonPiece{fmt::format("reshape({}, {})", given.text(0), shape->text)})
                               : given.refuse();
  static constexpr std::string_view kOfLists[] = {"concatenate", "stack", "hstack", "vstack"};
  if (among(name, kOfLists) && given.count() > 1 && given.at(0).kind != PieceKind::list &&
      (given.rank(1) > 0 || given.at(1).kind == PieceKind::new_array)) {
    std::string parts;
    for (std::size_t i = 0; i < given.count(); ++i) parts += (i == 0 ? "" : ", ") + given.text(i);
    given.drop(1);
    given.set(0, {"{" + parts + "}"});
    return given.call(name);
  }
  if (name == "insert" && given.count() == 3)
    return PythonPiece{
        fmt::format("concatenate({{{0}[:{1}], full(1, {2}), {0}[{1}:]}})", x, given.text(1), given.text(2))};
  if (name == "diff")
    if (const auto first = given.take("prepend")) {
      if (given.count() != 1 || given.rank(0) != 1 || given.rank_of(*first) != 0 || !given.none_left())
        return given.refuse();
      return PythonPiece{fmt::format("diff(concatenate({{full(1, {}), {}}}))", first->text, given.text(0))};
    }
  if (name == "average" && (given.count() == 1 || (given.count() == 2 && given.rank(1) == 0)))
    if (const auto axis = given.take(1, "axis"))
      return given.none_left() ? Answer(PythonPiece{fmt::format("mean({}, axis = {})", given.text(0), axis->text)})
                               : given.refuse();
  if (name.find("_indices") != std::string::npos && !given.is_plain()) return of_triangles(given);
  if (auto listed = of_lists(given)) return listed;
  if (auto chosen = of_choices(given)) return chosen;
  static constexpr std::string_view kOfPairs[] = {"lexsort", "dstack"};
  if (among(name, kOfPairs) && given.count() == 1 && given.at(0).parts.size() == 2 && given.none_left() &&
      given.rank_of(given.at(0).parts[0]) == 1) {
    const auto &first = given.at(0).parts[0].text, &second = given.at(0).parts[1].text;
    if (name == "dstack") return PythonPiece{fmt::format("expand_dims(stack({{{}, {}}}, axis = 1), 0)", first, second)};
    return PythonPiece{
        fmt::format("argsort({0})[argsort({1}[argsort({0})])]", first, given.at(0).parts[1].bound(Binding::primary))};
  }
  if (name == "softmax" && given.count() > 0) {
    const auto along = given.take(1, "axis");
    if (!along || given.count() > 2 || !given.none_left()) return given.refuse();
    const auto shifted = fmt::format("exp({0} - max({1}, axis = {2}, keep = true))",
                                     given.at(0).bound(Binding::product), given.text(0), along->text);
    return PythonPiece{fmt::format("{0} / sum({0}, axis = {1}, keep = true)", shifted, along->text), Binding::product};
  }
  if (name == "atleast_1d" && given.count() == 1 && given.rank(0) > 0) return given.at(0);
  if (name == "atleast_2d" && given.count() == 1 && given.rank(0) > 0)
    return given.rank(0) > 1 ? given.at(0) : PythonPiece{x + "[newaxis, :]"};
  if (name == "unique") {
    const auto index = given.take("return_index"), inverse = given.take("return_inverse"),
               counts = given.take("return_counts");
    if (!index && !inverse && !counts) return std::nullopt;
    return given.none_left() ? Answer(PythonPiece{fmt::format("unique({})", given.text(0))}) : std::nullopt;
  }
  if (name == "histogram") {
    if (const auto range = given.take("range"); range && range->parts.size() == 2) {
      given.name("lo", range->parts[0]);
      given.name("hi", range->parts[1]);
      return given.call(name);
    }
    return std::nullopt;
  }
  if (name.starts_with("trapez") && given.count() == 1)
    if (auto places = given.take("x")) given.add(*std::move(places));
  if ((name == "trapezoid" || name == "trapz") && (given.count() == 1 || given.rank(1) == 0))
    return given.call("trapezoid");
  if ((name == "trapezoid" || name == "trapz") && given.count() == 2 && given.rank(0) == 1)
    return PythonPiece{fmt::format("dot({0}[1:] + {0}[:-1], diff({1})) / 2", x, given.text(1)), Binding::product};
  return std::nullopt;
}

Answer of_statements(PythonArguments& given) {
  const auto& name = given.function();
  if (name == "fill" && given.count() == 2)
    return python_statement(fmt::format("{} = {}", given.text(0), given.text(1)));
  if (name == "copyto" && given.count() == 2)
    return python_statement(fmt::format("{} = {}", given.text(0), given.text(1)));
  const auto x = given.count() > 0 ? given.at(0).bound(Binding::primary) : std::string();
  if (name == "put" && given.count() == 3)
    return python_statement(fmt::format("{}[{}] = {}", x, given.text(1), given.text(2)));
  if ((name == "putmask" || name == "place") && given.count() == 3 && given.at(2).kind != PieceKind::list)
    return python_statement(fmt::format("{}[{}] = {}", x, given.text(1), given.text(2)));
  if (name == "fill_diagonal" && given.count() == 2 && given.none_left() && given.rank(1) == 0)
    return python_statement(fmt::format("{0}[eye<bool>({0}.shape[0], {0}.shape[1])] = {1}", x, given.text(1)));
  if (name == "add.at" && given.count() == 3)
    return python_statement(fmt::format("{}[{}] += {}", x, given.text(1), given.text(2)));
  return std::nullopt;
}

// One axis after the other, the last first: sum(x, axis=(0, 2)) is sum(sum(x, axis = 2), axis = 0).
Answer over_axes(PythonArguments& given) {
  static constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
      {"sum", "sum"}, {"prod", "prod"}, {"mean", "mean"}, {"min", "min"},  {"max", "max"},
      {"any", "any"}, {"all", "all"},   {"flip", "flip"}, {"amin", "min"}, {"amax", "max"}};
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const auto& one) { return one.first == given.function(); });
  const auto axes = given.take("axis");
  const auto keep = given.take("keep");
  const auto rank = given.rank(0);
  if (found == std::end(kFunctions) || given.count() != 1 || !given.none_left() || !rank) return std::nullopt;
  std::vector<std::size_t> places;
  for (const auto& one : axes->parts) {
    const bool negative = one.text.starts_with("-");
    const auto digits = one.text.substr(negative ? 1 : 0);
    if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9') return std::nullopt;
    const auto at = static_cast<std::size_t>(digits[0] - '0');
    if (at > *rank) return std::nullopt;
    places.push_back(negative ? *rank - at : at);
  }
  std::sort(places.rbegin(), places.rend());
  auto text = given.text(0);
  for (const auto axis : places)
    text = fmt::format("{}({}, axis = {}{})", found->second, text, axis, keep ? ", keep = " + keep->text : "");
  return PythonPiece{std::move(text)};
}

// How the text of a row binds: "{0}.T" and "f({0}, {1})" need no parentheses around them.
Binding binding_of(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0 && (text[i] == ' ' || text[i] == '?')) return Binding::ternary;
  }
  return std::string_view("-!~(").find(text[0]) == std::string_view::npos ? Binding::primary : Binding::unary;
}

// A row's text with the arguments, each bound as tightly as what is around it needs.
Answer of_row(const Habit& habit, PythonArguments& given) {
  const auto row = habit.advice;
  if (row.find('{') == std::string_view::npos) return given.call(row);
  std::size_t needed = 0;
  for (const char* place : {"{0}", "{1}", "{2}"})
    if (row.find(place) != std::string_view::npos) ++needed;
  if (given.count() != needed || !given.none_left()) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != '{' && row[i] != '}') {
      text += row[i];
    } else if (row.substr(i, 2) == "{{" || row.substr(i, 2) == "}}") {
      text += row[i++];
    } else {
      const char before = i == 0 ? '(' : text.back(), after = i + 3 < row.size() ? row[i + 3] : ')';
      const bool alone = i > 0 && (before == '(' || before == ' ' || before == '{') &&
                         (after == ')' || after == ',' || after == '}') &&
                         text.find_last_not_of(' ') != std::string::npos &&
                         std::string_view("(,{").find(text[text.find_last_not_of(' ')]) != std::string_view::npos;
      const bool part = after == '.' || after == '[';
      const auto& piece = given.at(static_cast<std::size_t>(row[i + 1] - '0'));
      text += alone ? piece.text : piece.bound(part ? Binding::primary : Binding::unary);
      i += 2;
    }
  }
  if (row.starts_with('%')) return python_statement(std::move(text));
  return PythonPiece{std::move(text), binding_of(row)};
}

}  // namespace

std::string written_call(const PythonCall& call, std::string_view function) {
  std::string given;
  const auto add = [&](const std::string& text) { given += (given.empty() ? "" : ", ") + text; };
  const bool method = call.of == PythonCall::Of::value;
  for (std::size_t i = method ? 1 : 0; i < call.arguments.size(); ++i) add(call.arguments[i].text);
  for (const auto& [name, piece] : call.named) add(fmt::format("{} = {}", name, piece.text));
  return fmt::format("{}{}({})", method ? call.arguments[0].bound(Binding::primary) + "." : "", function, given);
}

std::optional<PythonPiece> translated_call(PythonCall call, const PythonNames& names) {
  // What is so here, too.
  static constexpr std::pair<std::string_view, std::string_view> kNotSaid[] = {
      {"kind", ""},  {"copy", ""}, {"device", ""},         {"stable", ""},
      {"subok", ""}, {"like", ""}, {"indexing", "\"xy\""}, {"order", "\"C\""}};
  std::erase_if(call.named, [](const auto& one) {
    return std::any_of(std::begin(kNotSaid), std::end(kNotSaid), [&](const auto& said) {
      return said.first == one.first && (said.second.empty() || said.second == one.second.text);
    });
  });
  for (auto& [name, piece] : call.named) {
    call.of_torch = call.of_torch || name == "dim" || name == "dims" || name == "keepdim";
    if (name == "keepdims" || name == "keepdim") name = "keep";
    if (name == "dim" || name == "dims") name = "axis";
    if (name == "reverse" && call.function == "argsort") name = "descending";
  }
  for (const auto* folder : {"linalg.", "fft.", "special.", "nn.functional."})
    if (call.function.starts_with(folder)) call.function.erase(0, std::string_view(folder).size());
  if (call.function == "as_tensor" || call.function == "cat" || call.function == "concat")
    call.function = call.function == "as_tensor" ? "asarray" : "concatenate";
  const auto out =
      std::find_if(call.named.begin(), call.named.end(), [](const auto& one) { return one.first == "out"; });
  if (out != call.named.end()) {  // np.add(x, y, out=z)
    const auto target = out->second;
    call.named.erase(out);
    const auto value = translated_call(std::move(call), names);
    const bool fits = value && value->kind == PieceKind::expression && names.rank(target.text) > 0;
    return fits ? Answer(python_statement(fmt::format("{} = {}", target.text, value->text))) : std::nullopt;
  }
  PythonArguments given(call, names);
  // Without an axis, these are along the last or the first one.
  static constexpr std::string_view kAlongOne[] = {"sort", "argsort", "partition", "concatenate"};
  if (const auto axis = given.take("axis"); axis && axis->text != "None") {
    given.name("axis", *axis);
  } else if (axis && among(call.function, kAlongOne) && given.count() > 0) {
    if (given.at(0).kind == PieceKind::list) return std::nullopt;
    given.set(0, {fmt::format("flatten({})", given.text(0))});
  }
  if (given.is_plain() && names.known(call.function)) return given.call(call.function);  // of a cell
  if (auto answer = of_keywords(given); answer || given.is_refused()) return answer;
  // PyTorch's x.float(), where np.float64(x) has NumPy's name.
  static constexpr std::pair<std::string_view, std::string_view> kMethods[] = {{"float", "float"}, {"int", "int"}};
  for (const auto& [method, type] : kMethods)
    if (given.is_method() && given.count() == 1 && call.function == method)
      return PythonPiece{fmt::format("({}){}", type, given.at(0).bound(Binding::unary)), Binding::unary};
  if (!given.is_plain() && given.count() == 1)
    if (const auto type = type_of_numpy(call.function))
      return PythonPiece{fmt::format("({}){}", *type, given.at(0).bound(Binding::unary)), Binding::unary};
  if (call.function == "norm" && (!given.is_plain() || given.find("ord") != nullptr)) return of_norm(given);
  if (const auto function = drawing_of(given)) return of_random(given, *function);
  static constexpr std::string_view kProducts[] = {"dot", "inner", "vdot", "matmul", "tensordot"};
  if ((!given.is_plain() || !find_function(call.function)) && among(call.function, kProducts))
    return of_products(given);
  for (auto* of : {of_torch, of_creation, of_files, of_builtins, of_statements, of_parts})
    if (auto answer = of(given); answer || given.is_refused()) return given.is_refused() ? std::nullopt : answer;
  // np.maximum.reduce([a, b, c]): one after the other.
  if (call.function.ends_with(".reduce") && given.count() == 1 && given.none_left() && given.at(0).parts.size() > 1) {
    const auto* row = find_habit(Habit::Kind::numpy, call.function.substr(0, call.function.size() - 7));
    if (row == nullptr || row->advice.find('{') != std::string_view::npos) return std::nullopt;
    const auto parts = given.at(0).parts;
    auto text = parts[0].text;
    for (std::size_t i = 1; i < parts.size(); ++i) text = fmt::format("{}({}, {})", row->advice, text, parts[i].text);
    return PythonPiece{text};
  }
  // Along the first axis, unless the call says another.
  if ((call.function.ends_with(".reduce") || call.function.ends_with(".accumulate")) && given.count() == 1) {
    const bool said =
        std::any_of(call.named.begin(), call.named.end(), [](const auto& one) { return one.first == "axis"; });
    if (!said && !given.rank(0)) return std::nullopt;
    if (!said && given.rank(0) > 1) given.name("axis", PythonPiece{"0"});
  }
  static constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "min",  "max", "any",
                                                     "all", "std",  "var",  "amin", "amax"};
  if (!given.is_plain() && given.count() == 2 && given.at(1).kind == PieceKind::list &&
      among(call.function, kReductions)) {  // m.sum((0, 1))
    given.name("axis", given.at(1));
    given.drop(1);
  }
  // Over all axes: NumPy's axis=(0, 1) of a matrix.
  for (auto one = call.named.begin(); one != call.named.end(); ++one)
    if (one->first == "axis" && one->second.kind == PieceKind::list) {
      if (given.rank(0) != one->second.parts.size()) return over_axes(given);
      call.named.erase(one);
      break;
    }
  if (given.count() > 0)
    if (auto answer = of_shapes(given); answer || given.is_refused()) return answer;
  const bool ours = given.is_plain() && find_function(call.function);
  if (const auto* row = ours ? nullptr : find_habit(Habit::Kind::numpy, call.function)) return of_row(*row, given);
  const auto plain = call.function.find('.') == std::string::npos;
  if (plain && given.take("dtype")) return std::nullopt;
  return plain && find_function(call.function) ? Answer(given.call(call.function)) : std::nullopt;
}

}  // namespace xcuda::language
