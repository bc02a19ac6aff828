#include "programs/session_engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

#include "cell/is_complete.hpp"
#include "command/command_table.hpp"
#include "command/runner.hpp"
#include "command/snapshot.hpp"
#include "editor/completion.hpp"
#include "editor/inspection.hpp"
#include "interpreter/run_cell.hpp"
#include "kernel/adapter.hpp"
#include "programs/session_parts.hpp"
#include "python/cells.hpp"
#include "python/python_client.hpp"

namespace xcuda {
namespace {

using kernel::Json;

class OutputSink final : public session::Sink {
 public:
  // run: of this cell and of no other of this notebook, also after a restart. Clients update every output that has an
  // id.
  OutputSink(kernel::Output& output, const Interrupt& interrupt, std::string_view cell_id, std::string run)
      : output_(output), interrupt_(interrupt), live_(!cell_id.empty()), run_(std::move(run)) {}
  void stream(OutputStream which, std::string_view text) override { output_.stream(which, text); }
  void display(const display::Bundle& bundle) override { output_.display(bundle, {}); }
  // A client that names its cells is one for people (JupyterLab): it draws a line that changes. Others keep outputs
  // alone.
  bool is_live() const override { return live_; }
  void display_as(const std::string& id, const display::Bundle& bundle) override {
    const std::lock_guard lock(mutex_);
    const auto own = fmt::format("{}/{}", run_, id);
    if (shown_.insert(id).second)
      output_.display(bundle, own);
    else
      output_.update_display(bundle, own);
  }
  void display_named(const std::string& id, const display::Bundle& bundle) override { output_.display(bundle, id); }
  void update_named(const std::string& id, const display::Bundle& bundle) override {
    output_.update_display(bundle, id);
  }
  void clear(Clear when) override { output_.clear(when); }
  std::string ask(const Question& question) override {
    return output_.ask(
        {question.prompt, question.echo == Question::Echo::hidden, [this] { return interrupt_.raised(); }});
  }
  void result(const display::Bundle& bundle) override { output_.result(bundle); }
  void page(const display::Bundle& bundle) override { output_.page(bundle); }
  void next_input(const std::string& text) override { output_.next_input(text); }

 private:
  kernel::Output& output_;
  const Interrupt& interrupt_;
  const bool live_;
  const std::string run_;
  std::mutex mutex_;
  std::set<std::string> shown_;  // ids of this cell
};

std::optional<display::RenderedError> rendered(const std::optional<display::ErrorView>& error) {
  return error ? std::optional(display::render_error(*error)) : std::nullopt;
}

editor::Matches of_python(python::Matches found) {
  editor::Matches matches;
  matches.begin = found.begin;
  matches.end = found.end;
  for (auto& match : found.matches)
    matches.matches.push_back({std::move(match.text), std::move(match.type), std::move(match.signature), {}});
  return matches;
}

class SessionSnapshot final : public kernel::Snapshot {
 public:
  explicit SessionSnapshot(command::Snapshot data) : data_(std::move(data)) {}

  editor::Matches complete(std::string_view code, std::size_t cursor) override {
    if (python::cell_place(code, cursor)) return {{}, cursor, cursor};  // Python is the session's to ask
    return editor::complete(code, cursor, data_.scope);
  }
  std::optional<display::Bundle> inspect(std::string_view code, std::size_t cursor, command::Detail detail) override {
    if (python::cell_place(code, cursor)) return std::nullopt;
    return editor::inspect(code, cursor, detail, data_.scope);
  }
  cell::Completeness is_complete(std::string_view code) override { return cell::is_complete(code, command::grammar); }
  std::optional<display::RenderedError> run_cell(std::string_view code, kernel::Output& output) override {
    command::run_cell(data_, code, [&](const display::Bundle& bundle) { output.display(bundle, {}); });
    return std::nullopt;
  }

 private:
  const command::Snapshot data_;
};

class SessionEngine final : public kernel::Engine {
 public:
  SessionEngine()
      : machine_(make_machine()),
        session_(make_parts(machine_, [this] { return session_.submission().wait_request(); }), runner_) {
    machine_.compiler->start();
    kernel::caught(
        [this] { session_.chosen().start_early(); });  // the first cell that needs it tries again, and says why
  }

  std::optional<display::RenderedError> run_cell(const kernel::CellRequest& request, kernel::Output& output) override {
    OutputSink sink(output, session_.interrupt_flag(), request.cell_id, next_run());
    output.set_limit(session_.settings().output_cap);
    return rendered(interpreter::run_cell(
        session_, {request.code, fmt::format("In[{}]", request.execution_count), request.cell_id}, sink));
  }

  std::optional<display::RenderedError> evaluate(std::string_view expression, kernel::Output& output,
                                                 display::Bundle& value) override {
    OutputSink sink(output, session_.interrupt_flag(), {}, next_run());
    return rendered(interpreter::evaluate(session_, std::string(expression), sink, value));
  }

  editor::Matches complete(std::string_view code, std::size_t cursor) override {
    session_.interrupt_flag().clear();
    if (const auto place = python::cell_place(code, cursor)) return of_python(python::complete(session_, *place));
    return editor::complete(code, cursor, command::scope_of(session_), &session_.interrupt_flag());
  }

  std::optional<display::Bundle> inspect(std::string_view code, std::size_t cursor, command::Detail detail) override {
    session_.interrupt_flag().clear();
    if (const auto place = python::cell_place(code, cursor))
      return python::inspect(session_, *place, detail == command::Detail::source ? 1 : 0);
    return editor::inspect(code, cursor, detail, command::scope_of(session_));
  }

  cell::Completeness is_complete(std::string_view code) override { return cell::is_complete(code, command::grammar); }

  std::shared_ptr<kernel::Snapshot> snapshot() override {
    return std::make_shared<SessionSnapshot>(command::snapshot_of(session_));
  }

  std::optional<std::chrono::milliseconds> idle_limit() override {
    const double minutes = session_.settings().idle;
    if (minutes == 0) return std::nullopt;
    return std::chrono::milliseconds(std::llround(60'000 * minutes));
  }
  void idle() override { session_.recovery().rest(); }
  void interrupt() override { session_.interrupt_flag().raise(); }
  void prepare_exit() override {
    session_.parts().python->end();
    session_.chosen().shut_down();
  }
  std::string banner() override {
    return "xeus-cuda: CUDA C++ in Jupyter\n%help explains the language, %lsmagic lists the commands, %device shows "
           "where kernels run.";
  }

 private:
  std::string next_run() { return fmt::format("{}-{}", session_name_, ++runs_); }

  command::Runner runner_;
  Machine machine_;
  session::Session session_;
  // Unlike that of any other process that a notebook has had.
  const std::string session_name_ =
      fmt::format("xcuda-{:x}-{:x}", getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t runs_ = 0;
};

}  // namespace

std::unique_ptr<kernel::Engine> make_session_engine() { return std::make_unique<SessionEngine>(); }

}  // namespace xcuda
