#include "runtime/math/fortran.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "runtime/math/math_calls.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr std::size_t kMostArguments = 24;  // with the lengths of letters, which come last

template <std::size_t... I>
void call_with(void* function, const std::array<const void*, kMostArguments>& arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(decltype((static_cast<void>(I), static_cast<const void*>(nullptr)))...)>(function)(
      arguments[I]...);
}

void* find_fortran(const std::string& name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, void*> found;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = found.try_emplace(name, nullptr);
  if (is_new && open_blas() != nullptr) at->second = open_blas()->find(name + "_");
  return at->second;
}

}  // namespace

std::string with_letter(std::string name, char letter) {
  for (char& one : name)
    if (one == '?') one = letter;
  return name;
}

bool has_fortran(const std::string& name) { return find_fortran(name) != nullptr; }

void call_fortran(const std::string& name, const std::vector<const void*>& arguments) {
  void* function = find_fortran(name);
  if (function == nullptr || arguments.size() > kMostArguments)
    throw Error(ErrorKind::unsupported, fmt::format("the BLAS of this machine has no {}", name))
        .advise("%pip install scipy-openblas32, or on Debian: apt install libopenblas0");
  std::array<const void*, kMostArguments> all{};
  all.fill(reinterpret_cast<const void*>(std::uintptr_t{1}));  // the length of each letter
  std::copy(arguments.begin(), arguments.end(), all.begin());
  call_with(function, all, std::make_index_sequence<kMostArguments>());
}

std::vector<const void*> Fortran::arguments() const {
  std::vector<const void*> all;
  std::size_t letter = 0, number = 0, address = 0;
  for (const auto kind : order_)
    all.push_back(kind == Kind::letter   ? static_cast<const void*>(&letters_[letter++])
                  : kind == Kind::number ? static_cast<const void*>(&numbers_[number++])
                                         : addresses_[address++]);
  return all;
}

void Fortran::run() const { call_fortran(name_, arguments()); }

int Fortran::run_with_info() const {
  std::int64_t info = 0;
  auto all = arguments();
  all.push_back(&info);
  call_fortran(name_, all);
  return static_cast<int>(info);  // the low half, where the library has no more
}

Pivots::Pivots(std::int64_t count) : count_(static_cast<std::size_t>(count)) {
  if (open_blas() != nullptr && open_blas()->is_wide())
    wide_.resize(count_ + 1);
  else
    narrow_.resize(count_ + 1);
}
Pivots::Pivots(const int* from, std::int64_t count) : Pivots(count) {
  for (std::size_t i = 0; i < count_; ++i)
    if (wide_.empty())
      narrow_[i] = from[i];
    else
      wide_[i] = from[i];
}

}  // namespace xcuda::runtime::math
