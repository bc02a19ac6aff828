#include "interpreter/session_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "base/text.hpp"
#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "interpreter/host/module_calls.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "interpreter/launches/written_kernels.hpp"
#include "language/answers.hpp"
#include "language/check.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "language/host/container_rules.hpp"
#include "language/python/advice.hpp"
#include "session/container_data.hpp"
#include "session/failures.hpp"

namespace xcuda::interpreter {

using language::Extents;
using language::Form;

namespace {

Form array_form(const Type& type, const std::vector<std::uint64_t>& shape) {
  auto form = Form::array(type, Extents(shape.begin(), shape.end()));
  form.memory = Form::Memory::whole;
  return form;
}

}  // namespace

Form form_of(const Value& value) {
  struct Visitor {
    Form operator()(const Nothing&) const { return Form::of(Form::Kind::nothing); }
    Form operator()(const language::ScalarValue& number) const { return Form::number(number); }
    Form operator()(const device::Dim3&) const { return Form::of(Form::Kind::dim3); }
    Form operator()(const Object& object) const { return {.kind = Form::Kind::object, .type = object.type}; }
    Form operator()(const Stream&) const { return Form::of(Form::Kind::stream); }
    Form operator()(const Event&) const { return Form::of(Form::Kind::event); }
    Form operator()(const Texture& texture) const {
      return {.kind = Form::Kind::texture, .type = Type{std::string(texture.object->kind())}};
    }
    Form operator()(const Sparse& sparse) const {
      return Form::sparse(sparse.matrix->values.type, {sparse.matrix->m, sparse.matrix->n});
    }
    Form operator()(const Pointer& pointer) const {
      const bool handle = pointer.type.name == "cudaEvent_t" || pointer.type.name == "cudaStream_t" ||
                          pointer.type.name.ends_with('*') || is_function_pointer(pointer.type.name);
      if (pointer.shape.empty() && pointer.type.scalar == Scalar::none && !handle && !pointer.variable)
        return {.kind = Form::Kind::object, .type = pointer.type, .read_only = pointer.read_only};
      if (pointer.shape.empty() && !pointer.variable && language::kind_of(pointer.type))  // a variable in memory
        return {.kind = Form::Kind::number, .type = pointer.type, .read_only = pointer.read_only};
      auto form = array_form(pointer.type, pointer.shape);
      form.memory = pointer.whole ? Form::Memory::whole : Form::Memory::part;
      form.read_only = pointer.read_only;
      form.on_device = pointer.variable;
      form.is_address = pointer.is_address;
      form.grows = is_vector(pointer);
      if (pointer.is_address || form.grows) form.extents = Extents(1);
      return form;
    }
    Form operator()(const NullPointer&) const { return Form::of(Form::Kind::null); }
    Form operator()(const std::string&) const { return Form::of(Form::Kind::text); }
    Form operator()(const Function&) const { return Form::of(Form::Kind::function); }
    Form operator()(const Container& container) const { return language::container_form(container.data->name); }
    Form operator()(const Iterator& iterator) const {
      return iterator.of == nullptr ? Form::number(language::Kind::char8) : language::container_form("iterator");
    }
    Form operator()(const ArrayExpression& computed) const {
      return Form::array({}, Extents(computed.node->shape.begin(), computed.node->shape.end()));
    }
  };
  return std::visit(Visitor{}, value);
}

namespace {

bool is_pointer_to_function(const cell::DevicePiece& piece, std::string_view text) {
  return piece.kind == cell::DeviceKind::alias && text.find("(*") != std::string_view::npos;
}

}  // namespace

bool points_to_function(Session& session, std::string_view type) {
  const auto& known = session.code().definitions();
  return std::any_of(known.begin(), known.end(), [&](const Definition& one) {
    return one.piece.name == type && is_pointer_to_function(one.piece, one.text);
  });
}

const cell::DevicePiece* SessionNames::piece(std::string_view name) const {
  if (compiled_ == nullptr) return nullptr;
  const auto& pieces = run_.cell->device;
  const auto found = std::find_if(pieces.rbegin(), pieces.rend(), [&](const cell::DevicePiece& one) {
    if (one.container) return false;
    return one.name == name || std::any_of(one.enumerators.begin(), one.enumerators.end(),
                                           [&](const auto& enumerator) { return enumerator.first == name; });
  });
  return found == pieces.rend() ? nullptr : &*found;
}

bool SessionNames::is_open() const {
  return compiled_ != nullptr &&
         std::any_of(run_.cell->device.begin(), run_.cell->device.end(), [](const cell::DevicePiece& one) {
           return one.directive == "include" || one.kind == cell::DeviceKind::name_space ||
                  one.kind == cell::DeviceKind::other;
         });
}

Form SessionNames::form_of_text(const std::string& text) {
  constexpr int kDeepest = 64;
  const auto expression = depth_ < kDeepest ? cell::try_parse_expression(text) : nullptr;
  if (expression == nullptr) return {};
  ++depth_;
  auto form = language::form_of(*expression, {run_.source.name, text}, *this);
  --depth_;
  return form;
}

Form SessionNames::form_of_piece(const cell::DevicePiece& piece) {
  if (piece.kind == cell::DeviceKind::directive)
    return piece.directive == "define" && !piece.function_like_macro ? form_of_text(piece.value) : Form();
  if (!piece.enumerators.empty()) return Form::number(language::Kind::int32);
  if (piece.kind != cell::DeviceKind::variable) return {};
  const auto type = xcuda::find_type(piece.type);
  if (piece.device_variable) {
    if (!type) return {};
    auto form = array_form(*type, {});
    for (const auto& extent : piece.extents) {
      const auto known = extent.empty() ? Form() : form_of_text(extent);
      form.extents->push_back(known.value ? language::Extent(known.value->as_unsigned()) : std::nullopt);
    }
    form.on_device = true;
    if (!piece.extents.empty()) return form;
    auto element = language::kind_of(*type) ? Form::number(*type) : Form{.kind = Form::Kind::object, .type = *type};
    element.on_device = true;
    return element;
  }
  if (!piece.constexpr_variable || !piece.extents.empty()) return {};
  auto form = form_of_text(piece.value);
  const auto kind = type ? language::kind_of(*type) : std::nullopt;
  if (!kind) return cell::type_word(piece.type) == cell::TypeWord::automatic ? form : Form();
  auto number = Form::number(*type);
  if (form.value) number.value = language::convert(*form.value, *kind);
  number.read_only = true;
  return number;
}

std::optional<Form> SessionNames::find(const std::string& name) {
  if (const auto* variable = session_.names().find(name)) {
    auto form = variable->written == session::kCallable ? Form::of(Form::Kind::function) : form_of(variable->value);
    form.read_only = variable->read_only && !form.is_address;  // T* const p: its elements are not const
    if (form.kind == Form::Kind::number && enumeration(variable->written) != Enumeration::none)
      form.type.written = variable->written;
    return form;
  }
  if (const auto* array = session_.arrays().find(name)) {
    auto form = array_form(array->type, array->shape);
    form.grows = array->growth != nullptr;
    if (form.grows) form.extents = Extents(1);
    form.read_only = array->read_only;
    return form;
  }
  if (const auto* own = piece(name)) return form_of_piece(*own);
  if (const auto constant = session_.code().program().host_constant(name)) {
    auto form = form_of_text(constant->expression);
    const auto type = xcuda::find_type(constant->type);
    const auto kind = type ? language::kind_of(*type) : std::nullopt;
    if (!kind) return form;
    auto number = Form::number(*type);
    if (form.value) number.value = language::convert(*form.value, *kind);
    number.read_only = true;
    return number;
  }
  if (const auto variable = session_.variables().find(name)) {
    const auto type = xcuda::find_type(variable->type);
    if (!type) return Form();
    auto form = array_form(*type, extents_of(session_, run_.sink, *variable, *type));
    form.on_device = true;
    if (!form.extents->empty()) return form;
    auto element = language::kind_of(*type) ? Form::number(*type) : Form{.kind = Form::Kind::object, .type = *type};
    element.on_device = true;
    return element;
  }
  if (is_open()) return Form();
  return std::nullopt;
}

language::Environment::TypeAnswer SessionNames::find_type(const std::string& spelling, cell::Span span) {
  if (const auto known = xcuda::find_type(spelling)) return {*known, {}};
  if (spelling.ends_with('*')) return {{spelling, sizeof(device::Address), alignof(device::Address)}, {}};
  const auto tokens = cell::tokens_of(spelling);
  const bool own = std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& token) {
    return token.is_identifier() && piece(token.text) != nullptr;
  });
  if (own || is_open()) return {};  // it is not installed yet
  auto answer = session_.code().try_find_type(run_.source, spelling, span);
  return {std::move(answer.type), std::move(answer.error)};
}

std::optional<std::vector<language::Environment::Member>> SessionNames::members_of(const Type& type) {
  if (compiled_ != nullptr) return std::nullopt;
  std::vector<Member> members;
  for (auto& one : session_.code().members_of(type))
    members.push_back({std::move(one.name), std::move(one.type), std::move(one.shape)});
  return members;
}

bool SessionNames::is_function(std::string_view name) {
  if (name.find("operator") == std::string_view::npos) name = name.substr(0, name.find('<'));
  const auto* own = piece(name);
  return (own != nullptr && own->kind == cell::DeviceKind::function && !own->kernel && !own->of_host) ||
         session_.code().program().is_function(name) || (is_open() && !language::find_function(name));
}

bool SessionNames::is_function_pointer(std::string_view type) {
  const auto* own = piece(type);
  return own != nullptr
             ? is_pointer_to_function(*own, run_.source.text.substr(own->span.begin, own->span.end - own->span.begin))
             : points_to_function(session_, type);
}

bool SessionNames::is_type(std::string_view name) {
  const auto defines = [&](const cell::DevicePiece& one) {
    return one.name == name && (one.kind == cell::DeviceKind::type || one.kind == cell::DeviceKind::alias);
  };
  if (const auto* own = piece(name)) return defines(*own);
  const auto& definitions = session_.code().definitions();
  return std::any_of(definitions.begin(), definitions.end(), [&](const Definition& one) { return defines(one.piece); });
}

const cell::HostFunction* SessionNames::host_function(std::string_view name, std::size_t arguments) {
  std::vector<const cell::HostFunction*> found;
  if (compiled_ != nullptr) {
    for (const auto& one : run_.cell->functions)
      if (one->name == name.substr(0, name.find('<'))) found.push_back(one.get());
    if (found.empty() && piece(name) != nullptr) return nullptr;
  }
  if (found.empty())
    for (const auto& one : session_.code().functions().find(name)) found.push_back(one->function.get());
  const auto fits = std::find_if(found.begin(), found.end(),
                                 [&](const auto* one) { return language::takes_arguments(*one, arguments); });
  return fits != found.end() ? *fits : found.empty() ? nullptr : found.front();
}

bool SessionNames::has_defaults(std::string_view kernel) const {
  const auto defaults = [](const cell::DevicePiece& one, std::string_view text) {
    return one.parameters.end > one.parameters.begin &&
           text.substr(one.parameters.begin, one.parameters.end - one.parameters.begin).find('=') != text.npos;
  };
  if (compiled_ != nullptr)
    for (const auto& one : run_.cell->device)
      if (one.kernel && one.name == kernel && defaults(one, run_.source.text)) return true;
  for (const auto& one : written_kernels(session_.code().program(), kernel))
    if (defaults(one.piece, one.text)) return true;
  return false;
}

// The key of a function spells its parameters.
bool SessionNames::takes_memory(std::string_view function) {
  function = function.substr(0, function.find('<'));
  const auto takes = [&](const cell::DevicePiece& one) {
    return one.kind == cell::DeviceKind::function && one.name == function &&
           (one.key.find_first_of("*[&$") != std::string::npos || one.key.find("span") != std::string::npos);
  };
  if (compiled_ != nullptr && std::any_of(run_.cell->device.begin(), run_.cell->device.end(), takes)) return true;
  const auto& others = session_.code().definitions();
  return std::any_of(others.begin(), others.end(), [&](const Definition& one) { return takes(one.piece); });
}

bool SessionNames::is_macro(std::string_view name) {
  const auto* own = piece(name);
  return (own != nullptr && own->function_like_macro) || session_.code().program().function_macro(name).has_value();
}

// As it is written: a type that is known by its name, and no overload with another one.
Type SessionNames::result_type(std::string_view function) {
  std::optional<Type> found;
  const auto take = [&](const cell::DevicePiece& one) {
    if (one.name != function || one.kind != cell::DeviceKind::function) return;
    const auto type = one.is_template ? std::nullopt : xcuda::find_type(one.type);
    found = !found || (type && *found == *type) ? type.value_or(Type()) : Type();
  };
  if (compiled_ != nullptr)
    for (const auto& one : run_.cell->device) take(one);
  for (const auto& one : session_.code().definitions()) take(one.piece);
  return found.value_or(Type());
}

bool SessionNames::is_device_code(const std::string& name) {
  return piece(name) != nullptr || !session_.code().program().source_of(name).empty();
}

std::vector<std::string> SessionNames::kernels() {
  auto names = session_.code().program().kernel_names();
  if (compiled_ != nullptr)
    for (const auto& one : run_.cell->device)
      if (one.kernel) names.push_back(one.name);
  return names;
}

std::vector<std::string> SessionNames::names() {
  auto names = session_.names().all();
  for (const auto& array : session_.arrays().names()) names.push_back(array);
  return names;
}

std::optional<Error> SessionNames::refuse(const cell::Launch& launch, cell::Span span,
                                          std::span<const Form> arguments) {
  const auto base = launch.kernel.text.substr(0, launch.kernel.text.find('<'));
  if (base.size() < launch.kernel.text.size() || base.find("::") != std::string::npos) return std::nullopt;
  std::vector<const compiler::KernelSignature*> overloads;
  if (compiled_ != nullptr)
    for (const auto& one : compiled_->kernels)
      if (one.name == base) overloads.push_back(&one);
  const auto own = overloads.size();
  const auto& magic = run_.cell->magic;
  const bool keeps = magic && magic->line.find("--overload") != std::string::npos;
  for (const auto& kernel : session_.code().modules().find(base)) {
    if (own > 0 && !keeps) break;  // the cell's own replace them
    // One that is compiled again before its launch may have other parameters then.
    if (!session_.code().is_current(kernel)) return std::nullopt;
    for (const auto& [used, text] : kernel.module->origin.used)
      if (piece(used) != nullptr) return std::nullopt;
    if (std::none_of(overloads.begin(), overloads.begin() + static_cast<std::ptrdiff_t>(own),
                     [&](const auto* one) { return same_parameters(*one, *kernel.signature); }))
      overloads.push_back(kernel.signature);
  }
  if (session_.code().program().is_kernel_template(base)) return std::nullopt;  // deduced when it is launched
  if (overloads.empty() && !is_open() && piece(base) == nullptr)
    return session_.code().no_kernel(run_.source, launch.kernel.text, launch.kernel_span);
  if (overloads.size() != 1 || !overloads.front()->types_known) return std::nullopt;
  const auto& signature = *overloads.front();
  if (arguments.size() < signature.parameters.size() && has_defaults(base)) return std::nullopt;
  std::vector<std::optional<KernelArgument>> given;
  std::vector<cell::Span> spans;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // A texture is a number to C++; what the kernel does with it is in its code.
    const bool handle = i < signature.parameters.size() && signature.parameters[i].type == "unsigned long long";
    const bool span =
        i < signature.parameters.size() && signature.parameters[i].type.find("span<") != std::string::npos;
    given.push_back(handle || span ? std::nullopt : argument_of(arguments[i], launch.arguments[i]));
    spans.push_back(launch.arguments[i].value->span);
  }
  return refuse_arguments(signature, given, spans, run_.source, span);
}

bool SessionNames::is_module_function(std::string_view name) {
  if (piece(name) != nullptr) return false;  // the cell defines another one
  const auto& table = session_.code().functions().modules();
  return !table.find(name).empty() || table.source_of_template(name) != nullptr;
}

language::Environment::ModuleCall SessionNames::module_call(const cell::Call& call, cell::Span span,
                                                            std::span<const Form> arguments) {
  const auto& name = std::get<cell::Name>(call.callee->node).text;
  const auto& overloads = session_.code().functions().modules().find(name);
  if (auto refused = refuse_module_function(session_.code().functions().modules(), name, {run_.source, span}))
    return {{}, std::move(refused)};
  ModuleCall answer;
  const auto& result = overloads.front()->info.result;
  const bool one_result = std::all_of(overloads.begin(), overloads.end(),
                                      [&](const auto& one) { return one->info.result.name == result.name; });
  const auto type = xcuda::find_type(result.name);
  if (one_result && result.name == "void") answer.result = Form::of(Form::Kind::nothing);
  if (one_result && type && language::kind_of(*type)) answer.result = Form::number(*type);
  const auto fits = [&](const auto& one) { return one->info.parameters.size() == arguments.size(); };
  const auto fitting = std::count_if(overloads.begin(), overloads.end(), fits);
  if (fitting > 1) return answer;  // by the types of the arguments, which may not be known yet
  const auto& function = *(fitting == 0 ? overloads.front() : *std::find_if(overloads.begin(), overloads.end(), fits));
  std::vector<std::optional<KernelArgument>> given;
  std::vector<cell::Span> spans;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool apart =
        i < function.info.parameters.size() && (function.info.parameters[i].passing == device::Passing::reference ||
                                                function.info.parameters[i].passing == device::Passing::stream);
    given.push_back(apart ? std::nullopt : argument_of(arguments[i], call.arguments[i]));
    spans.push_back(call.arguments[i].value->span);
  }
  answer.error = refuse_arguments(function.signature, given, spans, run_.source, span);
  return answer;
}

namespace {

// The entry of a function that cannot be called.
cell::HostFunctionPtr without_body(const cell::HostFunction& function, Error why) {
  auto known = std::make_shared<cell::HostFunction>();
  known->name = function.name;
  known->span = function.span;
  known->name_span = function.name_span;
  known->refused = std::move(why);
  return known;
}

}  // namespace

void check_statements(Session& session, CellRun& run, const compiler::CompileOutput* compiled) {
  SessionNames names(session, run, compiled);
  auto checked = language::check(run.cell->statements, run.source, names, run.cell->functions);
  for (auto& function : run.cell->functions)
    for (auto& [span, why] : checked.unusable)
      if (span == function->span) function = without_body(*function, std::move(why));
  if (checked.errors.empty()) {
    run.forms = std::move(checked.forms);
    std::vector<compiler::Diagnostic> notes;
    for (auto& one : checked.remarks)
      notes.push_back({compiler::Severity::note, std::move(one.text), {}, std::move(one.place), {}});
    if (!notes.empty()) run.sink.display(display::diagnostics_bundle(notes));
    return;
  }
  auto errors = language::with_python_advice(std::move(checked.errors), run.source, language::Stage::check,
                                             session.commands().grammar(), names);
  auto first = std::move(errors.front());
  errors.erase(errors.begin());
  throw CheckFailure(std::move(first), std::move(errors));
}

}  // namespace xcuda::interpreter
