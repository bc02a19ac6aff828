// What host programs ask and set of kernels with the CUDA Runtime: occupancy, attributes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cell/expression_root.hpp"
#include "cell/method.hpp"
#include "interpreter/host/device_calls.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/lent_name.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/targets.hpp"
#include "language/constants.hpp"

namespace xcuda::interpreter {

const Kernel& DeviceCalls::kernel(const cell::Expression& expression) {
  const auto* given = &cell::without_casts(expression);  // (void*)kernel
  const auto* name = std::get_if<cell::Name>(&given->node);
  const auto held = name == nullptr ? frame_.lookup.function_in(*given) : std::nullopt;
  if (name == nullptr && !held)
    throw error(ErrorKind::type, fmt::format("{} is not the name of a kernel", snippet(run_.source, expression.span)),
                expression.span);
  const auto called =
      held ? frame_.lookup.named(*held, expression.span) : frame_.lookup.function_called(name->text, expression.span);
  return session_.code().find_kernels(run_, called, expression.span).front();
}

device::OccupancyRequest DeviceCalls::of_kernel(const cell::Expression& expression) {
  const auto& kernel = this->kernel(expression);
  return {kernel.module->id, kernel.function->entry, 0, 0};
}

void DeviceCalls::require_occupancy_flags(const language::Bound& given, std::size_t at) {
  if (given.size() <= at || given[at] == nullptr || frame_.runtime_calls.size(*given[at], "flags") <= 1) return;
  throw error(ErrorKind::value, fmt::format("{} are not flags of occupancy", snippet(run_.source, given[at]->span)),
              given[at]->span)
      .advise("cudaOccupancyDefault or cudaOccupancyDisableCachingOverride");
}

void DeviceCalls::active_blocks(const language::Bound& given, cell::Span span) {
  auto request = of_kernel(*given[1]);
  request.block_threads = static_cast<std::uint32_t>(frame_.runtime_calls.size(*given[2], "the threads of a block"));
  request.dynamic_shared = frame_.runtime_calls.size(*given[3], "the shared memory of a block");
  if (request.block_threads == 0) throw error(ErrorKind::value, "a block has at least one thread", given[2]->span);
  require_occupancy_flags(given, 4);
  store(*given[0], language::ScalarValue::of(session_.device().occupancy(request).blocks_per_multiprocessor), span);
}

// The grid is the smallest that keeps the device busy.
void DeviceCalls::best_block(const language::Bound& given, cell::Span span) {
  auto request = of_kernel(*given[2]);
  if (given[3] != nullptr)
    request.dynamic_shared = frame_.runtime_calls.size(*given[3], "the shared memory of a block");
  const auto limit = given[4] == nullptr ? 0 : frame_.runtime_calls.size(*given[4], "the limit of a block");
  require_occupancy_flags(given, 5);
  request.block_threads = session_.device().best_block(request);
  if (limit > 0)
    request.block_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.block_threads, limit));
  const auto blocks = session_.device().occupancy(request).blocks_per_multiprocessor;
  store(*given[0], language::ScalarValue::of(blocks * session_.device_info().multiprocessors), span);
  store(*given[1], language::ScalarValue::of(static_cast<int>(request.block_threads)), span);
}

// cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, kernel, shared, limit): of the sizes with the most
// threads at once the largest.
void DeviceCalls::best_block_of_size(const language::Bound& given, cell::Span span) {
  static const std::string kThreads = "threads of a block";
  auto request = of_kernel(*given[2]);
  const auto& info = session_.device_info();
  const auto limit = given[4] == nullptr ? 0 : frame_.runtime_calls.size(*given[4], "the limit of a block");
  auto& call = shared_of_[given[3]];
  if (call == nullptr) {
    cell::Call made;
    made.callee = cell::copy_of(*given[3]);
    auto threads = std::make_unique<cell::Expression>();
    threads->span = given[3]->span;
    threads->node = cell::Name{kThreads};
    made.arguments.push_back({{}, {}, std::move(threads)});
    call = std::make_unique<cell::Expression>();
    call->span = given[3]->span;
    call->node = std::move(made);
  }
  const auto warp = static_cast<std::uint32_t>(info.warp_size);
  auto largest = static_cast<std::uint32_t>(info.max_threads_per_block);
  if (const auto most = kernel(*given[2]).function->max_threads_per_block; most > 0)
    largest = std::min(largest, static_cast<std::uint32_t>(most));
  if (limit > 0) largest = static_cast<std::uint32_t>(std::min<std::uint64_t>(largest, limit));
  std::uint64_t best = 0, grid = 0, chosen = 0;
  for (auto threads = (largest + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    request.block_threads = std::min(threads, largest);
    const LentName lent(session_, kThreads,
                        {language::ScalarValue::of(static_cast<int>(request.block_threads)), true, run_.source.name});
    request.dynamic_shared = number(*call, "the shared memory of a block").as_unsigned();
    if (request.dynamic_shared > dynamic_shared_limit(kernel(*given[2]))) continue;
    const auto blocks = static_cast<std::uint64_t>(session_.device().occupancy(request).blocks_per_multiprocessor);
    if (blocks * request.block_threads <= best) continue;
    best = blocks * request.block_threads;
    grid = blocks * static_cast<std::uint64_t>(info.multiprocessors);
    chosen = request.block_threads;
  }
  store(*given[0], language::ScalarValue::of(static_cast<int>(grid)), span);
  store(*given[1], language::ScalarValue::of(static_cast<int>(chosen)), span);
}

// cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks, threads): the most with which so many blocks of the
// kernel run at once.
void DeviceCalls::available_shared(const language::Bound& given, cell::Span span) {
  auto request = of_kernel(*given[1]);
  const auto blocks = frame_.runtime_calls.size(*given[2], "the number of blocks");
  request.block_threads = static_cast<std::uint32_t>(frame_.runtime_calls.size(*given[3], "the threads of a block"));
  if (blocks == 0 || request.block_threads == 0)
    throw error(ErrorKind::value,
                fmt::format("{} blocks of {} threads use no shared memory", blocks, request.block_threads),
                given[blocks == 0 ? 2 : 3]->span);
  const auto fits = [&](std::uint64_t bytes) {
    request.dynamic_shared = bytes;
    return static_cast<std::uint64_t>(session_.device().occupancy(request).blocks_per_multiprocessor) >= blocks;
  };
  if (!fits(0))
    throw error(ErrorKind::value,
                fmt::format("a multiprocessor never runs {} blocks of {} threads of {} at once", blocks,
                            request.block_threads, snippet(run_.source, given[1]->span)),
                given[2]->span);
  std::uint64_t most = 0, beyond = dynamic_shared_limit(kernel(*given[1])) + 1;
  while (beyond - most > 1) {
    const auto middle = most + (beyond - most) / 2;
    (fits(middle) ? most : beyond) = middle;
  }
  store(*given[0], language::ScalarValue::of(most), span);
}

// A launch may use all of it without being asked for.
std::uint64_t DeviceCalls::dynamic_shared_limit(const Kernel& kernel) {
  const auto all = session_.device_info().shared_per_block_optin;
  return all - std::min<std::uint64_t>(all, kernel.function->shared_bytes);
}

// cudaFuncGetAttributes(&attributes, kernel)
void DeviceCalls::kernel_attributes(const language::Bound& given, cell::Span span) {
  const auto& kernel = this->kernel(*given[1]);
  const auto& function = *kernel.function;
  const auto& info = session_.device_info();
  const int architecture = 10 * info.compute_major + info.compute_minor;
  const int threads = function.max_threads_per_block > 0 ? function.max_threads_per_block
                                                         : static_cast<int>(info.max_threads_per_block);
  const auto type = session_.code().find_type(run_.source, "cudaFuncAttributes", span);
  Object object{type, std::vector<std::byte>(type.size)};
  for (const auto& member : session_.code().members_of(type)) {
    const auto put = [&](std::string_view name, auto value) {
      if (member.name == name) std::memcpy(&object.bytes[member.offset], &value, sizeof value);
    };
    put("sharedSizeBytes", static_cast<std::size_t>(function.shared_bytes));
    put("constSizeBytes", static_cast<std::size_t>(function.constant_bytes));
    put("localSizeBytes", static_cast<std::size_t>(function.local_bytes));
    put("maxThreadsPerBlock", threads);
    put("numRegs", function.registers);
    put("ptxVersion", architecture);
    put("binaryVersion", architecture);
    put("maxDynamicSharedSizeBytes", static_cast<int>(dynamic_shared_limit(kernel)));
    put("preferredShmemCarveout", -1);  // the device's own choice
  }
  store(*given[0], object, span);
}

// cudaFuncSetAttribute(kernel, attribute, value)
void DeviceCalls::set_kernel_attribute(const language::Bound& given) {
  constexpr std::int64_t kLast = 15;
  const auto dynamic_shared = language::known_constant("cudaFuncAttributeMaxDynamicSharedMemorySize")->as_signed(),
             carveout = language::known_constant("cudaFuncAttributePreferredSharedMemoryCarveout")->as_signed();
  const auto& kernel = this->kernel(*given[0]);
  const auto attribute = number(*given[1], "an attribute").as_signed(),
             value = number(*given[2], "a value").as_signed();
  const auto wrong = [&](std::string_view range) {
    return error(ErrorKind::value,
                 fmt::format("{} cannot be {}: {}", snippet(run_.source, given[1]->span), value, range),
                 given[2]->span);
  };
  if (attribute == dynamic_shared) {
    const auto most = dynamic_shared_limit(kernel);
    if (value < 0 || static_cast<std::uint64_t>(value) > most)
      throw wrong(fmt::format("a block of {} has at most {} bytes of dynamic shared memory",
                              snippet(run_.source, given[0]->span), most));
  } else if (attribute == carveout) {
    if (value < -1 || value > 100) throw wrong("it is a percentage, 0 to 100, or -1");
  } else if (attribute > carveout && attribute <= kLast) {
    throw error(ErrorKind::unsupported,
                fmt::format("{} cannot be set in a session", snippet(run_.source, given[1]->span)), given[1]->span)
        .advise("%%launch --cluster gives launches a cluster, and __cluster_dims__ a kernel.");
  } else {
    throw error(ErrorKind::value,
                fmt::format("{} is not an attribute that can be set", snippet(run_.source, given[1]->span)),
                given[1]->span);
  }
}

void DeviceCalls::set_kernel_cache(const language::Bound& given) {
  constexpr std::uint64_t kConfigurations = 4;
  kernel(*given[0]);
  if (frame_.runtime_calls.size(*given[1], "a configuration of the cache") < kConfigurations) return;
  throw error(ErrorKind::value,
              fmt::format("{} is not a configuration of the cache", snippet(run_.source, given[1]->span)),
              given[1]->span)
      .advise("cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1 or cudaFuncCachePreferEqual");
}

}  // namespace xcuda::interpreter
