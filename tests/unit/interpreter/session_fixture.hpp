// Tests of statements and expressions alone, in a session of their own.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "bare_session.hpp"

namespace xcuda::interpreter {

class SessionFixture : public testing::Test {
 protected:
  explicit SessionFixture(device::FakeOptions options = {}) : bare_(std::move(options)) {}

  std::optional<display::ErrorView> run(const std::string& code) { return bare_.run(code); }
  // The number that an expression gives, with its type.
  language::ScalarValue number(std::string_view expression) {
    const auto error = run("auto result = (" + std::string(expression) + ");");
    if (error) ADD_FAILURE() << expression << ": " << error->error.message;
    const auto* result = session_->names().find("result");
    const auto* value = result == nullptr ? nullptr : std::get_if<language::ScalarValue>(&result->value);
    return value == nullptr ? language::ScalarValue() : *value;
  }

  BareSession bare_;
  std::optional<Session>& session_ = bare_.session;
  ShownValues& shown_ = bare_.shown;
};

}  // namespace xcuda::interpreter
