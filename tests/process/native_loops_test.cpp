// Loops that run long are compiled, and print as the interpreter does.
#include <gtest/gtest.h>

#include "command/runner.hpp"
#include "interpreter/run_cell.hpp"
#include "programs/session_parts.hpp"

namespace xcuda::test {
namespace {

class BothStreams final : public session::Sink {
 public:
  void stream(OutputStream which, std::string_view text) override { (which == OutputStream::out ? out : err) += text; }
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
  std::string out, err;
};

TEST(NativeLoops, PrintToBothStreams) {
  auto machine = make_machine();
  command::Runner runner;
  session::Session session(make_parts(machine, {}), runner);
  if (session.device_info().kind != device::Kind::cpu) GTEST_SKIP() << "loops are compiled on the CPU device";
  BothStreams sink;
  const auto error = interpreter::run_cell(session,
                                           {"int x[4];\n"
                                            "for (int i = 0; i < 5000; ++i) {\n"
                                            "  x[i % 4] += i;\n"
                                            "  if (i % 2000 == 3) fprintf(stderr, \"error %d\\n\", i);\n"
                                            "  if (i % 2000 == 4) fprintf(stdout, \"note %d\\n\", i);\n"
                                            "}\n",
                                            "In[1]",
                                            {}},
                                           sink);
  EXPECT_FALSE(error.has_value()) << error->error.message;
  EXPECT_EQ(sink.err, "error 3\nerror 2003\nerror 4003\n");
  EXPECT_EQ(sink.out, "note 4\nnote 2004\nnote 4004\n");
}

}  // namespace
}  // namespace xcuda::test
