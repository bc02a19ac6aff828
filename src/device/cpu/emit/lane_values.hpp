// Values of 32 lanes in the forms of the lattice: types, constants, vectors of them.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <span>

#include "device/cpu/plan/register_form.hpp"

namespace xcuda::device::cpu {

struct Emitter;

enum class Clone : std::uint8_t { converged, divergent, lane };  // of a block's code

// A value of 32 lanes in the form its class names.
struct Held {
  RegisterForm form;
  llvm::SmallVector<llvm::Value*, 4> parts;  // affine: a base per group; delayed: an offset per group, then a 32-bit
                                             // index per group; permuted: base and low; varying: one vector
  bool uniform() const { return form.is_uniform(); }
};

// Makes a result of operands that are scalars (one per group) or vectors, whichever the forms allow.
using Make = std::function<llvm::Value*(std::span<llvm::Value* const>)>;

class LaneValues {
 public:
  using Value = llvm::Value;

  explicit LaneValues(Emitter& e) : e_(e) {}

  // Types.
  llvm::Type* element(ptx::Type type);  // f32 is float, u8 is i8, pred is i1
  llvm::Type* integer(int bits);
  llvm::Type* lanes(llvm::Type* element, int count = 32) {
    return llvm::FixedVectorType::get(element, static_cast<unsigned>(count));
  }

  // Constants of the type of `like`, scalar or vector.
  Value* constant(llvm::Type* like, std::uint64_t bits);
  Value* real(llvm::Type* like, double value);

  // Forms.
  Held uniform(Value* scalar) { return {RegisterForm::uniform(), {scalar}}; }
  Held varying(Value* vector) { return {RegisterForm::varying(), {vector}}; }
  Value* vector_of(const Held& value);               // <32 x T>
  Value* base_of(const Held& value, int group);      // without the pattern
  Value* group_value(const Held& value, int group);  // with the pattern of the group's first lane
  Value* splat(Value* scalar);
  Value* pattern_vector(Pattern pattern, llvm::Type* element, std::int64_t factor = 1);

  Held moved(const Held& value, Value* distance);  // + a scalar, in the same form
  // Maps the given values, when an instruction does not map its operands one to one.
  Held map(std::span<const Held> values, const Make& make);

  // Masks have a bit per lane.
  Value* to_mask(Value* vector);  // <32 x i1> to i32
  // i32 to <32 x i1>, which best chooses between elements of 32 or 64 bits.
  Value* to_vector(Value* mask, int bits = 32);

 private:
  Emitter& e_;
};

}  // namespace xcuda::device::cpu
