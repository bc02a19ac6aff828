// A session without commands whose outputs go nowhere, and how long it takes over a cell.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "interpreter/run_cell.hpp"
#include "session/session.hpp"

namespace xcuda::bench {

struct NoCommands final : session::Commands {
  void run(session::Session&, session::CellRun&, const cell::Magic&) override {}
  void help(session::Session&, session::CellRun&, const cell::Help&, cell::Span) override {}
  void shell(session::Session&, session::CellRun&, const cell::Shell&, cell::Span) override {}
};

struct Nowhere final : session::Sink {
  void stream(OutputStream, std::string_view) override {}
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
};

// Ends the program if the cell fails: a time of it would mean nothing.
inline void run(session::Session& session, const std::string& code, const std::string& name = "In[1]") {
  Nowhere sink;
  if (const auto failed = interpreter::run_cell(session, {code, name, {}}, sink)) {
    fmt::print(stderr, "a cell failed: {}\n{}\n", failed->error.message, code);
    std::exit(1);
  }
}

class SessionRig {
 public:
  explicit SessionRig(session::SessionParts parts) : session_(std::move(parts), commands_) {}

  double time(const std::string& code) {  // microseconds
    const auto begin = std::chrono::steady_clock::now();
    run(session_, code);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  NoCommands commands_;
  session::Session session_;
};

}  // namespace xcuda::bench
