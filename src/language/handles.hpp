// Handles of the CUDA Runtime that statements hold as numbers; 0 is a null handle.
#pragma once

#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::language {

// Of a type as it is written, or as the compiler tells it of a member.
constexpr bool is_handle(std::string_view type) {
  constexpr std::string_view kHandles[] = {"cudaGraph_t", "cudaGraphExec_t", "cudaGraphNode_t", "cudaMemPool_t",
                                           "CUgraph_st*", "CUgraphExec_st*", "CUgraphNode_st*", "CUmemPoolHandle_st*"};
  for (const auto handle : kHandles)
    if (type == handle) return true;
  return false;
}

// Streams and events of structs, as the compiler tells the types of members.
constexpr std::string_view kHeldStream = "CUstream_st*", kHeldEvent = "CUevent_st*";

inline bool is_null(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  return name != nullptr && (name->text == "nullptr" || name->text == "NULL");
}

}  // namespace xcuda::language
