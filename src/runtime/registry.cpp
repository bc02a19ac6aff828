#include "runtime/registry.hpp"

#include <errno.h>

#include <algorithm>

#include "runtime/calls.hpp"
#include "runtime/errors.hpp"
#include "runtime/fat_binary.hpp"

namespace xcuda::runtime {

Image* Registry::add_image(const void* wrapper) {
  const std::lock_guard lock(mutex_);
  images_.push_back({.wrapper = wrapper, .id = device::ModuleId{next_id_++}});
  return &images_.back();
}

void Registry::remove_image(Image* image) {
  const std::lock_guard lock(mutex_);
  std::erase_if(functions_, [&](const auto& one) { return one.second.image == image; });
  std::erase_if(variables_, [&](const auto& one) { return one.second.image == image; });
  images_.remove_if([&](const Image& one) { return &one == image; });
}

void Registry::add_function(const void* host, Function function) {
  const std::lock_guard lock(mutex_);
  functions_[host] = std::move(function);
}

void Registry::add_variable(const void* host, Variable variable) {
  const std::lock_guard lock(mutex_);
  variables_[host] = std::move(variable);
}

Function* Registry::function(const void* host) {
  const std::lock_guard lock(mutex_);
  if (const auto found = functions_.find(host); found != functions_.end()) return &found->second;
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const auto& one) { return static_cast<const void*>(&one.second) == host; });
  return found == functions_.end() ? nullptr : &found->second;
}

const Variable* Registry::variable(const void* host) const {
  const std::lock_guard lock(mutex_);
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

cudaError_t Registry::load(Image& image, device::Device& device, MemoryMap& memory) {
  const std::lock_guard lock(mutex_);
  if (image.state != Image::State::registered) return image.error;
  image.error = converted([&] {
    image.info =
        device.load_module({.id = image.id, .name = program_invocation_short_name, .ptx = ptx_of(image.wrapper)});
    return cudaSuccess;
  });
  image.state = image.error == cudaSuccess ? Image::State::loaded : Image::State::refused;
  if (image.error != cudaSuccess) return image.error;
  for (const auto& variable : image.info.variables)
    if (variable.size > 0)
      memory.add({.kind = Allocation::Kind::variable, .address = variable.address, .size = variable.size});
  for (const auto& [host, variable] : variables_)
    if (const auto* info = variable.image == &image && variable.managed ? info_of(variable) : nullptr)
      *variable.managed = reinterpret_cast<void*>(info->address);
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
  }
}

}  // namespace xcuda::runtime
