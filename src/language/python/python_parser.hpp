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
#include "language/python/python_text.hpp"
#include "language/python/tokens.hpp"

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
  // What print(x) shows by itself: only the last line of a cell shows numbers, and a block nothing.
  enum class Shows : std::uint8_t { all, arrays, nothing };
  void show(Shows what) { shows_ = what; }
  // Takes the token, as a text of its own.
  std::string taken() { return std::string(tokens_[std::min(position_++, tokens_.size() - 1)].text); }
  // Declarations that the line needs before it.
  const std::string& before() const { return before_; }

  // An expression with a value: a list or a new array gets a name.
  PythonPiece value() { return with_name(expression()); }
  // Names for the results that a call asks for one by one, as unique(return_counts=True) does.
  std::vector<std::string> asked_for(const PythonPiece& piece, std::string_view of = "part") const {
    if (!pieces_.empty()) {
      std::vector<std::string> names;
      for (std::size_t i = 1; i <= pieces_.size(); ++i) names.push_back(fresh(fmt::format("{}{}", of, i)));
      return names;
    }
    if (several_.size() < 2 || !piece.text.starts_with("unique(")) return {};
    static constexpr std::string_view kNames[] = {"values", "counts", "first", "inverse"};
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= *std::max_element(several_.begin(), several_.end()); ++i)
      names.emplace_back(kNames[i]);
    return names;
  }
  // A declaration of each part of a tuple, for these names or for others.
  std::string declared_parts(const PythonPiece& tuple, const std::vector<std::string>& targets = {});
  // Whether one name cannot hold what a call gives.
  bool gives_pieces() const { return !pieces_.empty(); }
  // "a, c" for two results of a call whose others come between them, "a, second, c"; otherwise
  // as they are.
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
    if (piece.kind == PieceKind::tuple) return piece.text.empty() ? fail() : PythonPiece{piece.text};
    if (piece.kind == PieceKind::list) piece = array_of_list(piece, std::nullopt, &names_).value_or(PythonPiece{});
    if (piece.kind != PieceKind::new_array) return piece;
    const auto name = fresh("values");
    const bool one = piece.extents.empty() && piece.type != "auto";  // a random number is an array's first element
    before_ += fmt::format("{} {}{} = {}; ", piece.type, name, one ? "[1]" : piece.extents, piece.text);
    return {one ? name + "[0]" : name};
  }

 private:
  static constexpr int kDeepest = 60;

  PythonPiece fail() {
    failed_ = true;
    position_ = tokens_.size() - 1;
    return {};
  }

  // A name that is not taken: this one, or with a number.
  std::string fresh(std::string_view name) const {
    auto written = std::string(name);
    const auto declared = [&] {
      for (const auto* mark : {"[", " ", ",", "]"})
        if (before_.find(" " + written + mark) != std::string::npos ||
            before_.find("[" + written + mark) != std::string::npos)
          return true;
      return false;
    };
    constexpr int kMost = 100;  // where includes may declare anything, every name may be known
    for (int i = 2; i < kMost && (names_.known(written) || declared()); ++i) written = fmt::format("{}{}", name, i);
    return written;
  }
  // auto name = text; before the line.
  std::string declared(std::string_view name, const std::string& text) {
    auto written = fresh(name);
    before_ += fmt::format("auto {} = {}; ", written, text);
    changed_ = true;
    return written;
  }
  // Calls that need a declaration before the line, or whose results are expressions of their own: steps.cpp.
  std::optional<PythonPiece> in_steps(const PythonCall& call);
  std::optional<PythonPiece> values_and_indices(const PythonCall& call);
  std::optional<PythonPiece> of_samples(const PythonCall& call);
  std::optional<PythonPiece> of_places(const PythonCall& call);
  std::optional<PythonPiece> of_keywords(const PythonCall& call);
  std::optional<PythonPiece> of_named_bins(const PythonCall& call, std::string_view rule);
  // np.mgrid[0:3, 0:4], np.ogrid, np.r_
  std::vector<PythonPiece> ranges();
  PythonPiece grid(std::string_view which, const std::vector<PythonPiece>& ranges);
  // np.ix_([0, 2], [1, 3]), as subscripts.
  std::string crossed();

  struct Operator {
    std::string_view text, here;
    Binding binding;
  };
  // Operators bind as in Python: & before comparisons.
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
    if (level == Binding::equality && accept("is")) {  // x is y
      const auto* op = accept("not") ? "!=" : "==";
      left = {fmt::format("&{} {} &{}", first_element(left), op, first_element(binary(next))), Binding::equality};
    }
    const bool absent = level == Binding::equality && at("not") && peek(1).text == "in";
    if (absent) ++position_;
    if (level == Binding::equality && accept("in")) {  // 3 in x
      const auto right = with_name(binary(next));
      if (names_.rank(right.text).value_or(0) == 0 || failed_) return fail();
      changed_ = true;
      return {fmt::format("{}any({} == {})", absent ? "!" : "", right.bound(Binding::order),
                          with_name(left).bound(Binding::order)),
              absent ? Binding::unary : Binding::primary};
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
        if (op->text == "/" && in_subscript_ == 0 && is_whole(left) && is_whole(right))  // a real number in Python
          left = {is_digits(left.text) ? left.text + ".0" : "(double)" + left.bound(Binding::unary), Binding::unary};
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
      if (auto product = whole_power(base, power)) return *std::move(product);
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
  static bool is_digits(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  bool is_whole(const PythonPiece& piece) const {
    const auto kind = kind_of_piece(piece);
    return is_digits(piece.text) || (kind && is_integer(*kind));
  }
  // ~ of a comparison is meant as its contrary.
  static bool is_condition(std::string_view text) {
    for (const auto* mark : {" < ", " > ", " == ", " != ", " <= ", " >= "})
      if (text.find(mark) != std::string_view::npos) return true;
    return false;
  }

  // Integers stay integers in Python: 2 ** 10 is 1024, k ** 2 is k * k.
  std::optional<PythonPiece> whole_power(const PythonPiece& base, const PythonPiece& power) const;
  // x[0], m[0][0]
  std::string first_element(const PythonPiece& array);

  PythonPiece postfix();

  // For each result in NumPy's tuple, the index of our result; empty where NumPy gives no tuple.
  std::vector<std::size_t> results_of(const PythonCall& call) const;

  // One of the results of a call: the first has no name of its own.
  PythonPiece result_of(const PythonPiece& call, std::size_t place);
  // A name that is not taken; empty where there are no more.
  std::string name_of_result(std::size_t place) const;

  // np.iinfo(np.int32).max
  PythonPiece limit_of(std::string_view type, std::string_view which);

  // np.r_[a, b], np.c_[a, b]
  PythonPiece joined(const std::string& how);

  PythonPiece of_module(std::string_view name);

  PythonPiece atom(std::string& path);

  // Elements of an array of indices do not count from the end: -1 is the extent less 1.
  PythonPiece counted_from_start(PythonPiece list, const std::string& base, std::optional<std::size_t> dimension);

  // A bound of a slice that counts from the end, -n.
  std::string from_start(const PythonPiece& bound, const std::string& base, std::optional<std::size_t> dimension);

  // Reads subscripts after the opening bracket.
  std::string subscripts(const std::string& base);

  // Reads the arguments after the opening parenthesis.
  PythonPiece call_of(PythonCall call);
  PythonPiece argument() {
    auto piece = expression();
    return piece.kind == PieceKind::new_array || piece.kind == PieceKind::tuple ? with_name(std::move(piece)) : piece;
  }
  // Names lists in places that take an array.
  void name_lists(PythonCall& call);
  static bool is_false(const PythonCall& call, std::string_view argument) {
    return std::any_of(call.named.begin(), call.named.end(),
                       [&](const auto& one) { return one.first == argument && one.second.text == "false"; });
  }
  PythonPiece called(PythonCall call);

  // print("n =", n), print(f"{x:.3f}"), after the opening parenthesis: builtins.cpp.
  struct Printed {
    std::string format, arguments;
    bool fits = true;
  };
  PythonPiece printed();
  bool add_number(const PythonPiece& piece, std::string_view how, Printed& printed);
  bool add_formatted(std::string_view text, Printed& printed);
  bool add_values(std::string_view text, const std::vector<PythonPiece>& values, Printed& printed);

  std::vector<PythonToken> tokens_;
  const PythonNames& names_;
  std::size_t position_ = 0;
  int depth_ = 0, in_subscript_ = 0;
  std::vector<std::size_t> several_;  // results of the call that was read last
  std::vector<std::string> pieces_;   // what they are, if each is a slice
  bool failed_ = false, changed_ = false;
  Shows shows_ = Shows::all;
  std::string before_;
};

}  // namespace xcuda::language
