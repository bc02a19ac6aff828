// The functions of cuFFT that give callbacks to plans.
#include "runtime/math/fourier_calls.hpp"
#include "runtime/math/fourier_jit.hpp"
#include "runtime/math/fourier_plans.hpp"

namespace xcuda::runtime::math {

Plans& plans() {
  static auto* const the_plans = new Plans;
  return *the_plans;
}

// One device has one function, and one pointer of the program for it.
int set_callback(PlanNumber plan, void** functions, int type, void** infos) {
  return with_plan(plan, [&](Plan& found) {
    if (!found.made) return kInvalidPlan;
    const auto types = callback_types(found.made->type);
    if (type != types.load && type != types.store) return kInvalidType;
    if (functions == nullptr || functions[0] == nullptr) return kInvalidValue;
    auto& callback = found.callbacks[type];
    callback.function = reinterpret_cast<std::uint64_t>(functions[0]);
    callback.info = infos == nullptr ? nullptr : infos[0];
    return 0;
  });
}
// Before the plan is made, as cuFFT compiles the callback into it.
int set_jit_callback(PlanNumber plan, const char* name, const void* code, std::size_t size, int type, void** infos) {
  if (const int status = with_plan(plan, [](Plan& found) { return found.made ? kInvalidPlan : 0; }); status != 0)
    return status;
  if (name == nullptr || code == nullptr || size == 0) return kInvalidValue;
  if (!is_callback_type(type)) return kInvalidType;
  FourierCallback callback;
  const auto outcome = load_jit_callback(name, {static_cast<const char*>(code), size}, type, callback);
  if (outcome != Outcome::done) return kFourierCodes.of(outcome);
  callback.info = infos == nullptr ? nullptr : infos[0];
  return with_plan(plan, [&](Plan& found) {
    found.callbacks[type] = std::move(callback);
    return 0;
  });
}
int clear_callback(PlanNumber plan, int type) {
  return with_plan(plan, [&](Plan& found) { return found.callbacks.erase(type) > 0 ? 0 : kInvalidValue; });
}
int set_callback_shared(PlanNumber plan, int type, std::size_t bytes) {
  constexpr std::size_t kMost = 16 << 10;
  return with_plan(plan, [&](Plan& found) {
    const auto callback = found.callbacks.find(type);
    if (callback == found.callbacks.end() || bytes > kMost) return kInvalidValue;
    callback->second.shared = bytes;
    return 0;
  });
}

}  // namespace xcuda::runtime::math
