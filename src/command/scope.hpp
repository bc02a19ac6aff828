// The names of a session, as completion, inspection and help see them. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "display/device_report.hpp"

namespace xcuda::session {
class Session;
}

namespace xcuda::command {

struct KnownScalar {
  std::string name;
  std::string type;   // "size_t", "const float", "dim3"
  std::string value;  // as printed
  std::string defined;
};

// A kernel, device function, type, constant, variable or macro of the cells so far, or a function of a host module.
struct KnownDefinition {
  enum class Kind : std::uint8_t { kernel, function, type, variable, macro, module_function } kind = Kind::kernel;
  std::string name;       // qualified: "demo::scale"
  std::string signature;  // "__global__ void saxpy(float a, const float* x, float* y)"; may be empty
  std::string source;     // its whole text
  std::string defined;    // "In[3]"
  int line = 0;           // in that cell
};

std::string_view kind_text(KnownDefinition::Kind kind);  // "device function"
// The signature, or the source text in front of a body, in one line.
std::string declaration_of(const KnownDefinition& definition);

struct Scope {
  std::vector<display::ArrayRow> arrays;
  std::vector<std::string> vectors;  // the names of arrays that are std::vectors
  std::vector<KnownScalar> scalars;
  std::vector<KnownDefinition> definitions;
  std::vector<std::string> devices;  // what %device takes: "cpu", "gpu:0"
};
Scope scope_of(session::Session& session);

}  // namespace xcuda::command
