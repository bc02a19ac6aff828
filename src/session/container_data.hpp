// The containers of C++'s library that statements hold: their elements are variables, which references name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

#include "cell/container_types.hpp"
#include "cell/tree.hpp"
#include "session/statement_value.hpp"

namespace xcuda::session {

// How keys compare: numbers, texts, pointers, and pairs of these. Less than 0: a is before b.
int compare_keys(const Value& a, const Value& b);
bool same_key(const Value& a, const Value& b);  // as == has it: NaN is not itself
bool can_be_key(const Value& value);
std::size_t hash_of_key(const Value& key);  // as std::hash of g++ has it

using Before = std::function<bool(const Value&, const Value&)>;

struct KeyOrder {
  std::shared_ptr<const Before> before;  // null: as std::less has it
  bool operator()(const Value& a, const Value& b) const {
    return before != nullptr ? (*before)(a, b) : compare_keys(a, b) < 0;
  }
};
struct KeyHash {
  std::size_t operator()(const Value& key) const { return hash_of_key(key); }
};
struct KeyEqual {
  bool operator()(const Value& a, const Value& b) const { return same_key(a, b); }
};

// Of a map, an item is a pair; of a set, a key.
struct ContainerData {
  ContainerData() = default;
  ContainerData(const ContainerData&) = delete;
  ContainerData& operator=(const ContainerData&) = delete;
  ~ContainerData();  // one after another, however deep they lie in each other

  std::string name;  // of its type
  cell::ContainerType type;
  std::deque<ItemPtr> items;  // of a sequence; of a pair or a record, its parts
  cell::RecordPtr record;     // whose value it is; null: another container
  std::multimap<Value, ItemPtr, KeyOrder> sorted;
  std::unordered_map<Value, ItemPtr, KeyHash, KeyEqual> hashed;  // the host's own, so that its order is that of g++
  std::shared_ptr<std::stringstream> text;                       // of a text stream
  // What orders it; null: std::less. An object of a cell is called by the interpreter that runs.
  std::shared_ptr<Before> before;
  Value order = Nothing{};

  std::size_t size() const { return items.size() + sorted.size() + hashed.size(); }
  void take(ContainerData& other);  // exchanges their elements; references to the two stay
};

}  // namespace xcuda::session
