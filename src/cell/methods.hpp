// The functions within a struct's text, which statements can run when the compiler of device code cannot.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::cell {

// Begins the name of the function that is made of a lambda which launches kernels or calls the CUDA Runtime; 16
// hexadecimal digits follow.
constexpr std::string_view kHostLambdaPrefix = "xcuda_host_lambda_";

inline constexpr std::string_view kThis = "xcuda_this";  // what `this` is called there

// A struct as its text has it.
struct ClassText {
  Span span;
  std::string name;  // of a specialization with its arguments: "Buffer<float>"
  std::vector<std::string> template_parameters;
  std::vector<std::string> types;    // defined within it
  bool simple = true;                // without bases and virtual functions
  Span bases;                        // what comes after the ':' of its head
  std::vector<DevicePiece> methods;  // with a body; named "Buffer::upload", "Buffer::~Buffer"
  struct Initial {
    std::string member;
    Span value;  // float* p = nullptr; in braces: with them
  };
  std::vector<Initial> initials;
  struct MemberText {
    Span span;  // "std::string name, title = "x"", without the ';'
    bool hidden = false;
  };
  std::vector<MemberText> members;
  struct DeclaredFunction {
    std::string name;  // "Buffer::upload"
    Span span;
    bool annotated = false;
  };
  std::vector<DeclaredFunction> declarations;  // of functions without a body, which may be defined outside
  std::vector<std::string> functions;          // the names of all, also of those without a body
  std::vector<std::string> hidden;             // those that are not public
  std::vector<std::string> defaulted;          // those that are "= default", with their parameters: "Particle()"
  std::vector<DevicePiece> friends;            // with a body, named as outside
  std::vector<Span> others;                    // static members, using, types
};
inline bool is_method(const DevicePiece& piece) {
  return piece.kind == DeviceKind::function && piece.nesting > 0 && piece.key == piece.name &&
         piece.name.find("::") != std::string::npos;
}
// Whether a token begins the head of a struct, by the one before it: not in template <class T>, nor in enum class.
inline bool begins_struct(std::string_view token, std::string_view before) {
  return (token == "struct" || token == "class") && before != "<" && before != "," && before != "enum";
}
// span: of its piece. Nothing where the text holds no struct with a body.
std::optional<ClassText> class_text(std::string_view text, Span span);
// std::ostream& operator<<(std::ostream& out, const T& value): the name of a function of the value alone, to which
// `out` is std::cout; empty for other functions.
std::string output_function(std::string_view text, const DevicePiece& piece);
// template <class T> struct Buffer<T*>: what its parameters are in Buffer<float*>; nothing if that is not one of it.
std::optional<std::map<std::string, std::string, std::less<>>> arguments_in(const ClassText& specialization,
                                                                            std::string_view type);
// How special a definition of a class is that a type comes from, 0 for one without arguments; nothing if the type does
// not come from it.
std::optional<std::size_t> speciality(const ClassText& definition, std::string_view type);
// Chooses among the texts of definitions, in their order, the most special that a type comes from.
class MostSpecial {
 public:
  explicit MostSpecial(std::string_view type) : type_(type) {}
  bool takes(std::string_view definition);  // so far

 private:
  std::string_view type_;
  std::size_t most_ = 0;
};
// The struct that a method is written in, or, of one that is defined outside, belongs to.
std::optional<ClassText> class_around(std::string_view text, const DevicePiece& method);
// Puts methods among a cell's pieces, after their struct: what keeps pieces for the compiler leaves these out.
void add_methods(std::vector<DevicePiece>& pieces, const DevicePiece& type, const std::vector<DevicePiece>& methods);

}  // namespace xcuda::cell
