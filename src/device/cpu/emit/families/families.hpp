// The families of opcodes: the function that emits each, and what families share.
#pragma once

#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

// The table of families: the function that emits an opcode, or null.
Family family_of(ptx::Opcode opcode);

void emit_arithmetic(Emitter& e, const ptx::Instruction& instruction);
void emit_integer(Emitter& e, const ptx::Instruction& instruction);
void emit_logic(Emitter& e, const ptx::Instruction& instruction);
void emit_float(Emitter& e, const ptx::Instruction& instruction);
void emit_convert(Emitter& e, const ptx::Instruction& instruction);
void emit_compare(Emitter& e, const ptx::Instruction& instruction);
void emit_move(Emitter& e, const ptx::Instruction& instruction);
void emit_load(Emitter& e, const ptx::Instruction& instruction);
void emit_store(Emitter& e, const ptx::Instruction& instruction);
void emit_atomic(Emitter& e, const ptx::Instruction& instruction);
void emit_warp(Emitter& e, const ptx::Instruction& instruction);
void emit_system(Emitter& e, const ptx::Instruction& instruction);
void emit_video(Emitter& e, const ptx::Instruction& instruction);
void emit_async(Emitter& e, const ptx::Instruction& instruction);
void emit_matrix(Emitter& e, const ptx::Instruction& instruction);
void emit_texture(Emitter& e, const ptx::Instruction& instruction);
void emit_call(Emitter& e, const ptx::Instruction& instruction);

// Helpers that families share; values are scalars or vectors.
llvm::Value* computed(Emitter& e, const ptx::Instruction& instruction,
                      std::span<llvm::Value* const> values);                                            // f32, f64
llvm::Value* extreme(Emitter& e, const ptx::Instruction& instruction, llvm::Value* x, llvm::Value* y);  // min, max
void emit_half(Emitter& e, const ptx::Instruction& instruction, int inputs);
llvm::Value* widened_half(Emitter& e, llvm::Value* value);                        // half or bfloat16 to f32
llvm::Value* narrowed_half(Emitter& e, llvm::Value* value, llvm::Type* element);  // f32 or f64, to nearest even
llvm::Value* rounded_to_odd(Emitter& e, llvm::Value* value,
                            llvm::Value* error);  // value + error, in the digits of value
llvm::Value* sum_to_odd(Emitter& e, llvm::Value* left, llvm::Value* right);
llvm::Value* half_of(Emitter& e, llvm::Value* word, unsigned part, llvm::Type* element);
llvm::Value* pair_of(Emitter& e, llvm::Value* low, llvm::Value* high);
llvm::Value* flush(Emitter& e, llvm::Value* value);  // a subnormal f32 becomes a zero of its sign
llvm::Value* flush_below(Emitter& e, llvm::Value* value,
                         std::uint32_t least);  // of f32; the bits of the least number kept
llvm::Value* saturate(Emitter& e, llvm::Value* value);
llvm::Value* directed(Emitter& e, ptx::Modifier rounding, llvm::Value* value, llvm::Value* error);
llvm::Value* divide(Emitter& e, llvm::Value* a, llvm::Value* b, Signedness sign);           // x / 0 is all ones
llvm::Value* approximate(Emitter& e, const ptx::Instruction& instruction, llvm::Value* x);  // sin, ex2, ...
llvm::Value* reciprocal_root(Emitter& e, llvm::Value* x);                                   // f32, within 2^-22.9

}  // namespace xcuda::device::cpu
