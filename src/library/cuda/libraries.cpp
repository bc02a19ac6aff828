#include "library/cuda/libraries.hpp"

#include "library/cuda/products.hpp"

namespace xcuda::library::cuda {

Libraries::Libraries(int cuda_major) : cuda_major_(cuda_major) {}
Libraries::~Libraries() = default;

const Facts& Libraries::open(const OpenRequest& request) {
  if (!products_) products_ = std::make_unique<Products>(request, cuda_major_);
  return products_->facts();
}

Outcome Libraries::run(const Call& call, void* stream) {
  if (!products_) products_ = std::make_unique<Products>(call.library);
  return products_->run(call, stream);
}

}  // namespace xcuda::library::cuda
