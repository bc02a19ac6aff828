#include "device/remote/replay.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "device/remote/codec.hpp"

namespace xcuda::device::remote {

void Journal::move(const Window& to) {
  const auto moved = [&](Address address) { return address - window->base + to.base; };
  for (auto& [id, piece] : memory) piece.request.address = moved(piece.request.address);
  std::map<Address, ArrayRange> moved_ranges;
  for (auto& [address, range] : ranges) {
    range.address = moved(address);
    moved_ranges.emplace(range.address, std::move(range));
  }
  ranges = std::move(moved_ranges);
  for (auto& [id, texture] : textures) texture.address = moved(texture.address);
  window = to;
}

std::optional<Line::Answer> Replay::ask(Verb verb, std::vector<std::byte> arguments, std::vector<File> files) {
  auto outcome = connection_.call({verb, arguments, std::move(files)}, limits_);
  if (auto* const loss = std::get_if<Line::Loss>(&outcome)) loss_ = std::move(*loss);
  if (auto* const error = std::get_if<Error>(&outcome)) error_ = std::move(*error);
  if (auto* const answer = std::get_if<Line::Answer>(&outcome)) return std::move(*answer);
  return std::nullopt;
}

bool Replay::run(Recovery& recovery) {
  if (!obtain_window(recovery) || !share_words()) return false;
  for (const auto& [limit, bytes] : journal_.limits)
    if (!tell(Verb::set_limit, encode(limit, bytes))) return false;
  for (const auto id : journal_.streams)
    if (!tell(Verb::create_stream, encode(id))) return false;
  for (const auto id : journal_.events)
    if (!tell(Verb::create_event, encode(id))) return false;
  if (!restore_memory(recovery)) return false;
  for (const auto& [address, range] : journal_.ranges) connection_.post(Verb::post_name_range, encode(range), {});
  return load_modules(recovery) && load_host_modules(recovery) && restore_textures();
}

bool Replay::obtain_window(Recovery& recovery) {
  const auto answer = ask(Verb::info, {});
  if (!answer) return false;
  DeviceInfo info;
  if (!decode(answer->value, info)) {
    error_ = Error(ErrorKind::internal, "the device's description is malformed");
    return false;
  }
  if (!journal_.window) {
    journal_.window = info.window;
  } else if (info.window.base != journal_.window->base) {
    recovery.window_kept = false;
    journal_.move(info.window);
  }
  return true;
}

bool Replay::share_words() {
  if (!journal_.words) return true;
  std::vector<File> files;
  files.emplace_back(fcntl(journal_.words.get(), F_DUPFD_CLOEXEC, 0));
  return ask(Verb::share_words, {}, std::move(files)).has_value();
}

bool Replay::restore_memory(Recovery& recovery) {
  for (auto& [id, piece] : journal_.memory) {
    if (piece.descriptor) {
      std::vector<File> files;
      files.emplace_back(fcntl(piece.descriptor.get(), F_DUPFD_CLOEXEC, 0));
      const auto verb = piece.kind == Journal::Memory::Kind::mirror ? Verb::mirror_memory : Verb::import_memory;
      if (!ask(verb, encode(piece.request), std::move(files))) return false;
    } else {
      recovery.arrays_kept = false;
      auto answer = ask(Verb::create_memory, encode(piece.request));
      if (!answer) return false;
      if (!answer->files.empty()) piece.descriptor = std::move(answer->files.front());
    }
  }
  return true;
}

bool Replay::load_modules(Recovery& recovery) {
  for (auto image = journal_.modules.begin(); image != journal_.modules.end();) {
    module_ = image->id;
    if (tell(Verb::load_module, encode(*image)) && place_variables(image->id)) {
      ++image;
      continue;
    }
    if (loss_) return false;
    // It was loaded before; without memory for it now, the rest of the session is still worth having.
    error_.reset();
    recovery.modules_lost.push_back(image->id);
    image = journal_.modules.erase(image);
  }
  module_.reset();
  return true;
}

bool Replay::load_host_modules(Recovery& recovery) {
  for (auto image = journal_.host_modules.begin(); image != journal_.host_modules.end();) {
    module_ = image->id;
    if (tell(Verb::load_host_module, encode(*image))) {
      ++image;
      continue;
    }
    if (loss_) return false;
    error_.reset();
    recovery.modules_lost.push_back(image->id);
    image = journal_.host_modules.erase(image);
  }
  module_.reset();
  return true;
}

bool Replay::place_variables(ModuleId module) {
  const auto placed = journal_.placed.find(module);
  return placed == journal_.placed.end() || tell(Verb::place_variables, encode(module, placed->second));
}

bool Replay::restore_textures() {
  for (const auto& [id, texture] : journal_.textures) {
    if (tell(Verb::create_texture, encode(texture))) continue;
    if (loss_) return false;
    error_.reset();  // what is launched with it is refused; the next process may have the memory for it
  }
  return true;
}

}  // namespace xcuda::device::remote
