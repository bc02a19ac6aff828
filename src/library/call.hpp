// A call of a library, as it travels from a session to the device's process: what to do, with which operands. One type
// for all libraries and both devices; which library serves it is the device's affair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "library/random_request.hpp"

namespace xcuda::library {

// What a device opens before the first call: cuBLASLt, cuRAND, cuFFT, cuSOLVER and cuSPARSE on a GPU, OpenBLAS and code
// of its own on the CPU device.
enum class Family : std::uint8_t { blas, random, fourier, solver, sparse };

struct Facts {
  std::string name, version, path;    // "cuBLASLt", "13.1.0", "/usr/local/cuda/lib64/libcublasLt.so.13"
  std::int64_t load_time = 0;         // nanoseconds
  std::uint64_t workspace_bytes = 0;  // for its calls; for one call, where the request names it
};

// Elements that a call reads or writes. Strides are in elements; 0 repeats.
struct Operand {
  std::uint64_t address = 0;
  Scalar type = Scalar::none;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;

  bool is_given() const { return type != Scalar::none; }
};

enum class Operation : std::uint8_t {
  // result = activation(alpha * a * b + beta * c + bias). Operands: result [..., m, n], a [..., m, k], b [..., k, n],
  // c like the result, bias [n]; c and bias may be missing. Scalars: alpha, beta, each as real and imaginary part.
  matmul,
  // Numbers of a generator, as `random` says. Operand: result, in one piece: uint32 of bits and poisson, otherwise
  // float or double.
  random,
  // result = the discrete Fourier transform of the input along the last one to three axes, without a factor. Operands:
  // result and input, both complex, or one of them real: then the last axis of the other has n / 2 + 1 elements.
  // Scalars: how many axes, and -1 forward or 1 backward. Complex operands may be one array.
  fourier,
  // Solvers take matrices column by column without gaps, [batch, columns, rows], and overwrite them; each row describes
  // one matrix of the batch. The last operand is info, int32 [batch], as LAPACK has it. Pivots are int64.
  lu,           // a [m, n] becomes L and U; pivots [min(m, n)], from 1. Operands: a, pivots, info
  solve,        // a [n, n] x = b [n, k], which becomes x. Operands: b, a, pivots, info
  cholesky,     // a [n, n] becomes L below its diagonal. Operands: a, info
  qr,           // a [m, n] becomes R, and below it what `orthogonal` takes. Operands: a, tau [min(m, n)], info
  orthogonal,   // a [m, k] of qr becomes Q. Operands: a, tau, info
  svd,          // a [m, n], m >= n, is u s v. Operands: s [n], a, u [m, n or m], v [n, n], info; u and v may be missing
  eigenvalues,  // of a [n, n], symmetric or Hermitian, by its lower half. Operands: w [n], a, info
  eigenvectors,   // the same, and a becomes the vectors, in its columns
  eigen_general,  // of any complex a [n, n]. Operands: w [n], a, v [n, n], info; v may be missing
  // result = a by dense, where row i of a has values[rows[i]] to values[rows[i + 1]] in the columns of the same places.
  // Operands: result [m, k], values [stored], columns int32 [stored], rows int32 [m + 1], dense [n, k].
  sparse_product
};
enum class Activation : std::uint8_t { none, relu };
enum class Sums : std::uint8_t { any_order, fixed_order };  // fixed: the same bits each time
// tf32, for float: rounds the factors to 10 bits. The others, for uint8, say what the bits of both factors are, or of
// the left and of the right one; the product is float.
enum class Precision : std::uint8_t { full, tf32, e4m3, e4m3_by_e5m2, e5m2_by_e4m3 };

struct Call {
  Operation operation = Operation::matmul;
  std::string library;  // Facts::path: a process that has not opened the library yet, as after a fault, opens it first
  std::vector<Operand> operands;
  std::vector<double> scalars;
  Activation activation = Activation::none;
  Precision precision = Precision::full;
  Sums sums = Sums::any_order;
  Random random;
  std::uint64_t workspace = 0, workspace_bytes = 0;  // address
};

struct OpenRequest {
  Family family = Family::blas;
  std::vector<std::string> folders;  // to look in, in this order, besides the loader's path
  std::optional<Call> planned;       // a call that comes next: a plan for it is made now
};

Family family_of(Operation operation);
double operations_of(const Call& call);  // floating-point; 0 where they are not counted
Scalar arithmetic_type_of(const Call& call);
std::string plan_key(const Call& call);  // calls of one key have one plan: they differ in addresses alone

// How a timed call was served.
struct Report {
  std::uint64_t number = 0;  // of the call
  std::string algorithm;     // "algorithm 66, tile 21, 4 stages"; empty where the library tells none
  std::string arithmetic;    // "bfloat16, sums in float"
};

// Bytes [first, last) that an operand's elements lie in.
struct Reach {
  std::uint64_t first = 0, last = 0;
};
Reach reach_of(const Operand& operand);

}  // namespace xcuda::library
