#include "runtime/registry.hpp"

#include <errno.h>

#include <algorithm>
#include <set>

#include "device/cpu/cpu_device.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/errors.hpp"
#include "runtime/fat_binary.hpp"
#include "runtime/lent_device.hpp"
#include "runtime/math/fourier_callbacks.hpp"
#include "runtime/ptx_link.hpp"

namespace xcuda::runtime {

device::ModuleId Registry::next_id() {
  return device::ModuleId{(lent_device() != nullptr ? kFirstLentId : 0) + next_id_++};
}

Image* Registry::add_image(const void* wrapper) {
  const std::lock_guard lock(mutex_);
  images_.push_back({.wrapper = wrapper, .id = next_id()});
  return &images_.back();
}

Image* Registry::add_text(std::string ptx) {
  const std::lock_guard lock(mutex_);
  images_.push_back({.text = std::move(ptx), .id = next_id()});
  return &images_.back();
}

bool Registry::holds(const Image* image) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(images_.begin(), images_.end(), [&](const Image& one) { return &one == image; });
}

Function* Registry::add_kernel(Function function) {
  kernels_.push_back(std::move(function));
  auto* added = &kernels_.back();
  functions_[added] = added;
  return added;
}

Function* Registry::kernel_of(Image& image, const std::string& entry) {
  const std::lock_guard lock(mutex_);
  for (Function& one : kernels_)
    if (one.image == &image && one.entry == entry) return &one;
  Function wanted{.image = &image, .entry = entry};
  return info_of(wanted) ? add_kernel(std::move(wanted)) : nullptr;
}

void Registry::unload(Image* image, device::Device& device, MemoryMap& memory) {
  if (image->state == Image::State::loaded) {
    for (const auto* variables : {&image->info.variables, &image->texts})
      for (const auto& variable : *variables)
        memory.free(reinterpret_cast<const void*>(variable.address), {Allocation::Kind::variable});
    device.unload_module(image->id);
  }
  remove_image(image);
}

void Registry::remove_image(Image* image) {
  const std::lock_guard lock(mutex_);
  std::erase_if(functions_, [&](const auto& one) { return one.second->image == image; });
  kernels_.remove_if([&](const Function& one) { return one.image == image; });
  std::erase_if(variables_, [&](const auto& one) { return one.second.image == image; });
  images_.remove_if([&](const Image& one) { return &one == image; });
}

void Registry::add_function(const void* host, Function function) {
  const std::lock_guard lock(mutex_);
  functions_[host] = add_kernel(std::move(function));
}

void Registry::add_variable(const void* host, Variable variable) {
  const std::lock_guard lock(mutex_);
  variables_[host] = std::move(variable);
}

std::vector<Function*> Registry::kernels_named(const std::string& entry, device::Device& device, MemoryMap& memory) {
  const std::lock_guard lock(mutex_);
  load_own(device, memory);
  std::vector<Function*> found;
  for (Image& image : images_)
    if (image.text.empty() && image.state == Image::State::loaded)
      if (Function* const kernel = kernel_of(image, entry)) found.push_back(kernel);
  return found;
}

void Registry::load_own(device::Device& device, MemoryMap& memory) {
  const std::lock_guard lock(mutex_);
  for (Image& image : images_)
    if (image.text.empty()) load(image, device, memory);
}

Function* Registry::function(const void* host) {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(host);
  return found == functions_.end() ? nullptr : found->second;
}

const Variable* Registry::variable(const void* host) const {
  const std::lock_guard lock(mutex_);
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

cudaError_t Registry::load(Image& image, device::Device& device, MemoryMap& memory, std::string* message) {
  const std::lock_guard lock(mutex_);
  if (image.state != Image::State::registered) return image.error;
  const auto load = [&] {
    const bool own = image.text.empty();  // the program's, where libraries find its functions
    image.info = device.load_module(
        {.id = image.id,
         .name = program_invocation_short_name,
         .ptx = with_graph_functions(own ? math::with_fourier_callbacks(ptx_of(image.wrapper)) : image.text)});
    return cudaSuccess;
  };
  image.error = converted(load, message);
  image.state = image.error == cudaSuccess ? Image::State::loaded : Image::State::refused;
  if (image.error != cudaSuccess) return image.error;
  image.texts = device::cpu::texts_of(device, image.id);
  std::set<device::Address> managed;
  for (const auto& [host, variable] : variables_)
    if (const auto* info = variable.image == &image && variable.managed ? info_of(variable) : nullptr) {
      *variable.managed = reinterpret_cast<void*>(info->address);
      managed.insert(info->address);
    }
  using Kind = Allocation::Kind;
  for (const auto* variables : {&image.info.variables, &image.texts})
    for (const auto& variable : *variables)
      if (variable.size > 0)
        memory.add({.kind = managed.contains(variable.address) ? Kind::managed : Kind::variable,
                    .address = variable.address,
                    .size = variable.size,
                    .of_module = true});
  return cudaSuccess;
}

const device::FunctionInfo* Registry::info_of(const Function& function) const {
  for (const auto& one : function.image->info.functions)
    if (one.entry == function.entry) return &one;
  return nullptr;
}

const device::VariableInfo* Registry::info_of(const Variable& variable) const {
  for (const auto& one : variable.image->info.variables)
    if (one.symbol == variable.symbol) return &one;
  return nullptr;
}

void Registry::forget_device() {
  const std::lock_guard lock(mutex_);
  for (Image& image : images_) {
    image.state = Image::State::registered;
    image.error = cudaSuccess;
    image.info = {};
    image.texts.clear();
  }
}

}  // namespace xcuda::runtime
