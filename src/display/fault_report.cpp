#include "display/fault_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "device/index_text.hpp"

namespace xcuda::display {
namespace {

std::string_view access_name(device::Access access) {
  static constexpr std::string_view kNames[] = {"access", "read", "write", "atomic operation"};
  return kNames[static_cast<std::size_t>(access)];
}

std::string_view done(device::Access access) {
  static constexpr std::string_view kDone[] = {"reached by", "read by", "written by", "updated atomically by"};
  return kDone[static_cast<std::size_t>(access)];
}

// "write of 4 bytes at 0x200000000800: element 512 of x (512 elements)".
std::string access_text(const device::Fault& fault) {
  if (fault.access_size == 0 && !fault.address && fault.array.empty()) return {};
  std::string text(access_name(fault.access));
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
std::string certainty(const FaultView& view) {
  if (view.recovery && !view.recovery->arrays_kept)
    return "their contents are lost: this device's memory ends with its process";
  if (view.before_launch) return "the launch did not run: every array is unchanged";
  if (view.possibly_written.empty())
    return "only a stray store can have modified one: no launch since the last synchronisation had a pointer to "
           "non-const";
  return fmt::format("may have been modified: {}", fmt::join(view.possibly_written, ", "));
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// After the bracket that closes the one at `open`; nothing where the line ends before it.
std::size_t after_bracket(std::string_view line, std::size_t open) {
  const char opens = line[open], closes = opens == '[' ? ']' : ')';
  int depth = 0;
  for (auto at = open; at < line.size(); ++at) {
    depth += line[at] == opens ? 1 : line[at] == closes ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

struct Part {
  std::size_t begin = 0, end = 0;
};

// "x[i + 1]" and "tile[y][x]" of a line.
std::vector<Part> subscripts_of(std::string_view line) {
  std::vector<Part> found;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '[' || !is_name(line[at - 1])) continue;
    auto begin = at;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    auto end = after_bracket(line, at);
    while (end < line.size() && line[end] == '[') end = after_bracket(line, end);
    if (end <= line.size()) found.push_back({begin, end});
  }
  return found;
}

// A device knows where the statement begins. What failed there is shown where the line leaves no doubt: an assert, the
// only subscript, or the only one of an array in shared memory, whose name the kernel's code has.
Place pointed(Place place, const FaultView& view) {
  const std::string_view line = place.excerpt;
  const auto& fault = view.fault;
  std::vector<Part> parts;
  if (fault.kind == device::FaultKind::assertion) {
    for (auto at = line.find("assert("); at != line.npos; at = line.find("assert(", at + 1))
      if (const auto end = after_bracket(line, line.find('(', at)); end != line.npos) parts.push_back({at, end});
  } else if (fault.access_size > 0 || fault.other || !fault.array.empty()) {
    parts = subscripts_of(line);
    const auto among = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), fault.array) != names.end();
    };
    if (parts.size() > 1 && !among(view.possibly_written) && !among(view.others))
      std::erase_if(parts, [&](const Part& part) {
        return line.substr(part.begin, line.find('[', part.begin) - part.begin) != fault.array;
      });
  }
  if (parts.size() != 1) return place;
  place.column = static_cast<int>(parts[0].begin) + 1;
  place.width = static_cast<int>(parts[0].end - parts[0].begin);
  return place;
}

// "In[3]:4:9: read by thread (31, 0, 0)", the line, and a caret.
void add_place(StyledText& text, const Place& place, std::string_view what) {
  text.add(Style::place, place_text(place));
  text.add(": ").add(what).line().append(styled_excerpt(place, Style::error));
}

}  // namespace

StyledText styled_fault_places(const FaultView& view) {
  const auto& fault = view.fault;
  const bool waits = fault.kind == device::FaultKind::barrier;
  const auto place = [&](Place place) { return waits ? place : pointed(std::move(place), view); };
  const auto here = place({fault.source, fault.line, fault.column, 0, view.line});
  StyledText text;
  if (!fault.other) return styled_place(here);
  const auto part = [&](device::Access access, std::string_view who) {
    return waits ? fmt::format("{} waits here", who) : fmt::format("{} {}", done(access), who);
  };
  const auto& other = *fault.other;
  add_place(text, place({other.source, other.line, other.column, 0, view.other_line}), part(other.access, other.who));
  add_place(text, here,
            part(fault.access, fault.thread ? "thread " + device::index_text(*fault.thread) : "another thread"));
  return text;
}

StyledText styled_fault(const FaultView& view) {
  const auto& fault = view.fault;
  StyledText text;
  const auto note = [&](std::string_view label, std::string_view line) { labelled(text, Style::note, label, line); };
  if (view.candidates.size() > 1) note("launch", fmt::format("one of {}", fmt::join(view.candidates, "; ")));
  if (fault.block && fault.thread)
    note("by", fmt::format("block {}, thread {}", device::index_text(*fault.block), device::index_text(*fault.thread)));
  if (const auto access = access_text(fault); !access.empty()) note("access", access);
  note("arrays", certainty(view));
  if (!view.recovered_variables.empty()) note("variables", view.recovered_variables);
  if (!view.recovery) return text;
  note("recovered",
       fmt::format("in {}; the next cell can run", format_duration(static_cast<double>(view.recovery->duration))));
  if (!view.recovery->window_kept) note("pointers", "the arrays have moved: pointers stored in arrays are stale");
  if (const auto lost = view.recovery->modules_lost.size(); lost > 0)
    note("modules", fmt::format("{} could not be loaded again; run their cells again", lost));
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
  if (fault.other)
    json["other"] = {{"access", access_name(fault.other->access)},
                     {"who", fault.other->who},
                     {"source", fault.other->source},
                     {"line", fault.other->line}};
  if (view.recovery)
    json["recovery"] = {{"duration", view.recovery->duration},
                        {"window_kept", view.recovery->window_kept},
                        {"arrays_kept", view.recovery->arrays_kept}};
  return json;
}

std::string fault_advice(const device::Fault& fault) {
  using device::FaultKind;
  if (fault.kind == FaultKind::out_of_bounds && fault.element && fault.elements > 0)
    return fmt::format("The elements of {} are 0 to {}: compare the index before this line.", fault.array,
                       format_count(fault.elements - 1));
  if (fault.kind != FaultKind::race || !fault.other || fault.line == 0 || fault.other->line == 0) return {};
  const auto& other = *fault.other;
  if (other.of_another_block)
    return "A barrier orders the threads of one block. Between blocks use atomic operations, or one launch after the "
           "other.";
  if (other.source != fault.source)
    return fmt::format("Put a __syncthreads() between {}:{} and {}:{}.", other.source, other.line, fault.source,
                       fault.line);
  const auto [first, second] = std::minmax(other.line, fault.line);
  if (first == second) return fmt::format("Put a __syncthreads() between the two accesses of line {}.", first);
  return fmt::format(
      "Put a __syncthreads() between line {0} and line {1}. In a loop, the way from line {1} back to line {0} needs "
      "one, too.",
      first, second);
}

}  // namespace xcuda::display
