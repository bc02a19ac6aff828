#include "interpreter/native/native_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/host_code.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {
namespace {

using Use = NativeArgument::Use;

constexpr std::uint64_t kSlotAlignment = 16;  // bytes; what a value of any type asks for
constexpr auto kKernel = device::kNativeKernel;

constexpr std::string_view kVector =
    "template <class xcuda_T> struct xcuda_vector {\n"
    "  xcuda_T* first;\n  unsigned long count;\n"
    "  __device__ xcuda_T& operator[](unsigned long i) const { return first[i]; }\n"
    "  __device__ xcuda_T& at(unsigned long i) const { return first[i]; }\n"
    "  __device__ xcuda_T& front() const { return *first; }\n"
    "  __device__ xcuda_T& back() const { return first[count - 1]; }\n"
    "  __device__ xcuda_T* data() const { return first; }\n"
    "  __device__ xcuda_T* begin() const { return first; }\n"
    "  __device__ xcuda_T* end() const { return first + count; }\n"
    "  __device__ unsigned long size() const { return count; }\n"
    "  __device__ bool empty() const { return count == 0; }\n"
    "};\n";

// The result of the body, which may be none. It is made where it stays: neither a copy nor an end of one is seen.
constexpr std::string_view kHelpers =
    "template <class xcuda_R, class... xcuda_A> xcuda_R xcuda_result_of(xcuda_R (*)(xcuda_A...));\n"
    "template <class xcuda_T> using xcuda_type = xcuda_T;\n"  // xcuda_type<float[8]>*: a pointer to rows
    "struct xcuda_place { void* at; };\n"
    "__device__ __forceinline__ void* operator new(unsigned long, xcuda_place place) { return place.at; }\n"
    "template <class xcuda_F> __device__ __forceinline__ void xcuda_keep(void*, xcuda_F f) { f(); }\n"
    "template <class xcuda_R, class xcuda_F> __device__ __forceinline__ void xcuda_keep(xcuda_R* result, xcuda_F f) {\n"
    "  new (xcuda_place{result}) xcuda_R(f());\n}\n"
    "template <class xcuda_T> __device__ __forceinline__ void xcuda_end(xcuda_T& value) { value.~xcuda_T(); }\n";

std::string extents_text(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const auto extent : shape) text += fmt::format("[{}]", extent);
  return text;
}

// "float* x", "float (*m)[8]": to the first element, or to the first row.
std::string pointer_text(std::string_view type, std::string_view name, std::span<const std::uint64_t> shape) {
  return shape.size() < 2 ? fmt::format("{}* {}", type, name)
                          : fmt::format("{} (*{}){}", type, name, extents_text(shape.subspan(1)));
}

std::string element_text(const NativeArgument& argument) {
  const auto& name = argument.type.name;
  if (!argument.read_only) return name;
  return name.ends_with('*') ? name + " const" : "const " + name;
}

// Its values are passed as bytes: copies and ends that the program did not ask for would be seen.
bool is_struct(const Type& type) { return type.scalar == Scalar::none; }

// As a parameter of the body: "float* x", "int& k", "float (&m)[4][8]".
std::string parameter_text(const NativeArgument& argument) {
  const auto type = element_text(argument);
  const auto& name = argument.name;
  const std::span<const std::uint64_t> shape = argument.memory.shape;
  switch (argument.use) {
    case Use::value: return fmt::format("{}{} {}", argument.type.name, is_struct(argument.type) ? "&" : "", name);
    case Use::variable: return fmt::format("{}& {}", type, name);
    case Use::element: return fmt::format("{}& {}", type, name);
    case Use::whole: return fmt::format("{} (&{}){}", type, name, extents_text(shape));
    case Use::pointer: return pointer_text(type, name, shape);
    case Use::vector: return fmt::format("xcuda_vector<{}> {}", type, name);
  }
  return {};
}

// The kernel's own parameters, and what it gives the body for this one.
struct Passed {
  std::string parameters, argument, after;
};

Passed passed(const NativeArgument& argument, std::size_t number) {
  const auto type = element_text(argument);
  const auto here = fmt::format("xcuda_p{}", number);
  const std::span<const std::uint64_t> shape = argument.memory.shape;
  switch (argument.use) {
    case Use::value: return {fmt::format("{} {}", argument.type.name, here), here, {}};
    case Use::variable:
      if (argument.read_only) return {fmt::format("{} {}", argument.type.name, here), here, {}};
      return {fmt::format("{0} {1}, {0}* {1}_after", argument.type.name, here), here,
              is_struct(argument.type) ? fmt::format("  memcpy((void*){0}_after, (void*)&{0}, sizeof({0}));\n", here)
                                       : fmt::format("  *{0}_after = {0};\n", here)};
    case Use::element: return {fmt::format("{}* {}", type, here), "*" + here, {}};
    case Use::whole: return {fmt::format("{} (*{}){}", type, here, extents_text(shape)), "*" + here, {}};
    case Use::pointer: return {pointer_text(type, here, shape), here, {}};
    case Use::vector:
      return {fmt::format("{0}* {1}, unsigned long {1}_count", type, here),
              fmt::format("xcuda_vector<{0}>{{{1}, {1}_count}}", type, here),
              {}};
  }
  return {};
}

std::string source_of(const NativeText& text) {
  std::string parameters, arguments, kernel, after;
  const bool vectors = std::any_of(text.arguments.begin(), text.arguments.end(),
                                   [](const NativeArgument& one) { return one.use == Use::vector; });
  for (std::size_t i = 0; i < text.arguments.size(); ++i) {
    const auto each = passed(text.arguments[i], i);
    if (i > 0) parameters += ", ", arguments += ", ";
    parameters += parameter_text(text.arguments[i]);
    arguments += each.argument;
    kernel += each.parameters + ", ";
    after += each.after;
  }
  return fmt::format(
      "{}{}__device__ __forceinline__ auto xcuda_body({}) {{\n{}\n}}\n"
      "__global__ void {}({}decltype(xcuda_result_of(&xcuda_body))* xcuda_result) {{\n"
      "  xcuda_keep(xcuda_result, [&] {{ return xcuda_body({}); }});\n{}}}\n",
      vectors ? std::string(kHelpers) + std::string(kVector) : std::string(kHelpers), text.declarations, parameters,
      text.body, kKernel, kernel, arguments, after);
}

std::string names_of(const NativeText& text) {
  auto names = text.names;
  for (const auto& argument : text.arguments) names += " " + argument.type.name;
  return names;
}

bool comes_back(const NativeArgument& argument) { return argument.use == Use::variable && !argument.read_only; }

ArrayUse use_of(const NativeArgument& argument) {
  return {argument.memory.owner, argument.name, argument.memory.bytes, argument.memory.whole, !argument.read_only};
}

// int64_t is long long to NVRTC, and long to g++ and to statements: pointers to them go to both. False: none is given.
bool spell_as_long_long(std::vector<NativeArgument>& arguments) {
  bool any = false;
  for (auto& argument : arguments) {
    auto& name = argument.type.name;
    if (argument.use == Use::value || (name != "long" && name != "unsigned long")) continue;
    name += " long";
    any = true;
  }
  return any;
}

}  // namespace

// With the lambdas among its arguments.
OperationSource NativeCode::source(const NativeText& text, Processor processor) const {
  std::string types = text.names;
  for (const auto& argument : text.arguments) types += " " + argument.type.name;
  const auto closures = session_.code().closures_in(types);
  const bool complex = types.find("complex<") != std::string::npos;  // of a variable that the text binds
  return {.includes = text.includes + (complex ? "#include <complex>\n" : ""),
          .names = names_of(text) + " " + closures,
          .source = closures + source_of(text),
          .arithmetic = processor == Processor::host ? Arithmetic::host : Arithmetic::rounded};
}

// The processor of code that the session's device runs.
NativeCode::Processor NativeCode::own_processor() const {
  return session_.device_info().kind == device::Kind::cpu ? Processor::host : Processor::gpu;
}

bool NativeCode::is_compiled(const NativeText& text) const {
  if (!session_.chosen().started()) return false;
  const bool worker = session_.host().wanted();
  const auto processor = worker ? Processor::host : own_processor();
  return (worker ? session_.host().operations() : session_.operations()).knows(source(text, processor));
}

NativeRun NativeCode::run(NativeText& text) {
  session_.submission().forbid_in_capture("a host function cannot be called");
  std::vector<device::Address> reached;
  for (const auto& argument : text.arguments)
    if (argument.memory.address != 0) reached.push_back(argument.memory.address);
  auto* const host = session_.host().takes(reached) ? &session_.host() : nullptr;
  auto& operations = host != nullptr ? host->operations() : session_.operations();
  const auto processor = host != nullptr ? Processor::host : own_processor();
  auto made = operations.compile(source(text, processor));
  if (made.module == nullptr && spell_as_long_long(text.arguments)) made = operations.compile(source(text, processor));
  if (made.module == nullptr) return {{}, made.diagnostics, made.log};
  const auto& operation = made.module->find(kKernel);
  const auto& result_type = operation.signature.parameters.back().pointee;
  if (result_type.find("{lambda") != std::string::npos)
    throw error(ErrorKind::unsupported,
                fmt::format("{} gives a lambda, which a variable cannot hold", snippet(run_.source, text.span)),
                text.span)
        .advise("Call it at once, compose(f, g)(x), or let a function of a cell return it.");

  std::uint64_t bytes = 0;
  const auto slot = [&](std::uint64_t size) {
    const auto at = bytes;
    bytes += (size + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
    return at;
  };
  std::vector<std::uint64_t> slots;
  for (const auto& argument : text.arguments) slots.push_back(comes_back(argument) ? slot(argument.type.size) : 0);
  const bool returns = result_type != "void";
  const auto result_bytes =
      returns ? session_.code().find_type(run_.source, result_type, text.span).size : std::uint64_t{0};
  const auto result_at = slot(result_bytes);
  std::optional<Temporary> memory;
  if (bytes > 0 && host == nullptr) memory.emplace(operations.workspace(), bytes);
  const auto base = memory ? memory->address() : bytes > 0 ? host->results(bytes) : device::Address{0};

  OperationArguments given(operation);
  std::vector<ArrayUse> uses;
  for (std::size_t i = 0; i < text.arguments.size(); ++i) {
    const auto& argument = text.arguments[i];
    if (argument.use == Use::value || argument.use == Use::variable) {
      given.add_bytes(argument.bytes);
      if (comes_back(argument)) given.add(base + slots[i]);
      if (argument.memory.address != 0) uses.push_back(use_of(argument));  // a pointer by reference
    } else {
      given.add(argument.memory.address);
      if (argument.use == Use::vector) given.add(argument.memory.shape.front());
      uses.push_back(use_of(argument));
    }
  }
  given.add(returns ? base + result_at : device::Address{0});

  device::LaunchRequest request;
  request.module = operation.module;
  request.entry = operation.function.entry;
  request.arguments = given.take();
  request.checks.bounds = session_.settings().bounds_checks;
  const auto* place = run_.source.text.data() + text.span.begin;
  const auto site = [&] {
    return LaunchSite{place, "", snippet(run_.source, text.span), run_.source.place(text.span), uses};
  };
  std::vector<std::byte> back;
  if (host != nullptr) {
    host->run(std::move(request), site());
    if (bytes > 0) back = host->read_results(bytes);
  } else {
    session_.submission().launch(std::move(request), session_.launches().site(place, "", uses, site));
    posted_ = bytes == 0;
    back.resize(bytes);
    session_.submission().read(base, back);
  }
  if (bytes == 0) return {};
  const std::span<const std::byte> all = back;
  for (std::size_t i = 0; i < text.arguments.size(); ++i)
    if (auto& argument = text.arguments[i]; comes_back(argument))
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(slots[i]), argument.type.size, argument.bytes.begin());
  if (!returns) return {};
  return {result_of(result_type, all.subspan(result_at, result_bytes), text.span), {}, {}};
}

void NativeCode::wait() {
  if (std::exchange(posted_, false)) session_.submission().synchronize();
}

void NativeCode::print(OutputStream which, std::string_view text) {
  wait();
  run_.sink.stream(which, text);
}

Value NativeCode::result_of(const std::string& type, std::span<const std::byte> bytes, cell::Span span) {
  const auto found = session_.code().find_type(run_.source, type, span);
  if (!type.ends_with('*')) return frame_.lifetimes.made(frame_.targets.load(found, bytes));
  if (auto pointer = frame_.addresses.in_memory(found, bytes)) return std::move(*pointer);
  throw error(ErrorKind::value,
              fmt::format("{} returns a pointer to memory that is not an array's", snippet(run_.source, span)), span)
      .advise("Return a value, or a pointer into an array that was passed in.");
}

}  // namespace xcuda::interpreter
