#include "library/cuda/cuda_transforms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "library/cuda/opening.hpp"

namespace xcuda::library::cuda {
namespace {

std::string cufft_status(int status) {
  const auto* const name = [&] {
    switch (status) {
      case 1: return "INVALID_PLAN";
      case 2: return "ALLOC_FAILED";
      case 3: return "INVALID_TYPE";
      case 4: return "INVALID_VALUE";
      case 5: return "INTERNAL_ERROR";
      case 6: return "EXEC_FAILED";
      case 7: return "SETUP_FAILED";
      case 8: return "INVALID_SIZE";
      case 9: return "UNALIGNED_DATA";
      case 11: return "INVALID_DEVICE";
      case 13: return "NO_WORKSPACE";
      case 14: return "NOT_IMPLEMENTED";
      case 16: return "NOT_SUPPORTED";
      default: return "of another version";
    }
  }();
  return fmt::format("CUFFT_{} ({})", name, status);
}

Wanted wanted_cufft(int cuda_major) {
  Wanted one{"cuFFT", "computes Fourier transforms", {}, cuda_major >= 13 ? "nvidia-cufft" : "nvidia-cufft-cu12"};
  if (cuda_major >= 13) one.files.emplace_back("libcufft.so.12");
  one.files.emplace_back("libcufft.so.11");
  return one;
}

int number_of_type(const Transform& transform) {
  const bool wide = transform.part == Scalar::float64;
  switch (transform.kind) {
    case Transform::Kind::complex: return wide ? kZ2Z : kC2C;
    case Transform::Kind::from_real: return wide ? kD2Z : kR2C;
    case Transform::Kind::to_real: return wide ? kZ2D : kC2R;
  }
  return kC2C;
}

// Whether the elements of a side have cuFFT's default layout: row by row, without gaps. The complex side of a real
// transform has n / 2 + 1 elements in the last axis.
bool is_packed(const Transform& transform, Side side) {
  auto extents = transform.lengths;
  const auto halved = transform.kind == Transform::Kind::from_real ? kTransformed
                      : transform.kind == Transform::Kind::to_real ? kGiven
                                                                   : Side{2};
  if (side == halved) extents.back() = extents.back() / 2 + 1;
  std::int64_t count = 1;
  for (const auto extent : extents) count *= static_cast<std::int64_t>(extent);
  const auto& around = transform.around[side];
  return transform.stride[side] == 1 && (transform.batch == 1 || transform.distance[side] == count) &&
         std::equal(extents.begin() + 1, extents.end(), around.begin() + 1, around.end(),
                    [](std::uint64_t a, std::int64_t b) { return a == static_cast<std::uint64_t>(b); });
}

}  // namespace

Transforms::Transforms(const OpenRequest& request, int cuda_major) {
  const auto begun = std::chrono::steady_clock::now();
  const auto wanted = wanted_cufft(cuda_major);
  const auto paths = candidates(request, wanted);
  if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return load(path, cuda_major); }))
    throw missing(wanted, why_not_);
  facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
}

Transforms::Transforms(const std::string& path, int cuda_major) {
  if (!load(path, cuda_major)) throw missing(wanted_cufft(cuda_major), why_not_);
}

Transforms::~Transforms() {
  for (const auto& [key, plan] : plans_) table_.cufftDestroy(plan.handle);
}

void Transforms::end_plans() noexcept {
  for (auto at = plans_.begin(); at != plans_.end();) {
    if (at->second.in_graph) {
      ++at;
      continue;
    }
    table_.cufftDestroy(at->second.handle);
    at = plans_.erase(at);
  }
  room_ = plans_.size() + kTransformPlans;
}

bool Transforms::load(const std::string& path, int cuda_major) {
  auto why = load_table(path, table_);
  int version = 0;  // 12000 for 12.0.0, which is the first of CUDA 13
  if (why.empty() && table_.cufftGetVersion(&version) != 0) why = path + " does not report its version";
  if (why.empty() && version >= 12000 && cuda_major < 13)
    why = path + " is from CUDA 13, which is newer than the driver";
  if (!why.empty()) {
    if (why_not_.empty()) why_not_ = why;
    return false;
  }
  facts_ = {"cuFFT", fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100), path, 0, 0};
  return true;
}

std::string Transforms::make(const Transform& transform, Plan& plan) const {
  const auto list = [](const auto& values) { return std::vector<long long>(values.begin(), values.end()); };
  auto n = list(transform.lengths), from = list(transform.around[kGiven]), to = list(transform.around[kTransformed]);
  int status = table_.cufftCreate(&plan.handle);
  const bool created = status == 0;
  if (status == 0) status = table_.cufftSetAutoAllocation(plan.handle, 0);
  // cuFFT makes slower plans when the layout is given, even if it is the usual one.
  const bool packed = is_packed(transform, kGiven) && is_packed(transform, kTransformed);
  if (status == 0)
    status = table_.cufftMakePlanMany64(
        plan.handle, static_cast<int>(n.size()), n.data(), packed ? nullptr : from.data(), transform.stride[kGiven],
        transform.distance[kGiven], packed ? nullptr : to.data(), transform.stride[kTransformed],
        transform.distance[kTransformed], number_of_type(transform), static_cast<long long>(transform.batch),
        &plan.work_bytes);
  if (status == 0) return {};
  if (created) table_.cufftDestroy(plan.handle);
  return fmt::format("{}: cuFFT cannot make a plan for {} of length {}", cufft_status(status),
                     transform.batch == 1 ? "a transform" : fmt::format("{} transforms", transform.batch),
                     fmt::join(transform.lengths, " × "));
}

Transforms::Plan* Transforms::find(const Transform& transform, std::string& why) {
  const auto key = plan_key(transform);
  if (const auto found = plans_.find(key); found != plans_.end()) return &found->second;
  if (plans_.size() >= room_) end_plans();
  Plan plan;
  why = make(transform, plan);
  return why.empty() ? &plans_.emplace(key, plan).first->second : nullptr;
}

std::uint64_t Transforms::workspace_bytes(const Call& call) {
  std::string why;
  const auto* const plan = find(transform_of(call), why);
  if (plan == nullptr) throw Error(ErrorKind::device, "the transform cannot be planned").said(why);
  return plan->work_bytes;
}

int Transforms::execute(const Plan& plan, const Transform& transform, std::uint64_t from, std::uint64_t to) const {
  const bool wide = transform.part == Scalar::float64;
  auto *const a = reinterpret_cast<float*>(from), *const b = reinterpret_cast<float*>(to);
  auto *const c = reinterpret_cast<double*>(from), *const d = reinterpret_cast<double*>(to);
  switch (transform.kind) {
    case Transform::Kind::complex:
      return wide ? table_.cufftExecZ2Z(plan.handle, c, d, transform.direction)
                  : table_.cufftExecC2C(plan.handle, a, b, transform.direction);
    case Transform::Kind::from_real:
      return wide ? table_.cufftExecD2Z(plan.handle, c, d) : table_.cufftExecR2C(plan.handle, a, b);
    case Transform::Kind::to_real:
      return wide ? table_.cufftExecZ2D(plan.handle, c, d) : table_.cufftExecC2R(plan.handle, a, b);
  }
  return 0;
}

Outcome Transforms::run(const Call& call, const Target& target) {
  const auto transform = transform_of(call);
  Outcome outcome{
      {0, fmt::format("{} of {}", transform.batch * transform.starts.size(), fmt::join(transform.lengths, " × ")),
       transform.part == Scalar::float64 ? "double" : "float"},
      {}};
  auto* const plan = find(transform, outcome.refused);
  if (plan == nullptr) return outcome;
  plan->in_graph = plan->in_graph || target.captured;
  if (plan->work_bytes > call.workspace_bytes) {
    outcome.refused =
        fmt::format("cuFFT needs {} bytes for this plan, but has {}", plan->work_bytes, call.workspace_bytes);
    return outcome;
  }
  int status = 0;
  if (plan->stream != target.stream || !plan->placed)
    status = table_.cufftSetStream(plan->handle, static_cast<cufftStream>(target.stream));
  if (status == 0 && plan->work_bytes > 0 && (plan->workspace != call.workspace || !plan->placed))
    status = table_.cufftSetWorkArea(plan->handle, reinterpret_cast<void*>(call.workspace));
  plan->placed = status == 0;
  plan->stream = target.stream;
  plan->workspace = call.workspace;
  const auto at = [&](Side side, std::int64_t start) {
    return call.operands[side].address + static_cast<std::uint64_t>(start) * size_of(call.operands[side].type);
  };
  for (const auto& start : transform.starts)
    if (status == 0)
      status = execute(*plan, transform, at(kGiven, start[kGiven]), at(kTransformed, start[kTransformed]));
  if (status != 0) outcome.refused = fmt::format("{}: cuFFT cannot transform", cufft_status(status));
  return outcome;
}

}  // namespace xcuda::library::cuda
