// xcuda-compile: NVRTC in a process of its own, started by xcuda. See compiler/serve_compiler.hpp.
#include "base/process_limits.hpp"
#include "base/worker.hpp"
#include "compiler/serve_compiler.hpp"

int main(int argc, char** argv) {
  auto channel = xcuda::enter_worker(argc, argv, "xcuda-compile");
  return xcuda::run_with_usual_stack([&] {
    xcuda::compiler::serve(channel);
    return 0;
  });
}
