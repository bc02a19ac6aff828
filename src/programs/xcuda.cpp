// xcuda: the Jupyter kernel.
#include "kernel/serve_kernel.hpp"
#include "programs/caches.hpp"
#include "programs/runtime_coverage.hpp"
#include "programs/session_engine.hpp"

int main(int argc, char** argv) {
  return xcuda::kernel::serve_kernel(argc, argv,
                                     {.name = "xcuda",
                                      .version = XCUDA_VERSION,
                                      .make_engine = xcuda::make_session_engine,
                                      .doctor = xcuda::doctor,
                                      .clear_caches = xcuda::clear_caches,
                                      .coverage = xcuda::print_runtime_coverage});
}
