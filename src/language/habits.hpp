// The one table of habits from elsewhere, and of what to write here: of pasted CUDA and C++, of NumPy, CuPy, PyTorch,
// Thrust, and of IPython. tests/process runs each row: the habit is answered with the advice, and the advised lines run
// and give what the habit does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace xcuda::language {

struct Habit {
  enum class Kind : std::uint8_t {
    name,      // of CUDA or C++: a type, an object, a function; its template arguments do not count
    word,      // of another language, where a value is expected
    function,  // f(x), module.f(x), thrust::f(x), x.f, x.f()
    member,    // x.f and x.f() alone; before the functions
    range,     // std::f(x.begin(), x.end(), v, w), thrust::f(x, x + n, v, w); before the functions
    command,   // %f or %%f
    numpy,     // np.f(x, y): another name, or an expression of the arguments
    shell,     // a line of the shell that begins with f
  };
  Kind kind;
  std::string_view owner;  // where it is from
  std::string_view names;  // between blanks
  // The message. {0} is the array where there is one, {1} and {2} are v and w of a range.
  std::string_view advice;
  std::string_view written;  // a cell with the habit, after float x[6] = {3, 1, 2, 6, 5, 4}, y[6] = 1;
  // What the advice says, and asserts; empty where this machine cannot run it. For numpy and shell, the first line is
  // the advice.
  std::string_view instead;
};

const std::vector<Habit>& habits();
std::span<const Habit> habits_of_numpy();  // parts of them
std::span<const Habit> habits_of_libraries();
const Habit* find_habit(Habit::Kind kind, std::string_view name);  // nullptr when there is none
std::vector<std::string_view> names_of(const Habit& habit);

}  // namespace xcuda::language
