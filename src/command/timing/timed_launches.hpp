// Parts that commands which time launches share.
#pragma once

#include "command/invocation.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {

struct Repeats {
  std::uint64_t timed = 1, warmup = 0;  // where no option says otherwise
};
// Timed launches by --repeat, --warmup and --no-restore.
interpreter::LaunchOptions timed_launches(const Invocation& call, Repeats repeats);

inline const Option kNoRestore = {.name = "--no-restore", .help = "keep what every repeated launch writes"};

}  // namespace xcuda::command
