#include "nvcc/build_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/demangle.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "compiler/diagnostics.hpp"
#include "compiler/signature.hpp"

namespace xcuda::nvcc {

bool is_compiled(const SourceFile& file) {
  const auto extension = std::filesystem::path(file.name).extension();
  constexpr std::array<const char*, 5> kCompiled{".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::find(kCompiled.begin(), kCompiled.end(), extension) != kCompiled.end();
}

namespace {

using compiler::Diagnostic;
using compiler::Severity;

std::string_view line_of(const SourceFile& file, int line) { return line_text(file.text, line - file.first_line + 1); }

// The word at a place: an identifier, or one character.
std::string_view word_at(std::string_view text, std::size_t at) {
  auto end = at;
  while (end < text.size() && cell::is_identifier_character(text[end])) ++end;
  return text.substr(at, std::max<std::size_t>(end - at, 1));
}

// Where a word occurs for the (skip + 1)th time; nothing when it occurs less often.
std::optional<std::size_t> find_word(std::string_view text, std::string_view word, std::size_t skip = 0) {
  const auto is_part = [&](std::size_t i) { return i < text.size() && cell::is_identifier_character(text[i]); };
  const bool identifier = !word.empty() && cell::is_identifier_character(word[0]);
  for (auto at = text.find(word); at != std::string_view::npos && !word.empty(); at = text.find(word, at + 1)) {
    if (identifier && ((at > 0 && is_part(at - 1)) || is_part(at + word.size()))) continue;
    if (skip-- == 0) return at;
  }
  return std::nullopt;
}

void underline(Place& place, std::size_t at, std::string_view word) {
  place.column = static_cast<int>(at) + 1;
  place.width = static_cast<int>(word.size());
}

// nvcc's front end sees the text with macros expanded and blanks joined; its caret is on a word of that.
void put_into_the_cells_line(Place& place, std::string_view line) {
  const auto expanded = std::exchange(place.excerpt, valid_utf8(line));
  if (place.column == 0 || expanded == line) return;
  const auto column = static_cast<std::size_t>(std::exchange(place.column, 0)) - 1;
  place.width = 0;
  if (column >= expanded.size()) return;
  const auto word = word_at(expanded, column);
  std::size_t before = 0;
  for (auto at = find_word(expanded, word); at && *at < column; at = find_word(expanded, word, before)) ++before;
  auto at = find_word(line, word, before);
  if (!at) at = find_word(line, word);
  if (at) underline(place, *at, word);
}

// The words that a message has in quotes, ASCII's or not: 'x', "x", ‘x’, `x'.
std::vector<std::string_view> quoted_words(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kQuotes{
      {{"\xE2\x80\x98", "\xE2\x80\x99"}, {"`", "'"}, {"'", "'"}, {"\"", "\""}}};
  for (const auto& [open, close] : kQuotes)
    for (auto at = text.find(open); at != std::string_view::npos;) {
      const auto begin = at + open.size();
      const auto end = text.find(close, begin);
      if (end == std::string_view::npos) break;
      words.push_back(text.substr(begin, end - begin));
      at = text.find(open, end + close.size());
    }
  return words;
}

// "int demo::missing(int)" -> "missing"
std::string_view base_name(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('('));
  symbol = symbol.substr(0, symbol.find('<'));
  const auto begin = symbol.find_last_of(": ");
  return begin == std::string_view::npos ? symbol : symbol.substr(begin + 1);
}

class ToolLines {
 public:
  explicit ToolLines(const std::vector<SourceFile>& files) : files_(files) {}

  void read(std::string_view log) {
    for (const auto line : split_lines(log)) read_line(line);
  }
  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  void read_line(std::string_view line) {
    if (line.empty() || line.front() == ' ') return;
    if (const auto rest = after(line, {"nvcc fatal", "nvcc error"})) return add(Severity::error, *rest);
    if (const auto rest = after(line, {"nvcc warning"})) return add(Severity::warning, *rest);
    if (const auto rest = after(line, {"nvlink error", "nvlink fatal"})) return link_error(*rest);
    if (const auto rest = after(line, {"nvlink warning"})) return add(Severity::warning, *rest);
    if (host_line(line)) return;
    if (const auto at = line.find("undefined reference to "); at != line.npos) return link_error(line.substr(at));
    if (const auto at = line.find("multiple definition of "); at != line.npos)
      return link_error(line.substr(at, line.find(';', at) - at));
    if (const auto at = line.find("ld: cannot find "); at != line.npos)
      return add(Severity::error, line.substr(at + 4));
  }

  static std::optional<std::string_view> after(std::string_view line, std::initializer_list<std::string_view> heads) {
    for (const auto head : heads)
      if (line.starts_with(head))
        if (const auto rest = trim(line.substr(head.size())); rest.starts_with(':')) return trim(rest.substr(1));
    return std::nullopt;
  }

  // In a .cu file the host compiler reads what nvcc's front end has written: only its lines are those of the cell.
  enum class Columns : std::uint8_t { of_the_cell, of_generated_code };

  // "cell.cu:12:8: warning: text", "/usr/include/x.h:3:2: error: text", "g++: error: text"
  bool host_line(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, Severity>, 4> kWords{{{": fatal error: ", Severity::error},
                                                                           {": error: ", Severity::error},
                                                                           {": warning: ", Severity::warning},
                                                                           {": note: ", Severity::note}}};
    if (const auto at = line.find(":   required from "); at != line.npos) {
      pending_.push_back(
          {Severity::note, std::string(trim(line.substr(at + 1))), {}, place_of(line.substr(0, at)), {}});
      return true;
    }
    for (const auto& [word, severity] : kWords) {
      const auto at = line.find(word);
      if (at == line.npos) continue;
      auto place = place_of(line.substr(0, at));
      if (place.source.empty() && line.find("error: ld returned") != line.npos) return true;
      if (place.source.empty() && line[at - 1] == ')') return true;  // nvcc's front end, which is read already
      Diagnostic diagnostic{severity, std::string(line.substr(at + word.size())), {}, std::move(place), {}};
      const bool preprocessor =
          word == kWords[0].first || line.ends_with("[-Wcpp]") || line.find(": error: #") != line.npos;
      settle(diagnostic, preprocessor ? Columns::of_the_cell : Columns::of_generated_code);
      if (severity == Severity::note) {
        if (!found_.empty()) found_.back().notes.push_back(std::move(diagnostic));
      } else {
        diagnostic.notes = std::exchange(pending_, {});
        keep(std::move(diagnostic));
      }
      return true;
    }
    return false;
  }

  // "cell.cu:12:8" and "cell.cu:12"; nothing for "g++" and "collect2".
  static Place place_of(std::string_view text) {
    Place place;
    std::array<int, 2> numbers{0, 0};
    int count = 0;
    while (count < 2) {
      const auto colon = text.rfind(':');
      if (colon == text.npos || colon + 1 == text.size()) break;
      int number = 0;
      const auto* const end = text.data() + text.size();
      if (std::from_chars(text.data() + colon + 1, end, number).ptr != end) break;
      numbers[static_cast<std::size_t>(count++)] = number;
      text = text.substr(0, colon);
    }
    if (count == 0) return place;
    place.source = std::string(text);
    place.line = count == 2 ? numbers[1] : numbers[0];
    place.column = count == 2 ? numbers[0] : 0;
    return place;
  }

  const SourceFile* file_of(const Place& place) const {
    const auto file = std::find_if(files_.begin(), files_.end(), [&](const auto& one) {
      return place.source == one.name || place.source.ends_with("/" + one.name);
    });
    return file == files_.end() ? nullptr : &*file;
  }

  void settle(Diagnostic& diagnostic, Columns columns) const {
    auto& place = diagnostic.place;
    const auto* file = file_of(place);
    if (file == nullptr) return;
    place.source = file->name;
    const auto line = line_of(*file, place.line);
    place.excerpt = valid_utf8(line);
    const auto column = static_cast<std::size_t>(std::exchange(place.column, 0));
    constexpr std::string_view kMissing = ": No such file or directory";
    if (auto& text = diagnostic.text; text.ends_with(kMissing)) {
      const auto name = std::string_view(text).substr(0, text.size() - kMissing.size());
      if (const auto at = line.find(name); at != line.npos) underline(place, at, name);
      text += "; add a folder of headers with -I FOLDER";
      return;
    }
    if (columns == Columns::of_the_cell || !file->name.ends_with(".cu")) {
      if (column > 0 && column <= line.size()) underline(place, column - 1, word_at(line, column - 1));
      return;
    }
    for (const auto quoted : quoted_words(diagnostic.text))
      if (const auto word = base_name(quoted); place.column == 0)
        if (const auto at = find_word(line, word)) underline(place, *at, word);
  }

  // A symbol that no file defines: the place is where the cells have its name first.
  void link_error(std::string_view text) {
    const auto in = text.find(" in '");
    text = text.substr(0, in);
    std::string shown(text);
    for (const auto symbol : quoted_words(text))
      if (const auto readable = demangle(symbol)) shown.replace(shown.find(symbol), symbol.size(), *readable);
    add(Severity::error, shown);
    const auto words = quoted_words(shown);
    if (words.empty()) return;
    const auto name = base_name(words.front());
    for (const auto& file : files_) {
      int number = file.first_line;
      for (const auto line : split_lines(file.text)) {
        if (const auto at = find_word(line, name); at && found_.back().place.line == 0) {
          auto& place = found_.back().place;
          place = {file.name, number, 0, 0, valid_utf8(line)};
          underline(place, *at, name);
        }
        ++number;
      }
    }
  }

  void add(Severity severity, std::string_view text) { keep({severity, std::string(text), {}, {}, {}}); }

  void keep(Diagnostic diagnostic) {
    const auto same = [&](const Diagnostic& one) {
      return one.text == diagnostic.text && one.place.line == diagnostic.place.line &&
             one.place.source == diagnostic.place.source;
    };
    if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back(std::move(diagnostic));
  }

  const std::vector<SourceFile>& files_;
  std::vector<Diagnostic> found_;
  std::vector<Diagnostic> pending_;  // "required from here": notes of the error that follows
};

// What nvcc's front end says is what NVRTC says, for one file at a time.
std::vector<Diagnostic> front_end(std::string_view log, const std::vector<SourceFile>& files) {
  std::vector<Diagnostic> found;
  for (const auto& file : files) {
    compiler::CompileRequest request;
    request.name = file.name;
    request.source = fmt::format("#line {} \"{}\"\n{}", file.first_line, file.name, file.text);
    for (auto& diagnostic : compiler::parse_log(log, request)) {
      const bool of_a_file =
          std::any_of(files.begin(), files.end(), [&](const auto& one) { return one.name == diagnostic.place.source; });
      if (diagnostic.place.source == file.name || (!of_a_file && &file == &files.front()))
        found.push_back(std::move(diagnostic));
    }
  }
  return found;
}

void show_sources(std::vector<Diagnostic>& diagnostics, const std::vector<SourceFile>& files) {
  for (auto& diagnostic : diagnostics) {
    for (const auto& file : files)
      if (diagnostic.place.source == file.name) {
        put_into_the_cells_line(diagnostic.place, line_of(file, diagnostic.place.line));
        diagnostic.place.source = file.shown;
        break;
      }
    show_sources(diagnostic.notes, files);
  }
}

}  // namespace

std::vector<Diagnostic> parse_build_log(std::string_view log, const std::vector<SourceFile>& files) {
  auto found = front_end(log, files);
  ToolLines tools(files);
  tools.read(log);
  for (auto& diagnostic : tools.take()) found.push_back(std::move(diagnostic));
  show_sources(found, files);
  return found;
}

}  // namespace xcuda::nvcc
