#include "library/cuda/cuda_libraries.hpp"

#include "library/cuda/cuda_products.hpp"
#include "library/cuda/cuda_random_numbers.hpp"
#include "library/cuda/cuda_solvers.hpp"
#include "library/cuda/cuda_transforms.hpp"
#include "library/cuda/sparse_products.hpp"

namespace xcuda::library::cuda {

Libraries::Libraries(int cuda_major) : cuda_major_(cuda_major) {}
Libraries::~Libraries() = default;

Facts Libraries::open(const OpenRequest& request) {
  if (request.family == Family::random) {
    if (!random_) random_ = std::make_unique<RandomNumbers>(request, cuda_major_);
    return random_->facts();
  }
  if (request.family == Family::fourier) {
    if (!transforms_) transforms_ = std::make_unique<Transforms>(request, cuda_major_);
    auto facts = transforms_->facts();
    if (request.planned) facts.workspace_bytes = transforms_->workspace_bytes(*request.planned);
    return facts;
  }
  if (request.family == Family::solver) {
    if (!solvers_) solvers_ = std::make_unique<Solvers>(request, cuda_major_);
    auto facts = solvers_->facts();
    if (request.planned) facts.workspace_bytes = solvers_->workspace_bytes(*request.planned);
    return facts;
  }
  if (request.family == Family::sparse) {
    if (!sparse_) sparse_ = std::make_unique<SparseProducts>(request, cuda_major_);
    auto facts = sparse_->facts();
    if (request.planned) facts.workspace_bytes = sparse_->workspace_bytes(*request.planned);
    return facts;
  }
  if (!products_) products_ = std::make_unique<Products>(request, cuda_major_);
  return products_->facts();
}

Outcome Libraries::run(const Call& call, const Target& target) {
  if (call.operation == Operation::random) {
    if (!random_) random_ = std::make_unique<RandomNumbers>(call.library, cuda_major_);
    return random_->run(call, target.stream);
  }
  if (call.operation == Operation::fourier) {
    if (!transforms_) transforms_ = std::make_unique<Transforms>(call.library, cuda_major_);
    return transforms_->run(call, target);
  }
  if (is_solver(call.operation)) {
    if (!solvers_) solvers_ = std::make_unique<Solvers>(call.library, cuda_major_);
    return solvers_->run(call, target.stream);
  }
  if (call.operation == Operation::sparse_product) {
    if (!sparse_) sparse_ = std::make_unique<SparseProducts>(call.library, cuda_major_);
    return sparse_->run(call, target.stream);
  }
  if (!products_) products_ = std::make_unique<Products>(call.library);
  return products_->run(call, target.stream);
}

}  // namespace xcuda::library::cuda
