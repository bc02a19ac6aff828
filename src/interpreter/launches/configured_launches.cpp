#include "interpreter/launches/configured_launches.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"

namespace xcuda::interpreter {
namespace {

// cudaLaunchAttributeID
enum class Attribute : int {
  cooperative = 2,
  cluster_dimension = 4,
  programmatic_event = 7,
  launch_completion_event = 12,
  updatable_node = 13,
  last = 16,
};

constexpr std::string_view kRecord = "Record an event after the launch: cudaEventRecord(e, stream);";

}  // namespace

void ConfiguredLaunches::run(std::string_view name, const language::Bound& given, cell::Span span) {
  const auto where = given[0]->span;
  const CudaStruct config(session_.code(), frame_.runtime_calls.struct_at(*given[0], "cudaLaunchConfig_t"));
  const LaunchedCalls::Configured launch{*given[1],
                                         config.extents("gridDim"),
                                         config.extents("blockDim"),
                                         config.at<std::uint64_t>("dynamicSmemBytes"),
                                         std::span(given).subspan(2),
                                         name == "cudaLaunchKernelExC",
                                         where};
  const auto manner = manner_of(config, where);
  frame_.launches.run(*frame_.launched_calls.launch(name, launch, span), span, manner);
}

LaunchManner ConfiguredLaunches::manner_of(const CudaStruct& config, cell::Span span) {
  LaunchManner manner = frame_.options;
  const auto stream = frame_.streams.held(Type{std::string(language::kHeldStream)}, config.at<std::uint64_t>("stream"));
  if (const auto* named = std::get_if<Stream>(&*stream)) {
    manner.stream = frame_.streams.in_capture(named->id);
    frame_.streams.require_in_capture(*manner.stream, span);
  }
  const auto count = config.at<std::uint32_t>("numAttrs");
  if (count == 0) return manner;
  const auto type = session_.code().find_type(run_.source, "cudaLaunchAttribute", span);
  std::vector<std::byte> bytes(sizeof(device::Address));
  const auto address = config.at<std::uint64_t>("attrs");
  std::memcpy(bytes.data(), &address, bytes.size());
  const auto held = frame_.addresses.in_memory({type.name + "*", sizeof(void*), alignof(void*)}, bytes);
  const auto* memory = held ? std::get_if<Pointer>(&*held) : nullptr;
  if (memory == nullptr || memory->bytes / type.size < count)
    throw error(ErrorKind::value, fmt::format("attrs does not lead to {} attributes, as numAttrs says", count), span)
        .advise("cudaLaunchAttribute attrs[1]; config.attrs = attrs; config.numAttrs = 1;");
  std::vector<std::byte> attributes(count * type.size);
  session_.submission().read(memory->address, attributes);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto one = std::span(attributes).subspan(i * type.size, type.size);
    apply_attribute({session_.code(), Object{type, {one.begin(), one.end()}}}, manner, span);
  }
  return manner;
}

Error ConfiguredLaunches::not_supported(std::string_view attribute, std::string_view advice, cell::Span span) const {
  return error(ErrorKind::unsupported, fmt::format("a launch of statements cannot have {}", attribute), span)
      .advise(std::string(advice));
}

// The other attributes say how a GPU should schedule, cache or order a kernel, which changes no result: launches in one
// stream run one after the other.
void ConfiguredLaunches::apply_attribute(const CudaStruct& attribute, LaunchManner& manner, cell::Span span) {
  const auto id = attribute.at<int>("id");
  if (id < 0 || id > static_cast<int>(Attribute::last))
    throw error(ErrorKind::value, fmt::format("{} is not a cudaLaunchAttributeID", id), span);
  switch (static_cast<Attribute>(id)) {
    case Attribute::cooperative:
      if (attribute.at<int>("val.cooperative") != 0) manner.mode = device::LaunchMode::cooperative;
      break;
    case Attribute::cluster_dimension: {
      constexpr std::uint64_t kMostBlocks = 16;
      const auto cluster = attribute.extents("val.clusterDim");
      const auto blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
      if (cluster.x > kMostBlocks || cluster.y > kMostBlocks || cluster.z > kMostBlocks || blocks == 0 ||
          blocks > kMostBlocks)
        throw error(ErrorKind::value,
                    fmt::format("clusterDim is {} x {} x {}: a cluster has 1 to {} blocks", cluster.x, cluster.y,
                                cluster.z, kMostBlocks),
                    span);
      manner.cluster = cluster;
      break;
    }
    case Attribute::programmatic_event: throw not_supported("cudaLaunchAttributeProgrammaticEvent", kRecord, span);
    case Attribute::launch_completion_event:
      throw not_supported("cudaLaunchAttributeLaunchCompletionEvent", kRecord, span);
    case Attribute::updatable_node:
      throw not_supported("cudaLaunchAttributeDeviceUpdatableKernelNode",
                          "Leave it out: cudaGraphExecUpdate(exec, graph, &info) changes a graph from the host.", span);
    default: break;
  }
}

}  // namespace xcuda::interpreter
