#include "interpreter/initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "arrays/convert.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/executor.hpp"

namespace xcuda::interpreter {
namespace {

std::string shape_name(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const auto extent : shape) text += fmt::format("[{}]", extent);
  return text;
}

constexpr std::uint64_t kLongestList = std::uint64_t{1} << 30;  // bytes

bool is_number(const Type& type) { return type.lanes == 1 && (type.is_integer() || type.is_floating()); }

Error at(const CellRun& run, ErrorKind kind, std::string message, cell::Span span) {
  return Error(kind, std::move(message)).at(place_of(run.source, span));
}

}  // namespace

void store_checked(const CellRun& run, const cell::Value& value, const Type& type, cell::Span span,
                   std::span<std::byte> bytes) {
  const auto fits = [&] {
    if (!type.is_integer()) return true;  // rounded to the type's precision
    if (value.is_integer())
      return value.is_negative() ? holds_integer(type, value.as_signed()) : holds_unsigned(type, value.as_unsigned());
    return cell::converts_exactly(value, type_of(type.scalar));
  };
  if (type.scalar == Scalar::none)
    throw at(run, ErrorKind::type, fmt::format("{} cannot become {}", value.type().name, type.name), span);
  if (!fits())
    throw at(run, ErrorKind::value, fmt::format("{} does not fit {}", value.text(), type.name), span)
        .advise(fmt::format("Write the conversion, ({})(...), if it is meant.", type.name));
  if (type.lanes > 1) {
    if (value.is_integer() && value.is_negative())
      store_integer(type, value.as_signed(), bytes);
    else if (value.is_integer())
      store_unsigned(type, value.as_unsigned(), bytes);
    else
      store_real(type, value.as_real(), bytes);
    return;
  }
  cell::convert(value, type).store(bytes);
}

Initial InitialReader::read(const cell::Declarator& declarator, const Type& type,
                            const std::vector<std::uint64_t>& shape) {
  if (declarator.init == nullptr) return Zero{};
  const auto& init = *declarator.init;
  if (const auto* list = std::get_if<cell::List>(&init.node)) {
    if (list->elements.empty()) return Zero{};
    const auto bytes = count_of(shape) * type.size;
    if (bytes > kLongestList)
      throw at(run_, ErrorKind::unsupported,
               fmt::format("an array of {} elements is too large for a list", count_of(shape)), init.span)
          .advise("Use a constant, arange(), uniform() or a kernel.");
    Contents result{std::vector<std::byte>(bytes)};
    contents(init, type, shape, result.bytes);
    return result;
  }
  if (const auto* call = std::get_if<cell::Call>(&init.node))
    if (auto found = named(*call, init.span, type, shape)) return std::move(*found);
  if (const auto* name = std::get_if<cell::Name>(&init.node))
    if (const auto* array = session_.arrays().find(name->text);
        array != nullptr && array->type == type && array->shape == shape)
      return CopyOf{array->name};
  const auto value = executor_.evaluate(init);
  if (const auto node = executor_.array_of(value, init)) {
    const auto whole = broadcast(node->shape, shape);
    if (!whole || *whole != shape)
      throw at(run_, ErrorKind::value,
               fmt::format("{} has the shape {}, and {} is declared {}", snippet(run_.source, init.span),
                           shape_name(node->shape), declarator.name, shape_name(shape)),
               init.span)
          .advise(fmt::format("auto {} = {}; takes its shape.", declarator.name, snippet(run_.source, init.span)));
    return Computation{{node}};
  }
  Constant constant{std::vector<std::byte>(type.size)};
  element(value, init.span, type, constant.element);
  const bool zero =
      std::all_of(constant.element.begin(), constant.element.end(), [](std::byte b) { return b == std::byte{0}; });
  if (zero) return Zero{};
  return constant;
}

void InitialReader::element(const cell::Expression& expression, const Type& type, std::span<std::byte> bytes) {
  if (const auto* list = std::get_if<cell::List>(&expression.node)) {
    if (list->elements.size() == 1 && type.lanes == 1 && type.scalar != Scalar::none)
      return element(*list->elements[0], type, bytes);
    return members(pointers_to(list->elements), type, bytes, expression.span);
  }
  element(executor_.evaluate(expression), expression.span, type, bytes);
}

// P{1, 2}, P p(1, 2): the members in order, the others zero.
void InitialReader::members(const std::vector<const cell::Expression*>& given, const Type& type,
                            std::span<std::byte> bytes, cell::Span span) {
  std::vector<Session::StructMember> members;
  const bool complex = type.scalar == Scalar::complex64 || type.scalar == Scalar::complex128;
  if (type.lanes > 1 || complex) {
    const auto lane = type_of(type.scalar == Scalar::complex64    ? Scalar::float32
                              : type.scalar == Scalar::complex128 ? Scalar::float64
                                                                  : type.scalar);
    for (int i = 0; i < (complex ? 2 : type.lanes); ++i)
      members.push_back({"", lane, {}, static_cast<std::size_t>(i) * lane.size});
  } else if (type.scalar == Scalar::none) {
    members = session_.members_of(run_, type);
    if (members.empty() && !given.empty())
      throw at(run_, ErrorKind::unsupported, fmt::format("the members of {} are not known to the host", type.name),
               span);
  } else {
    throw at(run_, ErrorKind::type,
             fmt::format("a list of {} values stands where one {} is expected", given.size(), type.name), span);
  }
  if (given.size() > members.size())
    throw at(run_, ErrorKind::type,
             fmt::format("{} has {} members, and {} values are given", type.name, members.size(), given.size()), span);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& member = members[i];
    const auto* inner = std::get_if<cell::List>(&given[i]->node);
    if (!member.shape.empty() && inner != nullptr) {
      rows(*inner, member.type, member.shape, bytes.subspan(member.offset, count_of(member.shape) * member.type.size));
    } else {
      element(*given[i], member.type, bytes.subspan(member.offset, member.type.size));
    }
  }
}

void InitialReader::element(const Value& value, cell::Span span, const Type& type, std::span<std::byte> bytes) {
  if (const auto* object = std::get_if<Object>(&value)) {
    if (object->type != type)
      throw at(run_, ErrorKind::type, fmt::format("a {} stands where a {} is expected", object->type.name, type.name),
               span);
    std::memcpy(bytes.data(), object->bytes.data(), bytes.size());
    return;
  }
  const auto* number = std::get_if<cell::Value>(&value);
  if (type.name.ends_with('*')) {
    const bool zero = number != nullptr && number->is_integer() && !number->truth();
    const auto address = executor_.address_of(zero ? Value(NullPointer{}) : value, type, span);
    std::memcpy(bytes.data(), address.data(), address.size());
    return;
  }
  if (number == nullptr)
    throw at(run_, ErrorKind::type, fmt::format("{} is no initial value for {}", snippet(run_.source, span), type.name),
             span);
  store_checked(run_, *number, type, span, bytes);
}

void InitialReader::contents(const cell::Expression& expression, const Type& type,
                             const std::vector<std::uint64_t>& shape, std::span<std::byte> bytes) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (list == nullptr) {
    element(expression, type, bytes.first(type.size));
    for (auto at = type.size; at < bytes.size(); at += type.size)
      std::memcpy(bytes.data() + at, bytes.data(), type.size);
    return;
  }
  const bool nested = std::any_of(list->elements.begin(), list->elements.end(),
                                  [](const auto& e) { return std::holds_alternative<cell::List>(e->node); });
  if (nested || !is_number(type)) return rows(*list, type, shape, bytes);
  const std::uint64_t flat[] = {count_of(shape)};  // int a[2][2] = {1, 2, 3, 4}, as C++ allows
  rows(*list, type, flat, bytes);
}

void InitialReader::rows(const cell::List& list, const Type& type, std::span<const std::uint64_t> shape,
                         std::span<std::byte> bytes) {
  if (list.elements.size() > shape[0])
    throw at(run_, ErrorKind::value,
             fmt::format("the list has {} values for an extent of {}", list.elements.size(), shape[0]),
             list.elements[shape[0]]->span);
  const auto step = bytes.size() / shape[0];
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const auto& item = *list.elements[i];
    const auto part = bytes.subspan(i * step, step);
    if (shape.size() == 1) {
      element(item, type, part);
      continue;
    }
    const auto* inner = std::get_if<cell::List>(&item.node);
    if (inner == nullptr)
      throw at(run_, ErrorKind::type, fmt::format("one value stands where a row of {} is expected", shape[1]),
               item.span)
          .advise("Every row has braces of its own: {{1, 2}, {3, 4}}.");
    rows(*inner, type, shape.subspan(1), part);
  }
}

double InitialReader::real(const cell::Expression* expression, double otherwise) {
  if (expression == nullptr) return otherwise;
  const double value = executor_.number(*expression, "an argument").as_real();
  if (!std::isfinite(value)) throw at(run_, ErrorKind::value, "the argument is not finite", expression->span);
  return value;
}

Initial InitialReader::arange(const cell::Call& call, cell::Span span, const Type& type, std::uint64_t count) {
  static constexpr std::string_view kParameters[] = {"start", "step"};
  const auto given = bind_arguments(run_, "arange", call.arguments, kParameters);
  Sequence s{.kind = Sequence::Kind::arange, .count = count};
  s.first = real(given[0], 0);
  s.second = real(given[1], 1);
  if (!type.is_integer()) return s;
  const auto whole = [&](const cell::Expression* expression, std::int64_t otherwise) {
    if (expression == nullptr) return otherwise;
    const auto value = executor_.number(*expression, "an argument");
    if (!value.type().is_integer())
      throw at(run_, ErrorKind::type, fmt::format("arange of {} takes integers", type.name), expression->span);
    return value.as_signed();
  };
  s.integral = true;
  s.whole_first = whole(given[0], 0);
  s.whole_second = whole(given[1], 1);
  std::int64_t last = 0;
  const bool overflow = __builtin_mul_overflow(static_cast<std::int64_t>(count - 1), s.whole_second, &last) ||
                        __builtin_add_overflow(last, s.whole_first, &last);
  if (overflow || !holds_integer(type, last) || !holds_integer(type, s.whole_first))
    throw at(run_, ErrorKind::value,
             fmt::format("arange goes out of the range of {}: its last element would be {}", type.name,
                         overflow ? "over 64 bits" : std::to_string(last)),
             span);
  return s;
}

Initial InitialReader::file(const cell::Call& call, cell::Span span, const Type& type,
                            const std::vector<std::uint64_t>& shape) {
  static constexpr std::string_view kParameters[] = {"file"};
  const auto given = bind_arguments(run_, "load", call.arguments, kParameters);
  const auto* path = given[0] == nullptr ? nullptr : std::get_if<cell::StringLiteral>(&given[0]->node);
  if (path == nullptr) throw at(run_, ErrorKind::type, "load() takes the name of a file: load(\"x.npy\")", span);
  auto open = executor_.load_file(path->value, given[0]->span);
  const auto wrong = [&](ErrorKind kind, std::string message) {
    return at(run_, kind, shown_path(path->value) + std::move(message), given[0]->span);
  };
  const auto& facts = open.facts;
  if (files::file_kind(path->value) == files::FileKind::raw) {
    if (const auto bytes = count_of(shape) * type.size; facts.bytes() != bytes)
      throw wrong(ErrorKind::value, fmt::format(" has {} bytes ({}), and the array {}", facts.bytes(),
                                                format_bytes(facts.bytes()), bytes))
          .advise(
              "Names of NumPy's files end in .npy, those of images in .png; any other file is taken for raw elements.");
    return FromFile{std::move(open), given[0]->span};
  }
  if (facts.type.scalar != type.scalar || type.lanes > 1)
    throw wrong(ErrorKind::type, fmt::format(" holds {}, and the array is declared {}", facts.type.name, type.name))
        .advise(fmt::format("Declare it {}, or auto x = load(\"{}\").", facts.type.name, path->value));
  if (facts.shape != shape && !(facts.shape.empty() && count_of(shape) == 1))
    throw wrong(ErrorKind::value, fmt::format(" has the shape {}, and the array is declared {}",
                                              shape_name(facts.shape), shape_name(shape)))
        .advise(fmt::format("auto x = load(\"{}\") takes the shape of the file.", path->value));
  return FromFile{std::move(open), given[0]->span};
}

std::optional<Initial> InitialReader::named(const cell::Call& call, cell::Span span, const Type& type,
                                            const std::vector<std::uint64_t>& shape) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee == nullptr) return std::nullopt;
  const auto& function = callee->text;
  const auto count = count_of(shape);
  const auto need_numbers = [&] {
    if (!is_number(type))
      throw at(run_, ErrorKind::type, fmt::format("{}() makes numbers, and the elements are {}", function, type.name),
               span);
  };
  if (function == "arange") {
    need_numbers();
    return arange(call, span, type, count);
  }
  if (function == "load") return file(call, span, type, shape);
  if (function == "linspace") {
    need_numbers();
    static constexpr std::string_view kParameters[] = {"start", "stop"};
    const auto given = bind_arguments(run_, function, call.arguments, kParameters);
    if (given[0] == nullptr || given[1] == nullptr)
      throw at(run_, ErrorKind::type, "linspace takes start and stop", span);
    return Sequence{
        .kind = Sequence::Kind::linspace, .first = real(given[0], 0), .second = real(given[1], 1), .count = count};
  }
  if (function == "uniform" || function == "normal") {
    need_numbers();
    const bool is_uniform = function == "uniform";
    static constexpr std::string_view kUniform[] = {"lo", "hi", "seed"};
    static constexpr std::string_view kNormal[] = {"mean", "std", "seed"};
    const auto given =
        bind_arguments(run_, function, call.arguments, is_uniform ? std::span(kUniform) : std::span(kNormal));
    Sequence s{.kind = is_uniform ? Sequence::Kind::uniform : Sequence::Kind::normal, .count = count};
    s.first = real(given[0], 0);
    s.second = real(given[1], 1);
    if (is_uniform && !(s.first < s.second))
      throw at(run_, ErrorKind::value,
               fmt::format("uniform({}, {}) has no values: lo must be below hi", s.first, s.second), span);
    if (!is_uniform && s.second < 0)
      throw at(run_, ErrorKind::value,
               fmt::format("normal() takes a standard deviation of at least 0, not {}", s.second), given[1]->span);
    if (given[2] != nullptr) {
      const auto seed = executor_.number(*given[2], "a seed");
      if (!seed.type().is_integer()) throw at(run_, ErrorKind::type, "a seed is an integer", given[2]->span);
      s.seed = seed.as_unsigned();
    } else {
      s.seed = session_.next_seed();
    }
    return s;
  }
  if (function == "like") {
    throw at(run_, ErrorKind::type,
             "like(x) has the type and the shape of x: declare the array auto and without extents", span)
        .advise("auto y = like(x);");
  }
  return std::nullopt;
}

Array InitialReader::make(Session::NewArray request, const Initial& initial) {
  struct Guard {
    Session& session;
    std::optional<Array> array;
    ~Guard() {
      if (array) session.free_memory(*array);
    }
  };
  Guard made{session_, session_.allocate(run_, std::move(request))};
  write(initial, *made.array);
  return *std::exchange(made.array, std::nullopt);
}

// A file may break off in the middle; the array that is there stays as it was.
void InitialReader::fill(const Initial& initial, const Array& array) {
  const auto* from = std::get_if<FromFile>(&initial);
  if (from == nullptr) return write(initial, array);
  run_.current = from->span;
  const Temporary whole(session_.operations().workspace(), array.bytes());
  session_.write(whole.address(), from->file);
  session_.copy(array.address, whole.address(), array.bytes());
}

void InitialReader::write(const Initial& initial, const Array& array) {
  auto& device = session_.device();
  if (std::holds_alternative<Zero>(initial)) {
    session_.note_written(array.address);
    device.post_fill(session_.default_stream(), {array.address, array.bytes(), {std::byte{0}}});
  } else if (const auto* constant = std::get_if<Constant>(&initial)) {
    session_.note_written(array.address);
    device.post_fill(session_.default_stream(), {array.address, array.count, constant->element});
  } else if (const auto* contents = std::get_if<Contents>(&initial)) {
    session_.write(array.address, contents->bytes);
  } else if (const auto* from = std::get_if<FromFile>(&initial)) {
    run_.current = from->span;
    session_.write(array.address, from->file);
  } else if (const auto* copy = std::get_if<CopyOf>(&initial)) {
    session_.copy(array.address, session_.arrays().find(copy->array)->address, array.bytes());
  } else if (const auto* computed = std::get_if<Computation>(&initial)) {
    ArrayMath(session_.operations(), {run_.source.text, run_.source.name})
        .store(computed->expression.node, pointer_to(array));
  } else {
    session_.fill(std::get<Sequence>(initial), array);
  }
  session_.posted();
}

}  // namespace xcuda::interpreter
