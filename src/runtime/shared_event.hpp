// What processes share of an event: how often it was recorded, and which of the records have been reached.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/shared_memory.hpp"

namespace xcuda::runtime {

class SharedEvent {
 public:
  using Number = std::uint64_t;  // of records, from 1

  SharedEvent();  // Errors: memory, io
  // Another process's. Errors: memory.
  explicit SharedEvent(File file);

  Number record() { return counts().recorded.fetch_add(1, std::memory_order_acq_rel) + 1; }
  void reach(Number number);
  Number recorded() const { return counts().recorded.load(std::memory_order_acquire); }
  bool reached(Number number) const { return counts().reached.load(std::memory_order_acquire) >= number; }
  const File& file() const { return file_; }

 private:
  struct Counts {
    std::atomic<Number> recorded, reached;
  };
  static_assert(std::atomic<Number>::is_always_lock_free);
  Counts& counts() const { return *reinterpret_cast<Counts*>(mapping_.data()); }

  File file_;
  SharedMapping mapping_;
};

}  // namespace xcuda::runtime
