// %cd
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/input_file.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

namespace fs = std::filesystem;

fs::path home(const Invocation& call) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') throw call.error(ErrorKind::io, "HOME is not set, so %cd needs a folder");
  return home;
}

// In IPython's words: nothing and ~ are the home folder, - is the folder before the last %cd.
fs::path wanted(const Invocation& call, const fs::path& before) {
  if (call.arguments.operands.empty()) return home(call);
  const auto& text = call.arguments.operands[0].text;
  if (text == "-") {
    if (before.empty())
      throw call.error(ErrorKind::value, "%cd - goes back to an earlier folder, but this is the first %cd",
                       call.arguments.operands[0]);
    return before;
  }
  if (text == "~" || text.starts_with("~/")) return home(call) / fs::path(text).relative_path().lexically_relative("~");
  return text;
}

void run_cd(Invocation& call) {
  static fs::path before;  // of this process, as the folder is
  call.expect_operands(0, 1);
  const auto folder = wanted(call, before);
  std::error_code failure, ignored;
  const auto here = fs::current_path(ignored);
  fs::current_path(folder, failure);
  if (failure) {
    const auto& words = call.arguments.operands;
    throw Error(ErrorKind::io, fmt::format("cannot change to the folder {}", shown_path(folder.string())))
        .said(failure.message())
        .at(call.run.source.place(words.empty() ? call.magic.name_span : words[0].span));
  }
  before = here;
  call.show(display::text_bundle(fs::current_path(ignored).string()));
}

}  // namespace

Command cd_command() {
  return {
      .name = "cd",
      .operand = Operand::folder,
      .usage = "%cd [folder]",
      .summary = "Change the folder of the session",
      .details =
          "Relative paths of load, %save, #include and !commands begin there. Without a folder it is your home folder; "
          "%cd - goes back. `!cd folder` changes the folder of that one command only.",
      .setup = "!mkdir -p results\n",
      .example =
          "%cd results\n"
          "%cd -\n",
      .run = run_cd,
  };
}

}  // namespace xcuda::command
