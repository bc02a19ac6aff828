// Textures and surfaces: named objects of the device that read and write arrays. One lives as long as some value holds
// it, and becomes useless when its array is freed.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "compiler/texture_uses.hpp"
#include "device/device.hpp"
#include "session/modules.hpp"

namespace xcuda::session {

class ChosenDevice;
class Submission;
class TextureTable;

class TextureObject {
 public:
  TextureObject(TextureTable& table, const device::TextureRequest& request, Type type);
  ~TextureObject();
  TextureObject(const TextureObject&) = delete;
  TextureObject& operator=(const TextureObject&) = delete;

  device::TextureId id() const { return request_.id; }
  const device::TextureRequest& request() const { return request_; }
  const Type& type() const { return type_; }  // of an element
  bool freed() const { return freed_; }       // whether its array is
  std::string_view kind() const { return request_.surface ? "surface" : "texture"; }

 private:
  friend class TextureTable;
  TextureTable& table_;
  device::TextureRequest request_;
  Type type_;
  bool freed_ = false;
};

class TextureTable {
 public:
  TextureTable(ChosenDevice& device, Submission& submission) : device_(device), submission_(submission) {}

  // Made on the device in use. Errors: value, memory.
  std::shared_ptr<const TextureObject> make(device::TextureRequest request, const Type& type);
  void freed(device::Address begin, std::uint64_t bytes);  // the memory of an array

  // The requests for another device, at the addresses that `moved` gives; move() takes them over.
  template <class Moved> std::vector<device::TextureRequest> remade(Moved moved) const {
    std::vector<device::TextureRequest> requests;
    for (const auto* object : objects_) {
      if (object->freed_) continue;
      requests.push_back(object->request_);
      requests.back().address = moved(object->request_.address);
    }
    return requests;
  }
  void move(const std::vector<device::TextureRequest>& requests);

  // How a kernel uses its textures.
  const std::vector<compiler::PtxTextureUse>& uses_of(const Kernel& kernel);
  void forget_uses() { uses_.clear(); }

  const TextureObject* find(device::TextureId id) const;
  std::vector<const TextureObject*> of(device::Address begin, std::uint64_t bytes) const;  // of an array

 private:
  friend class TextureObject;
  void ended(const TextureObject& object);

  void end(device::TextureId id);  // after what was launched with it

  ChosenDevice& device_;
  Submission& submission_;
  std::set<TextureObject*> objects_;
  std::map<std::pair<device::ModuleId, std::string>, std::vector<compiler::PtxTextureUse>> uses_;
  std::uint32_t next_ = 1;
};

// Why a kernel cannot take this texture for a parameter, and what to do; both empty if it can.
struct TextureComplaint {
  std::string what, advice;
};
TextureComplaint complaint_about(const TextureObject& texture, const compiler::PtxTextureUse& use);

}  // namespace xcuda::session
