#include "compiler/host/host_source.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "base/host_arithmetic.hpp"
#include "cell/lexer.hpp"
#include "compiler/host/wrapping_source.hpp"

namespace xcuda::compiler {
namespace {

using cell::Token;
using cell::TokenKind;

constexpr std::string_view kHostFile = "/xcuda/host";
constexpr std::string_view kMark = "xcuda_shift()";  // xcuda/checked_shift.cuh says how it works
constexpr std::uint64_t kNarrowest = 32;             // bits of what is shifted, after promotion

std::string_view text_of(Number number) {
  switch (number) {
    case Number::int32: return "int";
    case Number::int64: return "long long";
    case Number::float32: return "float";
    case Number::float64: return "double";
    case Number::none: break;
  }
  return "void";
}

// Functions with results in memory, and with other types.
constexpr std::string_view kOtherFunctions = R"(
extern "C" __device__ void sincos(double xcuda_a, double* xcuda_s, double* xcuda_c) {
  *xcuda_s = xcuda_host_sin(xcuda_a), *xcuda_c = xcuda_host_cos(xcuda_a);
}
extern "C" __device__ void sincosf(float xcuda_a, float* xcuda_s, float* xcuda_c) {
  *xcuda_s = xcuda_host_sinf(xcuda_a), *xcuda_c = xcuda_host_cosf(xcuda_a);
}
extern "C" __device__ long lrint(double xcuda_a) { return xcuda_host_llrint(xcuda_a); }
extern "C" __device__ long lrintf(float xcuda_a) { return xcuda_host_llrintf(xcuda_a); }
extern "C" __device__ long lround(double xcuda_a) { return xcuda_host_llround(xcuda_a); }
extern "C" __device__ long lroundf(float xcuda_a) { return xcuda_host_llroundf(xcuda_a); }
__device__ double pow(double xcuda_a, int xcuda_b) { return xcuda_host_pow(xcuda_a, xcuda_b); }
__device__ float pow(float xcuda_a, int xcuda_b) { return xcuda_host_powf(xcuda_a, xcuda_b); }
)";

// A shift among the tokens.
struct Shift {
  std::string_view op;    // "<<", ">>="; empty: none
  std::size_t count = 0;  // of tokens
};

bool adjoins(const Token& token, std::string_view text) { return token.is(text) && !token.space_before; }

Shift shift_at(const std::vector<Token>& tokens, std::size_t i) {
  if (tokens[i].is("<<")) return {"<<", 1};
  if (tokens[i].is("<<=")) return {"<<=", 1};
  if (!tokens[i].is(">") || i + 2 >= tokens.size() || !adjoins(tokens[i + 1], ">") || adjoins(tokens[i + 2], ">"))
    return {};
  if (i > 0 && tokens[i - 1].is(">") && !tokens[i].space_before) return {};  // >>>
  return adjoins(tokens[i + 2], "=") ? Shift{">>=", 3} : Shift{">>", 2};
}

bool ends_operand(const Token& token) {
  if (token.is("operator") || token.is("return")) return false;
  if (token.kind == TokenKind::punctuator)
    return token.is(")") || token.is("]") || token.is("}") || token.is("++") || token.is("--");
  return token.kind != TokenKind::directive && token.kind != TokenKind::string;
}

// A<B<int>>: two angles are open before it, with nothing between them that is not of types.
bool closes_templates(const std::vector<Token>& tokens, std::size_t i) {
  static constexpr std::string_view kOfTypes[] = {",", "::", "*", "&", "...", "(", ")", "[", "]"};
  int closed = 0, open = 0;
  while (i-- > 1) {
    const auto& token = tokens[i];
    if (token.is(">")) ++closed;
    if (token.is("<") && closed > 0)
      --closed;
    else if (token.is("<") && (!tokens[i - 1].is_identifier() || ++open == 2))
      return open == 2;
    if (token.kind == TokenKind::directive) return false;
    if (token.kind != TokenKind::punctuator || token.is("<") || token.is(">")) continue;
    bool of_types = false;
    for (const auto one : kOfTypes) of_types = of_types || token.is(one);
    if (!of_types) return false;
  }
  return false;
}

// A literal that is always right, and all of the right operand.
bool is_small_literal(const std::vector<Token>& tokens, std::size_t i) {
  static constexpr std::string_view kGoesOn[] = {"*", "/", "%", "+", "-", ".", "->", "[", "(", "::"};
  if (i >= tokens.size() || tokens[i].kind != TokenKind::number) return false;
  const std::string text(tokens[i].text);
  char* end = nullptr;
  const auto value = std::strtoull(text.c_str(), &end, 0);
  const std::string_view rest = end;
  if (value >= kNarrowest || rest.find_first_not_of("uUlL") != std::string_view::npos) return false;
  for (const auto one : kGoesOn)
    if (i + 1 < tokens.size() && tokens[i + 1].is(one)) return false;
  return true;
}

std::string checked_text(std::string_view source);

// A macro's own shifts are those of what it is put into.
std::string with_checked_shifts_of_macro(std::string_view directive) {
  const auto line = cell::split_directive(directive);
  if (line.name != "define") return std::string(directive);
  const auto head = static_cast<std::size_t>(line.rest.data() - directive.data());
  return std::string(directive.substr(0, head)) + checked_text(line.rest);
}

std::string checked_text(std::string_view source) {
  const auto tokens = cell::tokens_of(source);
  std::string text;
  std::size_t from = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::directive) {
      text +=
          std::string(source.substr(from, tokens[i].span.begin - from)) + with_checked_shifts_of_macro(tokens[i].text);
      from = tokens[i].span.end;
      continue;
    }
    if (i == 0) continue;
    const auto shift = shift_at(tokens, i);
    if (shift.op.empty()) continue;
    const auto after = i + shift.count;
    const bool is_shift = ends_operand(tokens[i - 1]) && !is_small_literal(tokens, after) &&
                          !(shift.op == ">>" && closes_templates(tokens, i));
    if (is_shift) {
      const auto end = tokens[after - 1].span.end;
      text += std::string(source.substr(from, end - from)) + std::string(kMark) + std::string(shift.op);
      from = end;
    }
    i = after - 1;
  }
  return text + std::string(source.substr(from));
}

}  // namespace

// Definitions of the toolkit's own functions, which it declares alone: those of C, and C++'s overloads for float.
std::string host_math_source() {
  auto text = fmt::format("#line 1 \"{}\"\n", kHostFile);
  const auto define = [&](const std::string& head, std::string_view name, const HostFunction& function) {
    const bool two = function.input_count() == 2;
    const auto first = text_of(function.inputs[0]), second = text_of(function.inputs[1]);
    text += fmt::format("{} {}({} xcuda_a{}) {{ return {}(xcuda_a{}); }}\n", head, name, first,
                        two ? fmt::format(", {} xcuda_b", second) : "", function.symbol, two ? ", xcuda_b" : "");
  };
  for (const auto& function : host_functions()) {
    const bool two = function.input_count() == 2;
    const auto result = text_of(function.result);
    text += fmt::format("extern \"C\" __device__ {} {}({}{}{});\n", result, function.symbol,
                        text_of(function.inputs[0]), two ? ", " : "", two ? text_of(function.inputs[1]) : "");
    define(fmt::format("extern \"C\" __device__ {}", result), function.name, function);
    const bool single = function.inputs[0] == Number::float32;
    if (single)
      define(fmt::format("__device__ {}", result), function.name.substr(0, function.name.size() - 1), function);
  }
  return text + std::string(kOtherFunctions);
}

// Overloads for integers, which count as double, and beside a float as float, as in statements: with the toolkit's
// overloads such calls are ambiguous. They come before the code that calls them.
std::string host_math_overloads() {
  static constexpr std::string_view kIntegers[] = {"bool",  "char",           "signed char", "unsigned char",
                                                   "short", "unsigned short", "int",         "unsigned int",
                                                   "long",  "unsigned long",  "long long",   "unsigned long long"};
  static constexpr std::string_view kExactOfOne[] = {"sqrt",  "fabs", "floor",     "ceil",
                                                     "trunc", "rint", "nearbyint", "round"};
  static constexpr std::string_view kExactOfTwo[] = {"copysign"};
  std::string text = "template <class T> struct xcuda_number {};\n";
  const auto weigh = [&](std::string_view type, int weight) {
    text += fmt::format("template <> struct xcuda_number<{}> {{ static constexpr int weight = {}; }};\n", type, weight);
  };
  for (const auto type : kIntegers) weigh(type, 1);
  weigh("float", 10);
  weigh("double", 100);
  text +=
      "template <int> struct xcuda_with_integers {};\n"
      "template <> struct xcuda_with_integers<2> { using type = double; };\n"
      "template <> struct xcuda_with_integers<11> { using type = float; };\n"
      "template <> struct xcuda_with_integers<101> { using type = double; };\n";
  const auto one = [&](std::string_view name) {
    text += fmt::format(
        "template <class T> __device__ typename xcuda_with_integers<2 * xcuda_number<T>::weight>::type {0}(T xcuda_a) "
        "{{ return {0}(static_cast<double>(xcuda_a)); }}\n",
        name);
  };
  const auto two = [&](std::string_view name) {
    text += fmt::format(
        "template <class T, class U, class R = typename xcuda_with_integers<xcuda_number<T>::weight + "
        "xcuda_number<U>::weight>::type> __device__ R {0}(T xcuda_a, U xcuda_b) {{ return "
        "{0}(static_cast<R>(xcuda_a), static_cast<R>(xcuda_b)); }}\n",
        name);
  };
  for (const auto& function : host_functions()) {
    const bool real = function.result == Number::float64 && function.inputs[0] == Number::float64;
    if (real && function.inputs[1] == Number::none) one(function.name);
    if (real && function.inputs[1] == Number::float64) two(function.name);
  }
  for (const auto name : kExactOfOne) one(name);
  for (const auto name : kExactOfTwo) two(name);
  return text;
}

std::string with_checked_shifts(std::string_view source) {
  const auto text = checked_text(source);
  return text == source ? text : "#include <xcuda/checked_shift.cuh>\n" + text;
}

std::string without_marks(std::string_view text) {
  std::string plain(text);
  for (const auto mark : {kMark, kWrapMark})
    for (auto at = plain.find(mark); at != std::string::npos; at = plain.find(mark, at)) {
      const auto after = at + mark.size();
      std::size_t op = 3;  // the operator is there twice: "<<=" is the longest
      while (op > 0 && (op > at || plain.compare(at - op, op, plain, after, op) != 0)) --op;
      plain.erase(at, mark.size() + op);
    }
  return plain;
}

bool is_refused_as_host_code(std::string_view source, std::string_view log) {
  return source.find(kMark) != std::string_view::npos || source.find(kWrapMark) != std::string_view::npos ||
         log.find(kHostFile) != std::string_view::npos;
}

}  // namespace xcuda::compiler
