#include "base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/error.hpp"

namespace xcuda {
namespace {

std::string loader_text() {
  const char* const text = dlerror();
  return text != nullptr ? text : "the loader gave no reason";
}

}  // namespace

void LibraryTraits::close(void* library) noexcept { dlclose(library); }

SharedLibrary::SharedLibrary(const std::string& name)
    : library_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)), name_(name) {
  if (!library_) throw Error(ErrorKind::io, fmt::format("cannot open the library {}", name)).said(loader_text());
}

SharedLibrary SharedLibrary::open_first(const std::vector<std::string>& names) {
  std::string said;
  for (const auto& name : names) {
    SharedLibrary result;
    result.library_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
    result.name_ = name;
    if (result) return result;
    said += (said.empty() ? "" : "\n") + loader_text();
  }
  throw Error(ErrorKind::io, fmt::format("cannot open any of the libraries {}", fmt::join(names, ", "))).said(said);
}

std::string SharedLibrary::path() const {
  link_map* map = nullptr;
  if (!library_ || dlinfo(library_.get(), RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* SharedLibrary::address(const char* symbol) const { return library_ ? dlsym(library_.get(), symbol) : nullptr; }

void* SharedLibrary::required_address(const char* symbol) const {
  if (auto* const found = address(symbol)) return found;
  throw Error(ErrorKind::io, fmt::format("the library {} has no function {}", name_, symbol))
      .said(loader_text())
      .advise("It may be older than what xeus-cuda needs.");
}

}  // namespace xcuda
