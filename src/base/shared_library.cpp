#include "base/shared_library.hpp"

#include <dlfcn.h>

namespace xcuda {

void LibraryTraits::close(void* library) noexcept { dlclose(library); }

SharedLibrary::SharedLibrary(const std::string& name, Lifetime lifetime)
    : library_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (lifetime == Lifetime::process ? RTLD_NODELETE : 0))) {
  if (library_) return;
  const char* const text = dlerror();
  why_not_ = text != nullptr ? text : "the loader gave no reason";
}

void* SharedLibrary::address(const char* symbol) const { return library_ ? dlsym(library_.get(), symbol) : nullptr; }

std::filesystem::path own_library_path() {
  Dl_info own{};
  return dladdr(reinterpret_cast<const void*>(&own_library_path), &own) == 0 ? std::filesystem::path() : own.dli_fname;
}

}  // namespace xcuda
