#include "device/cpu/tiers.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xcuda::device::cpu {

namespace {

auto facts(const AccessSite& site) {
  return std::tie(site.operation.opcode, site.place.line, site.place.column, site.access, site.size, site.components,
                  site.synchronises, site.space, site.slot, site.cache, site.runtime_call);
}

auto facts(const BoundsSlot& slot) { return std::tie(slot.parameter_offset, slot.parameter, slot.variable); }

auto facts(const KernelCode& code) {
  return std::tie(code.local_bytes, code.static_shared, code.cached_ranges, code.yields, code.waits_for);
}

auto suspension(const KernelCode& code) {
  return std::tie(code.save_bytes, code.dispatch, code.wait_sites, code.barrier_sites);
}

template <class Each> bool same(const std::vector<Each>& a, const std::vector<Each>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Each& x, const Each& y) { return facts(x) == facts(y); });
}

}  // namespace

bool may_take_over(const KernelCode& quick, const KernelCode& full) {
  return facts(quick) == facts(full) && same(quick.sites, full.sites) && same(quick.bounds, full.bounds) &&
         (quick.yields == 0 || suspension(quick) == suspension(full));
}

void FullCode::publish(LinkedKernel kernel) {
  kernel_ = std::move(kernel);
  if (may_take_over(quick_, kernel_->code)) between_blocks_.store(&kernel_->code, std::memory_order_release);
  ready_.store(true, std::memory_order_release);
}

}  // namespace xcuda::device::cpu
