// A session over the fake device, without commands and without a compiler: statements and expressions alone.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

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

class SessionFixture : public testing::Test {
 protected:
  explicit SessionFixture(device::FakeOptions options = {}) {
    SessionParts parts;
    parts.devices.push_back({{}, "", [options = std::move(options)](const OutputHandler&) {
                               return std::make_unique<device::FakeDevice>(options);
                             }});
    session_.emplace(std::move(parts), commands_);
  }

  std::optional<display::ErrorView> run(const std::string& code) {
    return run_cell(*session_, {code, "In[1]", {}}, shown_);
  }
  // The number that an expression gives, with its type.
  cell::Value number(std::string_view expression) {
    const auto error = run("auto result = (" + std::string(expression) + ");");
    if (error) ADD_FAILURE() << expression << ": " << error->error.message;
    const auto* result = session_->names().find("result");
    const auto* value = result == nullptr ? nullptr : std::get_if<cell::Value>(&result->value);
    return value == nullptr ? cell::Value() : *value;
  }

  NoCommands commands_;
  std::optional<Session> session_;
  ShownValues shown_;
};

}  // namespace xcuda::interpreter
