// Constants of device code that statements may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

// A constexpr, an enumerator or an object-like macro of device code, as a statement sees it. A macro that names
// variables has another value with theirs.
struct HostConstant {
  Value value;
  enum class Kind : std::uint8_t { fixed, varying } kind = Kind::fixed;
};
std::optional<HostConstant> host_constant(Session& session, Sink& sink, const std::string& name);

// The value of a constant or a macro is evaluated inside the expression that names it. Together they are bounded,
// so that the walk may recurse; throws Error(unsupported) without a place.
class NestedEvaluation {
 public:
  NestedEvaluation(Session& session, const cell::Expression& expression);
  ~NestedEvaluation();
  NestedEvaluation(const NestedEvaluation&) = delete;
  NestedEvaluation& operator=(const NestedEvaluation&) = delete;

 private:
  ConstantTable& constants_;
  int height_;
};

// A module variable's extents; empty for a single element.
std::vector<std::uint64_t> extents_of(Session& session, Sink& sink, const ModuleVariables::Found& variable,
                                      const Type& type);

}  // namespace xcuda::interpreter
