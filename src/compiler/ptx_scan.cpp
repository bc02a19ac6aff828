#include "compiler/ptx_scan.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace xcuda::compiler {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '%';
}

std::uint32_t size_of_ptx_type(std::string_view type) {
  // .b8 .u16 .s32 .f64 ...: the number is the width in bits; .pred never is a parameter.
  std::uint32_t bits = 0;
  const auto digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits / 8;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  PtxFacts run() {
    while (skip_blank(), at_ < text_.size()) {
      const auto start = at_;
      if (text_[at_] == '{') {
        skip_braces();
        continue;
      }
      const auto word = next_word();
      if (word.empty()) {
        ++at_;
        continue;
      }
      if (word == ".entry")
        entry(directives_begin_ == npos ? start : directives_begin_);
      else if (word == ".func") {
        skip_to_any("{;");
        if (peek() == '{') skip_braces();
      } else if (word == ".global" || word == ".const") {
        variable(word == ".const");
        continue;
      } else if (word == ".visible" || word == ".weak" || word == ".extern" || word == ".common") {
        if (directives_begin_ == npos) directives_begin_ = start;
        continue;
      } else if (word == ".file" || word == ".section" || word == ".loc" || word == ".pragma") {
        skip_line(word);
      }
      directives_begin_ = npos;
    }
    return std::move(facts_);
  }

 private:
  static constexpr auto npos = std::string_view::npos;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blank() {
    at_ = std::min(at_, text_.size());  // a text that is cut short
    for (;;) {
      while (at_ < text_.size() && blank(text_[at_])) ++at_;
      if (text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.substr(at_, 2) == "/*")
        at_ = std::min(std::min(text_.find("*/", at_), text_.size()) + 2, text_.size());
      else
        return;
    }
  }

  std::string_view next_word() {
    skip_blank();
    const auto start = at_;
    while (at_ < text_.size() && word_char(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void skip_line(std::string_view word) {
    if (word == ".section") {
      skip_to_any("{");
      if (peek() == '{') skip_braces();
      return;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void skip_to_any(const char* characters) { at_ = std::min(text_.find_first_of(characters, at_), text_.size()); }

  // Braces nest in bodies; strings of inline assembly cannot hold one there, comments can.
  void skip_braces() {
    int depth = 0;
    while (at_ < text_.size()) {
      at_ = std::min(text_.find_first_of("{}/", at_), text_.size());
      if (at_ >= text_.size()) return;
      const char c = text_[at_];
      if (c == '/') {
        if (text_.substr(at_, 2) == "//")
          at_ = std::min(text_.find('\n', at_), text_.size());
        else if (text_.substr(at_, 2) == "/*")
          at_ = std::min(std::min(text_.find("*/", at_), text_.size()) + 2, text_.size());
        else
          ++at_;
        continue;
      }
      ++at_;
      depth += c == '{' ? 1 : -1;
      if (depth == 0) return;
    }
  }

  std::uint64_t number() {
    skip_blank();
    std::uint64_t value = 0;
    int base = 10;
    if (text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X") {
      base = 16;
      at_ += 2;
    }
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base);
    if (error == std::errc()) at_ = static_cast<std::size_t>(end - text_.data());
    while (peek() == 'U' || peek() == 'u') ++at_;
    return value;
  }

  // [n][m] behind a name; a missing bound counts as 0.
  std::uint64_t extents() {
    std::uint64_t count = 1;
    for (skip_blank(); peek() == '['; skip_blank()) {
      ++at_;
      count *= number();
      skip_to_any("]");
      ++at_;
    }
    return count;
  }

  void entry(std::size_t begin) {
    PtxEntry found;
    found.begin = comment_before(begin);
    found.symbol = next_word();
    skip_blank();
    if (peek() == '(') {
      ++at_;
      std::uint32_t offset = 0;
      for (skip_blank(); at_ < text_.size() && peek() != ')'; skip_blank()) {
        if (peek() == ',') {
          ++at_;
          continue;
        }
        auto parameter = this->parameter();
        offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        parameter.offset = offset;
        offset += parameter.size;
        found.parameters.push_back(parameter);
      }
      ++at_;
    }
    for (skip_blank(); at_ < text_.size() && peek() != '{' && peek() != ';'; skip_blank()) {
      if (next_word() == ".maxntid") {
        std::uint64_t threads = number();
        for (skip_blank(); peek() == ','; skip_blank()) {
          ++at_;
          threads *= number();
        }
        found.max_threads = static_cast<int>(threads);
      } else if (peek() == ',') {
        ++at_;
      } else if (!word_char(peek()) && !blank(peek()) && peek() != '{') {
        ++at_;
      }
    }
    if (peek() == '{')
      skip_braces();
    else
      ++at_;
    found.end = std::min(at_, text_.size());
    facts_.entries.push_back(std::move(found));
  }

  PtxParameter parameter() {
    PtxParameter found;
    std::uint32_t alignment = 0;
    bool pointer = false;
    for (skip_blank(); at_ < text_.size(); skip_blank()) {
      const auto word = next_word();
      if (word.empty()) {
        ++at_;
        break;
      }
      if (word == ".param") continue;
      if (word == ".ptr") {
        pointer = true;
        continue;
      }
      if (word == ".align") {
        const auto value = static_cast<std::uint32_t>(number());
        if (!pointer) alignment = value;  // behind .ptr it is the pointee's
        continue;
      }
      if (word == ".global" || word == ".shared" || word == ".const" || word == ".local") continue;
      if (word.front() == '.') {
        found.size = size_of_ptx_type(word);
        continue;
      }
      found.alignment = alignment != 0 ? alignment : std::max(found.size, 1U);
      found.size *= static_cast<std::uint32_t>(extents());
      return found;
    }
    return found;
  }

  void variable(bool constant) {
    PtxVariable found;
    found.constant = constant;
    std::uint32_t element = 0, lanes = 1;
    for (skip_blank(); at_ < text_.size() && peek() != ';'; skip_blank()) {
      const auto word = next_word();
      if (word.empty()) break;
      if (word == ".align") {
        found.alignment = number();
        continue;
      }
      if (word == ".v2" || word == ".v4") {
        lanes = word == ".v2" ? 2 : 4;
        continue;
      }
      if (word.front() == '.') {
        if (const auto size = size_of_ptx_type(word); size != 0) element = size;
        continue;
      }
      found.symbol = word;
      found.size = element * lanes * extents();
      break;
    }
    found.element_size = std::max(element, 1U);
    if (found.alignment == 1 && element > 1) found.alignment = element * lanes;
    skip_blank();
    if (peek() == '=') initialiser(found);
    skip_to_any(";");
    ++at_;
    directives_begin_ = npos;
    if (!found.symbol.empty()) facts_.variables.push_back(std::move(found));
  }

  // Integer lists only; a list of 1 MB is skipped by its closing brace.
  void initialiser(PtxVariable& found) {
    constexpr std::size_t kMost = 4096;
    ++at_;
    skip_blank();
    const bool list = peek() == '{';
    if (list) ++at_;
    for (skip_blank(); at_ < text_.size() && found.values.size() < kMost; skip_blank()) {
      if (!std::isdigit(static_cast<unsigned char>(peek()))) break;
      found.values.push_back(number());
      skip_blank();
      if (peek() != ',') break;
      ++at_;
    }
  }

  // NVRTC writes "// .globl name" above a symbol; it goes with the entry.
  std::size_t comment_before(std::size_t begin) const {
    const auto line = text_.rfind('\n', begin == 0 ? 0 : begin - 1);
    if (line == npos || line == 0) return begin;
    const auto above = text_.rfind('\n', line - 1);
    const auto start = above == npos ? 0 : above + 1;
    const auto text = text_.substr(start, line - start);
    return text.find("// .globl") != npos || text.find("// .weak") != npos ? start : begin;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t directives_begin_ = npos;
  PtxFacts facts_;
};

}  // namespace

PtxFacts scan_ptx(std::string_view ptx) { return Scanner(ptx).run(); }

std::string without_entries(std::string_view ptx, const PtxFacts& facts, bool (*hidden)(std::string_view symbol)) {
  std::string out;
  out.reserve(ptx.size());
  std::size_t at = 0;
  for (const auto& entry : facts.entries) {
    if (!hidden(entry.symbol)) continue;
    out.append(ptx.substr(at, entry.begin - at));
    at = entry.end;
    while (at < ptx.size() && ptx[at] == '\n') ++at;
  }
  out.append(ptx.substr(at));
  return out;
}

}  // namespace xcuda::compiler
