#include "session/backups.hpp"

#include <fmt/format.h>

namespace xcuda::session {

Backups::Backups(Session& session, CellRun& run, const std::vector<std::string>& arrays, device::ModuleId module)
    : session_(session), module_(module) {
  for (const auto& name : arrays) {
    const auto* array = session.arrays().find(name);
    if (array == nullptr) continue;  // a module variable, kept below
    auto copy = session.allocate(run, {fmt::format("{} (for --repeat)", name), array->type, array->shape, false, run.current});
    session.copy(copy.address, array->address, array->bytes());
    saved_.push_back({array->address, std::move(copy)});
  }
  session.variables().post_keep(session.device(), module);
}

Backups::~Backups() {
  for (const auto& saved : saved_) session_.free_memory(saved.copy);
}

void Backups::post_restore() {
  for (const auto& saved : saved_) session_.copy(saved.original, saved.copy.address, saved.copy.bytes());
  session_.variables().post_put_back(session_.device(), module_);
}

}  // namespace xcuda::session
