#include "display/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace xcuda::display {
namespace {

constexpr std::string_view kVariable = ".xcuda{--";

// What a selector needs to find something: ".xcuda .xc-bar>i" the class xc-bar, ".xcuda.xcuda table th" a table.
std::vector<std::string_view> needs_of(std::string_view selector) {
  constexpr std::string_view kElements[] = {"table", "tbody", "pre", "code", "details", "summary"};
  std::vector<std::string_view> needs;
  for (std::size_t at = 0; at < selector.size();) {
    const auto begin = selector.find_first_of("abcdefghijklmnopqrstuvwxyz", at);
    if (begin == selector.npos) break;
    const auto end = std::min(selector.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin), selector.size());
    const auto word = selector.substr(begin, end - begin);
    const bool is_element = std::find(std::begin(kElements), std::end(kElements), word) != std::end(kElements);
    if (word.starts_with("xc-") || is_element) needs.push_back(word);
    at = end;
  }
  return needs;
}

// Whether HTML has an element of the name, or one of the class.
bool has(std::string_view html, std::string_view name) {
  for (auto at = html.find(name); at != html.npos; at = html.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : html[at - 1],
               after = at + name.size() < html.size() ? html[at + name.size()] : ' ';
    if ((before == '<' || before == '"' || before == ' ') && (after == '"' || after == ' ' || after == '>'))
      return true;
  }
  return false;
}

// The rules that this HTML needs, without those of variables that none of them uses: a rule in each line, and each
// variable in a rule of its own.
std::string rules_for(std::string_view html) {
  std::string rules, variables;
  for (const auto line : split_lines(style_sheet())) {
    if (line.starts_with(kVariable)) continue;
    const auto selectors = line.substr(0, line.find('{'));
    bool wanted = line.starts_with("@");
    for (std::size_t at = 0; at < selectors.size() && !wanted;) {  // of a list of selectors one is enough
      const auto end = std::min(selectors.find(',', at), selectors.size());
      const auto needs = needs_of(selectors.substr(at, end - at));
      wanted = std::all_of(needs.begin(), needs.end(), [&](std::string_view name) { return has(html, name); });
      at = end + 1;
    }
    if (wanted) rules.append(line) += '\n';
  }
  for (const auto line : split_lines(style_sheet())) {
    if (!line.starts_with(kVariable)) continue;
    const auto name = line.substr(kVariable.size() - 2, line.find(':') - kVariable.size() + 2);
    if (rules.find(fmt::format("var({}", name)) != rules.npos || html.find(fmt::format("var({}", name)) != html.npos)
      variables.append(line) += '\n';
  }
  return variables + rules;
}

}  // namespace

std::string html_output(std::string_view body) {
  return fmt::format("<style>\n{}</style>\n<div class=\"xcuda\">{}</div>", rules_for(body), valid_utf8(body));
}

std::string with_styles(std::string html, Styles styles) {
  constexpr std::string_view kBegin = "<style>\n.xcuda{", kEnd = "</style>\n";
  const auto end = html.find(kEnd);
  if (!html.starts_with(kBegin) || end == html.npos) return html;
  html.erase(0, end + kEnd.size());
  return styles == Styles::none ? html : fmt::format("<style>\n{}{}{}", style_sheet(), kEnd, html);
}

std::string enclose(std::string_view name, std::string_view style, std::string_view html) {
  if (style.empty()) return fmt::format("<{0}>{1}</{0}>", name, html);
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", name, style, html);
}

std::string element(std::string_view name, std::string_view style, std::string_view text) {
  return enclose(name, style, html_escape(text));
}

std::string heading(std::string_view name, const std::vector<std::string>& facts) {
  // The separators are for clients that take the style sheet away, as JupyterLab does with a notebook that it does not
  // trust; with it they are not seen.
  const auto separator = element("span", "xc-sep", ", ");
  std::string parts = name.empty() ? "" : element("span", "xc-name", name);
  for (const auto& fact : facts)
    if (!fact.empty()) parts += (parts.empty() ? "" : separator) + element("span", "xc-fact", fact);
  return enclose("div", "xc-head", parts);
}

std::string note(std::string_view text) { return element("div", "xc-note", text); }
std::string warning(std::string_view text) { return element("div", "xc-warn", text); }

std::string meter(double fraction, std::string_view label) {
  return fmt::format("<span class=\"xc-meter\"><i style=\"width:{:.1f}%\"></i></span>{}",
                     std::clamp(fraction, 0.0, 1.0) * 100, html_escape(label));
}

std::string bar(double fraction, Whiskers whiskers) {
  const auto percent = [](double part) { return std::clamp(part, 0.0, 1.0) * 100; };
  const double low = percent(whiskers.low), high = std::max(low, percent(whiskers.high));
  return fmt::format(
      "<span class=\"xc-bar\"><i style=\"width:{:.1f}%\"></i><b style=\"left:{:.1f}%;width:{:.1f}%\"></b></span>",
      std::max(1.0, percent(fraction)), low, high - low);
}

std::string folded(std::string_view summary, std::string_view html) {
  return fmt::format("<details>{}{}</details>", element("summary", "", summary), html);
}

}  // namespace xcuda::display
