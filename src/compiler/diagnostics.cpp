#include "compiler/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/demangle.hpp"
#include "base/text.hpp"
#include "compiler/removed_names.hpp"
#include "compiler/signature.hpp"
#include "ptx/resource_usage.hpp"

namespace xcuda::compiler {
namespace {

constexpr std::string_view kNameMap = "__nv_name_map";
constexpr std::string_view kOwn = "/xcuda/";
constexpr std::string_view kOwnHeaders = "/xcuda_std/";

bool identifier_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

int to_int(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// "path(12): error #20-D: text"
struct Header {
  std::string_view path;
  int line = 0;
  Severity severity = Severity::error;
  std::string_view code, text;
};

std::optional<Header> parse_severity(std::string_view rest, Header header) {
  constexpr std::array<std::pair<std::string_view, Severity>, 7> kWords{{{"catastrophic error", Severity::error},
                                                                         {"internal error", Severity::error},
                                                                         {"fatal", Severity::error},
                                                                         {"error", Severity::error},
                                                                         {"warning", Severity::warning},
                                                                         {"remark", Severity::remark},
                                                                         {"note", Severity::note}}};
  for (const auto& [word, severity] : kWords) {
    if (!rest.starts_with(word)) continue;
    header.severity = severity;
    rest.remove_prefix(word.size());
    if (rest.starts_with(" #")) {
      const auto colon = rest.find(':');
      if (colon == std::string_view::npos) return std::nullopt;
      header.code = rest.substr(2, colon - 2);
      rest.remove_prefix(colon);
    }
    rest = trim(rest);
    if (!rest.starts_with(':')) return std::nullopt;
    header.text = trim(rest.substr(1));
    return header;
  }
  return std::nullopt;
}

std::optional<Header> parse_header(std::string_view line) {
  if (line.empty() || line.front() == ' ') return std::nullopt;
  constexpr std::string_view kEnd = "At end of source: ";
  if (line.starts_with(kEnd)) return parse_severity(line.substr(kEnd.size()), Header{.path = kEnd});
  for (auto at = line.find("): "); at != std::string_view::npos; at = line.find("): ", at + 1)) {
    auto open = at;
    while (open > 0 && std::isdigit(static_cast<unsigned char>(line[open - 1]))) --open;
    if (open == at || open == 0 || line[open - 1] != '(') continue;
    if (auto header = parse_severity(line.substr(at + 3), Header{.path = line.substr(0, open - 1),
                                                                 .line = to_int(line.substr(open, at - open))}))
      return header;
  }
  return std::nullopt;
}

// "'_Z1qPi'" -> "'q(int*)'", "0x61a80 bytes" -> "400000 bytes".
std::string readable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool starts_word = i == 0 || !identifier_char(text[i - 1]);
    if (starts_word && (text.substr(i, 2) == "_Z" || text.substr(i, 2) == "0x")) {
      auto end = i;
      while (end < text.size() && identifier_char(text[end])) ++end;
      const auto word = text.substr(i, end - i);
      if (word.starts_with("_Z")) {
        out += demangle(word).value_or(std::string(word));
      } else {
        std::uint64_t value = 0;
        std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
        out += fmt::format("{}", value);
      }
      i = end;
      continue;
    }
    out.push_back(text[i++]);
  }
  return out;
}

bool cell_path(std::string_view path) { return path.starts_with("/In["); }

class LogParser {
 public:
  LogParser(std::string_view log, const CompileRequest& request) : lines_(split_lines(log)), request_(request) {}

  std::vector<Diagnostic> run() {
    while (at_ < lines_.size()) {
      const auto line = lines_[at_];
      if (const auto header = parse_header(line)) {
        ++at_;
        add(*header);
      } else {
        ++at_;
        tool_line(line);
      }
    }
    return std::move(found_);
  }

  // The text of a line of the cell that is known by its number only.
  void excerpt_of(Place& place) const {
    each_cell_line(request_, [&](int number, std::string_view text) {
      if (number == place.line) place.excerpt = std::string(text);
    });
  }

 private:
  bool caret_at(std::size_t index) const { return index < lines_.size() && trim(lines_[index]) == "^"; }

  void add(const Header& header) {
    Diagnostic diagnostic;
    diagnostic.severity = header.severity;
    diagnostic.text = std::string(header.text);
    diagnostic.code = std::string(header.code);
    if (header.line > 0) {
      diagnostic.place.source = shown_source(header.path);
      diagnostic.place.line = header.line;
    } else {
      end_of_cell(diagnostic.place);
    }
    details(diagnostic);

    if (header.path.starts_with(kNameMap)) return name_map(diagnostic);
    if (diagnostic.text == "unrecognized token" && inside_character(diagnostic.place)) return drop(header);
    if (diagnostic.text.find("open source file") != std::string::npos) underline_header(diagnostic);
    if (diagnostic.text.ends_with("\" is undefined")) name_successor(diagnostic);
    if (const auto own = header.path.find(kOwnHeaders); own != std::string_view::npos)
      own_header(diagnostic, header.path.substr(own + kOwnHeaders.size()));
    if (header.path.starts_with(kOwn)) {
      if (diagnostic.severity != Severity::error) return drop(header);
      if (header.path != kPrecompiledName || !find_in_cell(diagnostic.place)) diagnostic.place = {};
    }
    if (header.severity == Severity::note) {
      if (!dropped_ && !found_.empty()) found_.back().notes.push_back(std::move(diagnostic));
      return;
    }
    // Warnings belong to the cell that is compiled: earlier cells have shown theirs, headers are not the user's.
    if (header.severity != Severity::error && header.path != request_.name && header.line > 0) return drop(header);
    // About precompiled headers, which are ours.
    if (header.code == "20283-D" || header.code == "630-D") return drop(header);
    const auto same = [&](const Diagnostic& other) {
      return other.text == diagnostic.text && other.place.line == diagnostic.place.line &&
             other.place.column == diagnostic.place.column && other.place.source == diagnostic.place.source;
    };
    if (std::any_of(found_.begin(), found_.end(), same)) return drop(header);
    dropped_ = false;
    found_.push_back(std::move(diagnostic));
  }

  void drop(const Header& header) {
    if (header.severity != Severity::note) dropped_ = true;
  }

  // Lines that belong to the header above: more text, the excerpt with its caret, the instantiation's history.
  void details(Diagnostic& diagnostic) {
    bool excerpt_seen = false;
    while (at_ < lines_.size() && !lines_[at_].empty() && !parse_header(lines_[at_])) {
      const auto line = lines_[at_];
      if (!excerpt_seen && line.starts_with("  ") && caret_at(at_ + 1)) {
        excerpt(diagnostic.place, line.substr(2), lines_[at_ + 1].find('^'));
        excerpt_seen = true;
        at_ += 2;
        continue;
      }
      if (!line.starts_with("     ")) break;
      if (excerpt_seen || trim(line).starts_with("detected during"))
        history(diagnostic, trim(line));
      else
        diagnostic.text += fmt::format("; {}", trim(line));
      ++at_;
    }
  }

  static void excerpt(Place& place, std::string_view text, std::size_t caret) {
    place.excerpt = valid_utf8(text);
    if (caret == std::string_view::npos || caret < 2) return;
    const auto column = caret - 2;
    place.column = static_cast<int>(column) + 1;
    auto end = column;
    while (end < text.size() && identifier_char(text[end])) ++end;
    place.width = static_cast<int>(end - column);
  }

  // NVRTC reports each byte of a character that it does not know.
  static bool inside_character(const Place& place) {
    const auto at = static_cast<std::size_t>(place.column) - 1;
    return place.column > 0 && at < place.excerpt.size() &&
           (static_cast<unsigned char>(place.excerpt[at]) & 0xC0) == 0x80;
  }

  // The caret is after the line; the name is what is wrong.
  static void underline_header(Diagnostic& diagnostic) {
    const auto open = diagnostic.text.find('"');
    const auto name =
        std::string_view(diagnostic.text).substr(open + 1, diagnostic.text.find('"', open + 1) - open - 1);
    const auto at = diagnostic.place.excerpt.find(name);
    if (open == std::string::npos || name.empty() || at == std::string::npos) return;
    diagnostic.place.column = static_cast<int>(at) + 1;
    diagnostic.place.width = static_cast<int>(name.size());
    diagnostic.text += "; add a folder of headers with -I FOLDER";
  }

  static void name_successor(Diagnostic& diagnostic) {
    const auto open = diagnostic.text.find('"'), close = diagnostic.text.rfind('"');
    const auto successor = successor_of(std::string_view(diagnostic.text).substr(open + 1, close - open - 1));
    if (!successor.empty()) diagnostic.text += fmt::format("; CUDA has removed it: use {}", successor);
  }

  // "detected during instantiation of "T f(T) [with T=int]" at line 2 of /In[7]"
  static void history(Diagnostic& diagnostic, std::string_view line) {
    Diagnostic note;
    note.severity = Severity::note;
    const auto at = line.rfind(" at line ");
    note.text = std::string(line.substr(0, at));
    if (at != std::string_view::npos) {
      auto rest = line.substr(at + 9);
      note.place.line = to_int(rest);
      if (const auto of = rest.find(" of "); of != std::string_view::npos)
        note.place.source = shown_source(trim(rest.substr(of + 4)));
    }
    while (!note.place.source.empty() && (note.place.source.back() == '"')) note.place.source.pop_back();
    if (note.place.source.starts_with('"')) note.place.source.erase(0, 1);
    if (note.place.source.empty()) note.place.source = diagnostic.place.source;
    if (note.place.line == 0) note.place = {};
    diagnostic.notes.push_back(std::move(note));
  }

  void end_of_cell(Place& place) const {
    place.source = shown_source(request_.name);
    each_cell_line(request_, [&](int number, std::string_view text) {
      if (trim(text).empty()) return;
      place.line = number;
      place.excerpt = std::string(text);
      place.column = static_cast<int>(text.size()) + 1;
    });
  }

  // An #error of a header that this program answers with: what it says, at the line that includes the header.
  void own_header(Diagnostic& diagnostic, std::string_view name) const {
    constexpr std::string_view kDirective = "#error directive: ";
    if (!diagnostic.text.starts_with(kDirective)) return;
    auto text = trim(std::string_view(diagnostic.text).substr(kDirective.size()));
    if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    diagnostic.text = std::string(text);
    diagnostic.place = {};
    each_cell_line(request_, [&](int number, std::string_view line) {
      if (!trim(line).starts_with('#')) return;
      for (const char open : {'<', '"'}) {
        const auto at = line.find(fmt::format("{}{}{}", open, name, open == '<' ? '>' : '"'));
        if (at == std::string_view::npos || diagnostic.place.line != 0) continue;
        diagnostic.place = {shown_source(request_.name), number, static_cast<int>(at) + 1,
                            static_cast<int>(name.size()) + 2, std::string(line)};
      }
    });
  }

  // Where the line of an excerpt is in the cell.
  bool find_in_cell(Place& place) const {
    bool found = false;
    each_cell_line(request_, [&](int number, std::string_view text) {
      if (found || trim(text) != trim(place.excerpt)) return;
      found = true;
      place.source = shown_source(request_.name);
      place.line = number;
      place.column += static_cast<int>(text.find_first_not_of(" \t"));
      place.excerpt = std::string(text);
    });
    return found;
  }

  // An expression that names a template's instance or a type. NVRTC reports its own pragma; the second message of each
  // expression only repeats the first.
  void name_map(Diagnostic diagnostic) {
    if (diagnostic.text.find("ame expression") != std::string::npos) return;
    constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
    std::string expression = diagnostic.place.excerpt;
    if (const auto at = expression.find(kPragma); at != std::string::npos) expression.erase(0, at + kPragma.size());
    diagnostic.place = {};
    if (!expression.empty() && expression.find("xcuda_") == std::string::npos)
      diagnostic.text = fmt::format("{} (in {})", diagnostic.text, expression);
    dropped_ = false;
    found_.push_back(std::move(diagnostic));
  }

  // What ptxas and the driver program say has no place in the source.
  void tool_line(std::string_view line) {
    if (line.starts_with("nvrtc: ")) {
      if (const auto header = parse_severity(line.substr(7), {})) plain(header->severity, std::string(header->text));
      return;
    }
    if (!line.starts_with("ptxas") || (ptx::is_resource_line(line) && !wants_resources())) return;
    const auto semicolon = line.find("; ");
    const auto rest = trim(line.substr(semicolon == std::string_view::npos ? 5 : semicolon + 2));
    if (const auto header = parse_severity(rest, {})) {
      if (header->text.find("aborted due to errors") != std::string_view::npos) return;
      plain(header->severity, "ptxas: " + readable(header->text));
      // A line of the PTX, which only the compiler can trace back to the cell's.
      if (const auto at = line.find("ptx input, line "); at != std::string_view::npos) {
        found_.back().place.source = kPtxSource;
        found_.back().place.line = to_int(line.substr(at + 16));
      }
    } else if (rest.starts_with("info")) {
      plain(Severity::remark, "ptxas: " + readable(trim(rest.substr(std::min(rest.find(':'), rest.size() - 1) + 1))));
    }
  }

  // The report is always in the log; it is shown if the options ask for it.
  bool wants_resources() const {
    const auto& options = request_.options;
    return std::find(options.begin(), options.end(), "--ptxas-options=-v") != options.end();
  }

  void plain(Severity severity, std::string text) {
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.text = std::move(text);
    dropped_ = false;
    found_.push_back(std::move(diagnostic));
  }

  std::vector<std::string_view> lines_;
  const CompileRequest& request_;
  std::size_t at_ = 0;
  bool dropped_ = false;  // was the last diagnostic left out? Its notes go with it.
  std::vector<Diagnostic> found_;
};

}  // namespace

std::string shown_source(std::string_view path) { return std::string(cell_path(path) ? path.substr(1) : path); }

void each_cell_line(const CompileRequest& request,
                    const std::function<void(int number, std::string_view text)>& visit) {
  int number = 0;
  bool inside = false;
  for (const auto line : split_lines(request.source)) {
    if (line.starts_with("#line ")) {
      inside = line.ends_with(fmt::format(" \"{}\"", request.name));
      number = to_int(line.substr(6)) - 1;
    } else if (inside) {
      visit(++number, line);
    }
  }
}

std::vector<Diagnostic> parse_log(std::string_view log, const CompileRequest& request) {
  return LogParser(log, request).run();
}

void locate_in_ptx(std::vector<Diagnostic>& diagnostics, std::string_view ptx, const CompileRequest& request) {
  const auto lines = split_lines(ptx);
  // .file 1 "/In[7]"
  const auto file_name = [&](int number) -> std::string_view {
    for (const auto line : lines) {
      const auto text = trim(line);
      if (!text.starts_with(".file") || to_int(trim(text.substr(5))) != number) continue;
      const auto open = text.find('"');
      return open == std::string_view::npos ? "" : text.substr(open + 1, text.find('"', open + 1) - open - 1);
    }
    return "";
  };
  for (auto& diagnostic : diagnostics) {
    if (diagnostic.place.source != kPtxSource) continue;
    auto at = std::min(lines.size(), static_cast<std::size_t>(std::max(diagnostic.place.line, 0)));
    diagnostic.place = {};
    while (at > 0 && !trim(lines[at - 1]).starts_with(".loc")) --at;
    if (at == 0) continue;
    // .loc file line column
    const auto loc = trim(trim(lines[at - 1]).substr(4));
    const auto path = file_name(to_int(loc));
    const auto rest = trim(loc.substr(std::min(loc.find_first_of(" \t"), loc.size())));
    if (path.empty()) continue;
    diagnostic.place.source = shown_source(path);
    diagnostic.place.line = to_int(rest);
    if (path == request.name) LogParser("", request).excerpt_of(diagnostic.place);
  }
}

bool only_name_errors(std::string_view log) {
  bool any = false;
  for (const auto line : split_lines(log)) {
    const auto header = parse_header(line);
    if (!header || header->severity != Severity::error) continue;
    if (!header->path.starts_with(kNameMap)) return false;
    any = true;
  }
  return any;
}

std::string to_text(const Diagnostic& diagnostic) {
  constexpr std::array<std::string_view, 4> kSeverities{"error", "warning", "remark", "note"};
  std::string out;
  const auto& place = diagnostic.place;
  if (!place.source.empty()) out += place.source;
  if (place.line > 0) out += fmt::format(":{}", place.line);
  if (place.column > 0) out += fmt::format(":{}", place.column);
  if (!out.empty()) out += ": ";
  out += kSeverities[static_cast<std::size_t>(diagnostic.severity)];
  if (!diagnostic.code.empty()) out += fmt::format(" #{}", diagnostic.code);
  out += fmt::format(": {}\n", diagnostic.text);
  if (!place.excerpt.empty()) {
    out += fmt::format("  {}\n", place.excerpt);
    if (place.column > 0) {
      // Tabs stay tabs, and a character of several bytes is one column on a screen.
      std::string indent;
      for (const char c : std::string_view(place.excerpt).substr(0, static_cast<std::size_t>(place.column) - 1))
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) indent.push_back(c == '\t' ? '\t' : ' ');
      out += fmt::format("  {}^{}\n", indent, std::string(static_cast<std::size_t>(std::max(place.width - 1, 0)), '~'));
    }
  }
  for (const auto& note : diagnostic.notes) out += to_text(note);
  return out;
}

}  // namespace xcuda::compiler
