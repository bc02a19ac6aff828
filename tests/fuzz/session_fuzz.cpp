// Cells in a session on the fake device, separated by a line "%%%": whatever they say, each ends, with one error that
// has a message or with none, and the session goes on. Nothing is compiled: device code is refused.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/unit/interpreter/bare_session.hpp"

namespace {

using namespace xcuda;

constexpr int kMostCells = 8;
constexpr double kSecondsOfCell = 0.2;

void require(bool condition, const std::string& what) {
  if (condition) return;
  fmt::print(stderr, "{}\n", what);
  std::abort();
}

void check(const display::ErrorView& failed) {
  const auto& error = failed.error;
  require(error.kind != ErrorKind::internal, "an internal error: " + error.message + " " + error.library);
  require(!error.message.empty(), "an error without a message");
  if (error.place && error.place->line > 0)
    require(error.place->column >= 0 && error.place->width >= 0, "an error outside of its line: " + error.message);
  require(!display::render_error(failed, display::Colours::none).traceback.empty(), "an error without a text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  device::FakeOptions options;
  options.memory = std::uint64_t{64} << 20;
  interpreter::BareSession bare(std::move(options));
  bare.session->settings().duration = kSecondsOfCell;
  for (int number = 1; number <= kMostCells && !text.empty(); ++number) {
    const auto end = text.find("%%%\n");
    if (const auto failed = bare.run(std::string(text.substr(0, end)), fmt::format("In[{}]", number))) check(*failed);
    text = end == text.npos ? "" : text.substr(end + 4);
  }
  bare.shown.text.clear();
  bare.session->settings().duration = 0;  // however busy the machine is
  const auto failed = bare.run("6 * 7");
  require(!failed, "afterwards 6 * 7 fails");
  require(bare.shown.text.find("42") != std::string::npos, "afterwards 6 * 7 is " + bare.shown.text);
  return 0;
}
