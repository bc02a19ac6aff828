// Things that programs hold by their address, and may hold wrongly.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace xcuda::runtime::math {

template <class T> class HandleTable {
 public:
  T* make() {
    auto made = std::make_unique<T>();
    T* const handle = made.get();
    const std::lock_guard lock(mutex_);
    all_.emplace(handle, std::move(made));
    return handle;
  }
  T* find(const void* handle) const {  // null: it was not made here, or it is gone
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second.get();
  }
  bool remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) > 0;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::unique_ptr<T>> all_;
};

// Never destroyed: the program's own static objects may still use it.
template <class T> HandleTable<T>& table_of() {
  static auto* const table = new HandleTable<T>;
  return *table;
}

}  // namespace xcuda::runtime::math
