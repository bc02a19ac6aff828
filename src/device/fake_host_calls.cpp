// Host modules of the fake.
#include "device/fake.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device {

// As on every device, its functions run as they are.
HostModuleInfo FakeDevice::load_host_module(const HostModuleImage& image) {
  begin("load_host_module");
  if (modules_.contains(image.id)) throw taken(image.id);
  return host_modules_.load(image);
}

void FakeDevice::unload_host_module(ModuleId id) {
  begin("unload_host_module");
  finish_for("unload_host_module");
  host_modules_.unload(id);
}

void FakeDevice::post_host_call(const HostCall& request) {
  if (!begin_post("post_host_call")) return;
  enqueue({Posted::Kind::launch, request.number, [this, request](const WaitRequest&) -> std::optional<Fault> {
             const auto stream = [](StreamId) -> void* { return nullptr; };
             if (auto refused = host_modules_.call(request, staging(), stream)) refused_.push_back(std::move(*refused));
             return std::nullopt;
           }});
}

}  // namespace xcuda::device
