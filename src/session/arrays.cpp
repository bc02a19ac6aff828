#include "session/arrays.hpp"

#include <fmt/format.h>

#include <utility>

namespace xcuda::session {

Array* ArrayTable::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &*found->second;
}

const Array* ArrayTable::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &*found->second;
}

Array& ArrayTable::add(Array array) {
  arrays_.push_back(std::move(array));
  by_name_[arrays_.back().name] = std::prev(arrays_.end());
  return arrays_.back();
}

void ArrayTable::remove(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  arrays_.erase(found->second);
  by_name_.erase(found);
}

void ArrayTable::rename(const std::string& name, const std::string& to) {
  auto node = by_name_.extract(name);
  if (node.empty()) return;
  node.mapped()->name = to;
  node.key() = to;
  by_name_.insert(std::move(node));
}

void ArrayTable::exchange(const std::string& a, const std::string& b) {
  const auto first = by_name_.find(a), second = by_name_.find(b);
  std::swap(first->second, second->second);
  first->second->name = a;
  second->second->name = b;
  std::swap(first->second->depth, second->second->depth);  // a name stays in its block
}

std::vector<std::string> ArrayTable::names() const {
  std::vector<std::string> names;
  for (const auto& array : arrays_) names.push_back(array.name);
  return names;
}

const Array* ArrayTable::at(device::Address address) const {
  for (const auto& array : arrays_)
    if (address >= array.address && address < array.address + array.bytes()) return &array;
  return nullptr;
}

Pointer pointer_to(const Array& array) {
  Pointer pointer;
  pointer.owner = array.name;
  pointer.address = array.address;
  pointer.type = array.type;
  pointer.shape = array.shape;
  pointer.bytes = array.bytes();
  pointer.whole = true;
  pointer.read_only = array.read_only;
  return pointer;
}

std::string declaration_text(const Array& array) {
  std::string text = fmt::format("{}{} {}", array.read_only ? "const " : "", array.type.name, array.name);
  for (const auto extent : array.shape) text += fmt::format("[{}]", extent);
  return text;
}

}  // namespace xcuda::session
