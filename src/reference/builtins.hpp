// What CUDA C++ and the language of statements know without a declaration: built-in variables, functions, types and
// words, with signatures and a line of help each, as the texts of share/xcuda/reference say (README.txt there has their
// form).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::reference {

struct Builtin {
  enum class Kind : std::uint8_t { variable, function, type, specifier, keyword } kind = Kind::function;
  enum class Where : std::uint8_t { device, statements, everywhere } where = Where::device;
  std::string name;                     // qualified: "cooperative_groups::this_grid"
  std::vector<std::string> signatures;  // overloads; of a variable or type its declaration; empty for keywords
  std::string help;                     // a line
  std::string header;                   // "<curand_kernel.h>" where one has to be included; else empty
};

class Reference {
 public:
  struct File {
    std::string name, text;
  };
  explicit Reference(const std::vector<File>& files);
  // This installation's reference, read when first asked for; unreadable lines are missing, and reported on stderr.
  static const Reference& installed();

  const std::vector<Builtin>& all() const { return all_; }  // sorted by name
  const std::map<std::string, std::vector<Builtin>, std::less<>>& members() const { return members_; }
  const std::vector<std::string>& headers() const { return headers_; }
  const std::vector<std::string>& problems() const { return problems_; }  // "cub.txt:3: ...": lines that were left out

 private:
  struct Section;
  void read(const File& file);
  void add_line(const Section& section, std::string_view line);
  void add_roundings(const Builtin& nearest);
  void add_of_two(const Builtin& of_four);
  void add_vector_types();
  void add_functions();  // of the language
  void add_algorithms();
  void add_constants();
  void add_device_properties();

  std::vector<Builtin> all_;
  std::map<std::string, std::vector<Builtin>, std::less<>> members_;
  std::vector<std::string> headers_, problems_;
};

// Entries of the installed reference:
const std::vector<Builtin>& builtins();
const Builtin* find_builtin(std::string_view name);
// An entry in a namespace by its last name, as after using namespace: "this_grid".
const Builtin* find_in_namespaces(std::string_view name);
// Members of an object of a type, which is named without template arguments.
const std::vector<Builtin>& members_of(std::string_view type);
const std::vector<std::string>& known_headers();  // headers that an #include can name

std::string_view kind_name(Builtin::Kind kind);

}  // namespace xcuda::reference
