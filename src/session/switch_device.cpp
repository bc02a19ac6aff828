#include "session/switch_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "session/session.hpp"

namespace xcuda::session {
namespace {

constexpr std::uint64_t kCopiedPiece = std::uint64_t{32} << 20;  // bytes on their way through the host

// What variables hold in memory without a name, such as a struct that a reference leads to.
class HeldMemory {
 public:
  explicit HeldMemory(Session& session) : session_(session) {}
  // From the device in use, whose memory is given back.
  void take() {
    std::map<const arrays::Temporary*, std::size_t> known;
    session_.names().for_each([&](Variable& variable) {
      auto* pointer = std::get_if<Pointer>(&variable.value);
      if (pointer == nullptr || pointer->memory == nullptr) return;
      const auto& memory = *pointer->memory;
      const auto [found, fresh] = known.emplace(&memory, contents_.size());
      if (fresh) {
        contents_.emplace_back(memory.bytes());
        begins_.push_back(memory.address());
        session_.submission().read(memory.address(), contents_.back());
      }
      users_.push_back({pointer, found->second, pointer->address - memory.address()});
    });
    for (const auto& user : users_) user.pointer->memory.reset();
  }
  // To that in use now.
  void give_back() {
    std::vector<std::shared_ptr<const arrays::Temporary>> made;
    for (const auto& bytes : contents_)
      made.push_back(std::make_shared<const arrays::Temporary>(session_.operations().workspace(), bytes.size()));
    const auto moved = [&](device::Address at) {
      for (std::size_t i = 0; i < begins_.size(); ++i)
        if (at - begins_[i] < contents_[i].size()) return made[i]->address() + (at - begins_[i]);
      return at;
    };
    for (std::size_t i = 0; i < contents_.size(); ++i) {
      move_pointers(contents_[i], moved);
      session_.submission().write(made[i]->address(), contents_[i]);
    }
    session_.names().for_each([&](Variable& variable) {
      if (auto* object = std::get_if<Object>(&variable.value)) move_pointers(object->bytes, moved);
    });
    for (const auto& [pointer, contents, offset] : users_) {
      pointer->memory = made[contents];
      pointer->address = made[contents]->address() + offset;
    }
  }

 private:
  struct User {
    Pointer* pointer = nullptr;
    std::size_t contents = 0;
    std::uint64_t offset = 0;
  };
  // Pointers in a struct to others, as in a list.
  template <class Moved> static void move_pointers(std::span<std::byte> bytes, const Moved& moved) {
    constexpr std::size_t kMost = 1 << 16;  // what is larger is an array
    for (std::size_t at = 0; at + sizeof(device::Address) <= std::min(bytes.size(), kMost);
         at += alignof(device::Address)) {
      device::Address address = 0;
      std::memcpy(&address, bytes.data() + at, sizeof address);
      address = moved(address);
      std::memcpy(bytes.data() + at, &address, sizeof address);
    }
  }

  Session& session_;
  std::vector<std::vector<std::byte>> contents_;
  std::vector<device::Address> begins_;  // where they were
  std::vector<User> users_;
};

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
  session.streams().graphs().clear();
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

  HeldMemory held(session);
  held.take();
  session.code().functions().modules().lose_all(fmt::format("it was made for {}", chosen.info().name));
  variables.moved();
  arrays.call_in();
  chosen.take(std::move(*next));
  arrays.gathered();
  session.streams().forget_recorded();
  session.textures().move(textures);
  arrays.move(moved);
  held.give_back();
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
