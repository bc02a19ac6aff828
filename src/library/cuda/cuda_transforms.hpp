// Discrete Fourier transforms of cuFFT. Plans are kept.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "library/call.hpp"
#include "library/cuda/cuda_libraries.hpp"
#include "library/cuda/cufft.hpp"
#include "library/transform.hpp"

namespace xcuda::library::cuda {

constexpr std::size_t kTransformPlans = 256;  // kept at most, besides those of graphs

class Transforms {
 public:
  Transforms(const OpenRequest& request, int cuda_major);  // Error(unsupported)
  Transforms(const std::string& path, int cuda_major);     // opens the same library again
  ~Transforms();
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  const Facts& facts() const { return facts_; }
  std::uint64_t workspace_bytes(const Call& call);  // of a plan, which is made if there is none. Errors: value, device
  Outcome run(const Call& call, const Target& target);  // Error(value)

 private:
  struct Plan {
    cufftHandle handle = 0;
    std::size_t work_bytes = 0;
    bool placed = false;  // as the next two say, which are told only where they change
    void* stream = nullptr;
    std::uint64_t workspace = 0;
    bool in_graph = false;  // whose launches read its tables: it lives as long as the process
  };
  bool load(const std::string& path, int cuda_major);
  std::string make(const Transform& transform, Plan& plan) const;  // the reason if it fails, otherwise empty
  Plan* find(const Transform& transform, std::string& why);        // null where none can be made
  int execute(const Plan& plan, const Transform& transform, std::uint64_t from, std::uint64_t to) const;  // a status
  // Ends all plans but those of graphs. Each holds tables on the GPU that queued work may use, so plans end only when
  // the queue is empty.
  void end_plans() noexcept;

  Cufft table_;
  Facts facts_;
  std::string why_not_;
  std::unordered_map<std::string, Plan> plans_;
  std::size_t room_ = kTransformPlans;
};

}  // namespace xcuda::library::cuda
