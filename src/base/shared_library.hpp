// A library that is opened at run time: libcuda, libnvrtc and the rest, so that one binary serves every machine.
#pragma once

#include <string>
#include <vector>

#include "base/handle.hpp"

namespace xcuda {

struct LibraryTraits {
  using type = void*;
  static constexpr type kEmpty = nullptr;
  static void close(void* library) noexcept;
};

class SharedLibrary {
 public:
  SharedLibrary() = default;
  // A path, or a name that the loader looks up. Errors: io, with the loader's text.
  explicit SharedLibrary(const std::string& name);
  // The first of several names that opens. The error lists what was said of each.
  static SharedLibrary open_first(const std::vector<std::string>& names);

  // Address of a function; absent ones are nullptr from find() and an Error(io) from get(), which names the library.
  template <class Function> Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }
  template <class Function> Function* get(const char* symbol) const {
    return reinterpret_cast<Function*>(required_address(symbol));
  }

  explicit operator bool() const { return static_cast<bool>(library_); }
  const std::string& name() const { return name_; }  // as it was asked for
  std::string path() const;                          // of the file that was loaded; empty when unknown

 private:
  void* address(const char* symbol) const;
  void* required_address(const char* symbol) const;

  Handle<LibraryTraits> library_;
  std::string name_;
};

}  // namespace xcuda
