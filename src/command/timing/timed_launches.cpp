#include "command/timing/timed_launches.hpp"

namespace xcuda::command {

interpreter::LaunchOptions timed_launches(const Invocation& call, Repeats repeats) {
  const auto given = [&](std::string_view option, std::uint64_t otherwise) {
    return static_cast<std::uint64_t>(call.arguments.integer(option).value_or(static_cast<std::int64_t>(otherwise)));
  };
  interpreter::LaunchOptions options;
  options.report = interpreter::LaunchOptions::Report::timed;
  options.repeat = given("--repeat", repeats.timed);
  options.warmup = given("--warmup", repeats.warmup);
  if (call.arguments.has("--no-restore")) options.restore = interpreter::LaunchOptions::Restore::no;
  return options;
}

}  // namespace xcuda::command
