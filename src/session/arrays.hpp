// The arrays of a session, by name. Names are unique; an array's contents live on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrays/pointer.hpp"
#include "base/type.hpp"
#include "device/device.hpp"

namespace xcuda::session {

using namespace arrays;

struct Array {
  std::string name;
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // at least one extent
  bool read_only = false;            // declared const
  device::Address address = 0;
  std::uint64_t count = 0;  // elements
  std::string defined;      // "In[3]"
  std::size_t depth = 1;    // of the block it belongs to; 1 is outside all
  std::uint64_t bytes() const { return count * type.size; }
};

class ArrayTable {
 public:
  Array* find(const std::string& name);
  const Array* find(const std::string& name) const;
  Array& add(Array array);  // replaces nothing: the name must be free
  void remove(const std::string& name);
  void rename(const std::string& name, const std::string& to);
  void exchange(const std::string& a, const std::string& b);  // swap(a, b)
  void clear() {
    arrays_.clear();
    by_name_.clear();
  }
  std::vector<std::string> names() const;  // in the order of definition
  const std::list<Array>& all() const { return arrays_; }
  std::list<Array>& all() { return arrays_; }
  bool empty() const { return arrays_.empty(); }
  // The array that holds an address, if any.
  const Array* at(device::Address address) const;

 private:
  std::list<Array> arrays_;  // pointers to elements stay valid
  std::unordered_map<std::string, std::list<Array>::iterator> by_name_;
};

Pointer pointer_to(const Array& array);

// "float x[4][512]"
std::string declaration_text(const Array& array);

}  // namespace xcuda::session
