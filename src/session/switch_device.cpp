#include "session/switch_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

constexpr std::uint64_t kCopiedPiece = std::uint64_t{32} << 20;  // bytes on their way through the host

}  // namespace

void switch_device(Session& session, const device::Selector& selector) {
  auto& chosen = session.chosen();
  auto& arrays = session.arrays();
  auto& submission = session.submission();
  auto& variables = session.variables();
  auto& modules = session.code().modules();
  auto next = chosen.start(selector);
  if (!next) return;
  chosen.get();
  for (const auto& array : arrays.all())
    if (chosen.memory().is_borrowed(array.address))
      throw Error(ErrorKind::value, fmt::format("cannot change the device: {} is memory of a Python program on {}",
                                                array.name, chosen.info().name))
          .advise("Change the device in a cell that does not use it.");
  session.operations().drop();  // compiled again for the other architecture when they are wanted
  session.host().end();
  submission.synchronize();

  session.streams().make_on(*next->device);
  std::vector<std::pair<device::ModuleId, device::ModuleInfo>> loaded;
  for (const auto& module : modules.all()) loaded.emplace_back(module->id, next->device->load_module(module->image()));

  std::vector<std::byte> piece;
  std::vector<device::Address> addresses;
  for (const auto& array : arrays.all()) {
    const auto to = next->memory->allocate(array.bytes(), array.name);
    addresses.push_back(to);
    for (std::uint64_t done = 0; done < array.bytes(); done += piece.size()) {
      session.interrupt_flag().check();
      piece.resize(std::min(kCopiedPiece, array.bytes() - done));
      submission.read(array.address + done, piece);
      device::Transfer(*next->device).write({to + done, piece.size()}, piece);
    }
  }
  std::vector<std::pair<device::Address, std::uint64_t>> before;
  for (const auto& array : arrays.all()) before.emplace_back(array.address, array.bytes());
  const auto moved = [&](device::Address at) {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (at - before[i].first < before[i].second) return addresses[i] + (at - before[i].first);
    return device::Address{0};
  };
  const auto textures = session.textures().remade(moved);
  for (const auto& texture : textures) next->device->create_texture(texture);
  std::vector<std::pair<std::string, std::vector<std::byte>>> values;
  for (const auto& variable : variables.all()) {
    values.emplace_back(variable.name, std::vector<std::byte>(variable.size));
    submission.read(variable.address, values.back().second);
  }

  session.code().functions().modules().lose_all(fmt::format("it was made for {}", chosen.info().name));
  variables.moved();
  arrays.call_in();
  chosen.take(std::move(*next));
  arrays.gathered();
  session.streams().forget_recorded();
  session.textures().move(textures);
  arrays.move(moved);
  for (const auto& array : arrays.all()) submission.name_range(named_range(array));
  for (auto& [id, info] : loaded) {
    variables.reload_module(id, info);
    modules.refresh(id, std::move(info));
  }
  modules.prepare_again();
  for (const auto& [name, value] : values) submission.write(variables.find(name)->address, value);
  submission.synchronize();
}

}  // namespace xcuda::session
