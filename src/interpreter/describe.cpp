#include "interpreter/describe.hpp"

#include <fmt/format.h>

#include "session/textures.hpp"

namespace xcuda::interpreter {

using namespace session;

std::string describe(const Value& value) {
  struct Visitor {
    std::string operator()(const Nothing&) const { return "nothing"; }
    static std::string article(const std::string& type) {
      return (std::string_view("aeio").find(type[0]) == std::string_view::npos ? "a " : "an ") + type;
    }
    std::string operator()(const cell::Value& number) const { return article(number.type().name); }
    std::string operator()(const device::Dim3&) const { return "a dim3"; }
    std::string operator()(const Object& object) const { return article(object.type.name); }
    std::string operator()(const Stream&) const { return "a stream"; }
    std::string operator()(const Event&) const { return "an event"; }
    std::string operator()(const Texture& texture) const { return fmt::format("a {}", texture.object->kind()); }
    std::string operator()(const Pointer& pointer) const {
      return pointer.shape.empty() ? "a pointer to " + pointer.type.name : "an array of " + pointer.type.name;
    }
    std::string operator()(const NullPointer&) const { return "a null pointer"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const ArrayExpression&) const { return "an array"; }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace xcuda::interpreter
