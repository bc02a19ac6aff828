#include "device/remote/serve_verbs.hpp"

#include "device/remote/apply.hpp"

namespace xcuda::device::remote {

void serve_post(Device& device, Verb verb, std::span<const std::byte> payload) {
  using Fill = FillRequest;
  using Copy = CopyRequest;
  switch (verb) {
    case Verb::post_launch:
      apply<LaunchRequest>(verb, payload, [&](const LaunchRequest& r) { device.post_launch(r); });
      return;
    case Verb::post_prepare:
      apply<PrepareRequest>(verb, payload, [&](const PrepareRequest& r) { device.post_prepare(r); });
      return;
    case Verb::post_name_range:
      apply<ArrayRange>(verb, payload, [&](auto& range) { device.post_name_range(range); });
      return;
    case Verb::post_forget_range:
      apply<Address>(verb, payload, [&](Address a) { device.post_forget_range(a); });
      return;
    case Verb::post_guard:
      apply<std::vector<GuardedRange>>(verb, payload, [&](auto& ranges) { device.post_guard(ranges); });
      return;
    case Verb::post_fill:
      apply<StreamId, Fill>(verb, payload, [&](StreamId s, auto& r) { device.post_fill(s, r); });
      return;
    case Verb::post_copy:
      apply<StreamId, Copy>(verb, payload, [&](StreamId s, auto& r) { device.post_copy(s, r); });
      return;
    case Verb::post_read:
      apply<StreamId, Copy>(verb, payload, [&](StreamId s, auto& r) { device.post_read(s, r); });
      return;
    case Verb::post_write:
      apply<StreamId, Copy>(verb, payload, [&](StreamId s, auto& r) { device.post_write(s, r); });
      return;
    case Verb::post_record:
      apply<EventId, StreamId>(verb, payload, [&](EventId e, StreamId s) { device.post_record(e, s); });
      return;
    case Verb::post_wait:
      apply<StreamId, EventId>(verb, payload, [&](StreamId s, EventId e) { device.post_wait(s, e); });
      return;
    case Verb::post_graph:
      apply<GraphLaunch>(verb, payload, [&](const GraphLaunch& r) { device.post_graph(r); });
      return;
    case Verb::post_library:
      apply<LibraryLaunch>(verb, payload, [&](const LibraryLaunch& r) { device.post_library(r); });
      return;
    case Verb::post_host_call:
      apply<HostCall>(verb, payload, [&](const HostCall& r) { device.post_host_call(r); });
      return;
    case Verb::post_destroy_texture:
      apply<TextureId>(verb, payload, [&](TextureId id) { device.post_destroy_texture(id); });
      return;
    case Verb::post_destroy_graph:
      apply<GraphId>(verb, payload, [&](GraphId id) { device.post_destroy_graph(id); });
      return;
    default: throw malformed(verb);
  }
}

std::vector<std::byte> serve_call(Device& device, Verb verb, std::span<const std::byte> bytes, std::vector<File>& files,
                                  std::vector<File>& out) {
  switch (verb) {
    case Verb::info: return apply<>(verb, bytes, [&] { return device.info(); });
    case Verb::create_memory:
      return apply<MemoryRequest>(verb, bytes, [&](auto& request) {
        if (auto file = device.create_memory(request)) out.push_back(std::move(file));
      });
    case Verb::import_memory:
      if (files.size() != 1) throw malformed(verb);
      return apply<MemoryRequest>(verb, bytes, [&](auto& request) { device.import_memory(request, files[0]); });
    case Verb::mirror_memory:
      if (files.size() != 1) throw malformed(verb);
      return apply<MemoryRequest>(verb, bytes, [&](auto& request) { device.mirror_memory(request, files[0]); });
    case Verb::open_memory:
      return apply<ForeignMemory>(verb, bytes, [&](auto& memory) { return device.open_memory(memory); });
    case Verb::destroy_memory: return apply<MemoryId>(verb, bytes, [&](MemoryId id) { device.destroy_memory(id); });
    case Verb::load_module:
      return apply<ModuleImage>(verb, bytes, [&](auto& image) { return device.load_module(image); });
    case Verb::unload_module: return apply<ModuleId>(verb, bytes, [&](ModuleId id) { device.unload_module(id); });
    case Verb::module_info: return apply<ModuleId>(verb, bytes, [&](ModuleId id) { return device.module_info(id); });
    case Verb::place_variables:
      return apply<ModuleId, std::vector<VariableInfo>>(
          verb, bytes, [&](ModuleId id, auto& variables) { return device.place_variables(id, variables); });
    case Verb::machine_code:
      return apply<CodeRequest>(verb, bytes, [&](const CodeRequest& request) { return device.machine_code(request); });
    case Verb::occupancy: return apply<OccupancyRequest>(verb, bytes, [&](auto& r) { return device.occupancy(r); });
    case Verb::best_block: return apply<OccupancyRequest>(verb, bytes, [&](auto& r) { return device.best_block(r); });
    case Verb::create_stream: return apply<StreamId>(verb, bytes, [&](StreamId id) { device.create_stream(id); });
    case Verb::destroy_stream: return apply<StreamId>(verb, bytes, [&](StreamId id) { device.destroy_stream(id); });
    case Verb::create_event: return apply<EventId>(verb, bytes, [&](EventId id) { device.create_event(id); });
    case Verb::destroy_event: return apply<EventId>(verb, bytes, [&](EventId id) { device.destroy_event(id); });
    case Verb::elapsed:
      return apply<EventId, EventId>(verb, bytes, [&](EventId a, EventId b) { return device.elapsed(a, b); });
    case Verb::begin_capture:
      return apply<GraphId, StreamId>(verb, bytes, [&](GraphId id, StreamId s) { device.begin_capture(id, s); });
    case Verb::end_capture: return apply<GraphId>(verb, bytes, [&](GraphId id) { return device.end_capture(id); });
    case Verb::create_texture: return apply<TextureRequest>(verb, bytes, [&](auto& r) { device.create_texture(r); });
    case Verb::open_library:
      return apply<library::OpenRequest>(verb, bytes, [&](auto& request) { return device.open_library(request); });
    case Verb::load_host_module:
      return apply<HostModuleImage>(verb, bytes, [&](auto& image) { return device.load_host_module(image); });
    case Verb::unload_host_module:
      return apply<ModuleId>(verb, bytes, [&](ModuleId id) { device.unload_host_module(id); });
    case Verb::set_limit:
      return apply<Limit, std::uint64_t>(verb, bytes,
                                         [&](Limit limit, std::uint64_t value) { device.set_limit(limit, value); });
    case Verb::limit: return apply<Limit>(verb, bytes, [&](Limit limit) { return device.limit(limit); });
    case Verb::synchronize: return apply<>(verb, bytes, [&] { return device.synchronize({}); });
    default: throw malformed(verb);
  }
}

}  // namespace xcuda::device::remote
