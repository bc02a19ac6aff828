// The expressions of a line in the style of Python, read with Python's precedence and written with C++'s.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python_text.hpp"
#include "language/python_tokens.hpp"

namespace xcuda::language {

class PythonParser {
 public:
  PythonParser(std::vector<PythonToken> tokens, const PythonNames& names) : tokens_(std::move(tokens)), names_(names) {}

  bool failed() const { return failed_; }
  bool changed() const { return changed_; }
  bool at_end() const { return peek().kind == PythonToken::Kind::end; }
  bool at(std::string_view text) const {
    return peek().text == text && peek().kind != PythonToken::Kind::string && !at_end();
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    ++position_;
    return true;
  }
  const PythonToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  void change() { changed_ = true; }
  // Declarations that the line needs before it.
  const std::string& before() const { return before_; }

  // An expression with a value: a list or a new array gets a name.
  PythonPiece value() { return with_name(expression()); }
  // Names for the results that a call asks for one by one, as unique(return_counts=True) does.
  std::vector<std::string> asked_for(const PythonPiece& piece) const {
    if (several_.size() < 2 || !piece.text.starts_with("unique(")) return {};
    static constexpr std::string_view kNames[] = {"values", "counts", "first", "inverse"};
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= *std::max_element(several_.begin(), several_.end()); ++i)
      names.emplace_back(kNames[i]);
    return names;
  }
  // Whether one name cannot hold what a call gives.
  bool gives_pieces() const { return !pieces_.empty(); }
  // "a, c" for two results of a call whose others come between them, "a, second, c"; as they are where the line is no
  // such call.
  std::vector<std::string> names_of_results(const std::vector<std::string>& targets) const {
    if (several_.size() != targets.size() || targets.empty()) return targets;
    std::vector<std::string> names(*std::max_element(several_.begin(), several_.end()) + 1);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_of_result(i);
    for (std::size_t i = 0; i < targets.size(); ++i) names[several_[i]] = targets[i];
    return names;
  }

  PythonPiece expression() {
    if (++depth_ > kDeepest) return fail();
    auto piece = binary(Binding::either);
    if (accept("if")) {
      const auto condition = binary(Binding::either);
      if (!accept("else")) return fail();
      const auto otherwise = expression();
      changed_ = true;
      piece = {fmt::format("{} ? {} : {}", condition.bound(Binding::either), piece.text, otherwise.text),
               Binding::ternary};
    }
    --depth_;
    return piece;
  }

  PythonPiece with_name(PythonPiece piece) {
    if (piece.kind == PieceKind::type || piece.kind == PieceKind::statement) return fail();
    if (piece.kind == PieceKind::list) piece = array_of_list(piece).value_or(PythonPiece{});
    if (piece.kind != PieceKind::new_array) return piece;
    auto name = std::string("values");
    for (int i = 2; names_.known(name) || before_.find(" " + name + "[") != std::string::npos; ++i)
      name = fmt::format("values{}", i);
    before_ += fmt::format("{} {}{} = {}; ", piece.type, name, piece.extents, piece.text);
    return {name};
  }

 private:
  static constexpr int kDeepest = 60;

  PythonPiece fail() {
    failed_ = true;
    position_ = tokens_.size() - 1;
    return {};
  }

  struct Operator {
    std::string_view text, here;
    Binding binding;
  };
  // As Python binds them: & before comparisons.
  std::optional<Operator> operator_at(Binding level) const {
    static constexpr Operator kOperators[] = {
        {"or", "||", Binding::either}, {"||", "||", Binding::either},   {"and", "&&", Binding::both},
        {"&&", "&&", Binding::both},   {"|", "|", Binding::bit_or},     {"^", "^", Binding::bit_xor},
        {"&", "&", Binding::bit_and},  {"==", "==", Binding::equality}, {"!=", "!=", Binding::equality},
        {"<", "<", Binding::order},    {"<=", "<=", Binding::order},    {">", ">", Binding::order},
        {">=", ">=", Binding::order},  {"<<", "<<", Binding::shift},    {">>", ">>", Binding::shift},
        {"+", "+", Binding::sum},      {"-", "-", Binding::sum},        {"*", "*", Binding::product},
        {"/", "/", Binding::product},  {"%", "%", Binding::product},    {"@", "", Binding::product},
        {"//", "", Binding::product}};
    for (const auto& one : kOperators)
      if (one.binding == level && at(one.text)) return one;
    return std::nullopt;
  }

  PythonPiece binary(Binding level) {
    static constexpr Binding kOrder[] = {Binding::either, Binding::both,    Binding::equality,
                                         Binding::bit_or, Binding::bit_xor, Binding::bit_and,
                                         Binding::shift,  Binding::sum,     Binding::product};
    const auto* place = std::find(std::begin(kOrder), std::end(kOrder), level);
    if (place == std::end(kOrder)) return unary();
    const auto next = place + 1 == std::end(kOrder) ? Binding::unary : place[1];
    if (level == Binding::equality && accept("not")) {
      changed_ = true;
      return {"!" + with_name(binary(level)).bound(Binding::unary), Binding::unary};
    }
    auto left = binary(next);
    if (level == Binding::equality && accept("in")) {  // 3 in x
      const auto right = with_name(binary(next));
      if (names_.rank(right.text).value_or(0) == 0 || failed_) return fail();
      changed_ = true;
      return {fmt::format("any({} == {})", right.bound(Binding::order), with_name(left).bound(Binding::order))};
    }
    for (auto op = operator_of(level); op; op = operator_of(level)) {
      ++position_;
      left = with_name(left);
      const auto right = with_name(binary(next));
      if (failed_) return left;
      if (op->text == "@") {
        left = called({"matmul", {left, right}, {}, PythonCall::Of::module});
      } else if (op->text == "//") {
        left = called({"floor_divide", {left, right}, {}, PythonCall::Of::module});
      } else if (op->text == "%" && (is_real(left) || is_real(right))) {
        left = called({"mod", {left, right}, {}, PythonCall::Of::module});
      } else {
        const auto tighter = static_cast<Binding>(static_cast<int>(op->binding) + 1);
        left = {fmt::format("{} {} {}", left.bound(op->binding), op->here, right.bound(tighter)), op->binding};
      }
      changed_ = changed_ || op->here.empty();
    }
    return left;
  }
  std::optional<Operator> operator_of(Binding level) const {
    if (level == Binding::equality)
      if (const auto order = operator_at(Binding::order)) return order;
    return operator_at(level);
  }

  PythonPiece unary() {
    for (const auto* sign : {"-", "+", "~", "!"})
      if (accept(sign)) {
        if (++depth_ > kDeepest) return fail();
        const auto operand = with_name(unary());
        --depth_;
        const bool truth = *sign == '~' && ((operand.text.starts_with("(") && is_condition(operand.text)) ||
                                            kind_of_piece(operand) == Kind::boolean);
        changed_ = changed_ || truth;
        return {(truth ? "!" : sign) + operand.bound(Binding::unary), Binding::unary};
      }
    auto base = postfix();
    if (accept("**")) {
      const auto power = with_name(unary());
      base = with_name(base);
      changed_ = true;
      return {fmt::format("pow({}, {})", base.text, power.text)};
    }
    return base;
  }
  std::optional<Kind> kind_of_piece(const PythonPiece& piece) const {
    return names_.kind ? names_.kind(piece.text) : std::nullopt;
  }
  bool is_real(const PythonPiece& piece) const {
    const auto kind = kind_of_piece(piece);
    return kind && is_floating(*kind);
  }
  // ~ of a comparison is meant as its contrary.
  static bool is_condition(std::string_view text) {
    for (const auto* mark : {" < ", " > ", " == ", " != ", " <= ", " >= "})
      if (text.find(mark) != std::string_view::npos) return true;
    return false;
  }

  PythonPiece postfix() {
    std::string path;  // np.linalg
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
          if (at("[") && (piece.text == "r_" || piece.text == "c_")) piece = joined(piece.text);
        } else if (at("(")) {
          ++position_;
          piece = call_of({name, {with_name(piece)}, {}, PythonCall::Of::value});
        } else if (piece.kind == PieceKind::type) {
          piece = limit_of(piece.text, name);
        } else if (name == "real" || name == "imag") {
          piece = {fmt::format("{}({})", name, with_name(piece).text)};
          changed_ = true;
        } else {
          piece = {fmt::format("{}.{}", with_name(piece).bound(Binding::primary), name)};
        }
      } else if (accept("(")) {
        if (path.empty() && piece.binding != Binding::primary) return fail();
        const bool plain = path.empty();
        auto name = plain ? piece.text : path.starts_with("random.") ? path : path.substr(path.find('.') + 1);
        path.clear();
        changed_ = changed_ || !plain;
        piece = call_of({std::move(name), {}, {}, plain ? PythonCall::Of::nothing : PythonCall::Of::module});
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
        piece = {base + subscripts(base)};
      } else {
        break;
      }
    }
    return path.empty() ? piece : fail();
  }

  // The slices that split(x, [2, 4]) gives.
  static std::vector<std::string> pieces_of(const PythonCall& call) {
    const bool split = (call.function == "split" || call.function == "array_split") && call.arguments.size() == 2 &&
                       call.named.empty() && call.arguments[1].kind == PieceKind::list;
    if (!split) return {};
    std::vector<std::string> pieces;
    std::string first;
    const auto x = call.arguments[0].bound(Binding::primary);
    for (const auto& place : call.arguments[1].parts) {
      pieces.push_back(fmt::format("{}[{}:{}]", x, first, place.text));
      first = place.text;
    }
    pieces.push_back(fmt::format("{}[{}:]", x, first));
    return pieces;
  }

  // Of the results that NumPy gives as a tuple, which one of ours each is; none where there is no tuple.
  std::vector<std::size_t> results_of(const PythonCall& call) const {
    auto name = std::string_view(call.function);
    if (const auto dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    static constexpr std::string_view kTuples[] = {"nonzero", "histogram", "histogram2d", "meshgrid", "eigh",
                                                   "eig",     "qr",        "svd",         "lstsq",    "slogdet"};
    const auto given = [&](std::string_view argument) {
      return std::any_of(call.named.begin(), call.named.end(),
                         [&](const auto& one) { return one.first == argument && one.second.text != "false"; });
    };
    if (call.of == PythonCall::Of::nothing || call.arguments.empty()) return {};
    if (name == "unique") {
      std::vector<std::size_t> places = {0};
      if (given("return_index")) places.push_back(2);
      if (given("return_inverse")) places.push_back(3);
      if (given("return_counts")) places.push_back(1);
      return places.size() > 1 ? places : std::vector<std::size_t>();
    }
    const bool tuple = among(name, kTuples) || (name == "where" && call.arguments.size() == 1) ||
                       (name == "gradient" && !given("axis") && names_.rank(call.arguments[0].text) != 1);
    const auto found = find_function(name == "where" ? "nonzero" : name);
    std::vector<std::size_t> places(tuple && found ? std::max<std::size_t>(found->row->results, 1) : 0);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }

  // One of the results of a call: the first has no name of its own.
  PythonPiece result_of(const PythonPiece& call, std::size_t place) {
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
  // One that is not taken; empty where there are no more.
  std::string name_of_result(std::size_t place) const {
    static constexpr std::string_view kNames[] = {"first", "second", "third", "fourth"};
    if (place >= std::size(kNames)) return {};
    auto name = std::string(kNames[place]);
    for (int again = 2; names_.known(name); ++again) name = fmt::format("{}{}", kNames[place], again);
    return name;
  }

  // np.iinfo(np.int32).max
  PythonPiece limit_of(std::string_view type, std::string_view which) {
    static constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
        {"float", "FLT"},         {"double", "DBL"},         {"int", "INT"}, {"long long", "LLONG"}, {"short", "SHRT"},
        {"unsigned int", "UINT"}, {"unsigned char", "UCHAR"}};
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

  // np.r_[a, b], np.c_[a, b]
  PythonPiece joined(const std::string& how) {
    const auto parts = atom_list();
    const bool rows =
        std::all_of(parts.begin(), parts.end(), [&](const auto& one) { return names_.rank(one.text) == 1; });
    std::string list;
    for (const auto& part : parts) list += (list.empty() ? "" : ", ") + part.text;
    if (!rows || parts.empty()) return fail();
    return {how == "r_" ? fmt::format("concatenate({{{}}})", list) : fmt::format("stack({{{}}}, axis = 1)", list)};
  }
  std::vector<PythonPiece> atom_list() {
    std::string path;
    return atom(path).parts;
  }

  PythonPiece of_module(std::string_view name) {
    changed_ = true;
    if ((name == "r_" || name == "c_") && at("[")) return {std::string(name)};
    if (const auto type = type_of_numpy(name)) return {*type, Binding::primary, PieceKind::type};
    static constexpr std::pair<std::string_view, std::string_view> kConstants[] = {
        {"pi", "M_PI"}, {"e", "M_E"}, {"inf", "INFINITY"}, {"nan", "NAN"}, {"newaxis", "newaxis"}};
    for (const auto& [numpy, here] : kConstants)
      if (name == numpy) return {std::string(here)};
    return fail();
  }

  PythonPiece atom(std::string& path) {
    const auto token = peek();
    ++position_;
    if (token.kind == PythonToken::Kind::number && (token.text.back() | 0x20) == 'j') {
      changed_ = true;
      return {fmt::format("complex<double>(0, {})", token.text.substr(0, token.text.size() - 1))};
    }
    if (token.kind == PythonToken::Kind::number) return {std::string(token.text)};
    if (token.kind == PythonToken::Kind::string) {
      changed_ = changed_ || (token.text[0] == '\'' && token.text.size() != 3);
      return {fmt::format("\"{}\"", token.text.substr(1, token.text.size() - 2))};
    }
    if (token.kind == PythonToken::Kind::name) {
      const auto name = std::string(token.text);
      static constexpr std::string_view kWords[] = {"lambda", "for",   "in",  "is",     "if",    "else", "import",
                                                    "from",   "while", "def", "return", "const", "auto"};
      if (among(name, kWords)) return fail();
      if (name == "True" || name == "False") {
        changed_ = true;
        return {name == "True" ? "true" : "false"};
      }
      if (name == "None") return fail();
      if (is_python_module(name) && at(".") && !names_.known(name)) path = name;
      return {name};
    }
    if (token.text == "(" || token.text == "[" || token.text == "{") {
      const auto* close = token.text == "(" ? ")" : token.text == "[" ? "]" : "}";
      std::vector<PythonPiece> parts;
      bool comma = false;
      while (!failed_ && !at(close)) {
        parts.push_back(expression());
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
      return {"{" + text + "}", Binding::primary, PieceKind::list, std::move(parts)};
    }
    return fail();
  }

  // Elements of an array of indices do not count from the end: -1 is the extent less 1.
  PythonPiece counted_from_start(PythonPiece list, const std::string& base, std::optional<std::size_t> dimension) {
    list.text = "{";
    for (auto& part : list.parts) {
      if (part.kind == PieceKind::list) return fail();
      if (part.text.starts_with("-") && !dimension) return fail();
      if (part.text.starts_with("-"))
        part.text = fmt::format("{}.shape[{}] - {}", base, *dimension, part.text.substr(1));
      list.text += (list.text.size() > 1 ? ", " : "") + part.text;
    }
    list.text += "}";
    return list;
  }

  // After the opening bracket.
  std::string subscripts(const std::string& base) {
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
      bool slice = false;
      if (!at(":")) {
        auto piece = expression();
        const bool negative = piece.kind == PieceKind::list && piece.text.find('-') != std::string::npos;
        if (negative) piece = counted_from_start(std::move(piece), base, dimension);
        text += with_name(std::move(piece)).text;
      }
      if (dimension) ++*dimension;
      while (accept(":")) {
        slice = true;
        text += ":";
        if (!at(":") && !at("]") && !at(",")) text += value().text;
      }
      if (!slice && at(":")) fail();
    }
    if (!accept("]")) fail();
    return "[" + text + "]";
  }

  // After the opening parenthesis.
  PythonPiece call_of(PythonCall call) {
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
      } else {
        call.arguments.push_back(argument());
      }
      if (!accept(",")) break;
    }
    if (failed_ || !accept(")")) return fail();
    return called(std::move(call));
  }
  PythonPiece argument() {
    auto piece = expression();
    return piece.kind == PieceKind::new_array ? with_name(std::move(piece)) : piece;
  }
  // Where an array is taken, a list gets a name.
  void name_lists(PythonCall& call) {
    auto name = std::string_view(call.function);
    if (const auto dot = name.rfind('.'); dot != std::string_view::npos && !find_habit(Habit::Kind::numpy, name))
      name.remove_prefix(dot + 1);
    const bool plain = call.of == PythonCall::Of::nothing;
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
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (call.arguments[i].kind == PieceKind::list && takes_array(i, ""))
        call.arguments[i] = with_name(call.arguments[i]);
    for (auto& [argument, piece] : call.named)
      if (piece.kind == PieceKind::list && takes_array(0, argument)) piece = with_name(piece);
  }
  static bool is_false(const PythonCall& call, std::string_view argument) {
    return std::any_of(call.named.begin(), call.named.end(),
                       [&](const auto& one) { return one.first == argument && one.second.text == "false"; });
  }
  PythonPiece called(PythonCall call) {
    name_lists(call);
    if ((call.function == "iinfo" || call.function == "finfo") && call.arguments.size() == 1 &&
        call.arguments[0].kind == PieceKind::type)
      return call.arguments[0];
    const bool values_alone = call.function.ends_with("svd") && is_false(call, "compute_uv");
    if (values_alone) call.named.clear();
    auto several = results_of(call);
    auto pieces = pieces_of(call);
    const auto written = written_call(call, call.function);
    auto piece = launch_of(call, names_);
    if (!piece) piece = translated_call(std::move(call), names_);
    if (!piece || piece->text.empty()) return fail();
    changed_ = changed_ || piece->text != written;
    several_ = std::move(several);
    pieces_ = std::move(pieces);
    return values_alone ? result_of(*piece, 1) : *piece;
  }

  std::vector<PythonToken> tokens_;
  const PythonNames& names_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::vector<std::size_t> several_;  // results of the call that was read last
  std::vector<std::string> pieces_;   // what they are, if each is a slice
  bool failed_ = false, changed_ = false;
  std::string before_;
};

}  // namespace xcuda::language
