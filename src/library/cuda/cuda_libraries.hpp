// The libraries of a GPU: opened when they are first wanted, in the process that has the context. Their handles and
// their choices for shapes end with the process; the next one makes them again.
#pragma once

#include <memory>
#include <string>

#include "library/call.hpp"

namespace xcuda::library::cuda {

class Products;
class RandomNumbers;
class Solvers;
class SparseProducts;
class Transforms;

struct Outcome {
  Report report;
  std::string refused;  // what the library said; empty when the call was posted
};

// Where to post a call.
struct Target {
  void* stream = nullptr;  // a CUstream
  bool captured = false;   // as a node of a graph, which may be launched again
};

class Libraries {
 public:
  explicit Libraries(int cuda_major);  // of the driver: no library may be newer
  ~Libraries();

  Facts open(const OpenRequest& request);  // Errors: unsupported, device
  // Posts a call. Errors: value, unsupported; device, when the library is opened again.
  Outcome run(const Call& call, const Target& target);

 private:
  int cuda_major_;
  std::unique_ptr<Products> products_;
  std::unique_ptr<RandomNumbers> random_;
  std::unique_ptr<Solvers> solvers_;
  std::unique_ptr<SparseProducts> sparse_;
  std::unique_ptr<Transforms> transforms_;
};

}  // namespace xcuda::library::cuda
