#include "interpreter/native/native_calls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/lexer.hpp"
#include "compiler/source_text.hpp"
#include "interpreter/array_calls.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/lent_random.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/native/parameter_texts.hpp"
#include "interpreter/native/text_ranges.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/standard_algorithms.hpp"
#include "session/array_table.hpp"
#include "session/failures.hpp"

namespace xcuda::interpreter {
namespace {

std::string_view unqualified(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const auto at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

// A vector that an algorithm appends to is longer meanwhile, and ends then where that has ended: as before if it fails.
class Appending {
 public:
  Appending(session::Session& session, CellRun& run, const Pointer& vector, cell::Span span)
      : session_(session), run_(run), vector_(vector), size_(vector.growth->size), span_(span) {}
  ~Appending() { session_.arrays().resize(run_, *vector_.growth, size_, 0, span_); }
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

  Pointer room_for(std::uint64_t count) {
    session_.arrays().resize(run_, *vector_.growth, size_ + count, 0, span_);
    auto room = Vectors::now(vector_);
    room.address += size_ * vector_.type.size;
    room.bytes -= size_ * vector_.type.size;
    room.shape = {count};
    room.whole = false;
    room.growth.reset();
    return room;
  }
  void end_at(device::Address end) { size_ = (end - vector_.growth->address) / vector_.type.size; }

 private:
  session::Session& session_;
  CellRun& run_;
  const Pointer& vector_;
  std::uint64_t size_;  // from now on
  cell::Span span_;
};

}  // namespace

// What a parameter's type is short for, where that is a span: using Grid = cuda::std::mdspan<...>;
std::string NativeCalls::span_of_alias(std::string_view parameter) const {
  const auto& definitions = session_.code().definitions();
  for (const auto& token : cell::tokens_of(parameter)) {
    if (!token.is_identifier()) continue;
    const auto alias = std::find_if(definitions.rbegin(), definitions.rend(), [&](const Definition& one) {
      return one.piece.kind == cell::DeviceKind::alias && one.piece.name == token.text;
    });
    if (alias == definitions.rend()) continue;
    const auto text = session_.code().program().source_of(token.text);
    for (const std::string_view span : {"mdspan", "span"})
      if (text.find(span) != std::string::npos) return fmt::format(" {}", span);
  }
  return {};
}

// An argument as the enumeration that a parameter is, which to statements is a number.
std::string NativeCalls::enumeration_of(const Overloads& overloads, std::size_t parameter, std::string text) const {
  if (overloads.size() != 1 || parameter >= overloads[0].size()) return text;
  const auto& declared = overloads[0][parameter];
  const auto& definitions = session_.code().definitions();
  for (const auto& token : cell::tokens_of(declared)) {
    if (!token.is_identifier() || token.is("const") || token.is("enum") || token.is("class")) continue;
    const bool is_enumeration = std::any_of(definitions.begin(), definitions.end(), [&](const Definition& one) {
      return one.piece.name == token.text && !one.piece.enumerators.empty();
    });
    if (!is_enumeration || declared.find('*') != declared.npos) return text;
    const bool place = declared.find('&') != declared.npos && declared.find("const") == declared.npos;
    return fmt::format("{}<{}{}>({})", place ? "reinterpret_cast" : "static_cast", token.text, place ? "&" : "", text);
  }
  return text;
}

Overloads NativeCalls::overloads_of(std::string_view function) const {
  auto overloads = overloads_in(session_.code().program().source_of(unqualified(function)), unqualified(function));
  for (auto& parameters : overloads)
    for (auto& parameter : parameters) parameter += span_of_alias(parameter);
  return overloads;
}

// Those of a function of a struct, also of the object of a lambda; empty where they are not known.
Overloads NativeCalls::overloads_of(const Type& object, std::string_view function) const {
  const bool closure = object.name.starts_with(session::kClosure);
  const auto* definition = closure ? nullptr : class_definition(session_, object);
  const auto text = closure                 ? session_.code().closures_in(object.name)
                    : definition != nullptr ? definition->text
                                            : std::string();
  return text.starts_with('[') ? overloads_of_lambda(text) : overloads_in(text, function);
}

Overloads NativeCalls::overloads_of_object(const cell::Expression& callee) const {
  if (const auto* lambda = std::get_if<cell::Lambda>(&callee.node)) return overloads_of_lambda(lambda->text);
  const auto& form = frame_.expressions.form(callee);
  return form.kind == language::Form::Kind::object ? overloads_of(form.type, kCallOperator) : Overloads();
}

bool NativeCalls::is_for_each_element(const cell::Call& call, const Overloads& overloads) const {
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (is_array(*call.arguments[i].value) && !any_overload(overloads, i, takes_array)) return true;
  return false;
}

bool NativeCalls::is_array(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  if (held == nullptr) return name != nullptr && session_.arrays().find(name->text) != nullptr;
  const auto* pointer = std::get_if<Pointer>(&held->value);
  return pointer != nullptr && !pointer->shape.empty();
}

// The name of an array for T x means its elements, as elsewhere, unless a pointer into it is given with it: f(a, a +
// n).
bool NativeCalls::may_deduce_array(const cell::Call& call, const Overloads& overloads,
                                   const std::vector<std::string>& types) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = *call.arguments[i].value;
    const auto deduced = [&](const std::string& p) { return is_deduced(p, types); };
    const auto refers = [&](const std::string& p) { return is_deduced(p, types) && p.find('&') != std::string::npos; };
    if (!any_overload(overloads, i, deduced)) continue;
    if (frame_.addresses.is_moved_array(argument) || frame_.expressions.form(argument).is_address) return true;
    if (is_array(argument) && any_overload(overloads, i, refers)) return true;
  }
  return false;
}

std::optional<Value> NativeCalls::call(const cell::Call& call, std::string_view function, std::vector<Value>& evaluated,
                                       cell::Span span) {
  const auto overloads = overloads_of(function);
  const auto any = [&](std::size_t i, auto test) { return any_overload(overloads, i, test); };
  const auto source = session_.code().program().source_of(unqualified(function));
  const auto types = template_types_in(source);
  const bool as_arrays = may_deduce_array(call, overloads, types);
  const auto takes = [&](const std::string& p) { return takes_array(p) || (as_arrays && is_deduced(p, types)); };
  if (!as_arrays && is_for_each_element(call, overloads)) return std::nullopt;
  forbid_threads(function, span);
  NativeArguments arguments(frame_);
  const auto is_moved = [&](std::size_t i) {
    return any(i, takes) && frame_.addresses.is_moved_array(*call.arguments[i].value);
  };
  const auto for_each_element = [&](std::size_t known) {
    for (std::size_t i = 0; i < known; ++i) {
      const auto& argument = *call.arguments[i].value;
      evaluated.push_back(is_moved(i) ? evaluate(argument) : arguments.value_of(argument));
    }
    return std::nullopt;
  };
  std::string given;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = call.arguments[i];
    if (!argument.name.empty())
      throw error(ErrorKind::type, fmt::format("{} is a function of a cell: pass its arguments by position", function),
                  argument.name_span);
    const auto before = arguments.all().size();
    const auto text = is_moved(i) ? arguments.address_of(*argument.value)
                                  : arguments.text_of(*argument.value, passing_to(overloads, i));
    if (i > 0) given += ", ";
    const auto& added = arguments.all();
    const bool array = added.size() == before + 1 && added.back().name == text && !added.back().memory.shape.empty();
    if (array && !any(i, takes)) return for_each_element(i + 1);
    if (array && any(i, [](const std::string& p) { return p.find("mdspan") != std::string::npos; })) {
      // Extents that are known convert to any others, and those of a template are deduced.
      given += fmt::format("cuda::std::mdspan(&{}", text);
      for (std::size_t d = 0; d < added.back().memory.shape.size(); ++d) given += "[0]";
      given += fmt::format(", cuda::std::extents<int, {}>{{}})", fmt::join(added.back().memory.shape, ", "));
    } else {
      given += enumeration_of(overloads, i, text);
    }
  }
  NativeText text{fmt::format("return {}({});", function, given),
                  {},
                  fmt::format("{} {}", function, given),
                  std::move(arguments.all()),
                  span};
  if (!as_arrays || !is_for_each_element(call, overloads)) return run(std::move(text), arguments);
  // T is an array or a pointer where that compiles, else the function is called for each element.
  auto attempt = source + text.body;
  for (const auto& one : text.arguments) attempt += fmt::format(" {}{}", one.type.name, static_cast<int>(one.use));
  if (!of_elements_.contains(attempt)) {
    if (auto result = run_if_accepted(text, arguments)) return result;
    of_elements_.insert(std::move(attempt));
  }
  return for_each_element(call.arguments.size());
}

std::optional<Value> NativeCalls::member_call(const cell::Call& call, const cell::Member& member, cell::Span span) {
  const auto& base = *member.base;
  if (language::has_part(frame_.expressions.form(base), member.member)) return std::nullopt;
  const auto* root = std::get_if<cell::Name>(&cell::root_of(base).node);
  const bool place = std::holds_alternative<cell::Index>(base.node) ||
                     frame_.expressions.form(base).kind == language::Form::Kind::object;  // that is in memory
  const bool element = root != nullptr && place && frame_.lookup.is_on_device(root->text);
  const auto* followed = std::get_if<cell::Unary>(&base.node);  // (*p).move(dt)
  const bool pointee = followed != nullptr && followed->op == cell::UnaryOperator::pointee;
  const bool referred =
      !member.arrow && (frame_.object_operators.gives_native_reference(base) ||  // v.add(1).add(2)
                        frame_.references.is_part_of_library(base) || std::holds_alternative<cell::Ternary>(base.node));
  if (!member.arrow && !pointee && !referred && frame_.members.host_struct(base) == nullptr && !element)
    return std::nullopt;
  if (element && !member.arrow) {
    const auto& form = frame_.expressions.form(base);
    if (form.is_known() ? form.is_array() : !frame_.places.of(base).shape.empty()) return std::nullopt;
  }
  if (member.arrow) require_pointer(base);
  NativeArguments arguments(frame_);
  const auto body = fmt::format(
      "{}{}{}({})", arguments.text_of(base, ArrayPassing::pointer), member.arrow ? "->" : ".", member.member,
      given_text(call, overloads_of(frame_.expressions.form(base).type, member.member), arguments));
  return run(fmt::format("return {};", body), body, arguments, span);
}

void NativeCalls::require_pointer(const cell::Expression& expression) {
  const auto to = evaluate(expression);
  if (!std::holds_alternative<Pointer>(to))
    throw error(ErrorKind::value,
                fmt::format("{} is {}", snippet(run_.source, expression.span), language::describe(form_of(to))),
                expression.span);
}

// Arrays are pointers there, as C++ takes them.
Value NativeCalls::algorithm(const cell::Call& call, cell::Span span) {
  NativeArguments arguments(frame_);
  auto callee = std::get<cell::Name>(call.callee->node).text;
  if (!callee.starts_with("std::")) callee.insert(0, "std::");
  auto body = fmt::format("{}{}(", callee == "std::for_each" ? "" : "return ", callee);  // that one gives its function
  const auto appended = appended_vector(call);
  std::size_t output = 0;  // the argument that it is
  TextRanges texts(frame_, arguments);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& argument = *call.arguments[i].value;
    if (i > 0) body += ", ";
    const auto* into = language::pointed_into(argument);
    if (appended && language::appended_to(argument) != nullptr) {
      output = arguments.all().size();
      body += arguments.elements({.type = appended->type});  // there is room when the others are known
    } else if (const auto place = texts.place(argument)) {
      body += *place;
    } else if (into != nullptr && !language::is_reverse_iterator(argument) &&
               (frame_.expressions.form(*into).is_array() || frame_.references.is_library_array(*into))) {
      body += arguments.address_of(argument);
    } else {
      body += arguments.text_of(argument, ArrayPassing::pointer);
    }
  }
  body += ")";
  if (texts.used() && !appended) body = fmt::format(TextRanges::kWithoutIterator, body);
  // rand() of a lambda goes on from its last number.
  std::optional<LentRandom> random;
  if (LentRandom::is_used_by(body)) {
    random.emplace(session_.names());
    arguments.bind_names(CRandom::kName);
    for (std::size_t at = 0; (at = body.find("[]", at)) != std::string::npos; at += 3) body.replace(at, 2, "[&]");
  }
  std::optional<Appending> appending;
  if (appended) {
    const auto most = most_written(call, arguments);
    arguments.all()[output].memory = appending.emplace(session_, run_, *appended, span).room_for(most);
  }
  NativeText text{body + ";", {}, body, std::move(arguments.all()), span};
  if (texts.used()) text.declarations = TextRanges::kDeclarations;
  if (random) text.declarations += CRandom::kSource;
  text.includes = "#include <algorithm>\n#include <numeric>\n";
  auto result = run(std::move(text), arguments);
  if (random) random->take_back();
  texts.bring_back();
  if (!appended) return result;
  if (const auto* end = std::get_if<Pointer>(&result)) appending->end_at(end->address);  // none: nothing to append
  return Nothing{};
}

// That of std::back_inserter(v).
std::optional<Pointer> NativeCalls::appended_vector(const cell::Call& call) {
  const cell::Expression* output = nullptr;
  for (const auto& argument : call.arguments)
    if (const auto* vector = language::appended_to(*argument.value)) {
      if (output != nullptr)
        throw error(ErrorKind::unsupported, "an algorithm of statements appends to one std::vector", vector->span);
      output = vector;
    }
  if (output == nullptr) return std::nullopt;
  auto vector = frame_.places.of(*output);
  if (!is_vector(vector))
    throw error(ErrorKind::type, fmt::format("{} is not a std::vector", snippet(run_.source, output->span)),
                output->span);
  if (vector.read_only) throw language::is_constant(frame_.text, vector.owner, output->span);
  return vector;
}

// How many elements an algorithm writes at most, whose arguments' texts are known.
std::uint64_t NativeCalls::most_written(const cell::Call& call, NativeArguments& arguments) {
  const auto address = [&](std::size_t i) -> std::optional<Pointer> {
    const auto& argument = *call.arguments[i].value;
    if (language::pointed_into(argument) == nullptr || language::appended_to(argument) != nullptr) return std::nullopt;
    auto value = arguments.value_of(argument);
    if (auto* pointer = std::get_if<Pointer>(&value)) return std::move(*pointer);
    return std::nullopt;
  };
  const auto distance = [&](std::size_t i, std::size_t j) -> std::uint64_t {
    const auto first = address(i), last = address(j);
    if (!first || !last || last->address < first->address) return 0;
    return (last->address - first->address) / std::max<std::size_t>(first->type.size, 1);
  };
  const auto& callee = std::get<cell::Name>(call.callee->node).text;
  if (callee.ends_with("_n")) {
    const auto& argument = *call.arguments[1].value;
    const auto count = number(arguments.value_of(argument), argument.span, "the number of elements");
    return count.is_integer() && !count.is_negative() ? count.as_unsigned() : 0;
  }
  if (callee.ends_with("rotate_copy")) return distance(0, 2);  // the middle is between them
  std::uint64_t most = 0;                                      // of ranges one after another, as of std::merge
  for (std::size_t i = 0; i + 1 < call.arguments.size(); i += 2) most += distance(i, i + 1);
  return most;
}

bool NativeCalls::is_object(const cell::Expression& callee) const {
  if (std::holds_alternative<cell::Lambda>(callee.node)) return true;
  const auto* name = std::get_if<cell::Name>(&callee.node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  return held != nullptr && std::holds_alternative<Object>(held->value);
}

Value NativeCalls::object_call(const cell::Call& call, cell::Span span) {
  NativeArguments arguments(frame_);
  const auto text = called(call, arguments);
  return run("return " + text + ";", text, arguments, span);
}

// "(f)(a, b)", also of what another such call gives, which may be a lambda of native code: "((f)(a, b))(c)".
std::string NativeCalls::called(const cell::Call& call, NativeArguments& arguments) {
  const auto* maker = std::get_if<cell::Call>(&call.callee->node);
  const auto object = maker != nullptr && is_object(*maker->callee)
                          ? called(*maker, arguments)
                          : arguments.text_of(*call.callee, ArrayPassing::pointer);
  return fmt::format("({})({})", object, given_text(call, overloads_of_object(*call.callee), arguments));
}

std::string NativeCalls::given_text(const cell::Call& call, const Overloads& overloads, NativeArguments& arguments) {
  std::string text;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    text += (i > 0 ? ", " : "") + arguments.pointed_text(*call.arguments[i].value, passing_to(overloads, i));
  return text;
}

Value NativeCalls::object_call(const cell::Call& call, const Value& object, cell::Span span) {
  NativeArguments arguments(frame_);
  const auto callee = arguments.text_of(object, *call.callee, ArrayPassing::pointer);
  const auto* held = std::get_if<Object>(&object);
  const auto overloads = held == nullptr ? Overloads() : overloads_of(held->type, kCallOperator);
  const auto text = fmt::format("({})({})", callee, given_text(call, overloads, arguments));
  return run("return " + text + ";", text, arguments, span);
}

Value NativeCalls::run(std::string body, std::string names, NativeArguments& arguments, cell::Span span) {
  return run({std::move(body), {}, std::move(names), std::move(arguments.all()), span}, arguments);
}

Value NativeCalls::run(NativeText text, NativeArguments& arguments) {
  auto run = execute(text, arguments);
  if (!run.complaints.empty() || !run.log.empty()) throw refused(run, text.span);
  return std::move(run.result);
}

std::optional<Value> NativeCalls::run_if_accepted(NativeText text, NativeArguments& arguments) {
  auto run = execute(text, arguments);
  if (!run.complaints.empty() || !run.log.empty()) return std::nullopt;
  return std::move(run.result);
}

NativeRun NativeCalls::execute(NativeText& text, NativeArguments& arguments) {
  if (arguments.has_library_objects()) text.includes += "#include <functional>\n";
  text.body.insert(0, arguments.declarations());
  text.names += " " + arguments.declarations();
  arguments.refresh(text.arguments);
  auto run = frame_.native_code.run(text);
  if (!run.complaints.empty() || !run.log.empty()) return run;
  arguments.all() = std::move(text.arguments);
  arguments.bring_back();
  return run;
}

// What only threads of a kernel have.
void NativeCalls::forbid_threads(std::string_view function, cell::Span span) const {
  static constexpr std::string_view kWords[] = {"threadIdx", "blockIdx",   "blockDim",
                                                "gridDim",   "__shared__", "__syncthreads"};
  const auto names = compiler::identifiers_of(session_.code().program().source_of(unqualified(function)));
  if (std::find(names.begin(), names.end(), "__CUDA_ARCH__") != names.end())
    return;  // the host has a branch of its own
  for (const auto& name : names)
    if (among(name, kWords))
      throw error(ErrorKind::unsupported, fmt::format("{} uses {}, but runs on the host here", function, name), span)
          .advise("Call it from a kernel.");
}

// The call does not fit the function, or what it makes of a template does not compile.
Error NativeCalls::refused(const NativeRun& run, cell::Span span) {
  auto failure = error(ErrorKind::type, fmt::format("cannot call {}", snippet(run_.source, span)), span);
  for (const auto& diagnostic : run.complaints) {
    if (diagnostic.severity != compiler::Severity::error) continue;
    failure.library = diagnostic.text;
    if (diagnostic.text.find("exception handling") != std::string::npos)
      failure.advice = "What is compiled has no exceptions: write it as statements, such as a loop over the elements.";
    if (diagnostic.place.source.starts_with("In[")) failure.place = diagnostic.place;
    return failure;
  }
  failure.library = run.log;
  return failure;
}

}  // namespace xcuda::interpreter
