#include "session/textures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "session/chosen_device.hpp"
#include "session/submission.hpp"

namespace xcuda::session {

TextureObject::TextureObject(TextureTable& table, const device::TextureRequest& request, Type type)
    : table_(table), request_(request), type_(std::move(type)) {
  table_.objects_.insert(this);
}

TextureObject::~TextureObject() { table_.ended(*this); }

std::shared_ptr<const TextureObject> TextureTable::make(device::TextureRequest request, const Type& type) {
  request.id = device::TextureId{next_++};
  device_.get().create_texture(request);
  return std::make_shared<TextureObject>(*this, request, type);
}

void TextureTable::end(device::TextureId id) {
  if (device_.started()) submission_.forget(id);
}

void TextureTable::ended(const TextureObject& object) {
  objects_.erase(const_cast<TextureObject*>(&object));
  if (!object.freed_) end(object.id());
}

void TextureTable::freed(device::Address begin, std::uint64_t bytes) {
  for (auto* object : objects_) {
    if (object->freed_ || object->request_.address < begin || object->request_.address - begin >= bytes) continue;
    object->freed_ = true;
    end(object->id());
  }
}

const TextureObject* TextureTable::find(device::TextureId id) const {
  const auto found =
      std::find_if(objects_.begin(), objects_.end(), [&](const auto* object) { return object->id() == id; });
  return found == objects_.end() ? nullptr : *found;
}

void TextureTable::move(const std::vector<device::TextureRequest>& requests) {
  for (const auto& request : requests)
    for (auto* object : objects_)
      if (object->id() == request.id) object->request_.address = request.address;
}

std::vector<const TextureObject*> TextureTable::of(device::Address begin, std::uint64_t bytes) const {
  std::vector<const TextureObject*> found;
  for (const auto* object : objects_)
    if (!object->freed_ && object->request_.address - begin < bytes) found.push_back(object);
  return found;
}

const std::vector<compiler::PtxTextureUse>& TextureTable::uses_of(const Kernel& kernel) {
  constexpr std::size_t kMostKnown = 256;  // kernels: each that is defined again is another one
  if (uses_.size() >= kMostKnown && !uses_.contains({kernel.module->id, kernel.function->entry})) uses_.clear();
  const auto [known, fresh] = uses_.try_emplace({kernel.module->id, kernel.function->entry});
  if (fresh) known->second = compiler::texture_uses(kernel.module->output.ptx, kernel.function->entry);
  return known->second;
}

TextureComplaint complaint_about(const TextureObject& texture, const compiler::PtxTextureUse& use) {
  const auto& request = texture.request();
  if (use.other)
    return {fmt::format("cannot be read with several samples (`{}`)", use.opcode), "Use layers for the samples."};
  if (use.surface != request.surface)
    return {fmt::format("is used as a {} (`{}`)", use.surface ? "surface" : "texture", use.opcode),
            use.surface ? "Declare one: surface s(x);" : "Declare one: texture t(x);"};
  if (use.dimensions == 0) return {};  // a query
  auto wanted = request;
  wanted.height = use.dimensions > 1;
  wanted.depth = use.dimensions > 2;
  wanted.layers = use.layered;
  wanted.cube = !use.cube ? device::Cube::none : use.layered ? device::Cube::layers : device::Cube::one;
  if (shape_name(wanted) != shape_name(request))
    return {fmt::format("has {}, but the kernel needs {} (`{}`)", shape_name(request), shape_name(wanted), use.opcode),
            use.cube ? "Declare it with cube = true: the array's first extent is 6, after that of the layers."
                     : "A texture has the extents of its array; with layered = true the first counts the layers."};
  if (use.gathers && !request.gather)
    return {fmt::format("cannot be gathered (`{}`)", use.opcode), "Declare it with gather = true."};
  const bool floats = request.channel == device::TextureRequest::Channel::floating ||
                      request.read == device::ReadMode::normalized_float;
  if (use.surface || use.floats == floats) return {};
  if (floats)
    return {fmt::format("gives floats, but the kernel reads integers (`{}`)", use.opcode),
            "Read it as float: tex2D<float>(...)."};
  return {fmt::format("gives integers, but the kernel reads floats (`{}`)", use.opcode),
          request.channel_bits < 32
              ? "Declare it with read = normalized_float, or read it as integers: tex2D<int>(...)."
              : "Read it as integers: tex2D<int>(...)."};
}

}  // namespace xcuda::session
