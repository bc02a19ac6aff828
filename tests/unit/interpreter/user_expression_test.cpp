// Expressions that a client asks for after a cell: their output goes to the sink, and an interrupt of the cell ends
// them.
#include <gtest/gtest.h>

#include "tests/unit/interpreter/session_fixture.hpp"

namespace xcuda::interpreter {
namespace {

device::FakeOptions ending_with_its_device() {
  device::FakeOptions options;
  options.memory_kind = device::FakeOptions::Memory::ends_with_device;
  return options;
}

class UserExpression : public SessionFixture {
 protected:
  UserExpression() : SessionFixture(ending_with_its_device()) {}

  // The value as text, or the name of the error.
  std::string value(const std::string& expression) {
    display::Bundle bundle;
    const auto error = evaluate(*session_, expression, shown_, bundle);
    return error ? std::string(kind_name(error->error.kind)) : display::plain(bundle);
  }
};

TEST_F(UserExpression, WhatItPrintsGoesToTheSink) {
  EXPECT_FALSE(run("int n = 6;"));
  EXPECT_EQ(value("printf(\"%d|\", n)"), "2");  // characters
  EXPECT_EQ(value("printf(\"%d|\", n * 7)"), "3");
  EXPECT_EQ(shown_.text, "6|42|");
}

TEST_F(UserExpression, WhatTheDeviceTellsAtItsStartGoesToTheSink) {
  value("like(x)");
  EXPECT_FALSE(run("int x[4];"));
  EXPECT_NE(shown_.text.find("arrays will not survive a fault"), std::string::npos) << shown_.text;
}

TEST_F(UserExpression, AnErrorIsAValue) {
  EXPECT_FALSE(run("int n = 6;"));
  EXPECT_EQ(value("no_such_name"), "NameError");
  EXPECT_EQ(value("n +"), "SyntaxError");
  EXPECT_EQ(value("assert(n == 7)"), "AssertionError");
  EXPECT_EQ(value("n"), "6");
}

TEST_F(UserExpression, AnInterruptOfItsCellEndsItAndThoseAfterIt) {
  EXPECT_FALSE(run("int n = 6;"));
  session_->interrupt_flag().raise();
  EXPECT_EQ(value("n"), "KeyboardInterrupt");
  EXPECT_EQ(value("printf(\"x\")"), "KeyboardInterrupt");
  EXPECT_EQ(shown_.text, "");
  EXPECT_FALSE(run("n = 7;"));
  EXPECT_EQ(value("n"), "7");
}

TEST_F(UserExpression, IsNotInTheHistory) {
  EXPECT_FALSE(run("int n = 6;"));
  value("n");
  EXPECT_EQ(session_->history().size(), 1u);
}

}  // namespace
}  // namespace xcuda::interpreter
