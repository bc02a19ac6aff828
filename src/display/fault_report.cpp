#include "display/fault_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cell/line_accesses.hpp"
#include "device/index_text.hpp"

namespace xcuda::display {
namespace {

std::string_view done(device::Access access) {
  static constexpr std::string_view kDone[] = {"reached by", "read by", "written by", "updated atomically by"};
  return kDone[static_cast<std::size_t>(access)];
}

// "write of 4 bytes at 0x200000000800: element 512 of x (512 elements)".
std::string access_text(const device::Fault& fault) {
  if (fault.access_size == 0 && !fault.address && fault.array.empty()) return {};
  std::string text(device::access_name(fault.access));
  if (fault.access_size > 0) text += fmt::format(" of {} byte{}", fault.access_size, fault.access_size == 1 ? "" : "s");
  if (fault.address) text += fmt::format(" at {:#x}", *fault.address);
  if (!fault.array.empty() && fault.element)
    text += fmt::format(": element {} of {}", *fault.element, fault.array);
  else if (!fault.array.empty())
    text += ": in " + fault.array;
  if (!fault.array.empty() && fault.elements > 0)
    text += fmt::format(" ({} element{})", format_count(fault.elements), fault.elements == 1 ? "" : "s");
  return text;
}

// What the session can promise about the arrays.
std::string certainty(const FaultView& view) {
  if (view.recovery && !view.recovery->arrays_kept)
    return "their contents are lost: this device's memory ends with its process";
  if (view.before_launch) return "the launch did not run: every array is unchanged";
  if (view.possibly_written.empty() && view.code != FaultyCode::kernel) return "unchanged";
  if (view.possibly_written.empty())
    return "unchanged, unless by a stray store: no launch had a pointer to write through";
  return fmt::format("may have been modified: {}", fmt::join(view.possibly_written, ", "));
}

// The spans of a line that may be the access. The kernel's code has the names of its shared memory and module
// variables, while an array of the session has another name there.
std::vector<cell::Span> accesses_of(const FaultView& view, device::Access kind, std::string_view line) {
  using Kind = cell::LineAccess::Kind;
  const auto& array = view.fault.array;
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), array) != names.end();
  };
  const bool session_array = array.empty() || among(view.possibly_written) || among(view.others);
  const auto found = cell::accesses_of_line(line);
  const auto chosen = [&](const auto& wanted) {
    std::vector<cell::Span> spans;
    for (const auto& access : found)
      if (wanted(access)) spans.push_back(access.span);
    return spans;
  };
  const auto done = [&](const cell::LineAccess& access) {
    if (kind == device::Access::atomic || access.kind == Kind::atomic)
      return access.kind == Kind::atomic && (kind == device::Access::atomic || kind == device::Access::unknown);
    return kind == device::Access::unknown || (kind == device::Access::read ? access.reads : access.writes);
  };
  const auto named = chosen([&](const auto& access) {
    return !session_array && done(access) && (access.name == array || access.kind == Kind::atomic);
  });
  return named.empty() ? chosen([&](const auto& access) { return done(access) && access.kind != Kind::name; }) : named;
}

// The part of the line that failed: an assert, the barriers where threads wait, or all that the access may be; the
// whole statement where the text does not tell.
Place pointed(Place place, const FaultView& view, device::Access access) {
  const std::string_view line = place.excerpt;
  const auto& fault = view.fault;
  std::vector<cell::Span> parts;
  if (fault.kind == device::FaultKind::assertion) {
    parts = cell::calls_of_line(line, "assert");
  } else if (fault.kind == device::FaultKind::trap) {
    for (const auto* name : {"__trap", "__builtin_trap", "abort"})
      if (parts.empty()) parts = cell::calls_of_line(line, name);
  } else if (fault.kind == device::FaultKind::barrier) {
    for (const auto* name : {"__sync", "sync", "arrive_and_wait", "wait", "barrier"})
      if (parts.empty()) parts = cell::calls_of_line(line, name);
  } else if (fault.access_size > 0 || fault.other || !fault.array.empty()) {
    parts = accesses_of(view, access, line);
  }
  if (parts.empty()) parts = {cell::code_of_line(line)};
  auto all = parts.front();
  for (const auto& part : parts) all = {std::min(all.begin, part.begin), std::max(all.end, part.end)};
  if (all.begin == all.end) return place;
  place.column = static_cast<int>(all.begin) + 1;
  place.width = static_cast<int>(all.end - all.begin);
  return place;
}

Place place_here(const FaultView& view) {
  const auto& fault = view.fault;
  return pointed({fault.source, fault.line, fault.column, 0, view.line}, view, fault.access);
}
Place place_there(const FaultView& view, const device::OtherAccess& other) {
  return pointed({other.source, other.line, other.column, 0, view.other_line}, view, other.access);
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
  const auto here = place_here(view);
  StyledText text;
  if (!fault.other) return styled_place(here);
  const auto part = [&](device::Access access, std::string_view who) {
    return waits ? fmt::format("{} waits here", who) : fmt::format("{} {}", done(access), who);
  };
  const auto& other = *fault.other;
  add_place(text, place_there(view, other), part(other.access, other.who));
  add_place(text, here,
            part(fault.access, fault.thread ? "thread " + device::index_text(*fault.thread) : "another thread"));
  return text;
}

StyledText styled_fault(const FaultView& view) {
  const auto& fault = view.fault;
  StyledText text;
  const auto note = [&](std::string_view label, std::string_view line) { labelled(text, Style::note, label, line); };
  if (view.candidates.size() > 1) note("launch", fmt::format("one of {}", fmt::join(view.candidates, "; ")));
  if (fault.block && fault.thread && view.code == FaultyCode::kernel)
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
    json["other"] = {{"access", device::access_name(fault.other->access)},
                     {"who", fault.other->who},
                     {"source", fault.other->source},
                     {"line", fault.other->line}};
  if (view.recovery)
    json["recovery"] = {{"duration", view.recovery->duration},
                        {"window_kept", view.recovery->window_kept},
                        {"arrays_kept", view.recovery->arrays_kept}};
  return json;
}

std::string fault_advice(const FaultView& view) {
  using device::FaultKind;
  const auto& fault = view.fault;
  if (fault.kind == FaultKind::out_of_bounds && fault.element && fault.elements > 0)
    return fmt::format("{} of {} {} 0{}: compare the index before this line.",
                       fault.elements == 1 ? "The only element" : "The elements", fault.array,
                       fault.elements == 1 ? "is" : "are",
                       fault.elements == 1 ? "" : " to " + format_count(fault.elements - 1));
  if (fault.kind == FaultKind::hardware) return std::string(device::kHardwareAdvice);
  if (fault.kind == FaultKind::uninitialised_read && !fault.array.empty())
    return fmt::format("Write all that this line reads of {0} before, or give {0} a value where it is declared.",
                       fault.array);
  if (fault.kind != FaultKind::race || !fault.other || fault.line == 0 || fault.other->line == 0) return {};
  const auto& other = *fault.other;
  if (other.of_another_block)
    return "A barrier orders the threads of one block. Between blocks use atomic operations, or one launch after the "
           "other.";
  if (other.source != fault.source)
    return fmt::format("Put a __syncthreads() between {}:{} and {}:{}.", other.source, other.line, fault.source,
                       fault.line);
  const auto [first, second] = std::minmax(other.line, fault.line);
  if (first == second) {
    const auto here = place_here(view), there = place_there(view, other);
    if (here.width > 0 && here.column == there.column && here.width == there.width)  // "*n += 1", "count[0]++"
      return "Several threads change the same element: let one of them do it, or use an atomic function such as "
             "atomicAdd().";
    return fmt::format("Put a __syncthreads() between the two accesses of line {}.", first);
  }
  if (view.barrier_line > 0)
    return fmt::format(
        "Line {2} waits on the way from line {0} to line {1}, but nothing does on the way back to line {0}: put a "
        "__syncthreads() after line {1}, in the loop.",
        first, second, view.barrier_line);
  return fmt::format(
      "Put a __syncthreads() between line {0} and line {1}. In a loop, the path from line {1} back to line {0} needs "
      "one, too.",
      first, second);
}

}  // namespace xcuda::display
