// Service::texture: finds the texture of each lane's handle, and samples, reads or writes it.
#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstring>

#include "device/cpu/run/launch_state.hpp"
#include "device/cpu/run/texture.hpp"
#include "ptx/words.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0};

// The four bytes at a place of memory that other threads change too: `change` gives what becomes of them.
template <class Word, class Change> void update(std::byte* at, Change change) {
  std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
  Word old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {}
}

class TextureAccess {
 public:
  TextureAccess(BlockFrame* frame, LaneCall* lanes) : frame_(frame), lanes_(lanes) {
    const std::uint64_t words[] = {lanes->arguments[0][0], lanes->arguments[1][0]};
    std::memcpy(&call_, words, sizeof call_);
    data_ = reinterpret_cast<std::uint64_t*>(lanes->arguments[2][0]);
    results_ = call_.action == TextureAction::store || call_.action == TextureAction::reduce ? 0 : call_.components;
  }

  std::uint32_t run() {
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      if (lanes_->mask >> lane & 1)
        if (!find(lane) || !access(lane)) return 1;
    return 0;
  }

 private:
  // Lanes mostly share a handle: it is looked up when it is another one than before.
  bool find(std::uint32_t lane) {
    const std::uint64_t handle = lanes_->arguments[3][lane];
    if (texture_ != nullptr && handle == handle_) return true;
    LaunchState& state = state_of(frame_);
    const auto found = state.space.textures.find(handle);
    if (found == state.space.textures.end())
      return refuse(lane, handle, "is neither a texture nor a surface of this session");
    const TextureRequest& texture = found->second;
    const bool surface = call_.action >= TextureAction::load;
    if (call_.action != TextureAction::query) {
      if (surface != texture.surface)
        return refuse(lane, handle,
                      fmt::format("is a {} of {}", texture.surface ? "surface" : "texture", name_of(texture)));
      if (shape_of(texture) != call_.shape)
        return refuse(lane, handle,
                      fmt::format("is a {} of {}, which has {}", surface ? "surface" : "texture", name_of(texture),
                                  shape_name(texture)));
      if (call_.action == TextureAction::gather && !texture.gather)
        return refuse(lane, handle, fmt::format("is a texture of {} declared without gather = true", name_of(texture)));
    }
    handle_ = handle;
    texture_ = &texture;
    return true;
  }

  std::string name_of(const TextureRequest& texture) const {
    const std::string name = state_of(frame_).space.describe(texture.address).name;
    return name.empty() ? fmt::format("memory at {:#x}", texture.address) : name;
  }

  bool refuse(std::uint32_t lane, std::uint64_t handle, std::string_view why) {
    Fault fault = lane_fault(*frame_, *lanes_, lane, FaultKind::illegal_address);
    fault.message = fmt::format("`{}` of {:#x}, which {}", opcode(), handle, why);
    state_of(frame_).report(std::move(fault));
    return false;
  }

  std::string opcode() const { return ptx::text_of(state_of(frame_).code.sites[lanes_->site].operation); }
  std::uint64_t& word(std::uint32_t index, std::uint32_t lane) { return data_[index * kWordsOfTextureRegister + lane]; }
  std::uint32_t coordinate(int index, std::uint32_t lane) {
    return static_cast<std::uint32_t>(word(results_ + static_cast<std::uint32_t>(index), lane));
  }
  std::uint64_t value(std::uint32_t index, std::uint32_t lane) {
    return word(results_ + call_.coordinates + index, lane);
  }

  bool access(std::uint32_t lane) {
    switch (call_.action) {
      case TextureAction::sample:
      case TextureAction::gather:
      case TextureAction::fetch: return read_texture(lane);
      case TextureAction::query: word(0, lane) = answer(*texture_, call_.query); return true;
      default: return access_surface(lane);
    }
  }

  bool read_texture(std::uint32_t lane) {
    const int first = is_layered(call_.shape) ? 1 : 0, count = coordinates_of(call_.shape);
    const std::uint32_t layer = first ? coordinate(0, lane) : 0;
    Texel texel;
    reads_.clear();
    if (call_.action == TextureAction::fetch) {
      TexturePlace place{layer, {}};
      for (int i = 0; i < count; ++i) place.at[i] = static_cast<std::int32_t>(coordinate(first + i, lane));
      texel = fetch(*texture_, place, reads_);
    } else {
      TexturePoint point{layer, {}};
      for (int i = 0; i < count; ++i) point.at[i] = std::bit_cast<float>(coordinate(first + i, lane));
      texel = call_.action == TextureAction::gather
                  ? gather(*texture_, point, call_.component, reads_)
                  : sample(*texture_, point, detail(first + count, count, lane), reads_);
    }
    for (std::uint32_t i = 0; i < call_.components; ++i) word(i, lane) = texel[i];
    for (const std::byte* element : reads_)
      if (!touch(lane, element, texture_->element_bytes(), Access::read)) return false;
    return true;
  }

  // `next`: the first register after the coordinates.
  TextureDetail detail(int next, int dimensions, std::uint32_t lane) {
    TextureDetail detail{.kind = call_.level};
    const auto number = [&] { return std::bit_cast<float>(coordinate(next++, lane)); };
    if (call_.level == TextureLevel::named) detail.level = number();
    if (call_.level == TextureLevel::gradient)
      for (auto& gradient : detail.gradient)
        for (int i = 0; i < dimensions; ++i) gradient[i] = number();
    return detail;
  }

  // For --race and --init.
  bool touch(std::uint32_t lane, const std::byte* at, std::uint64_t bytes, Access kind) {
    return record_touch(frame_, lanes_, {lane, reinterpret_cast<Address>(at), bytes, kind}) == 0;
  }

  // --- Surfaces: x counts bytes
  // ---------------------------------------------------------------------------------------

  bool access_surface(std::uint32_t lane) {
    const auto size = static_cast<unsigned>(ptx::bits_of(static_cast<ptx::Type>(call_.type))) / 8;
    const std::uint64_t offset = find_place(lane, size * call_.components);
    if (offset == kNone) return false;
    const bool dropped = offset == kBeyond;
    auto* at = reinterpret_cast<std::byte*>(texture_->address) + (dropped ? 0 : offset);
    const Access kind = call_.action == TextureAction::reduce ? Access::atomic
                        : call_.action == TextureAction::load ? Access::read
                                                              : Access::write;
    if (!dropped && !touch(lane, at, std::uint64_t{size} * call_.components, kind)) return false;
    if (call_.action == TextureAction::reduce) {
      if (!dropped) reduce(at, value(0, lane));
      return true;
    }
    for (std::uint32_t i = 0; i < call_.components; ++i) {
      if (call_.action == TextureAction::load) {
        word(i, lane) = 0;
        if (!dropped) std::memcpy(&word(i, lane), at + i * size, size);
      } else if (!dropped) {
        const std::uint64_t stored = value(i, lane);
        std::memcpy(at + i * size, &stored, size);
      }
    }
    return true;
  }

  // In bytes from the array's start; `beyond` for what is read as zero and not written, `none` after a fault.
  static constexpr std::uint64_t kBeyond = kNone - 1;
  std::uint64_t find_place(std::uint32_t lane, unsigned bytes) {
    const int first = is_layered(call_.shape) ? 1 : 0, count = coordinates_of(call_.shape);
    const auto row = static_cast<std::int64_t>(texture_->width * texture_->element_bytes());
    const std::int64_t sizes[] = {row - bytes + 1, static_cast<std::int64_t>(texture_->height),
                                  static_cast<std::int64_t>(texture_->depth)};
    std::int64_t at[4] = {};
    for (int i = 0; i < count; ++i) at[i] = static_cast<std::int32_t>(coordinate(first + i, lane));
    const std::int64_t layer = first ? static_cast<std::int64_t>(coordinate(0, lane)) : 0;
    bool inside = !first || layer < static_cast<std::int64_t>(texture_->layers);
    for (int i = 0; i < count; ++i) inside = inside && at[i] >= 0 && at[i] < sizes[i];
    if (!inside && call_.boundary == TextureBoundary::trap) return fail(lane, at, layer);
    if (!inside && call_.boundary == TextureBoundary::zero) return kBeyond;
    for (int i = 0; i < count; ++i) at[i] = std::clamp<std::int64_t>(at[i], 0, std::max<std::int64_t>(sizes[i] - 1, 0));
    if (!inside) at[0] -= at[0] % bytes;
    if (at[0] % bytes != 0) return misaligned(lane, at[0], bytes);
    const std::int64_t slice =
        first ? std::min<std::int64_t>(layer, static_cast<std::int64_t>(texture_->layers) - 1) : at[2];
    return static_cast<std::uint64_t>((slice * static_cast<std::int64_t>(texture_->rows()) + at[1]) * row + at[0]);
  }

  std::uint64_t fail(std::uint32_t lane, const std::int64_t* at, std::int64_t layer) {
    Fault fault = lane_fault(*frame_, *lanes_, lane, FaultKind::out_of_bounds);
    fault.access = call_.action == TextureAction::load     ? Access::read
                   : call_.action == TextureAction::reduce ? Access::atomic
                                                           : Access::write;
    fault.array = state_of(frame_).space.describe(texture_->address).name;
    std::string place = fmt::format("byte {}", at[0]),
                size = fmt::format("{} bytes", texture_->width * texture_->element_bytes());
    if (texture_->height > 0)
      place += fmt::format(", row {}", at[1]), size += fmt::format(" in a row, {} rows", texture_->height);
    if (texture_->depth > 0)
      place += fmt::format(", slice {}", at[2]), size += fmt::format(", {} slices", texture_->depth);
    if (texture_->layers > 0)
      place += fmt::format(", layer {}", layer), size += fmt::format(", {} layers", texture_->layers);
    fault.message =
        fmt::format("`{}` at {} of the surface of {}, which has {}", opcode(), place, name_of(*texture_), size);
    state_of(frame_).report(std::move(fault));
    return kNone;
  }

  std::uint64_t misaligned(std::uint32_t lane, std::int64_t x, unsigned bytes) {
    Fault fault = lane_fault(*frame_, *lanes_, lane, FaultKind::misaligned_address);
    fault.message =
        fmt::format("`{}` of {} bytes at byte {} of a row of {}: x counts bytes and must be a multiple of {}", opcode(),
                    bytes, x, name_of(*texture_), bytes);
    state_of(frame_).report(std::move(fault));
    return kNone;
  }

  template <class Word> void reduce_as(std::byte* at, std::uint64_t given) {
    const auto by = static_cast<Word>(given);
    update<Word>(at, [&](Word old) -> Word {
      switch (static_cast<ptx::Modifier>(call_.operation)) {
        case ptx::Modifier::min: return std::min(old, by);
        case ptx::Modifier::max: return std::max(old, by);
        case ptx::Modifier::and_: return old & by;
        case ptx::Modifier::or_: return old | by;
        default: return old + by;
      }
    });
  }
  void reduce(std::byte* at, std::uint64_t given) {
    switch (static_cast<ptx::Type>(call_.type)) {
      case ptx::Type::u64: return reduce_as<std::uint64_t>(at, given);
      case ptx::Type::s64: return reduce_as<std::int64_t>(at, given);
      case ptx::Type::s32: return reduce_as<std::int32_t>(at, given);
      default: return reduce_as<std::uint32_t>(at, given);
    }
  }

  BlockFrame* frame_;
  LaneCall* lanes_;
  TextureCall call_;
  std::uint64_t* data_ = nullptr;
  std::uint32_t results_ = 0;  // registers
  std::uint64_t handle_ = 0;
  const TextureRequest* texture_ = nullptr;
  TextureReads reads_;
};

}  // namespace

std::uint32_t texture(BlockFrame* frame, LaneCall* call) { return TextureAccess(frame, call).run(); }

}  // namespace xcuda::device::cpu
