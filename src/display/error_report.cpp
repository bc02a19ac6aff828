#include "display/error_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/compile_report.hpp"
#include "display/diagnostics.hpp"
#include "display/html.hpp"
#include "display/styled_text.hpp"

namespace xcuda::display {
namespace {

using compiler::Diagnostic;
using compiler::Severity;

std::string index_text(const device::Dim3& index) { return fmt::format("({}, {}, {})", index.x, index.y, index.z); }

// "write of 4 bytes at 0x200000000800: element 512 of x (512 elements)".
std::string access_text(const device::Fault& fault) {
  static constexpr std::string_view kNames[] = {"access", "read", "write", "atomic operation"};
  std::string text;
  if (fault.access != device::Access::unknown || fault.address || !fault.array.empty())
    text = kNames[static_cast<std::size_t>(fault.access)];
  if (text.empty()) return text;
  if (fault.access_size > 0) text += fmt::format(" of {} byte{}", fault.access_size, fault.access_size == 1 ? "" : "s");
  if (fault.address) text += fmt::format(" at {:#x}", *fault.address);
  if (!fault.array.empty() && fault.element)
    text += fmt::format(": element {} of {}", *fault.element, fault.array);
  else if (!fault.array.empty())
    text += ": in " + fault.array;
  if (!fault.array.empty() && fault.elements > 0) text += fmt::format(" ({} elements)", format_count(fault.elements));
  return text;
}

// What the session can promise about the arrays.
std::vector<std::string> certainty(const FaultView& view) {
  std::vector<std::string> lines;
  if (view.recovery && !view.recovery->arrays_kept)
    return {"the arrays' contents are lost: this device's memory ends with its process"};
  if (view.before_launch) return {"the launch did not run: every array is unchanged"};
  if (view.possibly_written.empty())
    lines.emplace_back("no launch since the last synchronisation had a pointer to non-const");
  else
    lines.push_back(fmt::format("possibly written: {} (non-const in launches since the last synchronisation)",
                                fmt::join(view.possibly_written, ", ")));
  if (!view.others.empty())
    lines.push_back(
        fmt::format("no such launch had a non-const pointer to {}; a stray store could still have written {}",
                    fmt::join(view.others, ", "), view.others.size() == 1 ? "it" : "them"));
  return lines;
}

// Label and text of each line about a fault.
std::vector<std::pair<std::string, std::string>> fault_lines(const FaultView& view) {
  const auto& fault = view.fault;
  std::vector<std::pair<std::string, std::string>> lines;
  if (!view.launch.empty()) lines.emplace_back("launch", view.launch);
  if (view.candidates.size() > 1)
    lines.emplace_back("launch", fmt::format("one of {}", fmt::join(view.candidates, "; ")));
  if (fault.line > 0)
    lines.emplace_back("in", place_text({.source = fault.source, .line = fault.line, .column = fault.column}));
  if (fault.block && fault.thread)
    lines.emplace_back("by", fmt::format("block {}, thread {}", index_text(*fault.block), index_text(*fault.thread)));
  if (auto access = access_text(fault); !access.empty()) lines.emplace_back("access", std::move(access));
  for (auto& line : certainty(view)) lines.emplace_back("arrays", std::move(line));
  if (!view.recovered_variables.empty()) lines.emplace_back("variables", view.recovered_variables);
  if (view.recovery) {
    lines.emplace_back("recovered", fmt::format("in {}; the next cell can run",
                                                format_duration(static_cast<double>(view.recovery->duration))));
    if (!view.recovery->window_kept)
      lines.emplace_back("pointers", "the arrays have moved: pointers stored in arrays are stale");
    if (!view.recovery->modules_lost.empty())
      lines.emplace_back("modules", fmt::format("{} could not be loaded again; run their cells again",
                                                view.recovery->modules_lost.size()));
  }
  return lines;
}

const Diagnostic* first_error(const std::vector<Diagnostic>& diagnostics) {
  const auto found = std::find_if(diagnostics.begin(), diagnostics.end(),
                                  [](const Diagnostic& d) { return d.severity == Severity::error; });
  return found == diagnostics.end() ? nullptr : &*found;
}

std::string evalue_of(const ErrorView& view) {
  const auto* diagnostic = first_error(view.diagnostics);
  if (diagnostic == nullptr) return view.error.message;
  const auto where = place_text(diagnostic->place);
  return where.empty() ? diagnostic->text : where + ": " + diagnostic->text;
}

void labelled(StyledText& text, Style style, std::string_view label, std::string_view body) {
  text.add(style, fmt::format("{}: ", label));
  bool first = true;
  for (const auto line : split_lines(body)) {
    if (!first) text.add(std::string(label.size() + 2, ' '));
    text.add(line).line();
    first = false;
  }
}

StyledText styled_error(const ErrorView& view) {
  const auto& error = view.error;
  StyledText text;
  text.add(Style::error, kind_name(error.kind)).add(": ").add(error.message).line();
  if (error.place && first_error(view.diagnostics) == nullptr) {  // diagnostics show their own places
    const auto excerpt = styled_excerpt(*error.place, Style::error);
    if (const auto where = place_text(*error.place); !where.empty()) text.add(Style::place, where).line();
    text.append(excerpt);
  }
  text.append(styled_diagnostics(view.diagnostics));
  if (view.fault)
    for (const auto& [label, line] : fault_lines(*view.fault)) labelled(text, Style::note, label, line);
  for (const auto& note : error.notes) labelled(text, Style::note, "note", note);
  if (!error.library.empty()) labelled(text, Style::note, "said", error.library);
  if (!error.advice.empty()) labelled(text, Style::advice, "try", error.advice);
  if (view.further)
    for (const auto& one : *view.further) text.line().append(styled_error(one));
  return text;
}

nlohmann::json fault_json(const FaultView& view) {
  const auto& fault = view.fault;
  nlohmann::json json = {{"kind", device::fault_name(fault.kind)},
                         {"launches", fault.launches},
                         {"library", fault.library},
                         {"message", fault.message},
                         {"entry", fault.entry},
                         {"source", fault.source},
                         {"line", fault.line},
                         {"launch", view.launch},
                         {"possibly_written", view.possibly_written},
                         {"others", view.others}};
  if (fault.block) json["block"] = {fault.block->x, fault.block->y, fault.block->z};
  if (fault.thread) json["thread"] = {fault.thread->x, fault.thread->y, fault.thread->z};
  if (fault.address) json["address"] = *fault.address;
  if (fault.access_size > 0) json["access_size"] = fault.access_size;
  if (!fault.array.empty()) json["array"] = fault.array;
  if (fault.element) json["element"] = *fault.element;
  if (view.recovery)
    json["recovery"] = {{"duration", view.recovery->duration},
                        {"window_kept", view.recovery->window_kept},
                        {"arrays_kept", view.recovery->arrays_kept}};
  return json;
}

Bundle error_bundle(const ErrorView& view) {
  const auto& error = view.error;
  const auto styled = styled_error(view);
  auto text = styled.text(Colours::none);
  if (!text.empty()) text.pop_back();
  Bundle bundle = text_bundle(std::move(text));
  bundle.data[kHtmlMime] = html_output(enclose("pre", "", styled.html()));
  nlohmann::json json = {{"schema", 1},
                         {"ename", kind_name(error.kind)},
                         {"evalue", valid_utf8(evalue_of(view))},
                         {"message", valid_utf8(error.message)},
                         {"library", valid_utf8(error.library)},
                         {"advice", error.advice},
                         {"notes", error.notes},
                         {"diagnostics", diagnostics_json(view.diagnostics)}};
  if (error.place) json["place"] = place_json(*error.place);
  if (view.fault) json["fault"] = fault_json(*view.fault);
  if (view.further) {
    auto& further = json["further"] = nlohmann::json::array();
    for (const auto& one : *view.further) {
      further.push_back({{"ename", kind_name(one.kind)}, {"message", valid_utf8(one.message)}});
      if (one.place) further.back()["place"] = place_json(*one.place);
    }
  }
  bundle.data[kErrorMime] = std::move(json);
  return bundle;
}

}  // namespace

std::string excerpt_text(const Place& place, Colours colours) {
  return styled_excerpt(place, Style::error).text(colours);
}

RenderedError render_error(const ErrorView& error, Colours colours) {
  if (error.rendered) return *error.rendered;
  RenderedError rendered{
      std::string(kind_name(error.error.kind)), valid_utf8(evalue_of(error)), {}, error_bundle(error)};
  const auto text = styled_error(error).text(colours);
  for (const auto line : split_lines(text)) rendered.traceback.emplace_back(line);
  return rendered;
}

}  // namespace xcuda::display
