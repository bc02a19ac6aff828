// %info, %ptx, %sass
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/text.hpp"
#include "command/disassemble.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "command/source_files.hpp"
#include "display/kernel_view.hpp"

namespace xcuda::command {
namespace {

session::Kernel kernel_named(Invocation& call, const cell::Word& word) {
  const auto& overloads = call.session.modules().find(word.text);
  if (!overloads.empty()) return overloads.front();
  return call.session.find_kernels(call.run, word.text, word.span).front();
}

// The text of one entry in a module's PTX: from its directive to the brace that closes it.
std::string entry_text(const std::string& ptx, const std::string& entry) {
  for (auto at = ptx.find(entry + "("); at != std::string::npos; at = ptx.find(entry + "(", at + 1)) {
    const auto line = ptx.rfind('\n', at) + 1;
    if (ptx.substr(line, at - line).find(".entry") == std::string::npos) continue;
    const auto end = ptx.find("\n}", at);
    return ptx.substr(line, end == std::string::npos ? end : end + 3 - line);
  }
  return ptx;
}

}  // namespace

// The cells that a module's PTX names, with their texts.
display::SourceFiles source_files(session::Session& session, const std::string& ptx) {
  auto files = display::files_of(ptx);
  for (auto& [number, file] : files)
    for (const auto& entry : session.history())
      if (entry.name == file.name) file.text = entry.code;
  return files;
}

void run_info(Invocation& call) {
  call.expect_operands(1, 1);
  const auto kernel = kernel_named(call, call.arguments.operands[0]);
  display::KernelView view;
  view.signature = *kernel.signature;
  view.source = kernel.module->source;
  view.function = *kernel.function;
  view.architecture = kernel.module->output.architecture;
  view.device = call.session.device_info().name;
  auto& device = call.session.device();
  const auto shared = static_cast<std::uint64_t>(call.arguments.integer("--shared").value_or(0));
  const device::OccupancyRequest request{kernel.module->id, kernel.function->entry, 0, shared};
  view.best_block = device.best_block(request);
  std::vector<std::uint32_t> blocks = {64, 128, 256, 512, 1024};
  if (const auto block = call.arguments.integer("--block"))
    blocks = {static_cast<std::uint32_t>(std::min<std::int64_t>(*block, 1 << 20))};
  auto limit = call.session.device_info().max_threads_per_block;
  if (view.function->max_threads_per_block > 0)
    limit = std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(view.function->max_threads_per_block));
  const bool gpu = call.session.device_info().kind == device::Kind::cuda;  // nothing else has multiprocessors to occupy
  for (const auto threads : blocks) {
    if (threads > limit || !gpu) continue;
    auto asked = request;
    asked.block_threads = threads;
    view.occupancies.push_back({threads, device.occupancy(asked)});
  }
  const auto base = kernel.signature->name.substr(0, kernel.signature->name.find('<'));
  for (const auto& name : call.session.modules().names())
    if (name != base && name.starts_with(base + "<")) view.instances.push_back(name);
  call.show(display::kernel_bundle(view));
}

void run_ptx(Invocation& call) {
  if (call.magic.whole_cell) return run_ptx_cell(call);
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) {
    const auto* module = call.session.modules().newest();
    if (module == nullptr) throw call.error(ErrorKind::name, "no cell has compiled a kernel yet");
    call.show(display::ptx_bundle(fmt::format("PTX of {}", module->source), module->output.ptx,
                                  source_files(call.session, module->output.ptx)));
    return;
  }
  const auto kernel = kernel_named(call, call.arguments.operands[0]);
  const auto& ptx = kernel.module->output.ptx;
  call.show(display::ptx_bundle(fmt::format("PTX of {} from {}", kernel.signature->name, kernel.module->source),
                                entry_text(ptx, kernel.signature->entry), source_files(call.session, ptx)));
}

std::string disassembled(Invocation& call, const compiler::CompileOutput& output, std::string_view what) {
  if (output.cubin.empty())
    throw call
        .error(ErrorKind::unsupported,
               fmt::format("{} has no machine code of a GPU: it was compiled for {}", what, output.architecture))
        .advise("%ptx shows its PTX. %%kernel -arch=sm_90 compiles for a GPU.");
  const auto& program = call.session.parts().disassembler;
  if (program.empty())
    throw call.error(ErrorKind::unsupported, "there is no disassembler on this machine")
        .advise(
            "nvdisasm of a CUDA toolkit is needed, or of pip install nvidia-cuda-nvdisasm beside NVRTC's wheel; xcuda "
            "--doctor shows where it is looked for.");
  return disassemble(program, output.cubin, call.session.interrupt_flag());
}

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
  throw call.error(ErrorKind::value, fmt::format("{} is no block of threads", word.text), word)
      .advise("write one to three extents, as in --block 16,16");
}

constexpr std::string_view kVariantOptions[] = {"--block", "--unchecked", "--race", "--init"};

void show_machine_code(Invocation& call, const session::Kernel& kernel) {
  device::CodeRequest request{
      .module = kernel.module->id, .entry = kernel.signature->entry, .block = {256, 1, 1}, .checks = {}};
  if (const auto word = call.arguments.word("--block")) request.block = block_of(call, *word);
  const auto& info = call.session.device_info();
  if (request.block.count() > info.max_threads_per_block)
    throw call.error(ErrorKind::value, fmt::format("a block of {} threads is too large: {} has at most {}",
                                                   request.block.count(), info.name, info.max_threads_per_block));
  request.checks = {!call.arguments.has("--unchecked"), call.arguments.has("--race"), call.arguments.has("--init")};
  display::CellTexts cells;
  for (const auto& entry : call.session.history()) cells[entry.name] = entry.code;
  call.show(display::machine_code_bundle(fmt::format("Machine code of {}", kernel.signature->name),
                                         call.session.device().machine_code(request), cells));
}

}  // namespace

void run_sass(Invocation& call) {
  call.expect_operands(1, 1);
  const auto kernel = kernel_named(call, call.arguments.operands[0]);
  const bool gpu = call.session.device_info().kind == device::Kind::cuda;
  std::optional<cell::Word> variant;
  for (const auto option : kVariantOptions)
    if (!variant && call.arguments.has(option)) variant = call.arguments.word(option);
  if (gpu && variant)
    throw call.error(ErrorKind::value, "a GPU has one machine code for every block, and no checks in it", *variant)
        .advise("--block, --unchecked, --race and --init are for the CPU device");
  const auto& output = kernel.module->output;
  if (!gpu && (variant || output.cubin.empty() || call.session.parts().disassembler.empty()))
    return show_machine_code(call, kernel);
  const auto listing = disassembled(call, output, kernel.signature->name);
  call.show(display::sass_bundle(fmt::format("SASS of {} for {}", kernel.signature->name, output.architecture),
                                 section_of(listing, kernel.signature->entry), source_files(call.session, output.ptx)));
}

}  // namespace xcuda::command
