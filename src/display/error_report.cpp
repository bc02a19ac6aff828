#include "display/error_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/control_characters.hpp"
#include "base/text.hpp"
#include "base/type_names.hpp"
#include "display/compile_report.hpp"
#include "display/diagnostics_view.hpp"
#include "display/fault_report.hpp"
#include "display/html.hpp"
#include "display/styled_text.hpp"

namespace xcuda::display {
namespace {

using compiler::Diagnostic;
using compiler::Severity;

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

StyledText styled_error(const ErrorView& view) {
  const auto& error = view.error;
  StyledText text;
  text.add(Style::error, kind_name(error.kind)).add(": ").add(error.message).line();
  const bool in_kernel = view.fault && view.fault->fault.line > 0;
  if (error.place && !in_kernel && first_error(view.diagnostics) == nullptr)  // diagnostics show their own places
    text.append(styled_place(*error.place));
  text.append(styled_diagnostics(view.diagnostics));
  if (in_kernel) text.append(styled_fault_places(*view.fault));
  if (view.fault && view.fault->failed_threads) text.append(thread_picture(*view.fault->failed_threads));
  if (in_kernel && error.place) {
    const auto code = view.fault->code;
    labelled(text, Style::note,
             code == FaultyCode::kernel          ? "launched at"
             : code == FaultyCode::host_function ? "called at"
                                                 : "in the loop at",
             place_text(*error.place));
  }
  if (view.fault) text.append(styled_fault(*view.fault));
  for (const auto& note : error.notes) labelled(text, Style::note, "note", note);
  if (!error.library.empty()) labelled(text, Style::note, "said", error.library);
  if (!error.advice.empty()) labelled(text, Style::advice, "try", error.advice);
  if (view.further)
    for (const auto& one : *view.further) text.line().append(styled_error(one));
  return text;
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
                         {"advice", valid_utf8(error.advice)},
                         {"notes", nlohmann::json::array()},
                         {"diagnostics", diagnostics_json(view.diagnostics)}};
  for (const auto& note : error.notes) json["notes"].push_back(valid_utf8(note));
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

RenderedError render_error(const ErrorView& given, Colours colours) {
  if (given.rendered) return *given.rendered;
  auto error = given;
  error.error.message = with_written_types(given.error.message);
  error.error.library = with_written_types(given.error.library);
  if (error.further)
    for (auto& one : *error.further) one.message = with_written_types(one.message);
  RenderedError rendered{
      std::string(kind_name(error.error.kind)), show_controls(valid_utf8(evalue_of(error))), {}, error_bundle(error)};
  const auto text = styled_error(error).text(colours);
  for (const auto line : split_lines(text)) rendered.traceback.emplace_back(line);
  return rendered;
}

}  // namespace xcuda::display
