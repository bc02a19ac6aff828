// A library of NVIDIA's own, whose name one of ours has, too. Its functions are found by name when they are called.
#pragma once

#include <string>

#include "base/shared_library.hpp"
#include "runtime/toolkit_library.hpp"

namespace xcuda::runtime {

class NvidiaLibrary {
 public:
  explicit NvidiaLibrary(const std::string& file)
      : library_(open_toolkit_library(file, (own_library_path().parent_path() / "xcuda/toolkit/lib64").string())) {}
  explicit operator bool() const { return library_ != nullptr; }

  // missing: the status where the library or the function is not there.
  template <class... A> int call(int missing, const char* function, A... arguments) const {
    auto* const found = library_ == nullptr ? nullptr : reinterpret_cast<int (*)(A...)>(address_in(library_, function));
    return found == nullptr ? missing : found(arguments...);
  }

 private:
  void* library_;
};

}  // namespace xcuda::runtime
