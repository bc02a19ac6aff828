// What the Jupyter server needs of the session, and what the session needs of the server. No xeus here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/output_stream.hpp"
#include "cell/is_complete.hpp"
#include "display/rendered_error.hpp"
#include "editor/completion.hpp"
#include "editor/inspection.hpp"

namespace xcuda::kernel {

using Json = nlohmann::json;

// Where the outputs of a cell go. Thread-safe; text may come in any pieces, invalid UTF-8 included.
class Output {
 public:
  virtual ~Output() = default;
  virtual void stream(OutputStream which, std::string_view text) = 0;
  virtual void display(const display::Bundle& bundle, std::string_view display_id) = 0;  // id may be empty
  virtual void update_display(const display::Bundle& bundle, std::string_view display_id) = 0;
  virtual void result(const display::Bundle& bundle) = 0;  // execute_result
  virtual void next_input(const std::string& text) = 0;    // the payload of the reply that sets the cell's text
  virtual void page(const display::Bundle& bundle) = 0;    // the pager payload of the reply; the last one counts
  virtual void clear(Clear) {}                             // clear_output
  // A line that the user types, over stdin. Errors: unsupported where the client cannot be asked; interrupted, once
  // `cancelled` returns true.
  struct Question {
    std::string prompt;
    bool password = false;
    std::function<bool()> cancelled;
  };
  virtual std::string ask(const Question& question);
  // Sets how many bytes a cell may send to the client from now on, in this cell and in later ones (16 MiB at first).
  virtual void set_limit(std::uint64_t bytes) { (void)bytes; }

 protected:
  Output() = default;
  Output(const Output&) = default;
  Output& operator=(const Output&) = default;
};

struct CellRequest {
  std::string code;
  std::string cell_id;  // JupyterLab's metadata.cellId; empty when the client sends none
  int execution_count = 0;
  bool silent = false;
  bool store_history = true;
};

// Answers to an editor. Errors: interrupted, when an interrupt ends a long search.
class Knowledge {
 public:
  virtual ~Knowledge() = default;
  virtual editor::Matches complete(std::string_view code, std::size_t cursor) = 0;  // cursor in bytes
  virtual std::optional<display::Bundle> inspect(std::string_view code, std::size_t cursor, command::Detail detail) = 0;
  virtual cell::Completeness is_complete(std::string_view code) = 0;

 protected:
  Knowledge() = default;
  Knowledge(const Knowledge&) = default;
  Knowledge& operator=(const Knowledge&) = default;
};

// What an engine knew between two cells: it answers while the next one runs, on one thread at a time.
class Snapshot : public Knowledge {
 public:
  // Runs a cell that only asks (%arrays, %info). Anything else is an error, and nothing is shown.
  virtual std::optional<display::RenderedError> run_cell(std::string_view code, Output& output) = 0;
};

class Engine : public Knowledge {
 public:
  // Runs on the main thread; nothing escapes it. nullopt is success. An interrupt is an error, KeyboardInterrupt.
  virtual std::optional<display::RenderedError> run_cell(const CellRequest& request, Output& output) = 0;
  // Evaluates one of the user_expressions that came with the last cell: a value, or an error. An interrupt ends it and
  // those after it.
  virtual std::optional<display::RenderedError> evaluate(std::string_view expression, Output& output,
                                                         display::Bundle& value) = 0;
  virtual std::shared_ptr<Snapshot> snapshot() = 0;  // main thread, between two cells
  // How long nothing may run before idle() is called, on the main thread; never when there is none.
  virtual std::optional<std::chrono::milliseconds> idle_limit() { return std::nullopt; }
  virtual void idle() {}
  virtual void interrupt() = 0;     // any thread; returns at once
  virtual void prepare_exit() = 0;  // main thread, after the last cell: end the workers
  virtual std::string banner() = 0;
};

}  // namespace xcuda::kernel
