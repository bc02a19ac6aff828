// What tells a line of Python from one of C++, and the advice on those that have no counterpart here.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::language {

bool is_python(std::string_view line);   // a line that cannot be meant as C++
bool is_comment(std::string_view line);  // "# what it does", which C++ takes for a directive
bool is_timed(std::string_view line);    // %time x @ y, %timeit -n 10 x @ y
// Where the statement of %time begins, after its options.
std::size_t end_of_timing(std::string_view line);
// The function of numbers that a cell with def f(x): or f = lambda x: is; what to write where a line of it has no
// counterpart. Empty: the cell is something else.
std::string function_of_python(std::string_view cell);
// Of an error in def f(x):, @cuda.jit, SourceModule("...") and their like, and the line that it is in: the definition
// here, or where to write it.
std::string advice_on_python(std::string_view cell, std::string_view line);

}  // namespace xcuda::language
