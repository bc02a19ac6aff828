// Random numbers of cuRAND.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "library/call.hpp"
#include "library/cuda/cuda_libraries.hpp"
#include "library/cuda/curand.hpp"

namespace xcuda::library::cuda {

class RandomNumbers {
 public:
  RandomNumbers(const OpenRequest& request, int cuda_major);  // Error(unsupported)
  RandomNumbers(const std::string& path, int cuda_major);     // opens the same library again
  ~RandomNumbers();
  RandomNumbers(const RandomNumbers&) = delete;
  RandomNumbers& operator=(const RandomNumbers&) = delete;

  const Facts& facts() const { return facts_; }
  Outcome run(const Call& call, void* stream);  // Error(value)

 private:
  bool load(const std::string& path, int cuda_major);
  int generate(curandGenerator_t generator, const Call& call) const;  // a status

  Curand table_;
  Facts facts_;
  std::string why_not_;
  // Kept, since their states take long to make; each call sets its seed and offset.
  std::map<std::pair<Generator, Ordering>, curandGenerator_t> generators_;
};

}  // namespace xcuda::library::cuda
