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

struct SourceLineOfCode {
  std::string source;
  int line = 0;
  std::string text;
};

// In[3], 9 and "y[i] = a * x[i];" of "//## File "/In[3]", line 9 inlined at ..."; nothing where the text is not known.
std::optional<SourceLineOfCode> source_of_mark(std::string_view mark, const SourceFiles& files) {
  const auto open = mark.find('"'), close = mark.find('"', open + 1), number = mark.find("line ", close);
  if (open == std::string_view::npos || close == std::string_view::npos || number == std::string_view::npos)
    return std::nullopt;
  auto rest = mark.substr(number + 5);
  const auto line = take_number(rest);
  const auto name = place_text({.source = std::string(mark.substr(open + 1, close - open - 1))});
  for (const auto& [key, file] : files) {
    if (!line || file.name != name || file.text.empty()) continue;
    const auto text = trim(line_text(file.text, *line));
    return text.empty() ? std::nullopt : std::optional(SourceLineOfCode{name, *line, std::string(text)});
  }
  return std::nullopt;
}

// "@!P0 LDG.E R2, [R4] ;": the operation stands out.
StyledText machine_instruction(std::string_view offset, std::string_view code) {
  StyledText out;
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
  if (operands.empty()) return out.add(Style::strong, code.substr(0, end));
  return out.add(Style::strong, fmt::format("{:<22} ", code.substr(0, end))).add(operands);
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

CodeRows sass_rows(std::string_view listing, const SourceFiles& files) {
  CodeRows rows, padding;  // the NOPs at a kernel's end are dropped, those between instructions are not
  SourceLineOfCode last;
  for (const auto line : split_lines(listing)) {
    const auto text = trim(line);
    CodeRows& to = padding.empty() ? rows : padding;
    if (text.starts_with("//##")) {
      if (auto source = source_of_mark(text, files)) last = std::move(*source);
    } else if (text.starts_with("/*")) {
      const auto close = text.find("*/");
      const auto offset = trim(text.substr(2, close == std::string_view::npos ? 0 : close - 2));
      if (close == std::string_view::npos || offset.starts_with("0x")) continue;  // the rest of an encoding
      auto code = text.substr(close + 2);
      code = trim(code.substr(0, code.find("/*")));
      const bool nothing = code.starts_with("NOP");
      if (!nothing) {
        rows.insert(rows.end(), padding.begin(), padding.end());
        padding.clear();
      }
      (nothing ? padding : rows)
          .push_back(
              {CodeRow::Kind::instruction, last.source, last.line, last.text, machine_instruction(offset, code)});
    } else if (text.ends_with(':') && !text.starts_with(".text.") && !text.starts_with("Function")) {
      CodeRow label{.kind = CodeRow::Kind::label};
      label.text.add(Style::place, text);
      to.push_back(std::move(label));
    }
  }
  return rows;
}

namespace {

Bundle code_bundle(std::string_view title, const CodeRows& rows, const std::vector<std::string>& facts) {
  auto bundle = listing_bundle(title, listing_text(rows), facts);
  bundle.data[kHtmlMime] = html_output(heading(title, facts) + listing_html(rows, title));
  return bundle;
}

}  // namespace

Bundle sass_bundle(std::string_view title, std::string_view listing, const SourceFiles& files) {
  return code_bundle(title, sass_rows(listing, files), {});
}

Bundle ptx_bundle(std::string_view title, std::string_view ptx, const SourceFiles& files) {
  return listing_bundle(title, styled_ptx(ptx, files));
}

CodeRows machine_code_rows(const device::MachineCode& code, const CellTexts& cells) {
  CodeRows rows;
  for (const auto& line : code.lines) {
    CodeRow row;
    if (!line.label.empty()) {
      row.kind = CodeRow::Kind::label;
      row.text.add(Style::place, line.label + ":");
      rows.push_back(std::move(row));
      continue;
    }
    row.source = place_text({.source = line.source});
    row.line = line.line;
    if (line.line > 0) {
      const auto cell = cells.find(line.source);
      row.what = cell == cells.end() ? "" : trim(line_text(cell->second, line.line));
      if (!line.lanes.empty()) row.what += fmt::format("{}[{}]", row.what.empty() ? "" : "  ", line.lanes);
    }
    const auto end = std::min(line.instruction.find(' '), line.instruction.size());
    row.text.add(Style::gutter, fmt::format("  {:5x}  ", line.offset))
        .add(Style::strong, line.instruction.substr(0, end));
    row.text.add(line.instruction.substr(end));
    if (!line.remark.empty()) row.text.add(Style::gutter, "  // " + line.remark);
    rows.push_back(std::move(row));
  }
  return rows;
}

Bundle machine_code_bundle(std::string_view title, const device::MachineCode& code, const CellTexts& cells) {
  return code_bundle(title, machine_code_rows(code, cells), {code.target, code.variant, format_bytes(code.bytes)});
}

}  // namespace xcuda::display
