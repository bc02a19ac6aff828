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
    auto copy = session_.arrays().allocate(
        run, {fmt::format("{} (for --repeat)", name), array->type, array->shape, false, run.current});
    session_.submission().copy(copy.address, array->address, array->bytes());
    saved_.push_back({array->address, std::move(copy)});
  }
  for (const auto module : modules_) session_.variables().post_keep(module);
}

Backups::~Backups() {
  for (const auto& saved : saved_) session_.arrays().free_memory(saved.copy);
  session_.variables().drop_kept();
}

void Backups::post_restore() {
  for (const auto& saved : saved_) session_.submission().copy(saved.original, saved.copy.address, saved.copy.bytes());
  for (const auto module : modules_) session_.variables().post_put_back(module);
}

}  // namespace xcuda::interpreter
