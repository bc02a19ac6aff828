// xcuda-files: decodes files that others made, in a process of its own, started by xcuda. See files/serve_files.hpp.
#include "base/sandbox.hpp"
#include "base/worker.hpp"
#include "files/serve_files.hpp"

int main(int argc, char** argv) {
  auto channel = xcuda::enter_worker(argc, argv, "xcuda-files");
  xcuda::enter_sandbox({});
  xcuda::files::serve(channel);
}
