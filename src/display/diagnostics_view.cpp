#include "display/diagnostics_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "display/html.hpp"

namespace xcuda::display {
namespace {

using compiler::Diagnostic;
using compiler::Severity;

struct Name {
  std::string_view text;
  Style style;
};
Name name_of(Severity severity) {
  switch (severity) {
    case Severity::error: return {"error", Style::error};
    case Severity::warning: return {"warning", Style::warning};
    case Severity::remark: return {"remark", Style::note};
    case Severity::note: return {"note", Style::note};
  }
  return {"note", Style::note};
}

// A template that goes wrong is reported hundreds of times; the first ones tell.
constexpr std::size_t kShown = 20, kNotesShown = 8;

void add_rest(StyledText& text, std::size_t count, std::string_view what) {
  if (count > 0)
    text.add(Style::gutter, fmt::format("... and {} more {}{}", count, what, count == 1 ? "" : "s")).line();
}

void add(StyledText& text, const Diagnostic& diagnostic) {
  const auto name = name_of(diagnostic.severity);
  if (const auto where = place_text(diagnostic.place); !where.empty()) text.add(Style::place, where).add(": ");
  text.add(name.style, name.text);
  if (!diagnostic.code.empty()) text.add(Style::gutter, " #" + diagnostic.code);
  text.add(": ").add(diagnostic.text).line();
  text.append(styled_excerpt(diagnostic.place, name.style));
  const auto notes = std::min(diagnostic.notes.size(), kNotesShown);
  for (std::size_t i = 0; i < notes; ++i) add(text, diagnostic.notes[i]);
  add_rest(text, diagnostic.notes.size() - notes, "note");
}

}  // namespace

StyledText styled_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  StyledText text;
  const auto shown = std::min(diagnostics.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) add(text, diagnostics[i]);
  add_rest(text, diagnostics.size() - shown, "diagnostic");
  return text;
}

nlohmann::json place_json(const Place& place) {
  return {{"source", place.source},
          {"line", place.line},
          {"column", place.column},
          {"width", place.width},
          {"excerpt", valid_utf8(place.excerpt)}};
}

nlohmann::json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  auto list = nlohmann::json::array();
  for (const auto& diagnostic : diagnostics)
    list.push_back({{"severity", name_of(diagnostic.severity).text},
                    {"text", valid_utf8(diagnostic.text)},
                    {"code", diagnostic.code},
                    {"place", place_json(diagnostic.place)},
                    {"notes", diagnostics_json(diagnostic.notes)}});
  return list;
}

Bundle diagnostics_bundle(const std::vector<Diagnostic>& diagnostics) {
  const auto styled = styled_diagnostics(diagnostics);
  auto text = styled.text(Colours::none);
  if (!text.empty()) text.pop_back();
  Bundle bundle = text_bundle(std::move(text));
  bundle.data[kHtmlMime] = html_output(enclose("pre", "", styled.html()));
  return bundle;
}

}  // namespace xcuda::display
