// The headers of C++'s library for names that statements use without an #include: std::pair, std::get, std::chrono.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcuda::cell {

// What new T(1, 2) calls, with a number of elements, their size and their value: a name that no cell can write.
inline constexpr std::string_view kNew = "operator new";
inline constexpr std::string_view kDelete = "operator delete", kDeleteArray = "operator delete[]";
// What throw x and throw; call.
inline constexpr std::string_view kThrow = "operator throw";
// What goto name; and name: call, with the name as a text.
inline constexpr std::string_view kGoto = "operator goto", kLabel = "operator label";

// The headers for the names in the text, each once: "tuple".
std::vector<std::string_view> library_headers(std::string_view text);
std::string library_includes(std::string_view text);  // library_headers() as lines of #include

// Whether a name, with or without template arguments, is a function or a type of these headers: "std::make_pair".
bool is_library_name(std::string_view name);
bool is_algorithm_of_std(std::string_view name);  // accumulate(p, p + n, 0) after using namespace std
bool is_library_function(std::string_view name);  // also those of C: frexp

// Whether an object of a type of these headers that is made without values is zeros: a pair, a duration.
bool is_made_of_zeros(std::string_view type);

bool is_library_array(std::string_view type);  // "std::array<float, 3ul>", whose one member is its elements

// The template arguments of a type: "int" and "float" of "std::tuple<int, float>".
std::vector<std::string_view> template_arguments(std::string_view type);
// What only the host has of std:: and statements know: "std::cout", "std::setw", "std::string".
bool is_host_library_name(std::string_view name);
bool is_callable_type(std::string_view type);  // std::function<float(float)>
// T of a std::vector<T> that is an array which grows; empty for other types, also for vectors of texts and containers.
std::string_view vector_element(std::string_view type);
bool is_library_tuple(std::string_view type);
bool has_library_operators(std::string_view type);  // ++it: by operators of the library
bool is_library_view(std::string_view type);        // a std::span or a std::mdspan

// The members of a type of the library that have names: first and second of a std::pair.
std::vector<std::string> library_members(std::string_view type);

}  // namespace xcuda::cell
