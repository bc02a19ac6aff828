// Python's own functions, and print() of texts and numbers, which is printf() here.
#include <fmt/format.h>

#include <algorithm>

#include "language/python/arguments.hpp"
#include "language/python/python_parser.hpp"

namespace xcuda::language {

PythonAnswer of_builtins(PythonArguments& given) {
  const auto& name = given.function();
  if (given.count() == 0 && !given.is_plain() && name.ends_with("synchronize"))
    return python_statement("cudaDeviceSynchronize()");
  if (given.count() == 0) return std::nullopt;
  const auto x = given.at(0).bound(Binding::primary);
  if (given.is_plain() && given.count() == 1) {
    const bool text = given.text(0).starts_with("\"");
    if (name == "str" && given.rank(0) == 0 && given.kind(0))
      return PythonPiece{fmt::format("std::to_string({})", given.text(0))};
    if (text && (name == "int" || name == "float"))
      return PythonPiece{fmt::format("{}({})", name == "int" ? "atoi" : "atof", given.text(0))};
  }
  if (name == "item" && given.is_method()) {
    if (given.count() == 1 && given.rank(0) == 0) return given.at(0);
    return given.count() == 2 ? PythonAnswer(PythonPiece{fmt::format("{}[{}]", x, given.text(1))}) : std::nullopt;
  }
  if (name == "to" && given.is_method() && given.count() == 2 && given.rank(0) > 0)
    if (const auto& device = given.text(1); device.starts_with("\"cuda") || device.starts_with("\"cpu"))
      return given.at(0);
  static constexpr std::string_view kSame[] = {"cuda", "detach", "contiguous"};
  if (given.is_method() && given.count() == 1 && given.none_left() && given.rank(0) > 0) {
    if (among(name, kSame)) return given.at(0);
    if (name == "clone") return given.call("copy");
  }
  // (2 * x).get(): what is computed needs no copy. A name alone is answered in words.
  static constexpr std::string_view kToHost[] = {"get", "numpy", "cpu", "copy_to_host"};
  if (given.is_method() && given.count() == 1 && given.none_left() && among(name, kToHost) &&
      (given.rank(0) || given.kind(0)) && given.text(0).find_first_of("([ .") != std::string::npos)
    return given.at(0);
  static constexpr std::string_view kToDevice[] = {"to_gpu", "to_device", "asnumpy"};
  const bool computed = given.text(0).find_first_of("([ .") != std::string::npos;
  if (among(name, kToDevice) && !given.is_plain() && given.count() == 1 && given.none_left() && computed &&
      (given.rank(0) || given.kind(0)))
    return given.at(0);
  if (name == "hist" && !given.is_plain() && given.count() <= 2)
    if (const auto bins = given.take(1, "bins"))
      return given.none_left() && given.rank(0) > 0 && given.rank_of(*bins) == 0
                 ? PythonAnswer(python_statement(fmt::format("%hist {} --bins {}", given.text(0), bins->text)))
                 : std::nullopt;
  if (!given.is_plain() || given.count() != 1) return std::nullopt;
  if (name == "len") return PythonPiece{fmt::format("size({})", given.text(0))};
  if (name == "sorted") {
    const bool backward = given.take("reverse").value_or(PythonPiece{}).text == "true";
    if (!given.none_left()) return given.refuse();
    return PythonPiece{fmt::format("sort({}){}", given.text(0), backward ? "[::-1]" : "")};
  }
  return std::nullopt;
}

namespace {

// What printf() writes a number of a kind with, and the number as it takes it.
std::optional<std::pair<std::string, std::string>> conversion(Kind kind, const PythonPiece& piece) {
  if (is_complex(kind)) return std::nullopt;
  if (kind == Kind::boolean)
    return std::pair("%s", fmt::format("{} ? \"True\" : \"False\"", piece.bound(Binding::either)));
  if (is_floating(kind)) return std::pair("%g", piece.text);
  if (bits_of(kind) < 64) return std::pair(is_signed(kind) ? "%d" : "%u", piece.text);
  return std::pair(is_signed(kind) ? "%lld" : "%llu", piece.text);
}

std::string in_format(std::string_view text) {
  std::string written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) written += text[i++];
    if (text[i] == '%') written += '%';
    if (text[i] == '"' && (written.empty() || written.back() != '\\')) written += '\\';
    written += text[i];
  }
  return written;
}

}  // namespace

bool PythonParser::add_number(const PythonPiece& piece, std::string_view how, Printed& printed) {
  const auto kind = names_.rank(piece.text) == 0 ? kind_of_piece(piece) : std::nullopt;
  const auto written = kind ? conversion(*kind, piece) : std::nullopt;
  if (!written) return false;
  auto [format, argument] = *written;
  if (!how.empty()) {  // {x:.3f}, {n:5d}
    const bool real = is_floating(*kind), whole = how.back() == 'd';
    if (how.find_first_not_of("0123456789.", 0) != how.size() - 1 || real == whole ||
        std::string_view("dfeg").find(how.back()) == std::string_view::npos)
      return false;
    format = whole ? fmt::format("%{}{}", how.substr(0, how.size() - 1), std::string_view(format).substr(1))
                   : fmt::format("%{}", how);
  }
  printed.format += format;
  printed.arguments += ", " + argument;
  return true;
}

// f"{x} and {y:.2f}", without its quotes.
bool PythonParser::add_formatted(std::string_view text, Printed& printed) {
  for (std::size_t at = 0; at < text.size();) {
    const auto open = std::min(text.find_first_of("{}", at), text.size());
    printed.format += in_format(text.substr(at, open - at));
    if (open == text.size()) break;
    if (text.substr(open, 2) == "{{" || text.substr(open, 2) == "}}") {
      printed.format += text[open];
      at = open + 2;
      continue;
    }
    const auto close = text.find('}', open);
    if (text[open] == '}' || close == std::string_view::npos) return false;
    auto inside = text.substr(open + 1, close - open - 1);
    const auto colon = inside.rfind(':');
    const bool spec = colon != std::string_view::npos && inside.find(']', colon) == std::string_view::npos;
    const auto how = spec ? inside.substr(colon + 1) : std::string_view();
    if (spec) inside = inside.substr(0, colon);
    auto tokens = python_tokens(inside);
    if (!tokens || tokens->size() < 2 || (spec && how.empty())) return false;
    PythonParser parser(*std::move(tokens), names_);
    const auto piece = parser.value();
    if (parser.failed() || !parser.at_end() || !parser.before().empty() || !add_number(piece, how, printed))
      return false;
    at = close + 1;
  }
  return true;
}

// "%d of %s", "{} and {:.2f}" with the values that follow: one after the other.
bool PythonParser::add_values(std::string_view text, const std::vector<PythonPiece>& values, Printed& printed) {
  const bool percent = text.find('{') == std::string_view::npos;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto mark = std::min(text.find(percent ? '%' : '{', at), text.size());
    printed.format += in_format(text.substr(at, mark - at));
    if (mark == text.size()) break;
    const auto end = percent ? text.find_first_of("dsfgei%", mark + 1) : text.find('}', mark);
    if (end == std::string_view::npos) return false;
    auto how = text.substr(mark + 1, end - mark - (percent ? 0 : 1));
    at = end + 1;
    if (percent && how == "%") {
      printed.format += "%%";
      continue;
    }
    if (!percent && how.starts_with(":")) how.remove_prefix(1);
    if (next == values.size()) return false;
    auto value = values[next++];
    if ((how.empty() || how == "s") && value.text.size() > 1 && value.text.starts_with("\"")) {
      printed.format += in_format(value.text.substr(1, value.text.size() - 2));
      continue;
    }
    if (how == "s" || how == "d" || how == "i") how = "";
    const auto kind = kind_of_piece(value);
    const bool whole = kind && !is_floating(*kind) && !is_complex(*kind) && !how.empty() && how.back() != 'd';
    if (whole && how.find_first_not_of("0123456789.") == how.size() - 1) {
      printed.format += fmt::format("%{}", how);
      printed.arguments += ", (double)" + value.bound(Binding::unary);
      continue;
    }
    if (!add_number(value, how, printed)) return false;
  }
  return next == values.size();
}

PythonPiece PythonParser::printed() {
  Printed printed;
  std::string ending = "\\n";
  std::size_t count = 0, texts = 0;
  PythonPiece last;
  while (!failed_ && !at(")")) {
    if (peek().text == "end" && peek(1).text == "=" && peek(2).kind == PythonToken::Kind::string) {
      ending = in_format(peek(2).text.substr(1, peek(2).text.size() - 2));
      position_ += 3;
    } else {
      printed.format += count++ == 0 ? "" : " ";
      const bool formatted = peek().text == "f" && peek(1).kind == PythonToken::Kind::string;
      if (formatted) ++position_;
      const bool filled = peek().kind == PythonToken::Kind::string && !formatted &&
                          (peek(1).text == "%" || (peek(1).text == "." && peek(2).text == "format"));
      if (filled) {
        const auto text = peek().text.substr(1, peek().text.size() - 2);
        const bool percent = peek(1).text == "%";
        position_ += percent ? 2 : 4;  // also .format(
        ++texts;
        std::vector<PythonPiece> values;
        if (percent) {
          const auto all = unary();
          values = all.kind == PieceKind::list ? all.parts : std::vector<PythonPiece>{all};
        } else {
          while (!failed_ && !at(")")) {
            values.push_back(value());
            if (!accept(",")) break;
          }
          if (!accept(")")) return fail();
        }
        if (failed_ || !add_values(text, values, printed)) return fail();
      } else if (peek().kind == PythonToken::Kind::string && (peek(1).text == "," || peek(1).text == ")")) {
        const auto text = peek().text.substr(1, peek().text.size() - 2);
        ++texts, ++position_;
        if (!formatted)
          printed.format += in_format(text);
        else if (!add_formatted(text, printed))
          return fail();
      } else {
        last = value();
        if (!add_number(last, "", printed)) printed.fits = false;
      }
    }
    if (!accept(",")) break;
  }
  if (failed_ || !accept(")")) return fail();
  changed_ = true;
  const bool shown = shows_ == Shows::all || (shows_ == Shows::arrays && !printed.fits);
  if (shown && count == 1 && texts == 0 && ending == "\\n") return last;  // as it is
  if (!printed.fits) return fail();
  return {fmt::format("printf(\"{}{}\"{})", printed.format, ending, printed.arguments), Binding::ternary,
          PieceKind::statement};
}

}  // namespace xcuda::language
