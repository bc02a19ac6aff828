// A session over the fake device, without commands; a compiler refuses all: statements and expressions alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/compile_output.hpp"
#include "device/fake.hpp"
#include "interpreter/run_cell.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

struct NoCommands final : Commands {
  void run(Session&, CellRun&, const cell::Magic&) override {}
  void help(Session&, CellRun&, const cell::Help&, cell::Span) override {}
  void shell(Session&, CellRun&, const cell::Shell&, cell::Span) override {}
};

struct ShownValues final : Sink {
  void stream(OutputStream, std::string_view given) override { text += given; }
  void display(const display::Bundle& bundle) override { text += display::plain(bundle) + "\n"; }
  void result(const display::Bundle& bundle) override { display(bundle); }
  void page(const display::Bundle&) override {}
  std::string text;
};

struct BareSession {
  explicit BareSession(device::FakeOptions options = {}) {
    SessionParts parts;
    parts.compile = [](const compiler::CompileRequest& request, const WaitLimits&) {
      compiler::CompileOutput output{.ok = false, .name = request.name};
      output.diagnostics.push_back({.text = "nothing is compiled here"});
      return output;
    };
    parts.devices.push_back({{}, "", [options = std::move(options)](const OutputHandler&) {
                               return std::make_unique<device::FakeDevice>(options);
                             }});
    session.emplace(std::move(parts), commands);
  }
  std::optional<display::ErrorView> run(const std::string& code, const std::string& name = "In[1]") {
    return run_cell(*session, {code, name, {}}, shown);
  }

  NoCommands commands;
  std::optional<Session> session;
  ShownValues shown;
};

}  // namespace xcuda::interpreter
