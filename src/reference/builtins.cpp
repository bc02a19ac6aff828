#include "reference/builtins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/paths.hpp"
#include "base/text.hpp"
#include "language/constants.hpp"
#include "language/device_properties.hpp"
#include "language/functions.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::reference {
namespace {

using Where = Builtin::Where;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trim(text)).empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// The name that a declaration declares: the last word in front of "(" or of the text, without template arguments.
std::string declared_name(std::string_view declaration) {
  auto head = declaration.substr(0, declaration.find('('));
  if (head.size() < declaration.size() && head.ends_with('>')) head = head.substr(0, head.rfind('<'));  // tex2D<T>(...)
  const auto begin = head.find_last_of(" *&");
  return std::string(begin == std::string_view::npos ? head : head.substr(begin + 1));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string element_of(std::string_view base) {
  std::string element(base);
  const bool is_unsigned = element.front() == 'u';
  if (is_unsigned) element.erase(0, 1);
  if (element == "longlong") element = "long long";
  return is_unsigned ? "unsigned " + element : element;
}

// Whether statements know a function of CUDA C++, too.
bool is_of_numbers(std::string_view name) {
  const auto found = language::find_function(name);
  return found && found->row->numbers != nullptr;
}

// What opens a section, and what its lines are.
struct KindRow {
  std::string_view name;
  enum class Lines : std::uint8_t { words, sentences } lines;
};
constexpr KindRow kKinds[] = {{"function", KindRow::Lines::sentences},  {"value", KindRow::Lines::sentences},
                              {"variable", KindRow::Lines::sentences},  {"type", KindRow::Lines::sentences},
                              {"specifier", KindRow::Lines::sentences}, {"math", KindRow::Lines::sentences},
                              {"predicate", KindRow::Lines::sentences}, {"halves", KindRow::Lines::sentences},
                              {"rounded", KindRow::Lines::sentences},   {"packed", KindRow::Lines::sentences},
                              {"members", KindRow::Lines::sentences},   {"keyword", KindRow::Lines::words},
                              {"headers", KindRow::Lines::words}};

}  // namespace

struct Reference::Section {
  const KindRow* kind = nullptr;  // none: its lines are passed over
  Where where = Where::device;
  std::string header;
  std::vector<std::string> owners;  // of members

  bool is(std::string_view name) const { return kind != nullptr && kind->name == name; }
  // Reads "[function device <cuda/atomic>]"; a line that is not understood has no kind.
  explicit Section(std::string_view line = {}) {
    if (!line.ends_with(']')) return;
    const auto words = words_of(line.substr(1, line.size() - 2));
    const auto* known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&](const KindRow& row) { return !words.empty() && row.name == words[0]; });
    if (known == std::end(kKinds)) return;
    if (known->name == "members" || known->name == "headers") {
      kind = known;
      owners.assign(words.begin() + 1, words.end());
      return;
    }
    static constexpr std::pair<std::string_view, Where> kPlaces[] = {
        {"device", Where::device}, {"statements", Where::statements}, {"everywhere", Where::everywhere}};
    for (const auto& [name, place] : kPlaces)
      if (words.size() > 1 && words[1] == name) {
        kind = known;
        where = place;
      }
    if (words.size() > 2) header = std::string(words[2]);
  }
};

Reference::Reference(const std::vector<File>& files) {
  all_.reserve(1024);
  for (const auto& file : files) read(file);
  add_vector_types();
  add_functions();
  add_algorithms();
  add_constants();
  add_device_properties();
  std::sort(all_.begin(), all_.end(), [](const Builtin& a, const Builtin& b) { return a.name < b.name; });
}

void Reference::read(const File& file) {
  Section section;
  int number = 0;
  bool opened = false;
  for (auto line : split_lines(file.text)) {
    ++number;
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    const auto left_out = [&](std::string_view why) {
      problems_.push_back(fmt::format("{}:{}: {}", file.name, number, why));
    };
    if (line.front() == '[') {
      opened = true;
      section = Section(line);
      if (section.kind == nullptr) left_out("a section of an unknown kind, left out");
    } else if (!opened) {
      left_out("a line outside every section: the file is left out");
      return;
    } else if (section.is("headers")) {
      headers_.emplace_back(line);
    } else if (section.kind != nullptr) {
      if (section.kind->lines == KindRow::Lines::sentences && line.find(" | ") == line.npos)
        left_out("an entry without a sentence, left out");
      else
        add_line(section, line);
    }
  }
}

const Reference& Reference::installed() {
  static const Reference reference = [] {
    std::vector<File> files;
    const auto folder = find_shared_file("xcuda/reference");
    std::error_code error;
    if (folder)
      for (const auto& entry : std::filesystem::directory_iterator(*folder, error))
        if (entry.path().extension() == ".txt" && entry.path().stem() != "README") {
          std::ifstream file(entry.path());
          files.push_back({entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(file), {})});
        }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.name < b.name; });
    Reference made(files);
    auto problems = made.problems();
    if (files.empty()) problems.emplace_back("the folder does not exist or is empty");
    for (const auto& problem : problems)  // not fmt::print, which throws when nobody reads stderr
      std::fputs(fmt::format("xcuda: completion knows less about CUDA: share/xcuda/reference: {}\n", problem).c_str(),
                 stderr);
    return made;
  }();
  return reference;
}

void Reference::add_line(const Section& section, std::string_view line) {
  const auto bar = line.find(" | ");
  const std::string declaration(line.substr(0, bar)), help(bar == std::string_view::npos ? "" : line.substr(bar + 3));
  Builtin builtin{.where = section.where, .help = help, .header = section.header};
  if (section.is("keyword") || section.is("specifier") || section.is("type")) {
    builtin.kind = section.is("keyword") ? Builtin::Kind::keyword
                   : section.is("type")  ? Builtin::Kind::type
                                         : Builtin::Kind::specifier;
    builtin.name = declaration;
    if (section.where == Where::device && declaration.find('<') != std::string::npos) {  // a template
      builtin.name = declaration.substr(0, declaration.find('<'));
      builtin.signatures = {declaration};
    }
    if (declaration == "dim3") builtin.signatures = {"dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)"};
    all_.push_back(builtin);
    return;
  }
  const bool is_value = section.is("variable") || section.is("value") || declaration.find('(') == std::string::npos;
  builtin.kind = is_value ? Builtin::Kind::variable : Builtin::Kind::function;
  builtin.name = declared_name(declaration);
  builtin.signatures = {declaration};
  if (!section.owners.empty()) {
    for (const auto& owner : section.owners) members_[owner].push_back(builtin);
    return;
  }
  if (section.is("halves")) {  // the same for bfloat16
    builtin.signatures.push_back(replaced(declaration, "__half", "__nv_bfloat16"));
  }
  const auto single = replaced(declaration, "double", "float");
  if (section.is("predicate")) builtin.signatures.push_back(single);
  if (section.is("math")) {
    // The name without f takes floats, too, as C++ overloads it.
    Builtin of_float = builtin;
    of_float.name += "f";
    if (is_of_numbers(of_float.name)) of_float.where = Where::everywhere;
    of_float.signatures = {replaced(single, builtin.name + "(", of_float.name + "(")};
    of_float.help += ", in single precision";
    all_.push_back(of_float);
    if (single != declaration && builtin.name != "nan") builtin.signatures.push_back(single);
  }
  if (is_of_numbers(builtin.name)) builtin.where = Where::everywhere;
  all_.push_back(builtin);
  if (section.is("rounded")) add_roundings(builtin);
  if (section.is("packed")) add_of_two(builtin);
}

// x_rn in the other directions.
void Reference::add_roundings(const Builtin& nearest) {
  static constexpr std::pair<std::string_view, std::string_view> kDirections[] = {
      {"_rz", "towards zero"}, {"_rd", "down"}, {"_ru", "up"}};
  for (const auto& [suffix, direction] : kDirections) {
    auto other = nearest;
    other.name = replaced(nearest.name, "_rn", suffix);
    other.signatures = {replaced(nearest.signatures[0], "_rn(", std::string(suffix) + "(")};
    other.help = replaced(nearest.help, "to nearest even", direction);
    all_.push_back(std::move(other));
  }
}

// Adds the function of two 16-bit numbers for one of four bytes.
void Reference::add_of_two(const Builtin& of_four) {
  auto of_two = of_four;
  of_two.name.back() = '2';
  of_two.signatures = {replaced(of_four.signatures[0], "4(", "2(")};
  for (const auto& [four, two] : {std::pair{"four bytes", "two 16-bit numbers"},
                                  {"four signed bytes", "two signed 16-bit numbers"},
                                  {"four unsigned bytes", "two unsigned 16-bit numbers"},
                                  {"Four signed bytes", "Two signed 16-bit numbers"},
                                  {"0xff ", "0xffff "}})
    of_two.help = replaced(of_two.help, four, two);
  all_.push_back(std::move(of_two));
}

// char1 to double4, and make_...() for each; types for statements, too.
void Reference::add_vector_types() {
  for (const std::string_view base :
       {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double"})
    for (int lanes = 1; lanes <= 4; ++lanes) {
      const auto name = fmt::format("{}{}", base, lanes);
      const auto element = element_of(base);
      constexpr std::string_view kMembers[] = {"x", "x, y", "x, y, z", "x, y, z, w"};
      const auto members = kMembers[lanes - 1];
      all_.push_back({.kind = Builtin::Kind::type,
                      .where = Where::everywhere,
                      .name = name,
                      .signatures = {fmt::format("struct {} {{ {} {}; }}", name, element, members)},
                      .help = fmt::format("Vector of {} {}{}", lanes, element, lanes == 1 ? "" : "s")});
      std::string parameters;
      for (const char member : members)
        if (std::isalpha(static_cast<unsigned char>(member)) != 0)
          parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", element, member);
      all_.push_back({.kind = Builtin::Kind::function,
                      .where = Where::device,
                      .name = "make_" + name,
                      .signatures = {fmt::format("{0} make_{0}({1})", name, parameters)},
                      .help = fmt::format("A {} of its members", name)});
    }
}

// The functions of the language; those without help are in the texts.
void Reference::add_functions() {
  for (const auto* row : language::all_functions()) {
    if (row->help.empty()) continue;
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const Builtin& one) { return one.name == row->name; });
    if (known != all_.end()) {  // of device code, too
      known->where = Where::everywhere;
      known->help = row->help;
      continue;
    }
    const bool everywhere =
        row->operation == language::Operation::print || row->operation == language::Operation::assertion;
    Builtin builtin{.where = everywhere ? Where::everywhere : Where::statements,
                    .name = std::string(row->name),
                    .help = std::string(row->help)};
    for (const auto& signature : language::signatures_of(*row)) builtin.signatures.emplace_back(signature.text);
    all_.push_back(std::move(builtin));
  }
}

// Adds the algorithms of C++'s library on arrays.
void Reference::add_algorithms() {
  for (const auto& row : language::standard_algorithms())
    all_.push_back({.kind = Builtin::Kind::function,
                    .where = Where::statements,
                    .name = std::string(row.name),
                    .signatures = {fmt::format("{}({})", row.name, row.parameters)},
                    .help = std::string(row.help)});
}

// Device code has those of C++'s <climits>, <cfloat> and <cmath>.
void Reference::add_constants() {
  for (auto& name : language::constant_names()) {
    const bool there = std::any_of(all_.begin(), all_.end(), [&](const Builtin& one) { return one.name == name; });
    if (there) continue;
    static constexpr std::string_view kOfHost[] = {"EXIT_FAILURE",      "EXIT_SUCCESS",     "RAND_MAX",
                                                   "CLOCKS_PER_SEC",    "std::numbers::pi", "std::numbers::e",
                                                   "std::string::npos", "stdout",           "stderr"};
    const bool of_runtime = name.starts_with("cuda");
    const bool of_host = of_runtime || name.starts_with("CLOCK_") || among(name, kOfHost);
    auto declaration = fmt::format("{} = {}", name, language::known_constant(name)->text());
    all_.push_back({.kind = Builtin::Kind::variable,
                    .where = of_host ? Where::statements : Where::everywhere,
                    .name = std::move(name),
                    .signatures = {std::move(declaration)},
                    .help = of_runtime ? "Constant of the CUDA Runtime" : "Constant of C++"});
  }
}

void Reference::add_device_properties() {
  auto& members = members_[std::string(language::kDeviceProperties)];
  for (const auto& row : language::device_properties())
    if (!row.member.empty() && row.until == language::DevicePropertyRow::Until::today)
      members.push_back({.kind = Builtin::Kind::variable,
                         .where = Where::statements,
                         .name = std::string(row.member),
                         .signatures = {language::declaration_of(row)},
                         .help = "Set by cudaGetDeviceProperties(&p, 0)"});
}

const std::vector<Builtin>& builtins() { return Reference::installed().all(); }

const Builtin* find_builtin(std::string_view name) {
  const auto& all = builtins();
  if (name.starts_with("cg::")) return find_builtin("cooperative_groups::" + std::string(name.substr(4)));
  if (name.starts_with("wmma::")) return find_builtin("nvcuda::" + std::string(name));
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const Builtin& builtin, std::string_view wanted) { return builtin.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

const std::vector<Builtin>& members_of(std::string_view type) {
  const auto& members = Reference::installed().members();
  static const std::vector<Builtin> none;
  const auto found = members.find(type);
  return found == members.end() ? none : found->second;
}

const Builtin* find_in_namespaces(std::string_view name) {
  if (name.empty() || name.find("::") != std::string_view::npos) return nullptr;
  const auto& all = builtins();
  const auto suffix = fmt::format("::{}", name);
  const auto inside = std::find_if(all.begin(), all.end(), [&](const Builtin& builtin) {
    return builtin.name.ends_with(suffix) && !builtin.name.starts_with("std::");  // as no cell opens it
  });
  return inside == all.end() ? nullptr : &*inside;
}

const std::vector<std::string>& known_headers() { return Reference::installed().headers(); }

std::string_view kind_name(Builtin::Kind kind) {
  switch (kind) {
    case Builtin::Kind::variable: return "variable";
    case Builtin::Kind::function: return "function";
    case Builtin::Kind::type: return "type";
    case Builtin::Kind::specifier: return "specifier";
    case Builtin::Kind::keyword: return "keyword";
  }
  return "";
}

}  // namespace xcuda::reference
