// Calls of cuBLAS and its siblings by their names, and which of them were called.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace xcuda::test {

inline std::set<std::string>& called_libraries() {
  static std::set<std::string> names;
  return names;
}

// With arguments of exactly these types.
template <class R = int, class... A> R library_call(const std::string& name, A... arguments) {
  called_libraries().insert(name);
  auto* const function = reinterpret_cast<R (*)(A...)>(dlsym(RTLD_DEFAULT, name.c_str()));
  EXPECT_NE(function, nullptr) << name;
  if (function == nullptr) return R();
  return function(arguments...);
}

// Memory of the device, which the host sees, too, when the work has ended.
template <class T> class Values {
 public:
  explicit Values(std::vector<T> values) : size_(values.size()) {
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&at_), (size_ + 1) * sizeof(T), cudaMemAttachGlobal),
              cudaSuccess);
    std::copy(values.begin(), values.end(), at_);
  }
  explicit Values(std::initializer_list<T> values) : Values(std::vector<T>(values)) {}
  explicit Values(std::size_t size) : Values(std::vector<T>(size)) {}
  ~Values() { cudaFree(at_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  T* at() const { return at_; }
  T& operator[](std::size_t i) const { return at_[i]; }
  std::vector<T> get() const {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return {at_, at_ + size_};
  }

 private:
  T* at_ = nullptr;
  std::size_t size_;
};

template <class T> struct PartOfValue { using type = T; };
template <class T> struct PartOfValue<std::complex<T>> { using type = T; };
template <class T> using PartType = typename PartOfValue<T>::type;
template <class T> inline constexpr bool kComplexValue = !std::is_same_v<T, PartType<T>>;

template <class T> void expect_near(const std::vector<T>& got, const std::vector<T>& wanted, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  const double most = sizeof(PartType<T>) == 4 ? 2e-4 : 1e-10;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - wanted[i]), most * (1 + std::abs(wanted[i])))
        << what << ", element " << i << ": " << got[i] << ", not " << wanted[i];
}

}  // namespace xcuda::test
