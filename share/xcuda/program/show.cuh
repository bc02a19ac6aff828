// --- What the notebook shows, as its text
// -------------------------------------------------------------------------------
#include <charconv>
#include <limits>

namespace xcuda {

// Of a floating type: the powers of ten from which an array is written with exponents.
template <class T> constexpr double exponents_above = sizeof(T) == 8 ? 1e8 : sizeof(T) == 4 ? 1e6 : 1e3;
template <class T> constexpr bool is_floating = !std::is_integral_v<T>;  // half and bfloat16, too
template <class T> double number(T x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}
template <class T> std::string type_name() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  else if constexpr (sizeof(T) > 2)
    return "float" + std::to_string(8 * sizeof(T));
  else
    return static_cast<float>(static_cast<T>(257.0f)) == 257.0f ? "float16" : "bfloat16";
}

template <class... Format> std::string to_text(Format... format) {
  char buffer[512];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, format...).ptr};
}
// |x| = d.ddd x 10^exponent, with the fewest digits that tell x from its neighbours.
struct Decimal {
  std::string digits;
  int exponent;
  explicit Decimal(const std::string& scientific) : exponent(std::atoi(scientific.c_str() + scientific.find('e') + 1)) {
    for (const char c : scientific.substr(0, scientific.find('e')))
      if (c != '.') digits += c;
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  }
};
template <class T> Decimal decimal(T x) {
  if constexpr (std::is_floating_point_v<T>) return Decimal(to_text(std::abs(x), std::chars_format::scientific));
  const float size = std::abs(static_cast<float>(x));
  for (int digits = 0;; ++digits) {
    const auto text = to_text(size, std::chars_format::scientific, digits);
    if (static_cast<float>(static_cast<T>(std::strtof(text.c_str(), nullptr))) == size || digits == 8)
      return Decimal(text);
  }
}
struct Parts {  // around the point; whole has the sign
  std::string whole, fraction, exponent;
};
template <class T> Parts positional(T x, int precision) {
  const Decimal d = decimal(x);
  Parts parts;
  const int size = static_cast<int>(d.digits.size());
  if (d.digits != "0" && size - 1 - d.exponent > precision) {
    const auto text = to_text(std::abs(number(x)), std::chars_format::fixed, precision);
    parts = {text.substr(0, text.find('.')), precision > 0 ? text.substr(text.find('.') + 1) : "", ""};
    while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.pop_back();
  } else if (d.exponent < 0) {
    parts = {"0", std::string(static_cast<size_t>(-d.exponent - 1), '0') + d.digits, ""};
  } else {
    parts.whole = d.digits.substr(0, static_cast<size_t>(d.exponent + 1));
    parts.whole.resize(static_cast<size_t>(d.exponent + 1), '0');
    if (size > d.exponent + 1) parts.fraction = d.digits.substr(static_cast<size_t>(d.exponent + 1));
  }
  if (std::signbit(number(x))) parts.whole = "-" + parts.whole;
  return parts;
}
template <class T> Parts scientific(T x, int precision) {
  Decimal d = decimal(x);
  if (static_cast<int>(d.digits.size()) > precision + 1)
    d = Decimal(to_text(std::abs(number(x)), std::chars_format::scientific, precision));
  char exponent[16];
  std::snprintf(exponent, sizeof exponent, "%c%02d", d.exponent < 0 ? '-' : '+', std::abs(d.exponent));
  return {(std::signbit(number(x)) ? "-" : "") + d.digits.substr(0, 1), d.digits.substr(1), exponent};
}

template <class T> std::string text_of(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x ? "true" : "false";
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(x);
  else {
    const double value = number(x);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (value == 0 || (std::abs(value) >= number(static_cast<T>(1e-4f)) && std::abs(value) < 1e16)) {
      const Parts p = positional(x, 400);
      return p.whole + "." + (p.fraction.empty() ? "0" : p.fraction);
    }
    const Parts p = scientific(x, 20);
    return p.whole + (p.fraction.empty() ? "" : ".") + p.fraction + "e" + p.exponent;
  }
}

inline std::string padded(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// All in one format, so that their points line up.
template <class T> std::vector<std::string> column(const std::vector<T>& values) {
  std::vector<std::string> texts;
  size_t width = 0;
  if constexpr (!is_floating<T>) {
    for (const T x : values) {
      texts.push_back(std::is_same_v<T, bool> ? (x ? "True" : "False") : std::to_string(x));
      width = std::max(width, std::is_same_v<T, bool> ? 5 : texts.back().size());
    }
    for (auto& text : texts) text = padded(text, width);
    return texts;
  } else {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (const T x : values)
      if (const double size = std::abs(number(x)); std::isfinite(size) && size != 0)
        largest = std::max(largest, size), smallest = std::min(smallest, size);
    const bool exponents = largest != 0 && (largest >= exponents_above<T> || smallest < number(static_cast<T>(1e-4)) ||
                                            number(static_cast<T>(largest / smallest)) > 1000);
    std::vector<Parts> parts;
    size_t fraction = 0, exponent = 0, special = 0;
    for (const T x : values) {
      const double value = number(x);
      if (!std::isfinite(value)) {
        parts.push_back({std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf", "", ""});
        special = std::max(special, parts.back().whole.size());
        continue;
      }
      parts.push_back(exponents ? scientific(x, 8) : positional(x, 8));
      width = std::max(width, parts.back().whole.size());
      fraction = std::max(fraction, parts.back().fraction.size());
      exponent = std::max(exponent, parts.back().exponent.size());
    }
    const size_t after = 1 + fraction + (exponent == 0 ? 0 : 1 + exponent);
    if (special > width + after) width = special - after;
    for (size_t i = 0; i < values.size(); ++i) {
      auto& p = parts[i];
      if (!std::isfinite(number(values[i]))) {
        texts.push_back(padded(p.whole, width + after));
      } else if (exponents && p.exponent == "+00") {  // -1, not -1.e+00
        texts.push_back(padded(p.whole, width) + (p.fraction.empty() ? "" : "." + p.fraction));
        texts.back().resize(width + after, ' ');
      } else if (exponents) {
        const auto exact =
            to_text(std::abs(number(values[i])), std::chars_format::scientific, static_cast<int>(fraction));
        const auto e = exact.find('e');
        p.whole.back() = exact[0];
        const auto digits = exact.substr(e + 2);
        texts.push_back(padded(p.whole, width) + "." + (fraction == 0 ? "" : exact.substr(2, fraction)) +
                        exact.substr(e, 2) + std::string(exponent - 1 - std::min(exponent - 1, digits.size()), '0') +
                        digits);
      } else {
        p.fraction.resize(fraction, ' ');
        texts.push_back(padded(p.whole, width) + "." + p.fraction);
      }
    }
    return texts;
  }
}

// About as many elements as fill a page of 20 lines with 120 columns.
template <class T> constexpr size_t page_of() {
  if constexpr (requires { T().imag(); })
    return 20 * (120 / (sizeof(T) == 8 ? 26 : 40));
  else if constexpr (!std::is_arithmetic_v<T> && sizeof(T) != 2)
    return 20;
  else if constexpr (std::is_integral_v<T>)
    return 20 * (120 / (sizeof(T) == 1 ? 5 : 8));
  else
    return 20 * (120 / (sizeof(T) == 2 ? 8 : 12));
}

// Nested brackets; a summary has the first and last three elements along each axis.
class Brackets {
 public:
  Brackets(const Shape& shape, bool summarised) : shape_(shape), summarised_(summarised) {}
  template <class Take>
  void visit(const Take& take, int d = 0, size_t first = 0) const {  // linear indices of what is shown
    if (d == shape_.rank) return take(first);
    for (size_t i = 0; i < shape_.extent[d]; ++i) {
      if (gap(d) && i == 3) i = shape_.extent[d] - 3;
      visit(take, d + 1, first * shape_.extent[d] + i);
    }
  }
  std::string text(const std::vector<std::string>& elements) {
    next_ = 0;
    return "[" + axis(elements, 0, " ", 120) + "]";
  }

 private:
  bool gap(int d) const { return summarised_ && shape_.extent[d] > 6; }
  std::string axis(const std::vector<std::string>& elements, int d, const std::string& indent, size_t width) {
    std::string text;
    size_t column = indent.size();
    const auto add = [&](const std::string& item) {
      if (d + 1 < shape_.rank) {
        text += (text.empty() ? "" : std::string(static_cast<size_t>(shape_.rank - d - 1), '\n') + indent) + item;
      } else {  // the last axis is wrapped
        if (column > indent.size() && column + 1 + item.size() > width) {
          text.erase(text.find_last_not_of(' ') + 1);
          text += "\n" + indent;
          column = indent.size();
        } else if (column > indent.size()) {
          text += ' ';
        }
        text += item;
        column += item.size() + 1;
      }
    };
    for (size_t i = 0; i < shape_.extent[d]; ++i) {
      if (gap(d) && i == 3) {
        add("...");
        i = shape_.extent[d] - 3;
      }
      add(d + 1 < shape_.rank ? "[" + axis(elements, d + 1, indent + " ", width - 1) + "]" : elements[next_++]);
    }
    return text;
  }
  const Shape shape_;
  const bool summarised_;
  size_t next_ = 0;
};

// "1,000".
inline std::string count_text(size_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

inline std::string size_text(size_t bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1024 && unit < 4) size /= 1024, ++unit;
  if (unit == 0 || size >= 999.95) return count_text(static_cast<size_t>(std::llround(size))) + kUnits[unit];
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%s", size, kUnits[unit]);
  return text;
}

// "x: float32, 2 × 3, 24 B, NVIDIA H200", minimum, maximum, mean and deviation, and the elements.
template <class T> void show(const char* name, const Array<T>& array) {
  std::vector<unsigned char> bytes(array.bytes());
  check(cudaMemcpy(bytes.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost), "reading an array");
  const auto at = [&](size_t i) {
    T x;
    std::memcpy(&x, bytes.data() + i * sizeof(T), sizeof x);
    return x;
  };
  const Shape& shape = array.shape();
  std::string extents;
  for (int d = 0; d < shape.rank; ++d) extents += (d == 0 ? "" : " \u00d7 ") + count_text(shape.extent[d]);
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "asking for the device");
  std::printf("%s%s%s, %s, %s, %s\n", name, *name == 0 ? "" : ": ", type_name<T>().c_str(), extents.c_str(),
              size_text(array.bytes()).c_str(), device.name);
  size_t finite = 0, nans = 0, infinities = 0;
  T least = T(), most = T();
  double mean = 0, squares = 0;
  for (size_t i = 0; i < array.count(); ++i) {
    const T x = at(i);
    const double value = number(x);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    if (std::isinf(value)) {
      ++infinities;
      continue;
    }
    if (finite == 0 || value < number(least)) least = x;
    if (finite == 0 || value > number(most)) most = x;
    const double step = value - mean;
    mean += step / static_cast<double>(++finite);
    squares += step * (value - mean);
  }
  if constexpr (std::is_same_v<T, bool>)
    std::printf("%.0f of %zu true", std::round(mean * static_cast<double>(finite)), finite);
  else if (finite > 0)
    std::printf("min %s, max %s, mean %.6g, std %.6g", text_of(least).c_str(), text_of(most).c_str(), mean,
                std::sqrt(squares / static_cast<double>(finite)));
  if (nans > 0) std::printf("%s%zu NaN", finite > 0 ? ", " : "", nans);
  if (infinities > 0) std::printf("%s%zu inf", finite + nans > 0 ? ", " : "", infinities);
  Brackets brackets(shape, shape.count() > page_of<T>());
  std::vector<T> shown;
  brackets.visit([&](size_t i) { shown.push_back(at(i)); });
  std::printf("\n%s\n", brackets.text(column(shown)).c_str());
}
template <class E>
requires requires(const E& x) { lazy(x); }
void show(const char* name, const E& expression) { show(name, make_array(expression)); }
template <class T> void show(T value) { std::printf("%s\n", text_of(value).c_str()); }

}  // namespace xcuda
