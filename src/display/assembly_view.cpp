#include "display/assembly_view.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

// The number at the start of a text, which is moved after it.
std::optional<int> take_number(std::string_view& text) {
  text = trim(text);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// "In[3]:9  y[i] = a * x[i];" of ".loc 1 9 3".
std::string source_of(std::string_view location, const SourceFiles& files) {
  location.remove_prefix(4);
  const auto file = take_number(location), line = take_number(location);
  if (!file || !line) return "";
  const auto known = files.find(*file);
  if (known == files.end() || known->second.text.empty()) return "";
  const auto text = trim(line_text(known->second.text, *line));
  return text.empty() ? "" : fmt::format("{}:{}  {}", known->second.name, *line, text);
}

// The line of a file that is known by its name; nothing for others.
std::string source_line(std::string_view name, int line, const SourceFiles& files) {
  for (const auto& [number, file] : files) {
    if (file.name != name || file.text.empty()) continue;
    const auto text = trim(line_text(file.text, line));
    return text.empty() ? "" : fmt::format("{}:{}  {}", name, line, text);
  }
  return "";
}

// "In[3]:9  y[i] = a * x[i];" of "//## File "/In[3]", line 9 inlined at ...".
std::string source_of_mark(std::string_view mark, const SourceFiles& files) {
  const auto open = mark.find('"'), close = mark.find('"', open + 1), number = mark.find("line ", close);
  if (open == std::string_view::npos || close == std::string_view::npos || number == std::string_view::npos) return "";
  auto rest = mark.substr(number + 5);
  const auto line = take_number(rest);
  const auto name = place_text({.source = std::string(mark.substr(open + 1, close - open - 1))});
  return line ? source_line(name, *line, files) : "";
}

// "@!P0 LDG.E R2, [R4] ;": the operation stands out.
void add_machine_instruction(StyledText& out, std::string_view offset, std::string_view code) {
  out.add(Style::gutter, fmt::format("{:>6}  ", offset));
  std::string_view guard;
  if (code.starts_with("@")) {
    const auto end = std::min(code.find(' '), code.size());
    guard = code.substr(0, end);
    code = trim(code.substr(end));
  }
  out.add(Style::place, fmt::format("{:>5} ", guard));
  const auto end = std::min(code.find_first_of(" ;"), code.size());
  auto operands = code.substr(end);
  operands = trim(operands.substr(0, operands.rfind(';')));
  if (operands.empty())
    out.add(Style::strong, code.substr(0, end)).line();
  else
    out.add(Style::strong, fmt::format("{:<22} ", code.substr(0, end))).add(operands).line();
}

void add_instruction(StyledText& out, std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return;
  out.add(line.substr(0, begin));
  line.remove_prefix(begin);
  const auto comment = line.find("//");
  const auto code = line.substr(0, comment);
  if (code.ends_with(':') || code.starts_with("$") || code.starts_with("{") || code.starts_with("}") ||
      code.starts_with("(") || code.starts_with(")")) {
    out.add(code.ends_with(':') ? Style::place : Style::normal, code);
  } else if (code.starts_with(".")) {
    out.add(Style::gutter, code);
  } else {
    auto end = code.find_first_of(" \t;");
    if (code.starts_with("@") && end != std::string_view::npos)
      end = code.find_first_of(" \t;", code.find_first_not_of(" \t", end));
    out.add(Style::strong, code.substr(0, end));
    if (end != std::string_view::npos) out.add(code.substr(end));
  }
  if (comment != std::string_view::npos) out.add(Style::gutter, line.substr(comment));
}

std::string comment_of(const device::CodeLine& line, const CellTexts& cells) {
  if (line.line == 0) return "// for no line of a cell";
  const auto cell = cells.find(line.source);
  const auto text = cell == cells.end() ? "" : trim(line_text(cell->second, line.line));
  return fmt::format("// {}{}{}{}", place_text({.source = line.source, .line = line.line}), text.empty() ? "" : "  ",
                     text, line.lanes.empty() ? "" : fmt::format("  [{}]", line.lanes));
}

}  // namespace

SourceFiles files_of(std::string_view ptx) {
  SourceFiles files;
  for (auto line : split_lines(ptx)) {
    line = trim(line);
    if (!line.starts_with(".file")) continue;
    line.remove_prefix(5);
    const auto number = take_number(line);
    const auto open = line.find('"'), close = line.rfind('"');
    if (!number || open == close) continue;
    files[*number].name = place_text({.source = std::string(line.substr(open + 1, close - open - 1))});
  }
  return files;
}

StyledText styled_ptx(std::string_view ptx, const SourceFiles& files) {
  StyledText out;
  std::string last;
  bool blank = true;
  for (const auto line : split_lines(ptx)) {
    const auto text = trim(line);
    if (text.starts_with(".loc")) {
      if (const auto source = source_of(text, files); !source.empty()) {
        if (source != last) out.add(Style::advice, "// " + source).line();
        last = source;
        blank = false;
        continue;
      }
    }
    if (text.empty() && blank) continue;  // one of several
    blank = text.empty();
    add_instruction(out, line);
    out.line();
  }
  return out;
}

StyledText styled_sass(std::string_view listing, const SourceFiles& files) {
  StyledText out, padding;  // the NOPs at a kernel's end are dropped, those between instructions are not
  std::string last;
  for (const auto line : split_lines(listing)) {
    const auto text = trim(line);
    StyledText& to = padding.empty() ? out : padding;
    if (text.starts_with("//##")) {
      const auto source = source_of_mark(text, files);
      if (!source.empty() && source != last) to.add(Style::advice, "// " + source).line();
      if (!source.empty()) last = source;
    } else if (text.starts_with("/*")) {
      const auto close = text.find("*/");
      const auto offset = trim(text.substr(2, close == std::string_view::npos ? 0 : close - 2));
      if (close == std::string_view::npos || offset.starts_with("0x")) continue;  // the rest of an encoding
      auto code = text.substr(close + 2);
      code = trim(code.substr(0, code.find("/*")));
      if (code.starts_with("NOP")) {
        add_machine_instruction(padding, offset, code);
        continue;
      }
      out.append(padding);
      padding = {};
      add_machine_instruction(out, offset, code);
    } else if (text.ends_with(':') && !text.starts_with(".text.") && !text.starts_with("Function")) {
      to.add(Style::place, text).line();
    }
  }
  return out;
}

Bundle sass_bundle(std::string_view title, std::string_view listing, const SourceFiles& files) {
  return listing_bundle(title, styled_sass(listing, files));
}

Bundle ptx_bundle(std::string_view title, std::string_view ptx, const SourceFiles& files) {
  return listing_bundle(title, styled_ptx(ptx, files));
}

StyledText styled_machine_code(const device::MachineCode& code, const CellTexts& cells) {
  StyledText out;
  std::string last;
  for (const auto& line : code.lines) {
    if (!line.label.empty()) {
      out.add(Style::place, line.label + ":").line();
      continue;
    }
    if (auto comment = comment_of(line, cells); comment != last) {
      out.add(Style::advice, comment).line();
      last = std::move(comment);
    }
    const auto end = std::min(line.instruction.find(' '), line.instruction.size());
    out.add(Style::gutter, fmt::format("  {:5x}  ", line.offset)).add(Style::strong, line.instruction.substr(0, end));
    out.add(line.instruction.substr(end));
    if (!line.remark.empty()) out.add(Style::gutter, "  // " + line.remark);
    out.line();
  }
  return out;
}

Bundle machine_code_bundle(std::string_view title, const device::MachineCode& code, const CellTexts& cells) {
  return listing_bundle(title, styled_machine_code(code, cells), {code.target, code.variant, format_bytes(code.bytes)});
}

}  // namespace xcuda::display
