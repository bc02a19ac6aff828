#include "session/launch_log.hpp"

#include <algorithm>

namespace xcuda::session {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

const LaunchLog::Record* LaunchLog::record_of(std::uint64_t number) const {
  const auto found = std::lower_bound(records_.begin(), records_.end(), number,
                                      [](const Record& r, std::uint64_t n) { return r.number < n; });
  return found == records_.end() || found->number != number ? nullptr : &*found;
}

const LaunchSite* LaunchLog::find(std::uint64_t number) const {
  const auto* record = record_of(number);
  return record == nullptr ? nullptr : record->site.get();
}

std::optional<device::Dim3> LaunchLog::block_of(std::uint64_t number) const {
  const auto* record = record_of(number);
  return record == nullptr || record->block.count() == 1 ? std::nullopt : std::optional(record->block);
}

std::vector<std::string> LaunchLog::possibly_written() const {
  std::vector<std::string> names;
  for (const auto& record : records_)
    for (const auto& use : record.site->uses)
      if (use.may_write) add_once(names, use.array);
  return names;
}

std::vector<std::string> LaunchLog::given() const {
  std::vector<std::string> names;
  for (const auto& record : records_)
    for (const auto& use : record.site->uses) add_once(names, use.array);
  return names;
}

void LaunchLog::add_timings(const std::vector<device::LaunchTiming>& timings) {
  timings_.insert(timings_.end(), timings.begin(), timings.end());
}

bool LaunchLog::same(const std::vector<ArrayUse>& a, const std::vector<ArrayUse>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ArrayUse& p, const ArrayUse& q) {
    return p.array == q.array && p.may_write == q.may_write && p.address == q.address && p.bytes == q.bytes &&
           p.whole == q.whole && p.id == q.id;
  });
}

}  // namespace xcuda::session
