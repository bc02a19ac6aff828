// What the declaration of an array costs where there are many already: the last 1,000 of so many over the first 1,000,
// at the top of a session, in one cell, and in the blocks of a loop. On the fake device, so that all of it is the
// session's own. A ratio of about 1 is what is wanted.
//   bench_declare [arrays]
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bench/session_rig.hpp"
#include "device/fake.hpp"

namespace {

using namespace xcuda;

constexpr int kBatch = 1000;

session::SessionParts parts() {
  session::SessionParts parts;
  parts.devices.push_back({{}, "", [](const session::OutputHandler&) {
                             device::FakeOptions options;
                             options.memory = std::uint64_t{1} << 30;
                             return std::make_unique<device::FakeDevice>(options);
                           }});
  return parts;
}

std::string declarations(int first, int count) {
  std::string code;
  for (int i = first; i < first + count; ++i) code += fmt::format("float a{}[4];\n", i);
  return code;
}

void report(const char* what, double first, double last) {
  fmt::print("{:<44} first {:8.3f} µs   last {:8.3f} µs   ratio {:6.2f}\n", what, first / kBatch, last / kBatch,
             last / first);
}

}  // namespace

int main(int argc, char** argv) {
  const int arrays = argc > 1 ? std::atoi(argv[1]) : 60'000;
  const std::string loop = fmt::format("for (int i = 0; i < {}; ++i) {{ float t[4]; }}\n", kBatch);
  bench::SessionRig cells(parts());
  cells.time("float warm[4];");
  const double loop_first = cells.time(loop);
  double first = 0, last = 0;
  for (int i = 0; i < arrays; i += kBatch) {
    last = cells.time(declarations(i, kBatch));
    if (i == 0) first = last;
  }
  report("a cell of 1,000 declarations", first, last);
  report("1,000 blocks with one", loop_first, cells.time(loop));

  bench::SessionRig one(parts());
  one.time("float warm[4];");
  const double small = one.time(declarations(0, kBatch));
  const double large = one.time(declarations(kBatch, arrays)) * kBatch / arrays;
  report("one cell of all declarations, on average", small, large);
}
