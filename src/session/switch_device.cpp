// %device: another device takes over, with every array, module, stream and variable. Nothing has changed until the new
// one holds it all.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

constexpr std::uint64_t kCopiedPiece = std::uint64_t{32} << 20;  // bytes on their way through the host

}  // namespace

void Session::switch_device(const device::Selector& selector) {
  auto next = device_.start(selector);
  if (!next) return;
  device_.get();
  for (const auto& array : arrays_.all())
    if (device_.memory().is_borrowed(array.address))
      throw Error(ErrorKind::value, fmt::format("cannot change the device: {} is memory of a Python program on {}",
                                                array.name, device_.info().name))
          .advise("Change the device in a cell that does not use it.");
  operations_.drop();  // compiled again for the other architecture when they are wanted
  submission_.synchronize();

  streams_.make_on(*next->device);
  std::vector<std::pair<device::ModuleId, device::ModuleInfo>> loaded;
  for (const auto& module : code_.modules().all())
    loaded.emplace_back(module->id, next->device->load_module(module->image()));

  std::vector<std::byte> piece;
  std::vector<device::Address> addresses;
  for (const auto& array : arrays_.all()) {
    const auto to = next->memory->allocate(array.bytes(), array.name);
    addresses.push_back(to);
    for (std::uint64_t done = 0; done < array.bytes(); done += piece.size()) {
      interrupt_.check();
      piece.resize(std::min(kCopiedPiece, array.bytes() - done));
      submission_.read(array.address + done, piece);
      device::Transfer(*next->device).write({to + done, piece.size()}, piece);
    }
  }
  std::vector<std::pair<device::Address, std::uint64_t>> before;
  for (const auto& array : arrays_.all()) before.emplace_back(array.address, array.bytes());
  const auto moved = [&](device::Address at) {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (at - before[i].first < before[i].second) return addresses[i] + (at - before[i].first);
    return device::Address{0};
  };
  const auto textures = textures_.remade(moved);
  for (const auto& texture : textures) next->device->create_texture(texture);
  std::vector<std::pair<std::string, std::vector<std::byte>>> values;
  for (const auto& variable : variables_.all()) {
    values.emplace_back(variable.name, std::vector<std::byte>(variable.size));
    submission_.read(variable.address, values.back().second);
  }

  variables_.moved();
  arrays_.call_in();
  device_.take(std::move(*next));
  streams_.forget_recorded();
  textures_.move(textures);
  arrays_.move(moved);
  for (const auto& array : arrays_.all()) submission_.name_range(named_range(array));
  for (auto& [id, info] : loaded) {
    variables_.reload_module(id, info);
    code_.modules().refresh(id, std::move(info));
  }
  code_.modules().prepare_again();
  for (const auto& [name, value] : values) submission_.write(variables_.find(name)->address, value);
  submission_.synchronize();
}

}  // namespace xcuda::session
