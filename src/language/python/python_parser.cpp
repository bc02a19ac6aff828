#include "language/python/python_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"

namespace xcuda::language {
namespace {

// A call without its module: "linalg.norm" of np.linalg.norm, "random.normal" of rng.normal and random.normal.
std::string function_of(const std::string& path) {
  if (path.starts_with("random.")) return path;
  const auto rest = path.substr(path.find('.') + 1);
  return path.starts_with("rng.") || path.starts_with("rg.") ? "random." + rest : rest;
}

}  // namespace

std::optional<PythonPiece> PythonParser::whole_power(const PythonPiece& base, const PythonPiece& power) const {
  if (!is_digits(power.text) || power.text.size() > 2 || !is_whole(base)) return std::nullopt;
  const auto times = std::stoul(power.text);
  if (is_digits(base.text) && base.text.size() < 10) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < times; ++i)
      if (__builtin_mul_overflow(product, std::stoull(base.text), &product) || product > INT32_MAX) return std::nullopt;
    return PythonPiece{std::to_string(product)};
  }
  if (times < 2 || times > 4 || base.text.find_first_of("( ") != std::string::npos) return std::nullopt;
  auto text = base.text;
  for (std::size_t i = 1; i < times; ++i) text += " * " + base.text;
  return PythonPiece{text, Binding::product};
}

std::string PythonParser::first_element(const PythonPiece& array) {
  const auto rank = names_.rank(array.text).value_or(0);
  const bool name = !array.text.empty() && array.text.find_first_of(" ([.-") == std::string::npos;
  if (rank == 0 || !name) return fail().text;
  changed_ = true;
  auto text = array.text;
  for (std::size_t d = 0; d < rank; ++d) text += "[0]";
  return text;
}

PythonPiece PythonParser::postfix() {
  std::string path, seed;  // np.linalg; of np.random.default_rng(42).normal(...)
  auto piece = atom(path);
  several_.clear();
  pieces_.clear();
  while (!failed_) {
    if (accept(".")) {
      const auto name = std::string(peek().text);
      if (peek().kind != PythonToken::Kind::name) return fail();
      ++position_;
      if (!path.empty()) {
        path += "." + name;
        if (!at("(") && !at(".")) piece = of_module(path.substr(path.find('.') + 1)), path.clear();
        if (at("[") && is_numpy_grid(piece.text))
          piece = piece.text.ends_with("_") ? joined(piece.text) : grid(piece.text, ranges());
      } else if (at("(")) {
        ++position_;
        piece = call_of({name, {with_name(piece)}, {}, PythonCall::Of::value});
      } else if (piece.kind == PieceKind::type) {
        piece = limit_of(piece.text, name);
      } else if (piece.kind == PieceKind::tuple && piece.parts.size() == 2 && (name == "values" || name == "indices")) {
        piece = PythonPiece(piece.parts[name == "values" ? 0 : 1]);
      } else if (name == "real" || name == "imag") {
        piece = {fmt::format("{}({})", name, with_name(piece).text)};
        changed_ = true;
      } else if (const auto kind = name == "dtype" ? kind_of_piece(piece) : std::nullopt) {
        piece = {std::string(type_of(*kind).name), Binding::primary, PieceKind::type};
      } else if ((name == "nbytes" || name == "itemsize") && names_.rank(piece.text).value_or(0) > 0) {
        const bool all = name == "nbytes";
        piece = {fmt::format("sizeof({0}){1}", piece.text, all ? "" : fmt::format(" / {}.size", piece.text)),
                 all ? Binding::primary : Binding::product};
        changed_ = true;
      } else if (name == "flat") {
        piece = {fmt::format("flatten({})", with_name(piece).text)};
        changed_ = true;
      } else {
        piece = {fmt::format("{}.{}", with_name(piece).bound(Binding::primary), name)};
      }
    } else if (accept("(")) {
      if (path.empty() && piece.binding != Binding::primary) return fail();
      const bool plain = path.empty(), torch = path.starts_with("torch.") || path.starts_with("F.");
      auto name = plain ? piece.text : function_of(path);
      path.clear();
      if (!plain && (name == "random.default_rng" || name == "random.RandomState")) {
        if (!at(")")) seed = value().text;
        if (!accept(")") || !at(".")) return fail();
        path = "random";
        continue;
      }
      changed_ = changed_ || !plain;
      PythonCall call{std::move(name), {}, {}, plain ? PythonCall::Of::nothing : PythonCall::Of::module, torch};
      if (plain && call.function == "print" && !names_.known("print")) return printed();
      if (!seed.empty()) call.named.emplace_back("seed", PythonPiece{std::exchange(seed, {})});
      piece = call_of(std::move(call));
    } else if (piece.kind == PieceKind::tuple && at("[") && peek(2).text == "]" && peek(1).text.size() == 1 &&
               static_cast<std::size_t>(peek(1).text[0] - '0') < piece.parts.size()) {
      piece = PythonPiece(piece.parts[static_cast<std::size_t>(peek(1).text[0] - '0')]);
      position_ += 3;
    } else if (!pieces_.empty() && at("[") && peek(2).text == "]" && peek(1).text.size() == 1 &&
               static_cast<std::size_t>(peek(1).text[0] - '0') < pieces_.size()) {
      piece = {pieces_[static_cast<std::size_t>(peek(1).text[0] - '0')]};
      pieces_.clear();
      position_ += 3;
    } else if (!several_.empty() && at("[")) {  // of a tuple, one of its results
      const auto text = peek(1).text;
      const auto place = static_cast<std::size_t>(text.empty() ? '9' : text[0]) - '0';
      if (text.size() != 1 || place >= several_.size() || peek(2).text != "]") return fail();
      position_ += 3;
      piece = result_of(piece, several_[place]);
    } else if (path.empty() && accept("[")) {
      const auto base = with_name(piece).bound(Binding::primary);
      ++in_subscript_;
      piece = {base + subscripts(base)};
      --in_subscript_;
    } else {
      break;
    }
  }
  return path.empty() ? piece : fail();
}

std::vector<std::size_t> PythonParser::results_of(const PythonCall& call) const {
  auto name = std::string_view(call.function);
  if (const auto dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  static constexpr std::string_view kTuples[] = {"nonzero", "histogram", "histogram2d", "meshgrid", "eigh",
                                                 "eig",     "qr",        "svd",         "lstsq",    "slogdet"};
  static constexpr std::string_view kPlaces[] = {
      "where",        "triu_indices",      "triu_indices_from", "tril_indices",
      "diag_indices", "tril_indices_from", "diag_indices_from"};
  const auto given = [&](std::string_view argument) {
    return std::any_of(call.named.begin(), call.named.end(),
                       [&](const auto& one) { return one.first == argument && one.second.text != "false"; });
  };
  if (call.of == PythonCall::Of::nothing || call.arguments.empty()) return {};
  if (name == "unique_all") return {0, 2, 3, 1};
  if (name == "unique_counts") return {0, 1};
  if (name == "unique_inverse") return {0, 3};
  if (name == "unique") {
    std::vector<std::size_t> places = {0};
    if (given("return_index")) places.push_back(2);
    if (given("return_inverse")) places.push_back(3);
    if (given("return_counts")) places.push_back(1);
    return places.size() > 1 ? places : std::vector<std::size_t>();
  }
  const bool of_places = among(name, kPlaces) && (name != "where" || call.arguments.size() == 1);
  const bool tuple = among(name, kTuples) || of_places ||
                     (name == "gradient" && !given("axis") && names_.rank(call.arguments[0].text) != 1);
  const auto found = find_function(of_places ? "nonzero" : name);
  std::vector<std::size_t> places(tuple && found ? std::max<std::size_t>(found->row->results, 1) : 0);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

PythonPiece PythonParser::result_of(const PythonPiece& call, std::size_t place) {
  several_.clear();
  if (place == 0) return call;
  std::string names, name;
  for (std::size_t i = 0; i <= place; ++i) {
    name = name_of_result(i);
    if (name.empty()) return fail();
    names += (i == 0 ? "" : ", ") + name;
  }
  before_ += fmt::format("auto [{}] = {}; ", names, call.text);
  changed_ = true;
  return {name};
}

std::string PythonParser::name_of_result(std::size_t place) const {
  static constexpr std::string_view kNames[] = {"first", "second", "third", "fourth"};
  if (place >= std::size(kNames)) return {};
  auto name = std::string(kNames[place]);
  for (int again = 2; names_.known(name); ++again) name = fmt::format("{}{}", kNames[place], again);
  return name;
}

PythonPiece PythonParser::limit_of(std::string_view type, std::string_view which) {
  static constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"float", "FLT"},           {"double", "DBL"},  {"int", "INT"},
      {"long long", "LLONG"},     {"short", "SHRT"},  {"unsigned int", "UINT"},
      {"unsigned char", "UCHAR"}, {"int8_t", "SCHAR"}};
  for (const auto& [name, prefix] : kPrefixes) {
    if (name != type) continue;
    const bool real = prefix == "FLT" || prefix == "DBL";
    if (which == "max") return {fmt::format("{}_MAX", prefix)};
    if (which == "eps" && real) return {fmt::format("{}_EPSILON", prefix)};
    if (which == "tiny" && real) return {fmt::format("{}_MIN", prefix)};
    if (which == "min" && real) return {fmt::format("-{}_MAX", prefix), Binding::unary};
    if (which == "min" && !prefix.starts_with("U")) return {fmt::format("{}_MIN", prefix)};
  }
  return fail();
}

PythonPiece PythonParser::of_module(std::string_view name) {
  changed_ = true;
  if (is_numpy_grid(name) && at("[")) return {std::string(name)};
  if (const auto type = type_of_numpy(name)) return {*type, Binding::primary, PieceKind::type};
  static constexpr std::pair<std::string_view, std::string_view> kConstants[] = {
      {"pi", "M_PI"}, {"e", "M_E"},           {"inf", "INFINITY"},
      {"nan", "NAN"}, {"newaxis", "newaxis"}, {"euler_gamma", "0.5772156649015329"}};
  for (const auto& [numpy, here] : kConstants)
    if (name == numpy) return {std::string(here)};
  return fail();
}

PythonPiece PythonParser::atom(std::string& path) {
  const auto token = peek();
  ++position_;
  if (token.kind == PythonToken::Kind::number && (token.text.back() | 0x20) == 'j') {
    changed_ = true;
    return {fmt::format("complex<double>(0, {})", token.text.substr(0, token.text.size() - 1))};
  }
  if (token.kind == PythonToken::Kind::number) {
    auto number = std::string(token.text);
    std::erase(number, '_');
    if (number.starts_with("0o")) number.erase(1, 1);  // an octal number
    changed_ = changed_ || number != token.text;
    return {std::move(number)};
  }
  if (token.kind == PythonToken::Kind::string) {
    changed_ = changed_ || (token.text[0] == '\'' && token.text.size() != 3);
    return {fmt::format("\"{}\"", token.text.substr(1, token.text.size() - 2))};
  }
  if (token.kind == PythonToken::Kind::name) {
    const auto name = std::string(token.text);
    static constexpr std::string_view kWords[] = {"lambda", "for",   "in",  "is",     "if",    "else", "import",
                                                  "from",   "while", "def", "return", "const", "auto", "None"};
    if (among(name, kWords)) return fail();
    if (name == "True" || name == "False") {
      changed_ = true;
      return {name == "True" ? "true" : "false"};
    }
    if (at("[") && is_numpy_grid(name) && !name.ends_with("_") && !names_.known(name)) return grid(name, ranges());
    if (at("(") && is_of_numpy_alone(name) && !names_.known(name)) path = "np." + name;
    const bool axes = name == "ax" || name == "fig";  // of matplotlib
    if ((axes || is_python_module(name)) && at(".") && !names_.known(name)) path = name;
    return {name};
  }
  if (token.text == "(" || token.text == "[" || token.text == "{") {
    const auto* close = token.text == "(" ? ")" : token.text == "[" ? "]" : "}";
    std::vector<PythonPiece> parts;
    bool comma = false;
    while (!failed_ && !at(close)) {
      auto part = expression();
      const bool needs_name = part.kind == PieceKind::tuple || part.kind == PieceKind::new_array;
      parts.push_back(needs_name ? with_name(std::move(part)) : std::move(part));
      if (accept(","))
        comma = true;
      else
        break;
    }
    if (!accept(close)) return fail();
    if (token.text == "(" && !comma && parts.size() == 1) {
      if (parts[0].kind != PieceKind::expression) return parts[0];
      return {"(" + parts[0].text + ")"};
    }
    changed_ = changed_ || token.text != "{";
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part.text;
    PythonPiece list{"{" + text + "}", Binding::primary, PieceKind::list, std::move(parts)};
    list.is_tuple = token.text == "(";
    return list;
  }
  return fail();
}

PythonPiece PythonParser::counted_from_start(PythonPiece list, const std::string& base,
                                             std::optional<std::size_t> dimension) {
  list.text = "{";
  for (auto& part : list.parts) {
    if (part.kind == PieceKind::list) return fail();
    if (part.text.starts_with("-") && !dimension) return fail();
    if (part.text.starts_with("-")) part.text = fmt::format("{}.shape[{}] - {}", base, *dimension, part.text.substr(1));
    list.text += (list.text.size() > 1 ? ", " : "") + part.text;
  }
  list.text += "}";
  return array_of_list(list, "int").value_or(PythonPiece{});
}

std::string PythonParser::from_start(const PythonPiece& bound, const std::string& base,
                                     std::optional<std::size_t> dimension) {
  // x[-n:]: a computed bound does not count from the end here.
  const bool name =
      bound.text.size() > 1 && bound.text[0] == '-' && std::isalpha(static_cast<unsigned char>(bound.text[1])) != 0;
  if (!name || bound.binding != Binding::unary || !dimension) return bound.text;
  changed_ = true;
  return fmt::format("{}.shape[{}] - {}", base, *dimension, bound.text.substr(1));
}

std::string PythonParser::subscripts(const std::string& base) {
  std::string text;
  std::optional<std::size_t> dimension = 0;
  for (bool first = true; !failed_ && (first || accept(",")); first = false) {
    text += first ? "" : ", ";
    if (accept("...")) {
      text += "...";
      dimension.reset();
      continue;
    }
    if (accept("None")) {
      text += "newaxis";
      continue;
    }
    if (is_python_module(peek().text) && peek(1).text == "." && peek(2).text == "ix_" && peek(3).text == "(") {
      position_ += 4;
      text += crossed();
      dimension.reset();
      continue;
    }
    bool slice = false;
    if (!at(":")) {
      auto piece = expression();
      // All indices that nonzero() gives: where the condition holds.
      if (!several_.empty() && piece.text.starts_with("nonzero(") && (at("]") || at(","))) {
        const auto inner = piece.text.substr(8, piece.text.size() - 9);
        const bool truth = names_.kind && names_.kind(inner) == Kind::boolean;
        piece = {truth ? inner : fmt::format("({}) != 0", inner)};
        changed_ = true;
        dimension.reset();
      }
      if (piece.is_tuple && text.empty() && at("]")) {  // m[(i, j)] is m[i, j]
        for (const auto& part : piece.parts) text += (text.empty() ? "" : ", ") + with_name(part).text;
        changed_ = true;
        break;
      }
      const bool negative = piece.kind == PieceKind::list && piece.text.find('-') != std::string::npos;
      if (negative) piece = counted_from_start(std::move(piece), base, dimension);
      text += from_start(with_name(std::move(piece)), base, dimension);
    }
    const auto here = dimension;
    if (dimension) ++*dimension;
    while (accept(":")) {
      slice = true;
      text += ":";
      if (!at(":") && !at("]") && !at(",")) text += from_start(value(), base, here);
    }
    if (!slice && at(":")) fail();
  }
  if (!accept("]")) fail();
  return "[" + text + "]";
}

PythonPiece PythonParser::call_of(PythonCall call) {
  while (!failed_ && !at(")")) {
    if (peek().kind == PythonToken::Kind::name && peek(1).text == "=") {
      auto name = std::string(peek().text);
      position_ += 2;
      if (name != "axis" && accept("None"))
        changed_ = true;  // as if it were not given
      else if (accept("None"))
        call.named.emplace_back(std::move(name), PythonPiece{"None"});
      else
        call.named.emplace_back(std::move(name), argument());
    } else if (call.function == "clip" && accept("None")) {
      call.arguments.push_back({"None"});
    } else if (accept("*")) {  // of *x.shape
      const auto shape = value().text;
      const auto rank = shape.ends_with(".shape") ? names_.rank(shape.substr(0, shape.size() - 6)) : std::nullopt;
      if (!rank) return fail();
      for (std::size_t d = 0; d < *rank; ++d) call.arguments.push_back({fmt::format("{}[{}]", shape, d)});
    } else {
      call.arguments.push_back(argument());
    }
    if (!accept(",")) break;
  }
  if (failed_ || !accept(")")) return fail();
  return called(std::move(call));
}

void PythonParser::name_lists(PythonCall& call) {
  auto name = std::string_view(call.function);
  if (const auto dot = name.rfind('.'); dot != std::string_view::npos && !find_habit(Habit::Kind::numpy, name))
    name.remove_prefix(dot + 1);
  const bool plain = call.of == PythonCall::Of::nothing;
  if (call.function.ends_with(".reduce")) return;  // of the parts of a list, one after the other
  const auto* row = plain && find_function(name) ? nullptr : find_habit(Habit::Kind::numpy, name);
  const bool formula = row != nullptr && row->advice.find('{') != std::string_view::npos;
  const auto found = formula ? std::nullopt : find_function(row != nullptr ? row->advice : name);
  const auto takes_array = [&](std::size_t place, std::string_view argument) {
    if (formula) return row->advice.find("stack") == std::string_view::npos;
    if (!found) return false;
    for (const auto& signature : signatures_of(*found->row))
      for (std::size_t i = 0; i < signature.parameters.size(); ++i)
        if ((argument.empty() ? i == place : signature.parameters[i].name == argument) &&
            (signature.parameters[i].takes == Takes::array ||
             (signature.parameters[i].takes == Takes::any && signature.parameters[i].name != "q")))
          return true;
    return false;
  };
  static constexpr std::string_view kExtremes[] = {"max", "min", "amax", "amin"};
  const bool is_axis = !plain && among(name, kExtremes);  // the second argument
  static constexpr std::string_view kOfArrays[] = {"concatenate", "stack", "hstack", "vstack", "column_stack"};
  if (among(name, kOfArrays) && !call.arguments.empty() && call.arguments[0].kind == PieceKind::list) {
    auto& list = call.arguments[0];  // concatenate((a, [1, 2]))
    std::string text;
    for (auto& part : list.parts) {
      if (part.kind == PieceKind::list) part = with_name(part);
      text += (text.empty() ? "" : ", ") + part.text;
    }
    list.text = "{" + text + "}";
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (call.arguments[i].kind == PieceKind::list && takes_array(i, "") && !(i == 1 && is_axis))
      call.arguments[i] = with_name(call.arguments[i]);
  for (auto& [argument, piece] : call.named)
    if (piece.kind == PieceKind::list && takes_array(0, argument)) piece = with_name(piece);
}

PythonPiece PythonParser::called(PythonCall call) {
  name_lists(call);
  if ((call.function == "iinfo" || call.function == "finfo") && call.arguments.size() == 1) {
    const auto& of = call.arguments[0];
    const auto type = of.kind == PieceKind::type
                          ? std::optional(of.text)
                          : type_of_numpy(std::string_view(of.text).substr(of.text.starts_with("\"") ? 1 : 0));
    return type ? PythonPiece{*type, Binding::primary, PieceKind::type} : fail();
  }
  const bool values_alone = (call.function.ends_with("svd") && is_false(call, "compute_uv")) ||
                            call.function == "linalg.svdvals" || call.function == "histogram_bin_edges";
  if (call.function == "histogram_bin_edges") call.function = "histogram";
  if (call.function == "linalg.svdvals") call.function = "svd";
  if (values_alone && call.function.ends_with("svd")) call.named.clear();
  if (auto piece = in_steps(call); piece || failed_) {
    if (failed_) return fail();
    several_.clear();
    pieces_.clear();
    changed_ = true;
    return *piece;
  }
  auto several = results_of(call);
  const auto cuts = cuts_of(call, names_);
  const auto written = written_call(call, call.function);
  auto piece = launch_of(call, names_);
  if (!piece) piece = translated_call(std::move(call), names_);
  if (!piece || piece->text.empty()) return fail();
  changed_ = changed_ || piece->text != written;
  if (piece->kind == PieceKind::new_array && piece->extents.empty() && piece->type != "auto")  // one random number
    return with_name(*std::move(piece));
  several_ = std::move(several);
  pieces_ = cuts ? cuts->slices() : std::vector<std::string>();
  return values_alone ? result_of(*piece, 1) : *piece;
}

}  // namespace xcuda::language
