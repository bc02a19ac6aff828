#include "interpreter/launches/backups.hpp"

#include <fmt/format.h>

namespace xcuda::interpreter {

Backups::Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays, device::ModuleId module)
    : session_(session), modules_{module} {
  save(run, arrays);
}

Backups::Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays) : session_(session) {
  for (const auto& module : session.code().modules().all()) modules_.push_back(module->id);
  save(run, arrays);
}

void Backups::save(CellRun& run, const std::vector<std::string>& arrays) {
  for (const auto& name : arrays) {
    const auto* array = session_.arrays().find(name);
    if (array == nullptr) continue;  // a module variable, kept below
    auto originals = session_.chosen().memory().copies_of(array->address);
    if (originals.empty()) originals.push_back(array->address);
    for (std::uint32_t device = 0; device < originals.size(); ++device) {
      const auto use = only_on(device, originals.size());
      auto copy = session_.arrays().allocate(
          run, {fmt::format("{} (for --repeat)", name), array->type, array->shape, false, run.current});
      session_.submission().copy(copy.address, originals[device], array->bytes());
      saved_.push_back({originals[device], std::move(copy), device, originals.size()});
    }
  }
  for (const auto module : modules_) session_.variables().post_keep(module);
}

// Of an array that has copies each is kept and put back by its own device.
std::optional<DeviceOrder::Use> Backups::only_on(std::uint32_t device, std::size_t copies) {
  return copies < 2 ? std::nullopt : std::optional<DeviceOrder::Use>(std::in_place, session_.chosen().order(), device);
}

Backups::~Backups() {
  for (const auto& saved : saved_) session_.arrays().free_memory(saved.copy);
  session_.variables().drop_kept();
}

void Backups::post_restore() {
  for (const auto& saved : saved_) {
    const auto use = only_on(saved.device, saved.copies);
    session_.submission().copy(saved.original, saved.copy.address, saved.copy.bytes());
  }
  for (const auto module : modules_) session_.variables().post_put_back(module);
}

}  // namespace xcuda::interpreter
