// Where the outputs of a cell go, and what the session knows about the cell.
#pragma once

#include <string>
#include <string_view>

#include "base/output_stream.hpp"
#include "base/worker.hpp"
#include "display/bundle.hpp"

namespace xcuda::session {

class Sink {
 public:
  virtual ~Sink() = default;
  // Whether display_as() may be called from another thread while the cell runs.
  virtual bool is_live() const { return false; }
  virtual void stream(OutputStream which, std::string_view text) = 0;
  virtual void display(const display::Bundle& bundle) = 0;
  // Replaces in place what this cell has shown under the id; shows it the first time.
  virtual void display_as(const std::string& id, const display::Bundle& bundle) {
    (void)id;
    display(bundle);
  }
  // Replaces what any cell has shown under the id, as Python's display(..., display_id=...): cells share the id.
  virtual void display_named(const std::string& id, const display::Bundle& bundle) {
    (void)id;
    display(bundle);
  }
  virtual void update_named(const std::string& id, const display::Bundle& bundle) {
    (void)id;
    display(bundle);
  }
  // Removes the cell's outputs so far; with_next: when the next one comes.
  virtual void clear(Clear when) { (void)when; }
  // A line that the user types. Errors: unsupported where no user can be asked; interrupted.
  struct Question {
    std::string prompt;
    enum class Echo : std::uint8_t { shown, hidden } echo = Echo::shown;
  };
  virtual std::string ask(const Question& question);
  virtual void result(const display::Bundle& bundle) = 0;  // of the shown last expression
  virtual void page(const display::Bundle& bundle) = 0;    // name? and %help: the client's pager
  // The cell's new text in a notebook; what a console offers next.
  virtual void next_input(const std::string& text) { stream(OutputStream::out, text); }

 protected:
  Sink() = default;
  Sink(const Sink&) = default;
  Sink& operator=(const Sink&) = default;
};

struct CellText {
  std::string code;
  std::string name;     // "In[7]"
  std::string cell_id;  // JupyterLab's; empty when the client sends none
};

}  // namespace xcuda::session
