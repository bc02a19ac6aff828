// Host modules: shared objects that nvcc makes of cells. A device's process loads them, and calls their functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/ids.hpp"

namespace xcuda::device {

struct HostModuleImage {
  ModuleId id;
  std::string name;  // the cell it came from, "In[7]"
  std::string path;  // of the shared object, which stays there as long as the session
};

// How a function takes a parameter, or gives its value.
enum class Passing : std::uint8_t {
  value,  // also a reference to const
  pointer,
  pointer_to_const,
  reference,  // that it may write
  stream,
  none,  // in a way that no value of a session has
};

struct HostType {
  std::string name;  // canonical C++ spelling: "float", "demo::P"; of what a pointer or a reference leads to
  Passing passing = Passing::value;
  std::uint32_t size = 0, alignment = 1;  // bytes; of what a pointer leads to. 0: void, or not known
};

struct HostFunctionInfo {
  std::string name;  // qualified
  HostType result;
  std::vector<HostType> parameters;
  std::vector<std::string> parameter_names;  // empty where unnamed
  bool can_be_called = true;                 // false: a parameter or the result is Passing::none
};

struct HostModuleInfo {
  std::vector<HostFunctionInfo> functions;
  Nanoseconds load_time = 0;
};

struct HostArgument {
  enum class Kind : std::uint8_t {
    value,      // its bytes; a pointer's are its address
    memory,     // a pointer to these bytes
    reference,  // these bytes, which come back after the result
    stream,
  };
  Kind kind = Kind::value;
  std::vector<std::byte> bytes;
  StreamId stream{};
};

// Its number is one of the launches': a fault, a refusal and a thrown exception name it.
struct HostCall {
  std::uint64_t number = 0;
  ModuleId module{};
  std::uint32_t function = 0;  // of HostModuleInfo::functions
  std::vector<HostArgument> arguments;
  std::uint64_t result_size = 0;  // bytes
};

// Where in the staging buffer a call leaves its results: its return value at the beginning, then each reference.
class HostResults {
 public:
  static constexpr std::uint64_t kAlignment = 64;  // bytes
  explicit HostResults(const HostCall& call);
  std::uint64_t result() const { return 0; }
  const std::vector<std::uint64_t>& references() const { return references_; }
  std::uint64_t size() const { return size_; }

 private:
  std::vector<std::uint64_t> references_;
  std::uint64_t size_ = 0;
};

}  // namespace xcuda::device
