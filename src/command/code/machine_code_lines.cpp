#include "command/code/machine_code_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "display/readable_name.hpp"

namespace xcuda::command {
namespace {

// "16,16" or "16x16": threads in x, y, z.
device::Dim3 block_of(Invocation& call, const cell::Word& word) {
  std::array<std::uint32_t, 3> extents = {1, 1, 1};
  std::string_view rest = word.text;
  for (std::size_t i = 0; i <= extents.size(); ++i) {
    const auto end = std::min(rest.find_first_of(",x"), rest.size());
    const auto digits = rest.substr(0, end);
    if (i == extents.size() || digits.empty() || digits.size() > 4 ||
        digits.find_first_not_of("0123456789") != digits.npos || digits == "0")
      break;
    extents[i] = static_cast<std::uint32_t>(std::stoul(std::string(digits)));
    if (end == rest.size()) return {extents[0], extents[1], extents[2]};
    rest.remove_prefix(end + 1);
  }
  throw call.error(ErrorKind::value, fmt::format("{} is not a block of threads", word.text), word)
      .advise("Write one to three extents, as in --block 16,16.");
}

}  // namespace

void show_machine_code(Invocation& call, const session::Kernel& kernel) {
  device::CodeRequest request{
      .module = kernel.module->id, .entry = kernel.signature->entry, .block = {256, 1, 1}, .checks = {}};
  if (const auto word = call.arguments.word("--block")) request.block = block_of(call, *word);
  const auto& info = call.session.device_info();
  if (request.block.count() > info.max_threads_per_block)
    throw call
        .error(ErrorKind::value, fmt::format("a block of {} threads is too large: {} has at most {}",
                                             request.block.count(), info.name, info.max_threads_per_block))
        .advise("Write the extents of a block that is launched, as in --block 16,16.");
  request.checks = {!call.arguments.has("--unchecked"), call.arguments.has("--race"), call.arguments.has("--init")};
  display::CellTexts cells;
  for (const auto& entry : call.session.history()) cells[entry.name] = entry.code;
  call.show(
      display::machine_code_bundle(fmt::format("Machine code of {}", display::readable_name(kernel.signature->name)),
                                   call.session.code().machine_code(request), cells));
}

}  // namespace xcuda::command
