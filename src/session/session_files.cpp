// What is in files, by the process that decodes them: arrays' elements, and modules that no cell compiled.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

// A CUBIN runs on GPUs of its major architecture, from its minor one on. The CPU device says itself what it runs.
void expect_fitting(const files::ModuleFile& file, const std::string& architecture, const device::DeviceInfo& device) {
  if (file.kind != files::ModuleFile::Kind::cubin || device.kind != device::Kind::cuda) return;
  int number = 0;  // 90 for sm_90
  std::from_chars(architecture.data() + architecture.find('_') + 1, architecture.data() + architecture.size(), number);
  if (number / 10 == device.compute_major && number % 10 <= device.compute_minor) return;
  throw Error(ErrorKind::value, fmt::format("{} is for {}, and {} is sm_{}{}", file.source, architecture, device.name,
                                            device.compute_major, device.compute_minor))
      .advise(fmt::format("Make it again with nvcc -cubin -arch=sm_{}{}, or a file of PTX, which runs on every device.",
                          device.compute_major, device.compute_minor));
}

}  // namespace

files::OpenArray Session::open_array(const std::string& path) { return parts_.files->open(path, limits()); }

void Session::write(device::Address to, const files::OpenArray& file) {
  transfer().write({to, file.facts.bytes()},
                   [&](std::span<std::byte> piece) { parts_.files->read(file, piece, limits()); });
}

const Module& Session::load_module(CellRun& run, files::ModuleFile file, cell::Span span) {
  forbid_in_capture("a module is loaded");
  const auto outer = std::exchange(run.current, span);  // where the file is wrong
  file.architecture = device_info().architecture;
  auto output = parts_.files->module(file, limits());
  expect_fitting(file, output.architecture, device_info());
  run.current = outer;

  Module module{device::ModuleId{next_module_++}, file.name, std::move(output), {}};
  module.info = device().load_module(
      {module.id, file.source, module.output.ptx, module.output.cubin, module.output.architecture, {}});
  // The module of this name that was loaded before goes, with all that it defined.
  std::vector<std::string> old;
  for (const auto& known : modules_.all())
    if (known->source == file.name)
      for (const auto& kernel : known->output.kernels) old.push_back(kernel.name);
  auto& added = modules_.add(std::move(module));
  variables_.add_module(added.id, added.output.variables, added.info);
  for (const auto& kernel : old) modules_.forget(kernel, &added);
  for (const auto id : modules_.drop_unused()) {
    if (id == added.id) continue;
    variables_.remove_module(device(), id);
    device().unload_module(id);
  }
  return added;
}

}  // namespace xcuda::session
