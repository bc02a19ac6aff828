#include "library/cuda/libraries.hpp"

#include "library/cuda/products.hpp"
#include "library/cuda/random_numbers.hpp"

namespace xcuda::library::cuda {

Libraries::Libraries(int cuda_major) : cuda_major_(cuda_major) {}
Libraries::~Libraries() = default;

const Facts& Libraries::open(const OpenRequest& request) {
  if (request.family == Family::random) {
    if (!random_) random_ = std::make_unique<RandomNumbers>(request, cuda_major_);
    return random_->facts();
  }
  if (!products_) products_ = std::make_unique<Products>(request, cuda_major_);
  return products_->facts();
}

Outcome Libraries::run(const Call& call, void* stream) {
  if (call.operation == Operation::random) {
    if (!random_) random_ = std::make_unique<RandomNumbers>(call.library, cuda_major_);
    return random_->run(call, stream);
  }
  if (!products_) products_ = std::make_unique<Products>(call.library);
  return products_->run(call, stream);
}

}  // namespace xcuda::library::cuda
