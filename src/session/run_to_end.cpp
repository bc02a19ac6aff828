// The place where an error that ends a cell becomes a value.
#include <fmt/format.h>

#include <algorithm>

#include "base/called_at.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "cell/line_accesses.hpp"
#include "session/cell_clock.hpp"
#include "session/failures.hpp"
#include "session/session.hpp"

namespace xcuda::session {
namespace {

// Errors of the libraries below know no cell; parse_options counts words, and a person counts columns.
void place(Error& error, const CellRun& run) {
  if (error.place && error.place->line == 0 && error.place->column > 0) {
    const auto index = static_cast<std::size_t>(error.place->column - 1);
    const bool of_the_cell = index < run.compiler_words.size() && run.compiler_words[index].span.end > 0;
    if (of_the_cell)
      error.place = run.source.place(run.compiler_words[index].span);
    else
      error.place.reset();
  }
  if (!error.place && run.current.end > 0) error.place = run.source.place(run.current);
  // A device knows the line that a piece of PTX came from, and not its text.
  if (error.place && error.place->excerpt.empty() && error.place->source == run.source.name && error.place->line > 0)
    error.place->excerpt = line_text(run.source.text, error.place->line);
}

// What the body throws, as a value.
std::optional<display::ErrorView> attempt(const CellRun& run, const std::function<void()>& body) {
  std::optional<display::ErrorView> failed;
  try {
    body();
  } catch (const CompileFailure& failure) {
    failed.emplace(failure);
    failed->diagnostics = failure.diagnostics;
  } catch (const CheckFailure& failure) {
    failed.emplace(failure);
    failed->further = failure.further;
  } catch (const DeviceFailure& failure) {
    failed.emplace(failure);
    failed->fault = failure.fault;
  } catch (const ForeignFailure& failure) {
    failed.emplace(failure);
    failed->rendered = failure.rendered;
  } catch (const Error& error) {
    failed.emplace(error);
  } catch (const std::bad_alloc&) {
    failed.emplace(Error(ErrorKind::memory, "the host is out of memory"));
  } catch (const std::exception& other) {
    failed.emplace(Error(ErrorKind::internal, "an internal check of the kernel failed").said(other.what()));
  }
  if (failed) place(failed->error, run);
  if (failed)
    for (const auto& call : run.calls) failed->error.notes.push_back(called_at(call));
  return failed;
}

// A line of a cell that ran, or of a file that one includes; empty if unknown. Clients that keep no history
// give several cells one name: then it is not known which of them is meant.
std::string line_of(const std::vector<HistoryEntry>& history, const std::string& source, int line) {
  constexpr std::uint64_t kMostBytes = 1 << 24;
  const HistoryEntry* cell = nullptr;
  for (const auto& entry : history) {
    if (entry.name != source) continue;
    if (cell != nullptr && cell->code != entry.code) return {};
    cell = &entry;
  }
  if (cell != nullptr) return std::string(line_text(cell->code, line));
  if (source.find('/') == std::string::npos) return {};
  const auto file = try_read_file(source, kMostBytes);
  const auto* text = std::get_if<std::string>(&file);
  return text != nullptr ? std::string(line_text(*text, line)) : std::string();
}

// The first line between two accesses that has a barrier for the block; 0 if no line has one.
int barrier_between(const std::vector<HistoryEntry>& history, const device::Fault& fault) {
  if (fault.kind != device::FaultKind::race || !fault.other || fault.other->source != fault.source) return 0;
  const auto [first, second] = std::minmax(fault.line, fault.other->line);
  if (first <= 0) return 0;
  for (int line = first; line < second; ++line) {
    const auto text = line_of(history, fault.source, line);
    for (const auto* name : {"__syncthreads", "sync", "__barrier_sync"})
      if (!cell::calls_of_line(text, name).empty()) return line;
  }
  return 0;
}

}  // namespace

// The body and all that it posted. What it threw, or what the device says at its end.
std::optional<display::ErrorView> Session::run_to_end(CellRun& run, const std::function<void()>& body) {
  submission_.time_limit().set(settings_.timeout);
  current_.run = &run;
  auto failed = attempt(run, body);
  // What was launched before an error still runs, and may fail too. A time limit that was over has done its work.
  if (failed && failed->fault && failed->fault->fault.kind == device::FaultKind::time_limit)
    submission_.time_limit().set(0);
  const auto later = attempt(run, [&] {
    recovery_.take_fault();
    submission_.synchronize();
  });
  // A call that found the device's process gone says less than the fault that ended it.
  const bool call_failed = failed && !failed->fault &&
                           (failed->error.kind == ErrorKind::device || failed->error.kind == ErrorKind::interrupted);
  if (!failed || (call_failed && later && later->fault))
    failed = later;
  else if (later)
    failed->error.notes.push_back(fmt::format("Then, at the end: {}", later->error.message));
  submission_.time_limit().set(0);
  device_.failed_asserts();  // what else the device's process has written
  current_.run = nullptr;
  if (failed && failed->fault) {
    auto& view = *failed->fault;
    if (view.fault.line > 0) view.line = line_of(history_, view.fault.source, view.fault.line);
    if (const auto& other = view.fault.other; other && other->line > 0)
      view.other_line = line_of(history_, other->source, other->line);
    view.barrier_line = barrier_between(history_, view.fault);
    if (failed->error.advice.empty()) failed->error.advice = display::fault_advice(view);
  }
  return failed;
}

std::optional<display::ErrorView> Session::run_cell(const CellText& text, Sink& sink,
                                                    const std::function<void(CellRun&)>& body) {
  CellRun run{{text.name, text.code}, text.cell_id, sink};
  interrupt_.clear();
  progress_.begin(sink);
  history_.push_back({text.name, text.code, text.cell_id});
  const auto begun = std::chrono::steady_clock::now();
  CellClock clock(interrupt_, settings_.duration);
  auto failed = run_to_end(run, [&] {
    clock.start();
    body(run);
  });
  if (clock.stop()) {
    interrupt_.clear();  // so that the next cell does not see it
    if (failed && failed->error.kind == ErrorKind::interrupted) clock.explain(*failed);
  }
  progress_.end();
  auto& entry = history_.back();
  entry.took = std::chrono::steady_clock::now() - begun;
  if (entry.outcome == HistoryEntry::Outcome::running)
    entry.outcome = failed ? HistoryEntry::Outcome::failed : HistoryEntry::Outcome::ran;
  return failed;
}

}  // namespace xcuda::session
