// %pwd
#include <filesystem>
#include <system_error>

#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_pwd(Invocation& call) {
  std::error_code failure;
  const auto folder = std::filesystem::current_path(failure);
  if (failure)
    throw call.error(ErrorKind::io, "cannot find the folder of the session")
        .said(failure.message())
        .advise("It may have been removed: %cd folder goes to another one.");
  call.show(display::text_bundle(folder.string()));
}

}  // namespace

Command pwd_command() {
  return {
      .name = "pwd",
      .operand = Operand::none,
      .usage = "%pwd",
      .summary = "Show the folder of the session",
      .example = "%pwd\n",
      .run = run_pwd,
  };
}

}  // namespace xcuda::command
