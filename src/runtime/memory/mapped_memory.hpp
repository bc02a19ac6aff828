// Memory that a program maps by hand (cuMemCreate() and its siblings): ranges of addresses, files of memory, and which
// part of a range shows which file. What may be accessed there is known to the device as arrays, and what lies side by
// side, of the host or of the device, is one array, since programs let memory grow so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/handle.hpp"
#include "runtime/memory_map.hpp"

namespace xcuda::runtime {

struct MemoryFile {
  File file;
  std::uint64_t size = 0;
  bool is_host = false;     // memory of the host, for those who ask
  bool exportable = false;  // to other processes, as a descriptor
  int handles = 1;          // that the program has for it; without any, it lives as long as it is mapped
};

class MappedMemory {
 public:
  using Address = device::Address;
  using Access = std::uint8_t;                                           // PROT_READ, PROT_WRITE; 0: none
  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;  // bytes, as a GPU has it

  // Errors of all: cudaErrorInvalidValue, of what does not fit to what is there.
  cudaError_t reserve(std::uint64_t bytes, std::uint64_t alignment, Address hint, Address& at);
  cudaError_t release(Address at, std::uint64_t bytes);
  cudaError_t map(Address at, std::uint64_t bytes, const std::shared_ptr<MemoryFile>& file);
  cudaError_t unmap(MemoryMap& memory, Address at, std::uint64_t bytes);
  cudaError_t set_access(MemoryMap& memory, Address at, std::uint64_t bytes, Access access);
  const Access* access_of(Address at) const;  // null: nothing is mapped there
  std::shared_ptr<MemoryFile> file_at(Address at) const;
  void name_again(MemoryMap& memory);  // after the device was reset

 private:
  struct Mapping {
    std::uint64_t size = 0;
    std::shared_ptr<MemoryFile> file;
    Access access = 0;
  };
  using Mappings = std::map<Address, Mapping>;

  struct Named {
    std::uint64_t size = 0;
    bool is_host = false;
    bool operator==(const Named&) const = default;
  };

  Mappings::const_iterator mapping_at(Address at) const;
  std::vector<Mappings::iterator> whole_mappings(Address at, std::uint64_t bytes);  // empty: they do not fill the range
  void name(MemoryMap& memory);

  std::map<Address, std::uint64_t> reservations_;  // sizes by their begin
  std::map<Address, Named> named_;
  Mappings mappings_;
};

}  // namespace xcuda::runtime
