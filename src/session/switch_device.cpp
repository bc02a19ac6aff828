// %device: another device takes over, with every array, module, stream and variable. Nothing has changed until the new
// one holds it all.
#include <algorithm>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

constexpr std::uint64_t kCopiedPiece = std::uint64_t{32} << 20;  // bytes on their way through the host

}  // namespace

void Session::look_for_devices() {
  if (!parts_.look) return;
  auto found = parts_.look(limits());
  if (chosen_ < parts_.devices.size()) {  // the one in use stays, whatever is said now
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const DeviceChoice& d) { return d.selector == choice().selector; });
    chosen_ = static_cast<std::size_t>(same - found.begin());
    if (same == found.end()) found.push_back(choice());
  } else {
    chosen_ = found.size();
  }
  parts_.devices = std::move(found);
}

void Session::switch_device(const device::Selector& selector) {
  const auto target = std::find_if(parts_.devices.begin(), parts_.devices.end(),
                                   [&](const DeviceChoice& d) { return d.selector == selector; });
  const auto index = static_cast<std::size_t>(target - parts_.devices.begin());
  if (index == chosen_ && device_started()) return;
  device();
  operations_.drop();  // compiled again for the other architecture when they are wanted
  synchronize();

  auto next = target->start(output_handler());
  const auto next_info = next->info();
  auto next_memory = std::make_unique<device::Memory>(*next);
  for (const auto& [name, id] : streams_) next->create_stream(id);
  for (const auto& [name, id] : events_) next->create_event(id);
  std::vector<std::pair<device::ModuleId, device::ModuleInfo>> loaded;
  for (const auto& module : modules_.all()) loaded.emplace_back(module->id, next->load_module(module->image()));

  std::vector<std::byte> piece;
  std::vector<device::Address> addresses;
  for (const auto& array : arrays_.all()) {
    const auto to = next_memory->allocate(array.bytes(), array.name);
    addresses.push_back(to);
    next->post_name_range(
        {to, array.bytes(), static_cast<std::uint32_t>(array.type.size), array.name, array.type.name});
    for (std::uint64_t done = 0; done < array.bytes(); done += piece.size()) {
      interrupt_.check();
      piece.resize(std::min(kCopiedPiece, array.bytes() - done));
      read(array.address + done, piece);
      device::Transfer(*next).write({to + done, piece.size()}, piece);
    }
  }
  const auto textures = textures_.remade([&](device::Address at) {
    auto address = addresses.begin();
    for (const auto& array : arrays_.all()) {
      if (at - array.address < array.bytes()) return *address + (at - array.address);
      ++address;
    }
    return device::Address{0};
  });
  for (const auto& texture : textures) next->create_texture(texture);
  std::vector<std::pair<std::string, std::vector<std::byte>>> values;
  for (const auto& variable : variables_.all()) {
    values.emplace_back(variable.name, std::vector<std::byte>(variable.size));
    read(variable.address, values.back().second);
  }

  variables_.moved();
  memory_ = std::move(next_memory);
  device_ = std::move(next);
  info_ = next_info;
  chosen_ = index;
  recorded_.clear();
  textures_.move(textures);
  auto address = addresses.begin();
  for (auto& array : arrays_.all()) array.address = *address++;
  for (auto& [id, info] : loaded) {
    variables_.reload_module(id, info);
    modules_.refresh(id, std::move(info));
  }
  for (const auto& [name, value] : values) {
    write(variables_.find(name)->address, value);
    variables_.wrote(name);
  }
  synchronize();
}

}  // namespace xcuda::session
