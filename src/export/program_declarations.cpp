// Declarations of an exported program: numbers of the host, arrays and their initial values.
#include <fmt/format.h>

#include <algorithm>

#include "base/type.hpp"
#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/type_word.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {
namespace {

// The type's name in C++: that of xcuda's own names, else as written.
std::string spelled(const std::string& type) {
  const auto known = xcuda::find_type(type);
  static constexpr std::string_view kOwn[] = {"bfloat16", "uchar", "complex<float>", "complex<double>"};
  return known && std::find(std::begin(kOwn), std::end(kOwn), type) != std::end(kOwn) ? known->name : type;
}

}  // namespace

void ProgramWriter::declaration(const cell::Declaration& declaration, cell::Span span) {
  (void)span;
  if (declaration.unpacked != nullptr) {
    if (std::holds_alternative<cell::Call>(as_call(*declaration.unpacked).node)) return several(declaration);
    throw cannot("a structured binding", declaration.unpacked->span, "Declare its names one by one.");
  }
  for (const auto& declarator : declaration.declarators) {
    if (declarator.function) {
      kernel_pointer(declaration, declarator);
      continue;
    }
    if (declarator.pointer && !declarator.extents.empty())
      throw cannot("an array of pointers", declarator.name_span, "Pass the arrays one by one.");
    if (declarator.reference) throw cannot("a reference", declarator.name_span, "Use the name of what it refers to.");
    if (declarator.pointer && declaration.type != "char")
      throw cannot("a pointer", declarator.name_span, "Declare an array: its name is the pointer.");
    if (!declarator.extents.empty())
      array_declaration(declaration, declarator);
    else
      scalar_declaration(declaration, declarator);
  }
}

// void (*table[3])(float*, int) = {scale, shift};
void ProgramWriter::kernel_pointer(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  std::string extents, value = declarator.extents.empty() ? "nullptr" : "{}";
  for (const auto& extent : declarator.extents) extents += extent ? fmt::format("[{}]", host(*extent)) : "[]";
  if (declarator.init != nullptr) value = pointed(*declarator.init);
  const auto name = declare(declarator.name, {Kind::kernel, "", "", 0});
  line(fmt::format("{} (*{}{}){} = {};", spelled(declaration.type), name, extents, text(declarator.parameters), value));
}

// auto [values, counts] = unique(x);
void ProgramWriter::several(const cell::Declaration& declaration) {
  const auto& init = as_call(*declaration.unpacked);
  const auto* call = std::get_if<cell::Call>(&init.node);
  const auto* row = call == nullptr ? nullptr : row_of(*call);
  if (row == nullptr || row->part.empty() || row->results < declaration.declarators.size())
    throw cannot("this function with several results", init.span, "Take its results one by one.");
  if (row->operation == language::Operation::unique && language::given(*call, *row, "axis") != nullptr)
    throw cannot("unique() along an axis", init.span, "Write it as a kernel.");
  const auto text = results_of(*call, init, *row, declaration.declarators.size());
  const auto whole = form(init);
  // Pieces have the dimensions of what is split; edges are in a row; other results are like the first.
  const auto rank =
      row->operation == language::Operation::split ? form(*call->arguments[0].value).rank() : whole.rank();
  std::string names;
  for (const auto& one : declaration.declarators) {
    const bool first = &one == &declaration.declarators.front();
    const bool edges = !first && row->operation == language::Operation::histogram2d;
    const bool inverse = row->operation == language::Operation::unique && &one == &declaration.declarators.front() + 3;
    const auto dimensions = inverse ? form(*call->arguments[0].value).rank() : rank;
    names += (names.empty() ? "" : ", ") + declare(one.name, {Kind::array, "", first ? whole.type.name : "",
                                                              static_cast<int>(edges ? 1 : dimensions.value_or(1))});
  }
  line(fmt::format("auto [{}] = {};", names, text));
}

void ProgramWriter::array_declaration(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  need("array");
  std::string extents;
  for (const auto& extent : declarator.extents) {
    if (!extents.empty()) extents += ", ";
    const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
    extents += extent != nullptr ? host(*extent) : std::to_string(list == nullptr ? 1 : list->elements.size());
  }
  const auto type = xcuda::find_type(declaration.type);
  // The initial value may name an older array of this name.
  const auto name = declare(declarator.name, {Kind::array, "", type ? type->name : declaration.type,
                                              static_cast<int>(declarator.extents.size())});
  line(fmt::format("xcuda::Array<{}> {}({});", spelled(declaration.type), name, extents));
  if (declarator.init != nullptr) initial_value(name, declarator, declaration.type);
}

std::string ProgramWriter::list_elements(const cell::List& list) const {
  std::string result;
  std::size_t longest = 0;
  for (const auto& one : list.elements)
    if (const auto* inner = std::get_if<cell::List>(&one->node)) longest = std::max(longest, inner->elements.size());
  for (const auto& one : list.elements) {
    const auto* inner = std::get_if<cell::List>(&one->node);
    if (inner != nullptr && inner->elements.size() != longest)
      throw cannot("rows of different lengths", one->span, "Write every row with all its elements.");
    result += (result.empty() ? "" : ", ") +
              (inner != nullptr ? list_elements(*inner) : const_cast<ProgramWriter*>(this)->host(*one));
  }
  return result;
}

void ProgramWriter::initial_value(const std::string& name, const cell::Declarator& declarator,
                                  const std::string& type) {
  const auto& init = *declarator.init;
  if (const auto* list = std::get_if<cell::List>(&init.node)) {
    if (list->elements.empty()) return;
    const auto known = xcuda::find_type(type);
    const bool flat = declarator.extents.size() > 1 || (known && known->lanes == 1);
    // Elements that are lists themselves are structs or vectors.
    line(fmt::format("{}.assign({{{}}});", name,
                     flat ? list_elements(*list) : host(init).substr(1, host(init).size() - 2)));
    return;
  }
  const auto* call = std::get_if<cell::Call>(&init.node);
  const auto initial = call == nullptr ? std::nullopt : language::initial_function(*call);
  if (!initial) return line(fmt::format("{} = {};", name, host(init)));
  const auto& row = *initial->row;
  if (row.operation == language::Operation::load) return line(loaded(*call, name));
  if (row.operation == language::Operation::like)
    throw cannot(fmt::format("{}() of a declared type", row.name), init.span, "Declare the array with auto.");
  if (row.operation == language::Operation::shard || row.operation == language::Operation::replicated)
    throw cannot(fmt::format("{}()", row.name), init.span, "An exported program has one device.");
  if (row.part.empty()) throw cannot(fmt::format("{}()", row.name), init.span, "Draw the numbers with a kernel.");
  if (row.operation == language::Operation::randint && call->arguments.empty())
    throw cannot("randint() without lo and hi", init.span, "Name them: randint(0, 10).");
  need(row.part);
  // What is not given is what the signature says; a seed is the next one.
  const auto given = language::bind_arguments(source_, row, *call, init.span);
  const auto& parameters = language::signatures_of(row).front().parameters;
  const bool shortens = row.operation == language::Operation::arange;
  std::string arguments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (parameters[i].name == "generator") {  // and what belongs to it
      const auto named = std::find_if(given.begin() + static_cast<std::ptrdiff_t>(i), given.end(),
                                      [](const auto* one) { return one != nullptr; });
      if (named == given.end()) break;
      throw cannot("random numbers of a named generator", (*named)->span, "Leave generator out.");
    }
    if (shortens && std::all_of(given.begin() + static_cast<std::ptrdiff_t>(i), given.end(),
                                [](const auto* one) { return one == nullptr; }))
      break;
    const auto otherwise = parameters[i].otherwise.empty() ? "xcuda::next_seed()" : parameters[i].otherwise;
    arguments += ", " + (given[i] != nullptr ? host(*given[i]) : std::string(otherwise));
  }
  line(fmt::format("xcuda::{}({}{});", row.name, name, arguments));
}

std::string ProgramWriter::loaded(const cell::Call& call, const std::string& name) {
  const auto* path =
      call.arguments.size() == 1 ? std::get_if<cell::StringLiteral>(&call.arguments[0].value->node) : nullptr;
  if (path == nullptr || !path->value.ends_with(".npy"))
    throw cannot("load() of this file", call.callee->span, "Save it as .npy: %save x x.npy.");
  need("file");
  return fmt::format("xcuda::load({}, {});", name, in_quotes(path->value));
}

void ProgramWriter::scalar_declaration(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (constants_.contains(declarator.name) && scopes_.size() == 1 && declared_[declarator.name] == 1)
    return;  // is with the device code
  const auto word = cell::type_word(declaration.type);
  if (word == cell::TypeWord::text || cell::is_of_host(declaration.type))
    throw cannot(fmt::format("a {}", declaration.type), declaration.type_span, "Declare an array: float x[n];");
  if (word == cell::TypeWord::stream || word == cell::TypeWord::event) {
    const bool stream = word == cell::TypeWord::stream;
    need("array");
    const auto name = declare(declarator.name, {stream ? Kind::stream : Kind::event, "", "", 0});
    line(fmt::format("cuda{}_t {};", stream ? "Stream" : "Event", name));
    line(fmt::format("xcuda::check(cuda{0}Create(&{1}), \"making {2}\");", stream ? "Stream" : "Event", name,
                     stream ? "a stream" : "an event"));
    return;
  }
  if (cell::is_texture(word))
    throw cannot(fmt::format("a {}", declaration.type), declarator.name_span,
                 "Read the array itself in the exported kernels, or write cudaCreateTextureObject by hand.");
  const auto* init = declarator.init.get();
  if (init == nullptr && declarator.constructor.size() == 1) init = declarator.constructor[0].value.get();
  if (word == cell::TypeWord::automatic && init != nullptr) {
    const auto* call = std::get_if<cell::Call>(&init->node);
    if (calls(call, language::Operation::load)) {
      const auto* array = session_.arrays().find(declarator.name);
      if (array == nullptr || array->type.scalar == Scalar::none)
        throw cannot("load() into an array that no longer exists", init->span, "Declare it with its type and extents.");
      need("array");
      const auto name =
          declare(declarator.name, {Kind::array, "", array->type.name, static_cast<int>(array->shape.size())});
      line(fmt::format("xcuda::Array<{}> {}({});", array->type.name, name, fmt::join(array->shape, ", ")));
      line(loaded(*call, name));
      return;
    }
    if (const auto known = form(*init); known.is_array()) {
      const bool copy =
          std::holds_alternative<cell::Name>(init->node) && variable(std::get<cell::Name>(init->node).text) == nullptr;
      const bool like = calls(call, language::Operation::like);
      const auto value = operand(*init);
      if (!copy && !like) need("elements");
      const auto name =
          declare(declarator.name, {Kind::array, "", known.type.name, static_cast<int>(known.rank().value_or(0))});
      line(fmt::format("auto {} = {};", name, copy || like ? value : fmt::format("xcuda::make_array({})", value)));
      return;
    }
  }
  std::string value;
  if (declarator.init != nullptr) {
    value = host(*declarator.init);
    if (declarator.style == cell::Declarator::Init::parentheses) value = "(" + value + ")";
    if (declarator.style == cell::Declarator::Init::equals) value = " = " + value;
    if (declarator.style == cell::Declarator::Init::braces && !value.starts_with('{')) value = "{" + value + "}";
  } else if (!declarator.constructor.empty()) {
    for (const auto& argument : declarator.constructor) value += (value.empty() ? "" : ", ") + host(*argument.value);
    value = "(" + value + ")";
  } else {
    value = word == cell::TypeWord::dim3 ? "" : xcuda::find_type(declaration.type) ? " = 0" : " = {}";
    if (const auto type = xcuda::find_type(declaration.type); type && type->lanes > 1) value = " = {}";
  }
  const auto type = xcuda::find_type(declaration.type);
  Symbol symbol{Kind::number, "", type ? type->name : "", 0};
  if (word == cell::TypeWord::automatic && init != nullptr) symbol.type = form(*init).type.name;
  if (word == cell::TypeWord::dim3) symbol.kind = Kind::dimensions;
  const auto name = declare(declarator.name, std::move(symbol));
  line(fmt::format("{}{}{} {}{};", declaration.is_const ? "const " : "", spelled(declaration.type),
                   declarator.pointer ? "*" : "", name, value));
}

}  // namespace xcuda::exporter
