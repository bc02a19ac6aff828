// What a program has said about managed memory: its advice, and where it last asked for the memory. Nothing moves on
// the CPU device, so that it is kept for those who ask (cudaMemRangeGetAttribute()).
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <vector>

#include "device/memory.hpp"

namespace xcuda::runtime {

struct Advice {
  bool read_mostly = false, accessed_by_device = false, accessed_by_host = false;
  cudaMemLocation preferred{cudaMemLocationTypeInvalid, {0}}, prefetched{cudaMemLocationTypeInvalid, {0}};
};

class ManagedAdvice {
 public:
  using Address = device::Address;

  // Addresses are those of whole pages.
  void change(Address begin, Address end, const std::function<void(Advice&)>& change);
  void forget(Address begin, Address end);
  std::vector<Advice> within(Address begin, Address end) const;  // of the parts that differ, in order

 private:
  struct Part {
    Address end = 0;
    Advice advice;
  };
  void split(Address at);

  std::map<Address, Part> parts_;  // by their begin; between them nothing was said
};

}  // namespace xcuda::runtime
