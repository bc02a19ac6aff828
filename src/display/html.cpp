#include "display/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace xcuda::display {
namespace {

// A rule in each line, and each variable in a rule of its own. The class is doubled where JupyterLab's and nbconvert's
// own rules for tables and pre would weigh more. Words have a contrast of at least 4.5 in both themes
// (tests/browser/test_contrast.py), which JupyterLab's own colours for warnings and links have not: they are mixed with
// the colour of its text.
constexpr std::string_view kStyle =
    R"(.xcuda{print-color-adjust:exact;-webkit-print-color-adjust:exact;font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:var(--jp-ui-font-size1,13px);line-height:1.45;color:var(--jp-content-font-color1,inherit)}
.xcuda{--xc-line:var(--jp-border-color2,rgba(128,128,128,.4))}
.xcuda{--xc-soft:var(--jp-layout-color2,rgba(128,128,128,.14))}
.xcuda{--xc-quiet:color-mix(in srgb,var(--jp-content-font-color2,currentColor) 80%,var(--jp-content-font-color0,currentColor))}
.xcuda{--xc-mark:var(--jp-brand-color1,#3b82c4)}
.xcuda{--xc-link:color-mix(in srgb,var(--jp-brand-color1,#3b82c4) 60%,var(--jp-content-font-color1,currentColor))}
.xcuda{--xc-bad:color-mix(in srgb,var(--jp-error-color1,#d9483b) 70%,var(--jp-content-font-color1,currentColor))}
.xcuda{--xc-warn:color-mix(in srgb,var(--jp-warn-color1,#c77700) 50%,var(--jp-content-font-color1,currentColor))}
.xcuda .xc-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2em .45em;margin:.1em 0 .3em}
.xcuda .xc-name{font-weight:600;font-family:var(--jp-code-font-family,monospace)}
.xcuda.xcuda .xc-param{font-weight:700;color:inherit;background:var(--xc-soft);box-shadow:0 -2px 0 var(--xc-mark) inset}
.xcuda .xc-title{font-weight:600;margin:.7em 0 .15em}
.xcuda .xc-prose{max-width:52em;margin:.15em 0 .3em}
.xcuda .xc-fact{background:var(--xc-soft);border-radius:3px;padding:0 .45em;white-space:nowrap;color:var(--xc-quiet)}
.xcuda .xc-sep{display:none}
.xcuda .xc-note{color:var(--xc-quiet);margin:.25em 0}
.xcuda .xc-warn{color:var(--xc-warn);margin:.25em 0}
.xcuda .xc-bad{color:var(--xc-bad)}
.xcuda .xc-mark{color:var(--xc-link)}
.xcuda .xc-quiet{color:var(--xc-quiet)}
.xcuda .xc-scroll{overflow-x:auto;max-width:100%}
.xcuda.xcuda table{border-collapse:collapse;border:0;margin:.2em 0;width:auto;table-layout:auto;font-size:inherit;color:inherit}
.xcuda.xcuda tbody tr:nth-child(n){background:none}
.xcuda.xcuda tbody tr:nth-child(n):hover{background:var(--xc-soft)}
.xcuda.xcuda table th,.xcuda.xcuda table td{text-align:left;vertical-align:baseline;padding:.15em 1em .15em 0;border:0;white-space:nowrap;max-width:none}
.xcuda.xcuda table th{font-weight:600;color:var(--xc-quiet);border-bottom:1px solid var(--xc-line)}
.xcuda.xcuda table .xc-num{text-align:right;font-variant-numeric:tabular-nums}
.xcuda.xcuda table .xc-code{font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,.95em)}
.xcuda.xcuda table .xc-wrap{white-space:normal;min-width:16em}
.xcuda.xcuda table .xc-pre{white-space:pre}
.xcuda.xcuda pre,.xcuda.xcuda code{font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,.95em);line-height:1.35;color:inherit;background:none;border:0}
.xcuda.xcuda pre{margin:.2em 0;padding:0;overflow-x:auto;white-space:pre}
.xcuda.xcuda code{padding:0}
.xcuda.xcuda pre.xc-block{background:var(--xc-soft);border-radius:3px;padding:.4em .7em}
.xcuda .xc-meter{display:inline-block;width:4em;height:.6em;border-radius:2px;background:var(--xc-soft);overflow:hidden;margin-right:.5em;vertical-align:baseline}
.xcuda .xc-meter>i{display:block;height:100%;background:var(--xc-mark)}
.xcuda .xc-num .xc-meter{float:left;margin-top:.45em}
.xcuda .xc-bar{position:relative;display:inline-block;width:12em;height:.7em;vertical-align:baseline}
.xcuda .xc-bar>i{position:absolute;left:0;top:0;bottom:0;border-radius:2px;background:var(--xc-mark)}
.xcuda .xc-bar>b{position:absolute;top:10%;bottom:10%;box-sizing:border-box;border:solid currentColor;border-width:0 1px}
.xcuda .xc-bar>b::before{content:"";position:absolute;left:0;right:0;top:50%;border-top:1px solid currentColor}
.xcuda .xc-spark{font-family:var(--jp-code-font-family,monospace);color:var(--xc-mark);letter-spacing:0}
.xcuda .xc-badge{color:var(--xc-warn)}
.xcuda .xc-legend{display:flex;gap:.6em;align-items:center;max-width:46em;margin:.3em 0;font-size:85%}
.xcuda .xc-strip{display:flex;flex:1;height:1.1em;border-radius:3px;overflow:hidden}
.xcuda .xc-strip>i{display:block;flex:1}
.xcuda .xc-scale{display:inline-flex;align-items:center;gap:.5em;color:var(--xc-quiet);font-variant-numeric:tabular-nums}
.xcuda .xc-scale>i{display:inline-block;width:12em;height:.75em;border-radius:2px}
.xcuda .xc-side{display:inline-block;width:.3em;height:1.35em;margin-right:.6em;vertical-align:bottom}
.xcuda.xcuda .xc-link{color:var(--xc-link);text-decoration:none}
.xcuda.xcuda .xc-link:hover{text-decoration:underline}
.xcuda details{margin:.2em 0}
.xcuda summary{cursor:pointer;color:var(--xc-quiet)}
@media print{.xcuda.xcuda{font-size:10px}.xcuda.xcuda pre,.xcuda.xcuda table .xc-code{font-size:9px}.xcuda .xc-scroll{overflow:visible}}
)";

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

// The rules that this HTML needs, without those of variables that none of them uses. A notebook keeps the style of each
// output, as any of them may be the only one left; so it is kept small.
std::string rules_for(std::string_view html) {
  std::string rules, variables;
  for (const auto line : split_lines(kStyle)) {
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
  for (const auto line : split_lines(kStyle)) {
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
