// A call of a library, as it travels from a session to the device's process: what to do, with which operands. One type
// for all libraries and both devices; which library serves it is the device's affair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "library/random.hpp"

namespace xcuda::library {

// What a device opens before the first call: cuBLASLt and cuRAND on a GPU, OpenBLAS and code of its own on the CPU
// device.
enum class Family : std::uint8_t { blas, random };

struct OpenRequest {
  Family family = Family::blas;
  std::vector<std::string> folders;  // to look in, in this order, besides the loader's path
};

struct Facts {
  std::string name, version, path;    // "cuBLASLt", "13.1.0", "/usr/local/cuda/lib64/libcublasLt.so.13"
  std::int64_t load_time = 0;         // nanoseconds
  std::uint64_t workspace_bytes = 0;  // that its calls may be given
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
};
enum class Activation : std::uint8_t { none, relu };
enum class Precision : std::uint8_t { full, tf32 };  // of float: tf32 rounds the factors to 10 bits

struct Call {
  Operation operation = Operation::matmul;
  std::string library;  // Facts::path: a process that has not opened it yet, as one after a fault, does so first
  std::vector<Operand> operands;
  std::vector<double> scalars;
  Activation activation = Activation::none;
  Precision precision = Precision::full;
  Random random;
  std::uint64_t workspace = 0, workspace_bytes = 0;  // address
};

Family family_of(Operation operation);
double operations_of(const Call& call);  // floating-point; 0 where they are not counted
Scalar arithmetic_type_of(const Call& call);

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
