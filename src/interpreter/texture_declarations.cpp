#include "interpreter/texture_declarations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "arrays/convert.hpp"
#include "base/text.hpp"
#include "cell/type_word.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/launches/streams.hpp"
#include "language/functions.hpp"
#include "session/textures.hpp"

namespace xcuda::interpreter {
namespace {

using device::Cube;
using device::TextureRequest;
using Channel = TextureRequest::Channel;

template <class Value> struct Choice {
  std::string_view word, cuda;  // "linear", "cudaFilterModeLinear"
  Value value;
};
constexpr Choice<device::FilterMode> kFilters[] = {{"point", "cudaFilterModePoint", device::FilterMode::point},
                                                   {"linear", "cudaFilterModeLinear", device::FilterMode::linear}};
constexpr Choice<device::AddressMode> kAddresses[] = {{"wrap", "cudaAddressModeWrap", device::AddressMode::wrap},
                                                      {"clamp", "cudaAddressModeClamp", device::AddressMode::clamp},
                                                      {"mirror", "cudaAddressModeMirror", device::AddressMode::mirror},
                                                      {"border", "cudaAddressModeBorder", device::AddressMode::border}};
constexpr Choice<device::ReadMode> kReads[] = {
    {"element", "cudaReadModeElementType", device::ReadMode::element},
    {"normalized_float", "cudaReadModeNormalizedFloat", device::ReadMode::normalized_float}};

constexpr std::string_view kTextureParameters[] = {"array",   "filter", "address",  "normalized", "read",
                                                   "layered", "gather", "channels", "cube"};
constexpr std::string_view kSurfaceParameters[] = {"array", "layered", "channels"};

template <class Value, std::size_t count>
std::vector<std::string_view> words_of(const Choice<Value> (&choices)[count]) {
  std::vector<std::string_view> words;
  for (const auto& choice : choices) words.push_back(choice.word);
  return words;
}

// The words are no names: they mean what they say whatever the session calls its variables.
template <class Value, std::size_t count>
Value choose(const CellRun& run, const cell::Expression& expression, std::string_view parameter,
             const Choice<Value> (&choices)[count]) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* text = std::get_if<cell::StringLiteral>(&expression.node);
  const std::string word = name != nullptr ? name->text : text != nullptr ? text->value : "";
  std::vector<std::string> words;
  for (const auto& choice : choices) {
    if (choice.word == word || choice.cuda == word) return choice.value;
    words.emplace_back(choice.word);
  }
  auto error = Error(ErrorKind::value, fmt::format("{} must be {}, not {}", parameter, fmt::join(words, " or "),
                                                   snippet(run.source, expression.span)))
                   .at(run.source.place(expression.span));
  if (const auto near = nearest(word, words); !near.empty()) error.advice = fmt::format("Did you mean {}?", near);
  throw error;
}

// The element's channels; false for what the hardware cannot sample.
bool set_channels(const Type& type, TextureRequest& request) {
  switch (type.scalar) {
    case Scalar::int8:
    case Scalar::int16:
    case Scalar::int32: request.channel = Channel::signed_integer; break;
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32: request.channel = Channel::unsigned_integer; break;
    case Scalar::float16:
    case Scalar::float32: request.channel = Channel::floating; break;
    default: return false;
  }
  request.channels = type.lanes;
  request.channel_bits = static_cast<int>(8 * type.size) / type.lanes;
  return type.lanes != 3;
}

std::string extents_text(const TextureRequest& request) {
  std::string text;
  for (const auto extent : {request.layers, request.depth, request.height, request.width})
    if (extent > 0) text += fmt::format("[{}]", extent);
  return text;
}

template <class Value, std::size_t count> std::string_view word_of(Value value, const Choice<Value> (&choices)[count]) {
  return std::find_if(std::begin(choices), std::end(choices), [&](const auto& choice) { return choice.value == value; })
      ->word;
}

}  // namespace

std::string description(Session& session, const Texture& texture) {
  const auto& request = texture.object->request();
  const auto* array = texture.object->freed() ? nullptr : session.arrays().at(request.address);
  std::string text = fmt::format("{} {}: {}, {}{}", texture.object->kind(), texture.name,
                                 array == nullptr ? "its array was freed" : array->name, texture.object->type().name,
                                 extents_text(request));
  if (request.channels != texture.object->type().lanes) text += fmt::format(", {} channels", request.channels);
  if (request.cube != Cube::none) text += ", cube";
  if (request.layers > 0 && request.cube != Cube::one) text += ", layered";
  if (request.surface) return text;
  text += fmt::format(", filter {}, address {}", word_of(request.filter, kFilters),
                      word_of(request.address_mode[0], kAddresses));
  for (int i = 1; i < request.dimensions(); ++i)
    if (request.address_mode[i] != request.address_mode[0])
      text += fmt::format(" {} {}", i == 1 ? "and" : "then", word_of(request.address_mode[i], kAddresses));
  if (request.normalized_coordinates) text += ", normalized coordinates";
  if (request.read == device::ReadMode::normalized_float) text += ", read as normalized floats";
  if (request.gather) text += ", can be gathered";
  return text;
}

// Layers and faces are the first extents: [layers][height][width], [6][n][n], [layers][6][n][n].
void TextureDeclarations::take_layers(std::vector<std::uint64_t>& shape, TextureRequest& request, cell::Span span) {
  if (request.cube != Cube::none) {
    const std::size_t before = request.cube == Cube::layers ? 1 : 0;
    if (shape.size() != before + 3 || shape[before] != 6 || shape[before + 1] != shape[before + 2])
      throw error(ErrorKind::type,
                  before == 0 ? "cube = true needs an array [6][n][n]: the six faces of a cube"
                              : "cube = true and layered = true need an array [layers][6][n][n]",
                  span)
          .advise("float faces[6][64][64]; texture sky(faces, cube = true); The faces are +x, -x, +y, -y, +z, -z.");
    request.layers = 6 * (before == 0 ? 1 : shape.front());
    shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(before + 1));
    return;
  }
  if (shape.size() < 2 || shape.size() > 3)
    throw error(ErrorKind::type,
                "layered = true needs an array of two or three dimensions; the first counts the layers", span);
  request.layers = shape.front();
  shape.erase(shape.begin());
}

// What the array gives to a texture of it. Errors: type.
TextureRequest TextureDeclarations::texture_of(const Pointer& pointer, const ArrayUse& use) {
  const auto [layers, faces, channels, span] = use;
  TextureRequest request;
  request.address = pointer.address;
  auto shape = pointer.shape;
  auto type = pointer.type;
  if (channels != 0) {
    if (shape.size() < 2 || shape.back() != channels || type.lanes != 1 ||
        (channels != 1 && channels != 2 && channels != 4))
      throw error(ErrorKind::type,
                  fmt::format("channels = {} must be the last extent of an array: 1, 2 or 4, after at least one other",
                              channels),
                  span);
    shape.pop_back();
    type.lanes = static_cast<int>(channels);
    type.size *= channels;
  }
  if (!set_channels(type, request)) {
    auto failure =
        error(ErrorKind::type, fmt::format("a texture or surface has no elements of type {}", type.name), span);
    if (type.scalar == Scalar::float64)
      failure.advice = "Convert it: float y[n] = x; or store the bits as int2 and join them with __hiloint2double.";
    else if (type.lanes == 3)
      failure.advice =
          fmt::format("Elements have 1, 2 or 4 channels: use {}4.", type.name.substr(0, type.name.size() - 1));
    else
      failure.advice = "Elements are 8-, 16- or 32-bit integers, half or float, or vectors of 2 or 4 of these.";
    throw failure;
  }
  request.cube = faces;
  if (layers == Layers::by_first_extent || faces != Cube::none) take_layers(shape, request, span);
  if (shape.size() > 3)
    throw error(
        ErrorKind::type,
        fmt::format("a texture or surface has at most three dimensions, but {} has {}", pointer.owner, shape.size()),
        span)
        .advise("With channels = 4, the last extent holds the channels of an element.");
  request.width = shape.back();
  if (shape.size() > 1) request.height = shape[shape.size() - 2];
  if (shape.size() > 2) request.depth = shape.front();
  return request;
}

std::span<const std::string_view> texture_parameters() { return kTextureParameters; }
std::span<const std::string_view> surface_parameters() { return kSurfaceParameters; }

std::vector<std::string_view> texture_choices(std::string_view parameter) {
  if (parameter == "filter") return words_of(kFilters);
  if (parameter == "address") return words_of(kAddresses);
  if (parameter == "read") return words_of(kReads);
  if (parameter == "normalized" || parameter == "layered" || parameter == "gather" || parameter == "cube")
    return {"true", "false"};
  return {};
}

void TextureDeclarations::declare(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto kind = declaration.type.substr(0, declaration.type.find('<'));
  const bool surface = cell::type_word(kind) == cell::TypeWord::surface;
  const auto& name = declarator.name;
  const auto example =
      surface ? fmt::format("surface {}(x);", name) : fmt::format("texture {}(x, filter = linear);", name);
  if (declarator.style != cell::Declarator::Init::parentheses)
    throw error(ErrorKind::type, fmt::format("the array of {} {} is missing", kind, name), declarator.name_span)
        .advise(fmt::format("{} A kernel takes it as a {}.", example,
                            surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t"));
  frame_.streams.forbid_in_capture(fmt::format("a {}", kind), declarator.name_span);
  std::vector<const cell::Expression*> given(std::size(kTextureParameters), nullptr);
  if (declarator.init != nullptr) {
    given[0] = declarator.init.get();
  } else if (surface) {
    const auto bound = language::bind_arguments(frame_.text, kind, declarator.constructor, kSurfaceParameters);
    given[0] = bound[0], given[5] = bound[1], given[7] = bound[2];
  } else {
    given = language::bind_arguments(frame_.text, kind, declarator.constructor, kTextureParameters);
  }
  if (given[0] == nullptr)
    throw error(ErrorKind::type, fmt::format("the array of {} {} is missing", kind, name), declarator.name_span)
        .advise(example);
  const auto truth_of = [&](const cell::Expression* expression, std::string_view what) {
    return expression != nullptr && number(*expression, what).truth();
  };

  const auto value = evaluate(*given[0]);
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr || pointer->shape.empty() || pointer->variable || pointer->memory != nullptr ||
      !is_contiguous(*pointer))
    throw error(ErrorKind::type,
                fmt::format("{} is not an array or a contiguous part of one", snippet(run_.source, given[0]->span)),
                given[0]->span)
        .advise(fmt::format("float x[256][256]; {}", example));
  if (surface && pointer->read_only)
    throw error(ErrorKind::type, fmt::format("{} is const, but a surface may be written", pointer->owner),
                given[0]->span)
        .advise(fmt::format("To read only: texture {}({});", name, pointer->owner));
  const auto channels = given[7] == nullptr ? language::ScalarValue::of(0) : number(*given[7], "channels");
  const bool layered = truth_of(given[5], "layered");
  auto request = texture_of(*pointer, {.layers = layered ? Layers::by_first_extent : Layers::none,
                                       .faces = !truth_of(given[8], "cube") ? Cube::none
                                                : layered                   ? Cube::layers
                                                                            : Cube::one,
                                       .channels = channels.is_negative() ? 0 : channels.as_unsigned(),
                                       .span = given[7] != nullptr ? given[7]->span : given[0]->span});
  request.surface = surface;
  if (declaration.type.find('<') != std::string::npos) check_type(declaration, *pointer, request);
  if (given[1] != nullptr) request.filter = choose(run_, *given[1], "filter", kFilters);
  if (given[4] != nullptr) request.read = choose(run_, *given[4], "read", kReads);
  request.normalized_coordinates = truth_of(given[3], "normalized");
  request.gather = truth_of(given[6], "gather");
  if (given[2] != nullptr) {
    const auto* list = std::get_if<cell::List>(&given[2]->node);
    if (list != nullptr &&
        (list->elements.empty() || list->elements.size() > static_cast<std::size_t>(request.dimensions())))
      throw error(
          ErrorKind::value,
          fmt::format("address has {} modes, but the texture has {}", list->elements.size(), shape_name(request)),
          given[2]->span);
    for (std::size_t i = 0; i < 3; ++i)
      request.address_mode[i] =
          choose(run_, list == nullptr ? *given[2] : *list->elements[std::min(i, list->elements.size() - 1)], "address",
                 kAddresses);
  }
  check_sampler(request, given);
  run_.current = given[0]->span;  // where the device's refusal is reported
  auto object = session_.textures().make(request, pointer->type);
  session_.arrays().undefine_here(name);
  session_.names().declare(name, {Texture{std::move(object), name}, true, run_.source.name});
}

// texture<float> t(x), texture<float, 2> t(x): what is written has to be what the array is.
void TextureDeclarations::check_type(const cell::Declaration& declaration, const Pointer& pointer,
                                     const TextureRequest& request) {
  const auto open = declaration.type.find('<');
  auto inside = declaration.type.substr(open + 1, declaration.type.rfind('>') - open - 1);
  const auto comma = inside.find(',');
  const std::string element(trim(inside.substr(0, comma)));
  const auto type = session_.code().find_type(run_.source, element, declaration.type_span);
  if (type.scalar != pointer.type.scalar || type.lanes != pointer.type.lanes)
    throw error(ErrorKind::type,
                fmt::format("{} has elements of type {}, not {}", pointer.owner, pointer.type.name, element),
                declaration.type_span)
        .advise("Leave the type out: texture t(x);");
  if (comma == std::string::npos) return;
  const std::string extent(trim(inside.substr(comma + 1)));
  if (extent != std::to_string(request.dimensions()))
    throw error(ErrorKind::type,
                fmt::format("{} makes a texture of {}, not {}", pointer.owner, shape_name(request), extent),
                declaration.type_span)
        .advise("Leave out the dimensions, which are the array's: texture t(x);");
}

// Combinations that CUDA refuses, or that it changes without a word.
void TextureDeclarations::check_sampler(const TextureRequest& request,
                                        const std::vector<const cell::Expression*>& given) {
  const bool floats = request.channel == Channel::floating || request.read == device::ReadMode::normalized_float;
  if (request.read == device::ReadMode::normalized_float &&
      (request.channel_bits == 32 || request.channel == Channel::floating))
    throw error(ErrorKind::value, "read = normalized_float is for integers of 8 or 16 bits", given[4]->span);
  if (request.filter == device::FilterMode::linear && !floats) {
    auto failure = error(ErrorKind::value, "filter = linear needs a texture of floats", given[1]->span);
    throw std::move(failure).advise(request.channel_bits < 32 ? "Add read = normalized_float: 0 to 255 become 0 to 1."
                                                              : "Convert the array: float y[n] = x;");
  }
  for (int i = 0; i < request.dimensions(); ++i) {
    const bool repeats =
        request.address_mode[i] == device::AddressMode::wrap || request.address_mode[i] == device::AddressMode::mirror;
    if (repeats && !request.normalized_coordinates && request.cube == Cube::none)
      throw error(ErrorKind::value, "address = wrap and address = mirror need normalized coordinates", given[2]->span)
          .advise("Add normalized = true: coordinates then run from 0 to 1.");
  }
  if (given[8] != nullptr && given[3] != nullptr && !request.normalized_coordinates && request.cube != Cube::none)
    throw error(ErrorKind::value, "a cube map is read by a direction, which is always normalized", given[3]->span);
  if (request.gather && (request.dimensions() != 2 || request.layers > 0))
    throw error(ErrorKind::value, "gather = true needs a texture of two dimensions", given[6]->span);
}

}  // namespace xcuda::interpreter
