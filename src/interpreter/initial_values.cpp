#include "interpreter/initial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "arrays/convert.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/random_arguments.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/devices/spread_arrays.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/function_call.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/places.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::uint64_t kLongestList = std::uint64_t{1} << 30;  // bytes

}  // namespace

Initial InitialValues::read(const cell::Declarator& declarator, const Type& type,
                            const std::vector<std::uint64_t>& shape) {
  if (declarator.init == nullptr) return Zero{};
  const auto& init = *declarator.init;
  if (const auto* text = std::get_if<cell::StringLiteral>(&init.node); text != nullptr && type.name == "char")
    return characters(text->value, init.span, shape);
  if (const auto* list = std::get_if<cell::List>(&init.node)) {
    if (list->elements.empty()) return Zero{};
    const auto bytes = count_of(shape) * type.size;
    if (bytes > kLongestList)
      throw error(ErrorKind::unsupported,
                  fmt::format("an array of {} elements is too large for a list", count_of(shape)), init.span)
          .advise("Use a constant, arange(), uniform() or a kernel.");
    Contents result{std::vector<std::byte>(bytes)};
    frame_.elements.read_array(init, type, shape, result.bytes);
    return result;
  }
  if (const auto* call = std::get_if<cell::Call>(&init.node))
    if (auto found = named(*call, init.span, type, shape)) return std::move(*found);
  if (const auto* name = std::get_if<cell::Name>(&init.node))
    if (const auto* array = session_.arrays().find(name->text);
        array != nullptr && array->type == type && array->shape == shape)
      return CopyOf{array->name};
  const auto value = evaluate(init);
  if (const auto node = frame_.array_expressions.node_if_array(value, init)) {
    const auto whole = broadcast(node->shape, shape);
    if (!whole || *whole != shape)
      throw language::value_does_not_fit(frame_.text,
                                         {init.span, language::Extents(node->shape.begin(), node->shape.end())},
                                         declarator, language::Extents(shape.begin(), shape.end()));
    return Computation{{node}};
  }
  Constant constant{std::vector<std::byte>(type.size)};
  frame_.elements.read(value, init.span, type, constant.element);
  const bool zero =
      std::all_of(constant.element.begin(), constant.element.end(), [](std::byte b) { return b == std::byte{0}; });
  if (zero) return Zero{};
  return constant;
}

// char name[8] = "text": with a 0 after the last one.
Initial InitialValues::characters(const std::string& text, cell::Span span, const std::vector<std::uint64_t>& shape) {
  if (shape.size() != 1 || text.size() >= shape.front())
    throw error(ErrorKind::value,
                fmt::format("the string does not fit: it has {} characters and a final 0", text.size()), span);
  Contents result{std::vector<std::byte>(shape.front())};
  std::memcpy(result.bytes.data(), text.data(), text.size());
  return result;
}

double InitialValues::real(const cell::Expression* expression, double otherwise) {
  if (expression == nullptr) return otherwise;
  const double value = number(*expression, "an argument").as_real();
  if (!std::isfinite(value)) throw error(ErrorKind::value, "the argument is not finite", expression->span);
  return value;
}

language::Bound InitialValues::bound(const cell::Call& call, cell::Span span) const {
  return language::bind_arguments(frame_.text, *language::initial_function(call)->row, call, span);
}

// arange(n) of n elements and arange(a, a + n) are NumPy's ranges to whoever knows NumPy; here they would begin at n,
// and go in steps of a + n.
void InitialValues::refuse_numpy_range(const cell::Call& call, cell::Span span, const Sequence& s) const {
  const auto& given = call.arguments;
  const auto stop = s.first + static_cast<double>(s.count);
  const bool to_count = given.size() == 1 && s.first == static_cast<double>(s.count) && s.count > 1;
  const bool to_stop = given.size() == 2 && s.second == stop && s.count > 1;
  if ((!to_count && !to_stop) ||
      std::any_of(given.begin(), given.end(), [](const auto& one) { return !one.name.empty(); }))
    return;
  throw error(ErrorKind::value,
              to_count ? fmt::format("arange({}) of {} elements could begin or end at {}", s.count, s.count, s.count)
                       : fmt::format("arange({}, {}) of {} elements could end at {} or go in steps of {}", s.first,
                                     stop, s.count, stop, stop),
              span)
      .advise(to_count
                  ? fmt::format("arange() is 0 to {}, arange(start = {}) begins at {}.", s.count - 1, s.count, s.count)
                  : fmt::format("arange({}) goes up by 1, arange({}, step = {}) by {}.", s.first, s.first, stop, stop));
}

Initial InitialValues::arange(const cell::Call& call, cell::Span span, const Type& type, std::uint64_t count) {
  const auto given = bound(call, span);
  Sequence s{.kind = Sequence::Kind::arange, .count = count};
  s.first = real(given[0], 0);
  s.second = real(given[1], 1);
  refuse_numpy_range(call, span, s);
  if (!type.is_integer()) return s;
  const auto whole = [&](const cell::Expression* expression, std::int64_t otherwise) {
    if (expression == nullptr) return otherwise;
    const auto value = number(*expression, "an argument");
    if (!value.type().is_integer())
      throw error(ErrorKind::type, fmt::format("arange of {} takes integers", type.name), expression->span);
    return value.as_signed();
  };
  s.integral = true;
  s.whole_first = whole(given[0], 0);
  s.whole_second = whole(given[1], 1);
  std::int64_t last = 0;
  const bool overflow = __builtin_mul_overflow(static_cast<std::int64_t>(count - 1), s.whole_second, &last) ||
                        __builtin_add_overflow(last, s.whole_first, &last);
  if (overflow || !holds_integer(type, last) || !holds_integer(type, s.whole_first))
    throw error(ErrorKind::value,
                fmt::format("arange does not fit {}: its last element would be {}", type.name,
                            overflow ? "over 64 bits" : std::to_string(last)),
                span);
  return s;
}

// As an expression, a sequence says itself how long it is.
Pointer InitialValues::sequence(const FunctionCall& of) {
  const bool counts = of.row().operation == language::Operation::arange;
  static constexpr std::string_view kArange[] = {"start", "stop", "step"}, kLinspace[] = {"start", "stop", "num"};
  const auto given = language::bind_arguments(frame_.text, of.row().name, of.call.arguments,
                                              counts ? std::span(kArange) : std::span(kLinspace));
  const auto* first = given[0];
  const auto* last = given[1];
  if (counts && last == nullptr) std::swap(first, last);
  if (last == nullptr || (!counts && first == nullptr))
    throw error(ErrorKind::type, fmt::format("{}() needs a stop", of.row().name), of.span)
        .advise(counts ? "arange(10), arange(0, 10, 2)" : "linspace(0, 1, 11)");
  std::vector<language::ScalarValue> numbers;
  for (const auto* one : {first, last, given[2]})
    numbers.push_back(one != nullptr ? number(*one, "an argument")
                                     : language::ScalarValue::of(one == given[2] ? 1 : 0));
  if (first == nullptr) numbers[0] = language::ScalarValue::of(0);
  Sequence s{.kind = Sequence::Kind::linspace, .first = numbers[0].as_real(), .second = numbers[1].as_real()};
  Type type = language::type_of(language::Kind::float64);
  if (counts) {
    auto kind = language::common_kind(numbers[0].kind(), numbers[1].kind());
    if (given[2] != nullptr) kind = language::common_kind(kind, numbers[2].kind());
    type = language::type_of(kind);
    const auto step = numbers[2].as_real();
    if (step == 0 || !std::isfinite(step)) throw error(ErrorKind::value, "the step of arange() is 0", of.span);
    s = {.kind = Sequence::Kind::arange, .first = s.first, .second = step};
    const auto count = std::ceil((numbers[1].as_real() - s.first) / step);
    if (!(count < 0x1p53)) throw error(ErrorKind::value, "arange() has too many elements", of.span);
    s.count = count > 0 ? static_cast<std::uint64_t>(count) : 0;
    s.integral = type.is_integer();
    s.whole_first = numbers[0].as_signed();
    s.whole_second = numbers[2].as_signed();
  } else {
    const auto num = given[2] == nullptr ? language::ScalarValue::of(50) : numbers[2];
    if (!num.is_integer() || num.is_negative())
      throw error(ErrorKind::value, fmt::format("num is {}: expected an integer of at least 0", num.text()), of.span);
    s.count = num.as_unsigned();
  }
  if (!of.name.type.empty()) type = session_.code().find_type(run_.source, std::string(of.name.type), of.span);
  auto result = frame_.arrays.temporary(type, {s.count});
  if (s.count > 0) arrays::fill(session_.operations(), s, result);
  return result;
}

InitialValues::FileName InitialValues::file_name(const cell::Call& call, cell::Span span) const {
  const auto given = bound(call, span);
  const auto text = [&](std::size_t i) {
    return given[i] == nullptr ? nullptr : std::get_if<cell::StringLiteral>(&given[i]->node);
  };
  if (text(0) == nullptr) throw error(ErrorKind::type, "load() takes the name of a file: load(\"x.npy\")", span);
  FileName result{text(0)->value, "", given[0]->span};
  if (result.path.empty())
    throw error(ErrorKind::value, "the name of the file to load is empty", given[0]->span)
        .advise("Name one: load(\"x.npy\"). %ls shows the files of the session's folder.");
  if (given[1] == nullptr) return result;
  if (text(1) == nullptr)
    throw error(ErrorKind::type, "load() takes the name of an array: load(\"all.npz\", \"x\")", given[1]->span);
  if (files::file_kind(result.path) != files::FileKind::npz)
    throw error(ErrorKind::value, fmt::format("{} holds one array without a name", shown_path(result.path)),
                given[1]->span)
        .advise(fmt::format("load(\"{}\"); only a .npz file holds several.", result.path));
  result.member = text(1)->value;
  return result;
}

FromFile InitialValues::open(const FileName& name, files::ArrayRequest wanted) {
  run_.current = name.span;  // where a bad file is reported
  wanted.member = name.member;
  return {open_array(session_, name.path, std::move(wanted)), name.span};
}

FromFile InitialValues::from_file(const cell::Call& call, cell::Span span) {
  const auto name = file_name(call, span);
  static constexpr std::string_view kForeign[] = {".gif", ".tif",  ".tiff", ".webp",    ".svg", ".h5", ".hdf5",
                                                  ".mat", ".json", ".xlsx", ".parquet", ".pkl", ".pt", ".safetensors"};
  if (std::any_of(std::begin(kForeign), std::end(kForeign), [&](auto ending) { return name.path.ends_with(ending); }))
    throw error(ErrorKind::unsupported, fmt::format("load() does not read files such as {}", shown_path(name.path)),
                name.span)
        .advise(fmt::format("Save it in another format, in a %%python cell for example: {}.", files::kEndings));
  if (files::file_kind(name.path) == files::FileKind::raw)
    throw error(ErrorKind::type,
                fmt::format("{} holds raw elements, whose type the file does not name", shown_path(name.path)),
                name.span)
        .advise(fmt::format("Declare it: float x[n] = load(\"{}\"). Files that name their type: {}.", name.path,
                            files::kEndings));
  auto result = open(name, {});
  const bool table = files::file_kind(name.path) == files::FileKind::table;
  if (table && result.file.facts.count() == 0)  // an empty array of NumPy's says its type and shape
    throw error(ErrorKind::value, fmt::format("{} holds no elements", shown_path(name.path)), name.span)
        .advise("A table has lines of numbers, after a line of names at most.");
  return result;
}

Initial InitialValues::file(const cell::Call& call, cell::Span span, const Type& type,
                            const std::vector<std::uint64_t>& shape) {
  const auto name = file_name(call, span);
  const auto wrong = [&](ErrorKind kind, std::string message) {
    return error(kind, shown_path(name.path) + std::move(message), name.span);
  };
  auto extents = shape;
  if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));  // float4 is a last axis of 4
  files::ArrayRequest wanted{.scalar = std::nullopt, .extents = extents.size()};
  if (type.scalar != Scalar::none) wanted.scalar = type.scalar;
  auto result = open(name, std::move(wanted));
  const auto& facts = result.file.facts;
  if (files::file_kind(name.path) == files::FileKind::raw) {
    if (const auto bytes = count_of(shape) * type.size; facts.bytes() != bytes)
      throw wrong(ErrorKind::value, fmt::format(" has {} bytes ({}), but the array has {}", facts.bytes(),
                                                format_bytes(facts.bytes()), bytes))
          .advise(fmt::format("Files that name their shape: {}. Any other file holds raw elements.", files::kEndings));
    return result;
  }
  if (facts.type.scalar != type.scalar)
    throw wrong(ErrorKind::type, fmt::format(" holds {}, but the array is declared {}", facts.type.name, type.name))
        .advise(fmt::format("Declare it {}, or auto x = load(\"{}\").", facts.type.name, name.path));
  if (facts.shape != extents && !(facts.shape.empty() && count_of(extents) == 1))
    throw wrong(ErrorKind::value, fmt::format(" has the shape {}, but the array is declared {}",
                                              arrays::shape_text(facts.shape), arrays::shape_text(extents)))
        .advise(fmt::format("auto x = load(\"{}\") takes the shape of the file.", name.path));
  return result;
}

std::optional<Initial> InitialValues::named(const cell::Call& call, cell::Span span, const Type& type,
                                            const std::vector<std::uint64_t>& shape) {
  using language::Operation;
  const auto function = language::initial_function(call);
  if (!function) return std::nullopt;
  const auto& row = *function->row;
  const auto count = count_of(shape);
  if (row.operation == Operation::like)
    throw error(ErrorKind::type, "like(x) has the type and the shape of x: declare the array auto and without extents",
                span)
        .advise("auto y = like(x);");
  if (row.operation == Operation::load) return file(call, span, type, shape);
  if (row.operation == Operation::shard || row.operation == Operation::replicated) return Zero{};
  const bool range = row.operation == Operation::arange || row.operation == Operation::linspace;
  if (range && type.is_complex()) {  // of real numbers
    const auto real_type = language::type_of(language::Kind::float64);
    const auto values = frame_.arrays.temporary(real_type, shape);
    if (count > 0)
      arrays::fill(session_.operations(), std::get<Sequence>(*named(call, span, real_type, shape)), values);
    return Computation{{array_node(values, span)}};
  }
  if (!type.is_integer() && !type.is_floating())
    throw error(ErrorKind::type, fmt::format("{}() makes numbers, but the elements are {}", row.name, type.name), span);
  if (row.operation == Operation::arange) return arange(call, span, type, count);
  if (row.operation != Operation::linspace)
    return RandomArguments(frame_, {*function, call, span}).initial(type, count);
  const auto given = bound(call, span);
  return Sequence{
      .kind = Sequence::Kind::linspace, .first = real(given[0], 0), .second = real(given[1], 1), .count = count};
}

Array InitialValues::make(ArrayTable::New request, const Initial& initial) {
  struct Guard {
    Session& session;
    std::optional<Array> array;
    ~Guard() {
      if (array) session.arrays().free_memory(*array);
    }
  };
  Guard made{session_, session_.arrays().allocate(run_, std::move(request))};
  write(initial, *made.array);
  return *std::exchange(made.array, std::nullopt);
}

// A file may break off in the middle; the array that is there stays as it was.
void InitialValues::fill(const Initial& initial, const Array& array) {
  const auto* from = std::get_if<FromFile>(&initial);
  if (from == nullptr) return write(initial, array);
  run_.current = from->span;
  const Temporary whole(session_.operations().workspace(), array.bytes());
  session::write(session_, whole.address(), from->file);
  session_.submission().copy(array.address, whole.address(), array.bytes());
}

void InitialValues::write(const Initial& initial, const Array& array) {
  const auto target = frame_.devices.here(array);
  if (std::holds_alternative<Zero>(initial)) {
    session_.submission().fill({target.address, array.bytes(), {std::byte{0}}});
  } else if (const auto* constant = std::get_if<Constant>(&initial)) {
    session_.submission().fill({target.address, array.count, constant->element});
  } else if (const auto* contents = std::get_if<Contents>(&initial)) {
    session_.submission().write(target.address, contents->bytes);
  } else if (const auto* from = std::get_if<FromFile>(&initial)) {
    run_.current = from->span;
    session::write(session_, target.address, from->file);
  } else if (const auto* copy = std::get_if<CopyOf>(&initial)) {
    session_.submission().copy(target.address, frame_.devices.here(*session_.arrays().find(copy->array)).address,
                               array.bytes());
  } else if (const auto* computed = std::get_if<Computation>(&initial)) {
    frame_.spread_arrays.store(computed->expression.node, target);
  } else if (const auto* random = std::get_if<RandomNumbers>(&initial)) {
    arrays::fill(frame_.arrays, session_.operations(), *random, target);
    session_.submission().copy(target.address, target.address, array.bytes());  // to the others, where it has copies
  } else {
    arrays::fill(session_.operations(), std::get<Sequence>(initial), target);
    session_.submission().copy(target.address, target.address, array.bytes());
  }
}

void Declarations::copy_of(const cell::Declaration& declaration, const cell::Declarator& declarator,
                           const Pointer& pointer) {
  auto copy = session_.arrays().allocate(run_, request(declaration, declarator, pointer.type, pointer.shape));
  if (is_contiguous(pointer))
    session_.submission().copy(copy.address, pointer.address, copy.bytes());
  else
    frame_.arrays.store(array_node(pointer, run_.current), pointer_to(copy));
  session_.arrays().define(std::move(copy));
}

void Declarations::like(const cell::Declaration& declaration, const cell::Declarator& declarator,
                        const cell::Call& call) {
  const auto given =
      language::bind_arguments(frame_.text, *language::initial_function(call)->row, call, declarator.init->span);
  const auto pointer = frame_.places.of(*given[0]);
  if (pointer.shape.empty()) throw error(ErrorKind::type, "like() takes an array, not an element", given[0]->span);
  session_.arrays().define(
      frame_.initial_values.make(request(declaration, declarator, pointer.type, pointer.shape), Zero{}));
}

void Declarations::from_file(const cell::Declaration& declaration, const cell::Declarator& declarator,
                             const cell::Call& call) {
  auto from = frame_.initial_values.from_file(call, declarator.init->span);
  auto shape = from.file.facts.shape;
  if (shape.empty()) shape = {1};
  auto wanted = request(declaration, declarator, from.file.facts.type, std::move(shape));
  session_.arrays().define(frame_.initial_values.make(std::move(wanted), std::move(from)));
}

}  // namespace xcuda::interpreter
