// Modules that no cell compiled, from files.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "session/device_code.hpp"

namespace xcuda::session {
namespace {

// A CUBIN runs on GPUs of its major architecture, from its minor one on. The CPU device says itself what it runs.
void expect_fitting(const files::ModuleFile& file, const std::string& architecture, const device::DeviceInfo& device) {
  if (file.kind != files::ModuleFile::Kind::cubin || device.kind != device::Kind::cuda) return;
  int number = 0;  // 90 for sm_90
  std::from_chars(architecture.data() + architecture.find('_') + 1, architecture.data() + architecture.size(), number);
  if (number / 10 == device.compute_major && number % 10 <= device.compute_minor) return;
  throw Error(ErrorKind::value, fmt::format("{} is for {}, but {} is sm_{}{}", file.source, architecture, device.name,
                                            device.compute_major, device.compute_minor))
      .advise(fmt::format("Compile it again with nvcc -cubin -arch=sm_{}{}, or to PTX, which runs on every device.",
                          device.compute_major, device.compute_minor));
}

}  // namespace

const Module& DeviceCode::load_file(CellRun& run, files::ModuleFile file, cell::Span span) {
  parts_.submission.forbid_in_capture("a module cannot be loaded");
  const auto outer = std::exchange(run.current, span);  // where the file is wrong
  file.architecture = parts_.device.info().architecture;
  auto output = parts_.parts.files->module(file, limits_of(parts_.submission.wait_request()));
  expect_fitting(file, output.architecture, parts_.device.info());
  run.current = outer;

  Module module{next_module(), file.name, std::move(output), {}};
  module.info = parts_.device.get().load_module(
      {module.id, file.source, module.output.ptx, module.output.cubin, module.output.architecture, {}});
  // The module of this name that was loaded before goes, with all that it defined.
  std::vector<std::string> old;
  for (const auto& known : modules_.all())
    if (known->source == file.name)
      for (const auto& kernel : known->output.kernels) old.push_back(kernel.name);
  auto& added = add(std::move(module));
  for (const auto& kernel : old) modules_.forget(kernel, &added);
  for (const auto id : modules_.drop_unused())
    if (id != added.id) unload(id);
  return added;
}

}  // namespace xcuda::session
