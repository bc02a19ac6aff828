#include "interpreter/host/header_branches.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cell/conditional.hpp"
#include "cell/lexer.hpp"

namespace xcuda::interpreter {
namespace {

using cell::DevicePiece;
using cell::Span;

bool is_condition(const DevicePiece& piece) { return piece.container && piece.directive.starts_with("if"); }

// #ifndef X, after which #define X comes at once
bool is_guard(const std::vector<DevicePiece>& pieces, std::size_t at) {
  return pieces[at].directive == "ifndef" && at + 1 < pieces.size() && pieces[at + 1].directive == "define" &&
         pieces[at + 1].name == trim(pieces[at].value);
}

// The lines of a text between #if and #endif that count, its nested conditions included.
std::vector<Span> lines_that_count(std::string_view text, Span condition, const cell::Macros& macros) {
  struct Branch {
    bool counts = false, taken = false;
  };
  std::vector<Branch> open;
  std::vector<Span> spans;
  for (auto begin = condition.begin; begin < condition.end;) {
    const auto newline = text.find('\n', begin);
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(newline, condition.end));
    const auto line = trim(text.substr(begin, end - begin));
    const bool around = std::all_of(open.begin(), open.end(), [](const Branch& one) { return one.counts; });
    const auto directive = line.starts_with('#') ? cell::split_directive(line) : cell::DirectiveText{};
    if (directive.name.starts_with("if")) {
      const bool counts = cell::holds(directive.name, directive.rest, macros);
      open.push_back({counts, counts});
    } else if (directive.name.starts_with("el") && !open.empty()) {
      auto& branch = open.back();
      branch.counts =
          !branch.taken && (directive.name == "else" || cell::holds(directive.name, directive.rest, macros));
      branch.taken = branch.taken || branch.counts;
    } else if (directive.name == "endif" && !open.empty()) {
      open.pop_back();
    } else if (around) {
      if (!spans.empty() && spans.back().end == begin)
        spans.back().end = end + 1;
      else
        spans.push_back({begin, end + 1});
    }
    begin = end + 1;
  }
  return spans;
}

// Macros of other systems and compilers.
bool is_foreign(std::string_view macro) {
  static constexpr std::string_view kNames[] = {"_WIN32",     "WIN32",       "_WIN64",    "WIN64",
                                                "__WIN32__",  "_MSC_VER",    "__APPLE__", "__MACOSX",
                                                "__CYGWIN__", "__MINGW32__", "__HIPCC__", "__HIP_PLATFORM_AMD__"};
  return among(macro, kNames);
}

// Whether all conditions between #if and #endif ask for macros that are known; others may be a header's or NVRTC's.
bool asks_for_known_macros(std::string_view text, Span condition, const cell::Macros& macros) {
  for (const auto line : split_lines(text.substr(condition.begin, condition.end - condition.begin))) {
    const auto words = trim(line);
    if (!words.starts_with('#')) continue;
    const auto directive = cell::split_directive(words);
    if (!directive.name.starts_with("if") && !directive.name.starts_with("eli")) continue;
    for (const auto& token : cell::tokens_of(directive.rest))
      if (token.is_identifier() && !token.is("defined") && !macros.contains(token.text) &&
          !cell::predefined_macros().contains(token.text) && !is_foreign(token.text))
        return false;
  }
  return true;
}

bool is_plain_function(const DevicePiece& piece) {
  return piece.kind == cell::DeviceKind::function && !piece.kernel && !piece.annotated;
}

}  // namespace

void open_branches(cell::Cell& cell, const cell::Macros& macros,
                   const std::function<bool(const DevicePiece&)>& is_like_a_cell) {
  auto& pieces = cell.device;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (!is_condition(pieces[at]) || pieces[at].nesting > 0) continue;
    auto end = at + 1;
    while (end < pieces.size() && pieces[end].nesting > 0) ++end;
    const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(at),
               last = pieces.begin() + static_cast<std::ptrdiff_t>(end);
    const bool guard = is_guard(pieces, at);
    const auto is_type = [](const DevicePiece& piece) { return piece.kind == cell::DeviceKind::type; };
    const bool functions = (guard && std::any_of(first + 1, last, is_type)) ||
                           (std::any_of(first + 1, last, is_plain_function) &&
                            (guard || asks_for_known_macros(cell.text, first->span, macros)));
    if (!functions && std::none_of(first + 1, last, is_like_a_cell)) continue;
    const auto spans = guard ? std::vector<Span>{first->span} : lines_that_count(cell.text, first->span, macros);
    const auto counts = [&](const DevicePiece& piece) {
      return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
        return piece.span.begin >= span.begin && piece.span.end <= span.end;
      });
    };
    std::vector<DevicePiece> kept;
    std::vector<Span> inside;  // of conditions, the outer one first
    for (auto piece = first; piece != last; ++piece) {
      if (is_condition(*piece) && (piece == first || !guard)) {
        inside.push_back(piece->span);
        continue;
      }
      if (!counts(*piece)) continue;
      piece->nesting -= static_cast<int>(std::count_if(inside.begin(), inside.end(), [&](const Span& span) {
        return piece->span.begin >= span.begin && piece->span.end <= span.end;
      }));
      kept.push_back(std::move(*piece));
    }
    pieces.erase(first, last);
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at), kept.begin(), kept.end());
    --at;  // what it held may be a condition
  }
}

}  // namespace xcuda::interpreter
