#include "base/type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <vector>

#include "base/type_names.hpp"

namespace xcuda {
namespace {

struct Named {
  std::string_view spelling;
  std::string_view name;
  Scalar scalar;
};

// One-word spellings; the name is what NVRTC is given.
constexpr Named kNamed[] = {
    {"bool", "bool", Scalar::boolean},
    {"float", "float", Scalar::float32},
    {"double", "double", Scalar::float64},
    {"half", "__half", Scalar::float16},
    {"__half", "__half", Scalar::float16},
    {"bfloat16", "__nv_bfloat16", Scalar::bfloat16},
    {"__nv_bfloat16", "__nv_bfloat16", Scalar::bfloat16},
    {"nv_bfloat16", "__nv_bfloat16", Scalar::bfloat16},
    {"int8_t", "signed char", Scalar::int8},
    {"int16_t", "short", Scalar::int16},
    {"int32_t", "int", Scalar::int32},
    {"int64_t", "long", Scalar::int64},
    {"uint8_t", "unsigned char", Scalar::uint8},
    {"uint16_t", "unsigned short", Scalar::uint16},
    {"uint32_t", "unsigned int", Scalar::uint32},
    {"uint64_t", "unsigned long", Scalar::uint64},
    {"size_t", "unsigned long", Scalar::uint64},
    {"ssize_t", "long", Scalar::int64},
    {"ptrdiff_t", "long", Scalar::int64},
    {"clock_t", "long", Scalar::int64},
    {"time_t", "long", Scalar::int64},
    {"cudaError_t", "int", Scalar::int32},
    {"cudaError", "int", Scalar::int32},
    {"cudaComputeMode", "int", Scalar::int32},
    {"cudaMemPool_t", "unsigned long", Scalar::uint64},
    {"cudaGraph_t", "unsigned long", Scalar::uint64},
    {"cudaGraphExec_t", "unsigned long", Scalar::uint64},
    {"cudaGraphNode_t", "unsigned long", Scalar::uint64},
    {"CUgraph_st*", "unsigned long", Scalar::uint64},  // as members of structs have them
    {"CUgraphExec_st*", "unsigned long", Scalar::uint64},
    {"CUgraphNode_st*", "unsigned long", Scalar::uint64},
    {"CUmemPoolHandle_st*", "unsigned long", Scalar::uint64},
    {"intptr_t", "long", Scalar::int64},
    {"uintptr_t", "unsigned long", Scalar::uint64},
    {"uchar", "unsigned char", Scalar::uint8},
    {"ushort", "unsigned short", Scalar::uint16},
    {"uint", "unsigned int", Scalar::uint32},
    {"ulong", "unsigned long", Scalar::uint64},
    {"complex<float>", "cuda::std::complex<float>", Scalar::complex64},
    {"complex<double>", "cuda::std::complex<double>", Scalar::complex128},
};

struct VectorBase {
  std::string_view prefix;
  Scalar scalar;
};
constexpr VectorBase kVectors[] = {
    {"char", Scalar::int8},  {"uchar", Scalar::uint8},  {"short", Scalar::int16},    {"ushort", Scalar::uint16},
    {"int", Scalar::int32},  {"uint", Scalar::uint32},  {"longlong", Scalar::int64}, {"ulonglong", Scalar::uint64},
    {"long", Scalar::int64}, {"ulong", Scalar::uint64}, {"float", Scalar::float32},  {"double", Scalar::float64},
};

Type make(std::string_view name, Scalar scalar) {
  const std::size_t size = size_of(scalar);
  return {std::string(name), size, size, scalar, 1};
}

// "unsigned long long int" and its permutations.
std::optional<Type> find_integer(std::span<const std::string_view> words) {
  int longs = 0, shorts = 0, ints = 0, chars = 0, is_signed = 0, is_unsigned = 0;
  for (const auto word : words) {
    if (word == "long")
      ++longs;
    else if (word == "short")
      ++shorts;
    else if (word == "int")
      ++ints;
    else if (word == "char")
      ++chars;
    else if (word == "signed")
      ++is_signed;
    else if (word == "unsigned")
      ++is_unsigned;
    else
      return std::nullopt;
  }
  const bool sound = longs <= 2 && shorts <= 1 && ints <= 1 && chars <= 1 && is_signed + is_unsigned <= 1 &&
                     (longs > 0) + shorts + chars <= 1 && !(chars > 0 && ints > 0);
  if (words.empty() || !sound) return std::nullopt;
  const bool u = is_unsigned > 0;
  if (chars > 0) {
    if (u) return make("unsigned char", Scalar::uint8);
    return make(is_signed > 0 ? "signed char" : "char", Scalar::int8);
  }
  if (shorts > 0) return u ? make("unsigned short", Scalar::uint16) : make("short", Scalar::int16);
  if (longs == 1) return u ? make("unsigned long", Scalar::uint64) : make("long", Scalar::int64);
  if (longs == 2) return u ? make("unsigned long long", Scalar::uint64) : make("long long", Scalar::int64);
  return u ? make("unsigned int", Scalar::uint32) : make("int", Scalar::int32);
}

std::optional<Type> find_vector(std::string_view word) {
  if (word.size() < 2 || word.back() < '1' || word.back() > '4') return std::nullopt;
  const int lanes = word.back() - '0';
  const auto prefix = word.substr(0, word.size() - 1);
  for (const auto& base : kVectors) {
    if (prefix != base.prefix) continue;
    const std::size_t element = size_of(base.scalar);
    // vector_types.h: 2 and 4 lanes are aligned to their size, at most 16 bytes; 1 and 3 lanes to the element's.
    const std::size_t alignment = lanes % 2 == 0 ? std::min<std::size_t>(16, element * lanes) : element;
    return Type{std::string(word), element * lanes, alignment, base.scalar, lanes};
  }
  if (word == "half2") return Type{"__half2", 4, 4, Scalar::float16, 2};
  return std::nullopt;
}

// float, std::complex<float>, float4; nothing for int and its kin, whose words may be several.
std::optional<Type> find_word(std::string_view word) {
  for (const std::string_view scope : {"::", "cuda::", "std::"})
    if (word.starts_with(scope)) word.remove_prefix(scope.size());
  for (const auto& named : kNamed)
    if (word == named.spelling) {
      auto type = make(named.name, named.scalar);
      if (type.scalar == Scalar::complex64 || type.scalar == Scalar::complex128) type.alignment = type.size;
      if (named.spelling != named.name) type.written = named.spelling;
      return type;
    }
  return find_vector(word);
}

}  // namespace

bool Type::is_integer() const { return lanes == 1 && scalar >= Scalar::boolean && scalar <= Scalar::uint64; }
bool Type::is_floating() const { return lanes == 1 && scalar >= Scalar::float16 && scalar <= Scalar::float64; }
bool Type::is_complex() const { return lanes == 1 && (scalar == Scalar::complex64 || scalar == Scalar::complex128); }

std::size_t size_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::none: return 0;
    case Scalar::boolean:
    case Scalar::int8:
    case Scalar::uint8: return 1;
    case Scalar::int16:
    case Scalar::uint16:
    case Scalar::float16:
    case Scalar::bfloat16: return 2;
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::float32: return 4;
    case Scalar::int64:
    case Scalar::uint64:
    case Scalar::float64:
    case Scalar::complex64: return 8;
    case Scalar::complex128: return 16;
  }
  return 0;
}

Type type_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::int8: return make("signed char", scalar);
    case Scalar::int64: return make("long", scalar);
    case Scalar::uint64: return make("unsigned long", scalar);
    case Scalar::none: return {};
    default:
      for (const auto& named : kNamed)
        if (named.scalar == scalar) return make(named.name, scalar);
      return {};
  }
}

std::optional<Type> find_type(std::string_view spelling) {
  if (spelling.find_first_of(" \t\n\r\v\f<>") == spelling.npos) {  // as nearly all are
    if (auto type = find_word(spelling)) return type;
    return find_integer(std::span(&spelling, 1));
  }
  // Split into words; text inside <> stays with its word, blanks there are dropped.
  std::string text;
  int depth = 0;
  for (const char c : spelling) {
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (std::isspace(static_cast<unsigned char>(c)) && depth > 0) continue;
    text.push_back(std::isspace(static_cast<unsigned char>(c)) ? ' ' : c);
  }
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    const auto end = std::min(text.find(' ', i), text.size());
    words.push_back(std::string_view(text).substr(i, end - i));
    i = end;
  }
  std::erase_if(words, [](std::string_view word) { return word == "const" || word == "volatile"; });
  if (words.size() == 2 && words[0] == "long" && words[1] == "double") words = {"double"};  // as in device code
  if (words.size() == 1)
    if (auto type = find_word(words[0])) return type;
  return find_integer(words);
}

namespace {

// "cuda::std::complex<float>" of NVRTC's "cuda::std::__4::complex<float>".
std::string without_inline_namespaces(std::string_view sentence) {
  constexpr std::string_view kOuter = "cuda::std::__";
  std::string text(sentence);
  for (auto at = text.find(kOuter); at != text.npos; at = text.find(kOuter, at + 1)) {
    const auto number = at + kOuter.size();
    const auto end = text.find_first_not_of("0123456789", number);
    if (end != text.npos && end > number && text.compare(end, 2, "::") == 0)
      text.erase(number - 2, end + 2 - (number - 2));
  }
  return text;
}

}  // namespace

std::string with_written_types(std::string_view given) {
  const auto sentence = without_inline_namespaces(given);
  const auto is_part = [&](std::size_t at) {
    return at < sentence.size() && (std::isalnum(static_cast<unsigned char>(sentence[at])) != 0 || sentence[at] == '_');
  };
  std::string text;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto rest = std::string_view(sentence).substr(at);
    const bool begins = at == 0 || (!is_part(at - 1) && sentence[at - 1] != ':');
    const auto* const found = std::find_if(std::begin(kNamed), std::end(kNamed), [&](const Named& one) {
      return begins && one.scalar >= Scalar::float16 && one.spelling != one.name && rest.starts_with(one.name) &&
             (one.name.back() == '>' || !is_part(at + one.name.size()));
    });
    if (found == std::end(kNamed)) {
      text += sentence[at++];
    } else {
      text += found->spelling;  // the first of its spellings
      at += found->name.size();
    }
  }
  return text;
}

std::string dtype_name(const Type& type) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "",       "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",
      "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  if (type.scalar == Scalar::none) return type.name;
  std::string name(kNames[static_cast<std::size_t>(type.scalar)]);
  if (type.lanes > 1) name += "x" + std::to_string(type.lanes);
  return name;
}

bool is_function_pointer(std::string_view spelling) {
  const auto open = spelling.find("(*"), close = spelling.find(')', open);
  return open != std::string_view::npos && spelling.substr(close).starts_with(")(");
}

Type function_pointer() { return {std::string(kFunctionPointer), sizeof(std::uint64_t), alignof(std::uint64_t)}; }

}  // namespace xcuda
