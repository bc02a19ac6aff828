#include "device/cpu/jit/stored_kernel.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <cstring>
#include <type_traits>

#include "base/file_stamp.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr std::uint32_t kVersion = 10;  // rises with every change of what is written here

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), from, from + text.size());
  }
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    if (!take(sizeof value)) return;
    std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    if (take(size)) text.assign(reinterpret_cast<const char*>(bytes_.data() + at_ - size), size);
  }
  std::span<const std::byte> rest() const { return bytes_.subspan(at_); }
  bool good() const { return good_; }

 private:
  bool take(std::size_t size) {
    good_ = good_ && size <= bytes_.size() - at_;
    if (good_) at_ += size;
    return good_;
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

// The one list of what is stored, for both directions.
template <class Archive, class Visit> void each_field(Archive& code, Visit visit) {
  visit(code.save_bytes), visit(code.local_bytes), visit(code.static_shared), visit(code.cached_ranges),
      visit(code.tile_words), visit(code.yields), visit(code.waits_for), visit(code.dispatch), visit(code.shape);
}
template <class Archive, class Visit> void each_site_field(Archive& site, Visit visit) {
  visit(site.operation), visit(site.place.source), visit(site.place.line), visit(site.place.column),
      visit(site.place.width);
  visit(site.place.excerpt), visit(site.access), visit(site.size), visit(site.components), visit(site.synchronises),
      visit(site.space), visit(site.slot), visit(site.cache), visit(site.runtime_call);
}

}  // namespace

std::vector<std::byte> stored(const CompiledKernel& kernel) {
  const auto& [code, object] = kernel;
  Writer writer;
  writer.put(kVersion);
  each_field(code, [&](const auto& field) { writer.put(field); });
  writer.put(static_cast<std::uint32_t>(code.bounds.size()));
  for (const BoundsSlot& slot : code.bounds) writer.put(slot);
  writer.put(static_cast<std::uint32_t>(code.sites.size()));
  for (const AccessSite& site : code.sites) each_site_field(site, [&](const auto& field) { writer.put(field); });
  writer.put(static_cast<std::uint32_t>(code.shared_variables.size()));
  for (const SharedVariable& variable : code.shared_variables)
    writer.put(variable.name), writer.put(variable.offset), writer.put(variable.size);
  for (const auto* sites : {&code.wait_sites, &code.barrier_sites}) {
    writer.put(static_cast<std::uint32_t>(sites->size()));
    for (const std::uint32_t site : *sites) writer.put(site);
  }
  writer.bytes_.insert(writer.bytes_.end(), object.begin(), object.end());
  return std::move(writer.bytes_);
}

std::optional<CompiledKernel> restored(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::uint32_t version = 0, count = 0;
  reader.get(version);
  if (!reader.good() || version != kVersion) return std::nullopt;
  CompiledKernel kernel;
  each_field(kernel.code, [&](auto& field) { reader.get(field); });
  reader.get(count);
  for (std::uint32_t i = 0; i < count && reader.good(); ++i) reader.get(kernel.code.bounds.emplace_back());
  reader.get(count);
  for (std::uint32_t i = 0; i < count && reader.good(); ++i)
    each_site_field(kernel.code.sites.emplace_back(), [&](auto& field) { reader.get(field); });
  reader.get(count);
  for (std::uint32_t i = 0; i < count && reader.good(); ++i) {
    SharedVariable& variable = kernel.code.shared_variables.emplace_back();
    reader.get(variable.name), reader.get(variable.offset), reader.get(variable.size);
  }
  for (auto* sites : {&kernel.code.wait_sites, &kernel.code.barrier_sites}) {
    reader.get(count);
    for (std::uint32_t i = 0; i < count && reader.good(); ++i) reader.get(sites->emplace_back());
  }
  if (!reader.good()) return std::nullopt;
  kernel.object.assign(reader.rest().begin(), reader.rest().end());
  return kernel;
}

namespace {

// Another build of this program may emit other code for the same PTX, or lay out what that code calls in another way.
const std::string& this_program() {
  // In a program that nvcc compiled, the device is not in the program's own file.
  static const std::string identity = code_stamp(reinterpret_cast<const void*>(&this_program));
  return identity;
}

}  // namespace

std::string stored_key(std::span<const std::string_view> parts) {
  llvm::SHA256 digest;
  auto add = [&](std::string_view text) {
    const std::uint64_t size = text.size();
    digest.update(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(&size), sizeof size));
    digest.update(llvm::StringRef(text));
  };
  const std::string version = std::to_string(kVersion);
  add(version);
  add(this_program());
  for (std::string_view part : parts) add(part);
  return llvm::toHex(digest.final(), true);
}

}  // namespace xcuda::device::cpu
