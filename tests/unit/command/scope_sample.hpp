// A session with a few names of each kind.
#pragma once

#include "command/scope.hpp"

namespace xcuda::command {

inline Scope sample_scope() {
  Scope scope;
  scope.arrays = {{"x", *find_type("float"), {16777216}, 67108864, "NVIDIA H200", "In[1]"},
                  {"velocity", *find_type("float4"), {1024}, 16384, "NVIDIA H200", "In[1]"}};
  scope.scalars = {{"n", "const size_t", "16777216", "In[1]"}, {"threads", "dim3", "(256, 1, 1)", ""}};
  scope.definitions = {
      {KnownDefinition::Kind::kernel, "saxpy", "__global__ void saxpy(float a, const float* x, float* y, size_t n)",
       "__global__ void saxpy(float a, const float* x, float* y, size_t n) {\n  // ...\n}", "In[2]", 1},
      {KnownDefinition::Kind::kernel, "demo::scale", "template <class T> __global__ void demo::scale(T* x, T a)", "",
       "In[2]", 5},
      {KnownDefinition::Kind::type, "Particle", "", "struct Particle { float3 velocity; float mass; };", "In[2]", 9},
      {KnownDefinition::Kind::module_function, "total_of", "float total_of(const float* x, int n)",
       "float total_of(const float* x, int n) {\n  return 0;\n}", "In[3]"}};
  scope.devices = {"cpu", "gpu:0"};
  return scope;
}

}  // namespace xcuda::command
