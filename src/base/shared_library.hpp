// A library that is opened at run time: libcuda, libnvrtc and the rest, so that one binary serves every machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
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
  // process: stays when the object goes, with the functions that were found in it.
  enum class Lifetime : std::uint8_t { object, process };

  // A path, or a name that the loader looks up.
  SharedLibrary(const std::string& name, Lifetime lifetime);
  explicit operator bool() const { return static_cast<bool>(library_); }
  const std::string& why_not() const { return why_not_; }  // what the loader said, where it could not be opened

  // Sets a pointer to the function of that name: nullptr where there is none.
  template <class Function> void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address(name));
  }
  // Fills a table. The names of the functions that this library lacks.
  template <class Table> std::vector<std::string> load(Table& table) const {
    std::vector<std::string> missing;
    table.each([&](const char* name, auto& function) {
      find(name, function);
      if (function == nullptr) missing.emplace_back(name);
    });
    return missing;
  }

 private:
  void* address(const char* symbol) const;

  Handle<LibraryTraits> library_;
  std::string why_not_;
};

// The path of the program or library that this code is part of; empty where the loader does not say.
std::filesystem::path own_library_path();

// A table of functions, made of one list of their names:
//   #define MATHS(F) F(sin) F(cos)
//   struct Maths { XCUDA_FUNCTION_TABLE(MATHS) };
// The library's header or the source itself declares each before. Where the header maps a name to another one (cuda.h
// to the newest version of each function), member and symbol have that other name.
#define XCUDA_TEXT_OF(name) #name
#define XCUDA_TEXT(name) XCUDA_TEXT_OF(name)
#define XCUDA_FUNCTION_MEMBER(name) decltype(&::name) name = nullptr;
#define XCUDA_FUNCTION_VISIT(name) visit(XCUDA_TEXT(name), name);
#define XCUDA_FUNCTION_TABLE(LIST) \
  LIST(XCUDA_FUNCTION_MEMBER)      \
  template <class Visitor> void each(Visitor visit) { LIST(XCUDA_FUNCTION_VISIT) }

}  // namespace xcuda
