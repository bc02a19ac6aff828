// Generators whose tables only NVIDIA's libcurand has (MTGP32, scrambled Sobol): its own host generators, which need no
// GPU and give the numbers of its device generators. It is opened when a program asks for one.
#pragma once

#include <cstddef>
#include <memory>

namespace xcuda::runtime::math {

class ToolkitGenerator {
 public:
  static bool serves(int type);  // as curand.h numbers them
  // Null if it cannot be made; status is then curandStatus. A line on stderr says when libcurand, or the function in
  // it, was not found.
  static std::unique_ptr<ToolkitGenerator> make(int type, int& status);
  ~ToolkitGenerator();
  ToolkitGenerator(const ToolkitGenerator&) = delete;
  ToolkitGenerator& operator=(const ToolkitGenerator&) = delete;

  // Each gives curandStatus.
  int set_seed(unsigned long long seed);
  int set_offset(unsigned long long offset);
  int set_ordering(int ordering);
  int set_dimensions(unsigned dimensions);
  int generate_seeds();
  int bits(unsigned* to, std::size_t count);
  int bits(unsigned long long* to, std::size_t count);
  template <class T> int uniform(T* to, std::size_t count);
  template <class T> int normal(T* to, std::size_t count, T mean, T deviation);
  template <class T> int log_normal(T* to, std::size_t count, T mean, T deviation);
  int poisson(unsigned* to, std::size_t count, double mean);

 private:
  explicit ToolkitGenerator(void* generator) : generator_(generator) {}

  void* generator_;
};

// The tables of the device interface, which belong to libcurand.
int direction_vectors(unsigned (**to)[32], int set);
int wide_direction_vectors(unsigned long long (**to)[64], int set);
int scramble_constants(unsigned** to);
int wide_scramble_constants(unsigned long long** to);

}  // namespace xcuda::runtime::math
