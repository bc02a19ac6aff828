// Functions of BLAS and LAPACK by their Fortran names, which take every argument by its address: integers of 64 bits
// serve libraries with shorter ones, too, as this machine has the low bytes first.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "library/cpu/openblas.hpp"

namespace xcuda::runtime::math {

template <class T> struct PartOf { using type = T; };
template <class T> struct PartOf<std::complex<T>> { using type = T; };
template <class T> using Part = typename PartOf<T>::type;
template <class T> inline constexpr bool kIsComplex = !std::is_same_v<T, Part<T>>;
template <class T>
inline constexpr char kLetter = std::is_same_v<T, float>    ? 's'
                                : std::is_same_v<T, double> ? 'd'
                                : sizeof(T) == 8            ? 'c'
                                                            : 'z';

// "?gemm" with 'd' is "dgemm".
std::string with_letter(std::string name, char letter);

// Whether the library has it.
bool has_fortran(const std::string& name);
// Calls a function of the shared library. Error(unsupported) where it has no such function.
void call_fortran(const std::string& name, const std::vector<const void*>& arguments);

// A call with values: it stores numbers and letters where their addresses can be taken.
class Fortran {
 public:
  explicit Fortran(std::string name) : name_(std::move(name)) {}
  Fortran& letter(char value) {
    letters_.push_back(value);
    order_.push_back(Kind::letter);
    return *this;
  }
  Fortran& number(std::int64_t value) {
    numbers_.push_back(value);
    order_.push_back(Kind::number);
    return *this;
  }
  Fortran& at(const void* address) {
    addresses_.push_back(address);
    order_.push_back(Kind::address);
    return *this;
  }
  void run() const;
  int run_with_info() const;  // LAPACK's last argument

 private:
  enum class Kind : std::uint8_t { letter, number, address };
  std::vector<const void*> arguments() const;

  std::string name_;
  std::vector<Kind> order_;
  std::vector<char> letters_;
  std::vector<std::int64_t> numbers_;
  std::vector<const void*> addresses_;
};

// A function that says how many elements of memory it wants when it is asked with -1: `function` gets the address and
// the count, and returns info.
template <class T, class Function> int with_work(Function function) {
  T size{};
  if (const int info = function(&size, -1); info != 0) return info;
  std::vector<T> work(static_cast<std::size_t>(std::real(size)) + 1);
  return function(work.data(), static_cast<std::int64_t>(work.size()));
}

// Pivots in the library's own width of integers.
class Pivots {
 public:
  explicit Pivots(std::int64_t count);
  Pivots(const int* from, std::int64_t count);
  void* data() { return wide_.empty() ? static_cast<void*>(narrow_.data()) : wide_.data(); }
  std::int64_t operator[](std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return wide_.empty() ? narrow_[at] : wide_[at];
  }
  template <class I> void copy_to(I* to) const {
    for (std::size_t i = 0; i < count_; ++i) to[i] = static_cast<I>((*this)[static_cast<std::int64_t>(i)]);
  }

 private:
  std::size_t count_;
  std::vector<int> narrow_;
  std::vector<std::int64_t> wide_;
};

}  // namespace xcuda::runtime::math
