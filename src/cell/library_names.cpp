#include "cell/library_names.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/type_word.hpp"

namespace xcuda::cell {
namespace {

struct LibraryHeader {
  std::string_view header;
  std::string_view names;  // between blanks
};

constexpr LibraryHeader kHeaders[] = {
    {"utility", " pair make_pair exchange as_const to_underlying "},
    {"tuple", " tuple make_tuple tuple_cat get tuple_size tuple_size_v tuple_element tuple_element_t "},
    {"array", " array to_array "},
    {"chrono", " chrono ratio "},
    {"span", " span "},
    {"mdspan", " mdspan extents dextents "},
    {"bit",
     " popcount countl_zero countr_zero countl_one countr_one bit_width has_single_bit bit_ceil bit_floor rotl rotr "
     "bit_cast "},
    {"algorithm", " minmax "},
    {"iterator", " reverse_iterator make_reverse_iterator "},
    {"complex", " polar norm proj "},
    {"random",
     " mt19937 mt19937_64 minstd_rand minstd_rand0 default_random_engine random_device uniform_int_distribution "
     "uniform_real_distribution normal_distribution exponential_distribution bernoulli_distribution "
     "mersenne_twister_engine linear_congruential_engine generate_canonical "},
    {"type_traits",
     " is_same is_same_v is_integral is_integral_v is_floating_point is_floating_point_v is_arithmetic is_arithmetic_v "
     "is_signed is_signed_v is_unsigned is_unsigned_v is_pointer is_pointer_v is_class is_class_v is_enum is_enum_v "
     "is_base_of is_base_of_v is_convertible is_convertible_v is_trivially_copyable is_trivially_copyable_v "},
};

// Names that device code has, too, once it includes their headers: for lambdas of statements, which need no include.
constexpr LibraryHeader kOfDeviceCode[] = {
    {"cmath",
     " abs fabs sqrt cbrt pow exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh "
     "asinh "
     "acosh atanh floor ceil trunc round lround llround nearbyint rint fmin fmax fdim fmod fma hypot erf erfc tgamma "
     "lgamma isnan isinf isfinite isnormal signbit copysign remainder ldexp frexp modf ilogb logb scalbn nextafter "},
    {"algorithm", " min max clamp "},
    {"utility", " swap move forward "},
    {"functional",
     " plus minus multiplies divides modulus negate less greater less_equal greater_equal equal_to not_equal_to "
     "logical_and logical_or logical_not bit_and bit_or bit_xor bit_not identity "},
    {"limits", " numeric_limits "},
    {"numeric", " gcd lcm midpoint "},
};

struct LibraryName {
  std::string_view name, header;
};

constexpr LibraryName kOfC[] = {{"timeval", "sys/time.h"}, {"timezone", "sys/time.h"}, {"timespec", "time.h"}};

// Algorithms whose names no function of the language has.
constexpr LibraryHeader kAlgorithms[] = {
    {"algorithm",
     " accumulate adjacent_difference adjacent_find all_of any_of binary_search copy_if copy_n count_if "
     "equal_range exclusive_scan fill_n find_if for_each generate generate_n inclusive_scan inner_product "
     "iota is_sorted lower_bound max_element min_element minmax_element none_of nth_element partial_sort "
     "partial_sum next_permutation remove_if replace_if stable_sort swap_ranges transform transform_reduce "
     "upper_bound make_optional set_union set_difference stable_partition "},
};

// Functions of C's library that device code has, and that change what they are given.
constexpr std::string_view kCompiled[] = {"frexp", "frexpf", "modf", "modff", "remquo", "remquof", "sincos", "sincosf"};

constexpr std::string_view kOfHost[] = {
    "cout",         "cerr",          "clog",       "endl",        "flush",       "ends",          "setw",
    "setprecision", "setfill",       "fixed",      "scientific",  "hexfloat",    "hex",           "defaultfloat",
    "dec",          "oct",           "boolalpha",  "noboolalpha", "showpos",     "noshowpos",     "showpoint",
    "noshowpoint",  "showbase",      "noshowbase", "uppercase",   "nouppercase", "unitbuf",       "string",
    "getline",      "left",          "right",      "internal",    "function",    "back_inserter", "nullopt",
    "nullopt_t",    "make_optional", "in_place",   "string_view"};

std::string_view header_in(std::span<const LibraryHeader> headers, std::string_view name) {
  if (name.empty()) return {};
  for (const auto& row : headers)
    for (auto at = row.names.find(name); at != std::string_view::npos; at = row.names.find(name, at + 1))
      if (row.names[at - 1] == ' ' && row.names[at + name.size()] == ' ') return row.header;
  return {};
}

// The header for a name of the library; empty: statements have none.
std::string_view header_of(std::string_view name) { return header_in(kHeaders, name); }

// What comes after "std::" or "cuda::std::" at the beginning; empty when the text begins otherwise.
std::string_view after_std(std::string_view text) {
  for (const std::string_view scope : {"::", "cuda::", "std::"}) {
    if (text.starts_with(scope))
      text.remove_prefix(scope.size());
    else if (scope == "std::")
      return {};
  }
  return text;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of("<:(")); }

struct ContainerRow {
  std::string_view name;
  ContainerKind kind;
  bool of_plain = true;  // also where its elements are numbers or structs
};
constexpr ContainerRow kContainers[] = {
    {"vector", ContainerKind::vector, false},
    {"array", ContainerKind::array, false},
    {"pair", ContainerKind::pair, false},
    {"tuple", ContainerKind::pair, false},
    {"deque", ContainerKind::deque},
    {"list", ContainerKind::list},
    {"queue", ContainerKind::queue},
    {"stack", ContainerKind::stack},
    {"priority_queue", ContainerKind::priority_queue},
    {"set", ContainerKind::set},
    {"multiset", ContainerKind::multiset},
    {"unordered_set", ContainerKind::unordered_set},
    {"map", ContainerKind::map},
    {"multimap", ContainerKind::multimap},
    {"unordered_map", ContainerKind::unordered_map},
    {"optional", ContainerKind::optional},
};
constexpr std::string_view kTextStreams[] = {"istringstream", "ostringstream", "stringstream"};

const ContainerRow* row_of(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kContainers), std::end(kContainers), [&](const auto& row) { return row.name == name; });
  return found == std::end(kContainers) ? nullptr : found;
}

}  // namespace

std::vector<std::string_view> library_headers(std::string_view text) {
  std::vector<std::string_view> headers;
  const auto add = [&](std::string_view header) {
    if (std::find(headers.begin(), headers.end(), header) == headers.end()) headers.push_back(header);
  };
  const auto tokens = tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (const auto& row : kOfC)
      if (tokens[i].is(row.name)) add(row.header);
    if (i + 2 >= tokens.size() || !tokens[i].is("std") || !tokens[i + 1].is("::")) continue;
    for (const auto header : {header_of(tokens[i + 2].text), header_in(kOfDeviceCode, tokens[i + 2].text)})
      if (!header.empty()) add(header);
  }
  return headers;
}

std::string library_includes(std::string_view text) {
  std::string lines;
  for (const auto header : library_headers(text)) lines += "#include <" + std::string(header) + ">\n";
  return lines;
}

bool is_library_name(std::string_view name) { return !header_of(first_word(after_std(name))).empty(); }

bool is_algorithm_of_std(std::string_view name) { return !header_in(kAlgorithms, name).empty(); }

bool is_library_function(std::string_view name) {
  const auto word = name.starts_with("std::") ? name.substr(5) : name;
  return among(word, kCompiled) || is_library_name(name);
}

bool is_made_of_zeros(std::string_view type) { return header_of(first_word(after_std(type))) != "random"; }

bool is_host_library_name(std::string_view name) {
  const auto word = first_word(after_std(name));
  const bool of_devices_too = word == "array" || word == "pair" || word == "tuple";
  return among(word, kOfHost) || (is_container_name(word) && !of_devices_too);
}

bool is_library_array(std::string_view type) { return first_word(after_std(type)) == "array"; }

bool is_library_view(std::string_view type) {
  const auto name = first_word(after_std(type));
  return name == "span" || name == "mdspan";
}

bool has_library_operators(std::string_view type) { return first_word(after_std(type)) == "reverse_iterator"; }

bool is_library_tuple(std::string_view type) { return first_word(after_std(type)) == "tuple"; }

std::vector<std::string_view> template_arguments(std::string_view type) {
  std::vector<std::string_view> arguments;
  const auto open = type.find('<');
  if (open == std::string_view::npos) return arguments;
  std::size_t depth = 0, begin = open + 1;
  for (auto at = open; at < type.size(); ++at) {
    const char c = type[at];
    if (c == '<' || c == '(') ++depth;
    const bool closes = c == '>' || c == ')';
    if ((c == ',' && depth == 1) || (closes && depth == 1)) {
      arguments.push_back(trim(type.substr(begin, at - begin)));
      begin = at + 1;
    }
    if (closes && --depth == 0) break;
  }
  if (arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  return arguments;
}

bool is_callable_type(std::string_view type) { return type.starts_with("std::function<"); }

std::string_view vector_element(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (first_word(after_std(type)) != "vector") return {};
  const auto arguments = template_arguments(type);
  const bool plain = arguments.size() == 1 && !is_of_host(arguments.front()) && !is_callable_type(arguments.front());
  return plain ? arguments.front() : std::string_view();
}

std::vector<std::string> library_members(std::string_view type) {
  const auto name = first_word(after_std(type));
  if (name == "pair") return {"first", "second"};
  if (type == "timeval") return {"tv_sec", "tv_usec"};  // of C's
  if (type == "timespec") return {"tv_sec", "tv_nsec"};
  if (type == "CUuuid_st" || type == "cudaUUID_t") return {"bytes"};
  if (type == "cudaMemLocation") return {"type", "id"};  // of the CUDA Runtime
  if (type == "cudaKernelNodeParams") return {"func", "gridDim", "blockDim", "sharedMemBytes", "kernelParams", "extra"};
  if (type == "cudaMemsetParams") return {"dst", "pitch", "value", "elementSize", "width", "height"};
  if (type == "cudaHostNodeParams") return {"fn", "userData"};
  if (type == "cudaLaunchConfig_t" || type == "cudaLaunchConfig_st")
    return {"gridDim", "blockDim", "dynamicSmemBytes", "stream", "attrs", "numAttrs"};
  if (type == "cudaLaunchAttribute" || type == "cudaLaunchAttribute_st") return {"id", "val"};
  if (type == "cudaLaunchAttributeValue")
    return {
        "cooperative", "clusterDim",   "clusterSchedulingPolicyPreference", "programmaticStreamSerializationAllowed",
        "priority",    "memSyncDomain"};
  if (type == "decltype(cudaLaunchAttributeValue::clusterDim)") return {"x", "y", "z"};
  if (type == "cudaExtent") return {"width", "height", "depth"};
  if (type == "cudaPos") return {"x", "y", "z"};
  if (type == "cudaPitchedPtr") return {"ptr", "pitch", "xsize", "ysize"};
  if (type == "cudaMemcpy3DParms")
    return {"srcArray", "srcPos", "srcPtr", "dstArray", "dstPos", "dstPtr", "extent", "kind"};
  if (type == "cudaPointerAttributes") return {"type", "device", "devicePointer", "hostPointer"};
  if (type == "cudaFuncAttributes")
    return {"sharedSizeBytes",
            "constSizeBytes",
            "localSizeBytes",
            "maxThreadsPerBlock",
            "numRegs",
            "ptxVersion",
            "binaryVersion",
            "cacheModeCA",
            "maxDynamicSharedSizeBytes",
            "preferredShmemCarveout",
            "clusterDimMustBeSet",
            "requiredClusterWidth",
            "requiredClusterHeight",
            "requiredClusterDepth",
            "clusterSchedulingPolicyPreference",
            "nonPortableClusterSizeAllowed"};
  if (is_library_array(type)) return {"elements"};
  return {};
}

std::string_view record_name(std::string_view type) {
  type = trim(type);
  if (type.starts_with("const ")) type.remove_prefix(6);
  const bool own = type.starts_with(kRecord) && !type.ends_with('*') && !type.ends_with('&') && !type.ends_with(']');
  return own ? type.substr(kRecord.size()) : std::string_view();
}

std::optional<ContainerType> container_type(std::string_view type) {
  type = trim(type);
  if (!record_name(type).empty()) return ContainerType{ContainerKind::record, {}};
  for (const std::string_view word : {"const ", "::"})
    if (type.starts_with(word)) type.remove_prefix(word.size());
  if (!type.starts_with("std::")) return std::nullopt;
  type.remove_prefix(5);
  if (among(type, kTextStreams)) return ContainerType{ContainerKind::text_stream, {}};
  const auto open = type.find('<');
  const auto* row = open == type.npos || !type.ends_with('>') ? nullptr : row_of(type.substr(0, open));
  if (row == nullptr) return std::nullopt;
  ContainerType container{row->kind, {}};
  for (const auto argument : template_arguments(type)) container.arguments.emplace_back(argument);
  const bool map = container.is(kMaps);
  if (container.arguments.size() < (map ? 2u : 1u)) return std::nullopt;
  if (row->kind == ContainerKind::vector || row->kind == ContainerKind::array) {
    const auto& element = container.arguments.front();
    const bool functions = row->kind == ContainerKind::vector && is_callable_type(element);
    if (!functions && !is_of_host(element)) return std::nullopt;
  } else if (!row->of_plain &&
             std::none_of(container.arguments.begin(), container.arguments.end(),
                          [](const auto& one) { return is_of_host(one) || !vector_element(one).empty(); })) {
    return std::nullopt;
  }
  return container;
}

bool is_of_host(std::string_view type) {
  type = trim(type);
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.ends_with('*') || type.ends_with('&')) return false;
  return type_word(type) == TypeWord::text || container_type(type).has_value() || !vector_element(type).empty();
}

bool is_container_name(std::string_view name) { return row_of(name) != nullptr || among(name, kTextStreams); }

}  // namespace xcuda::cell
