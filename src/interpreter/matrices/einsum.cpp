#include "interpreter/matrices/einsum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arrays/array_math.hpp"
#include "arrays/products.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/given_call_arguments.hpp"

namespace xcuda::interpreter {
namespace {

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

template <class Keep> std::string filtered(const std::string& letters, Keep keep) {
  std::string result;
  for (const char letter : letters)
    if (keep(letter)) result += letter;
  return result;
}

constexpr char kOpen = '.';  // for "..." in subscripts: the axes that have no letters
bool is_of_open(char letter) { return letter >= '0' && letter <= '9'; }  // which they get then, '0' the last one

// In the place of "...", so many axes.
std::string opened(const std::string& letters, std::size_t count) {
  const auto at = letters.find(kOpen);
  if (at == std::string::npos) return letters;
  std::string axes;
  while (count-- > 0) axes += static_cast<char>('0' + count);
  return std::string(letters).replace(at, 1, axes);
}

}  // namespace

// "ij,jk->ik"; without an arrow the output has the letters that occur once, in the order of the alphabet.
Einsum::Subscripts Einsum::read(const std::string& text, const cell::Expression& expression) const {
  const auto fail = [&](const std::string& why) {
    return error(ErrorKind::value, fmt::format("einsum: {} in \"{}\"", why, text), expression.span)
        .advise("Write a letter for each axis: einsum(\"ij,jk->ik\", a, b); ... means the axes without letters.");
  };
  Subscripts subscripts{{""}, {}};
  bool arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
      arrow = true;
      ++i;
    } else if (c == ',' && !arrow) {
      subscripts.inputs.emplace_back();
    } else if (auto& term = arrow ? subscripts.output : subscripts.inputs.back();
               text.compare(i, 3, "...") == 0 && !has(term, kOpen)) {
      term += kOpen;
      i += 2;
    } else if (letter) {
      term += c;
    } else {
      throw fail(fmt::format("unexpected '{}'", c));
    }
  }
  std::map<char, int> counts;
  for (const auto& input : subscripts.inputs)
    for (const char letter : input) ++counts[letter];
  if (!arrow)
    for (const auto& [letter, count] : counts)
      if (count == 1 || letter == kOpen) subscripts.output += letter;  // "..." comes first
  for (const char letter : subscripts.output) {
    if (!counts.contains(letter))
      throw fail(fmt::format("the output has {}, but no input does", letter == kOpen ? "..." : std::string(1, letter)));
    if (std::count(subscripts.output.begin(), subscripts.output.end(), letter) > 1)
      throw fail(fmt::format("the output has {} twice", letter));
  }
  return subscripts;
}

// Axes of one letter become one: the diagonal.
Einsum::Lettered Einsum::input(const std::string& given, const cell::Expression& expression, const FunctionCall& of) {
  const auto node = frame_.call_arguments.array(expression, of);
  const auto whole = node->kind == ArrayNode::Kind::array ? node->array : frame_.arrays.evaluate(node);
  if (!language::kind_of(whole.type))
    throw error(ErrorKind::type,
                fmt::format("einsum() takes numbers, but {} has elements of {}", snippet(run_.source, expression.span),
                            whole.type.name),
                expression.span);
  const auto named = given.size() - (has(given, kOpen) ? 1 : 0);
  if (has(given, kOpen) ? named > whole.shape.size() : named != whole.shape.size())
    throw error(ErrorKind::value,
                fmt::format("einsum: \"{}\" has {} letters, but {} has {} axes",
                            filtered(given, [](char c) { return c != kOpen; }), named,
                            snippet(run_.source, expression.span), whole.shape.size()),
                expression.span);
  const auto strides = strides_of(whole);
  const auto open = whole.shape.size() - named;
  const auto letters = opened(given, open);
  Lettered result{{}, whole, open};
  result.array.shape.clear();
  result.array.strides.clear();
  for (std::size_t d = 0; d < letters.size(); ++d) {
    if (is_of_open(letters[d]) && whole.shape[d] == 1) continue;  // repeated where another input has more
    const auto at = result.letters.find(letters[d]);
    if (at == std::string::npos) {
      result.letters += letters[d];
      result.array.shape.push_back(whole.shape[d]);
      result.array.strides.push_back(strides[d]);
    } else if (result.array.shape[at] == whole.shape[d]) {
      result.array.strides[at] += strides[d];
    } else {
      throw error(ErrorKind::value,
                  fmt::format("einsum: {} is {}, so that {} would be {} and {}", snippet(run_.source, expression.span),
                              fmt::join(whole.shape, " × "), letters[d], result.array.shape[at], whole.shape[d]),
                  expression.span);
    }
  }
  return result;
}

Einsum::Lettered Einsum::without(Lettered one, const std::string& needed) {
  for (auto d = one.letters.size(); d-- > 0;) {
    if (has(needed, one.letters[d])) continue;
    ReduceRequest request;
    request.node = array_node(one.array, run_.current);
    request.reducer = "xcuda::Sum<xcuda_Own>";
    request.axis = d;
    one.array = frame_.arrays.reduce(request);
    one.array.strides = strides_of(one.array);
    one.letters.erase(d, 1);
  }
  return one;
}

Pointer Einsum::arranged(const Lettered& one, const std::string& order) const {
  auto view = one.array;
  view.shape.clear();
  view.strides.clear();
  for (const char letter : order) {
    const auto at = one.letters.find(letter);
    view.shape.push_back(at == std::string::npos ? 1 : one.array.shape[at]);
    view.strides.push_back(at == std::string::npos ? 0 : one.array.strides[at]);
  }
  view.whole = false;
  return view;
}

// As a product of matrices: rows are the letters of the left factor, columns those of the right one. Letters of both
// are batches if they are needed later, and are summed over if not.
Einsum::Lettered Einsum::product(const Lettered& left, const Lettered& right, const std::string& needed,
                                 cell::Span span) {
  const auto batch = filtered(left.letters, [&](char c) { return has(right.letters, c) && has(needed, c); });
  const auto summed = filtered(left.letters, [&](char c) { return has(right.letters, c) && !has(needed, c); });
  const auto rows = filtered(left.letters, [&](char c) { return !has(right.letters, c); });
  const auto columns = filtered(right.letters, [&](char c) { return !has(left.letters, c); });
  Lettered result{batch + rows + columns, {}, 0};
  if (summed.empty()) {
    const auto node = frame_.array_expressions.combine(
        cell::BinaryOperator::multiply,
        {array_node(arranged(left, result.letters), span), array_node(arranged(right, result.letters), span)}, span);
    result.array = frame_.arrays.evaluate(node);
    result.array.strides = strides_of(result.array);
    return result;
  }
  const auto extents = [](const Lettered& one, const std::string& letters) {
    Shape shape;
    for (const char letter : letters) shape.push_back(one.array.shape[one.letters.find(letter)]);
    return shape;
  };
  // Several letters in the place of one axis need them in one piece.
  const auto matrix = [&](const Lettered& one, const std::string& first, const std::string& second) {
    auto view = arranged(one, batch + first + second);
    if (first.size() != 1 || second.size() != 1) {
      view = frame_.arrays.contiguous(view);
      view.shape = extents(one, batch);
      view.shape.push_back(count_of(extents(one, first)));
      view.shape.push_back(count_of(extents(one, second)));
      view.strides.clear();
    }
    return view;
  };
  auto a = matrix(left, rows, summed), b = matrix(right, summed, columns);
  arrays::unify(frame_.arrays, a, b, span);
  result.array = frame_.arrays.evaluate(Products(frame_.arrays, session_.operations().workspace())
                                            .node({a, b, "the left factor", "the right factor", span}));
  result.array.shape = extents(left, batch + rows);
  const auto more = extents(right, columns);
  result.array.shape.insert(result.array.shape.end(), more.begin(), more.end());
  result.array.strides = row_major(result.array.shape);
  return result;
}

Value Einsum::sum(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  const auto text = evaluate(*given[0]);
  const auto* letters = std::get_if<std::string>(&text);
  if (letters == nullptr)
    throw error(ErrorKind::type, "einsum() takes a string first: einsum(\"ij,jk->ik\", a, b)", given[0]->span);
  auto subscripts = read(*letters, *given[0]);
  const auto count = of.call.arguments.size() - 1;
  if (subscripts.inputs.size() != count)
    throw error(ErrorKind::value,
                fmt::format("einsum: \"{}\" names {} array{}, but {} {} given", *letters, subscripts.inputs.size(),
                            subscripts.inputs.size() == 1 ? "" : "s", count, count == 1 ? "is" : "are"),
                of.span);
  std::vector<Lettered> inputs;
  std::size_t open = 0;                                           // axes without letters
  std::map<char, std::pair<std::uint64_t, std::string>> extents;  // of each letter, and whose
  for (std::size_t i = 0; i < count; ++i) {
    const auto& expression = *of.call.arguments[i + 1].value;
    inputs.push_back(input(subscripts.inputs[i], expression, of));
    const auto& one = inputs.back();
    subscripts.inputs[i] = one.letters;
    open = std::max(open, one.open);
    for (std::size_t d = 0; d < one.letters.size(); ++d) {
      const auto name = snippet(run_.source, expression.span);
      const auto [known, fresh] = extents.emplace(one.letters[d], std::pair(one.array.shape[d], name));
      if (!fresh && known->second.first != one.array.shape[d])
        throw error(ErrorKind::value,
                    fmt::format("einsum: {} is {} in {} and {} in {}",
                                is_of_open(one.letters[d]) ? "an axis of ..." : std::string(1, one.letters[d]),
                                known->second.first, known->second.second, one.array.shape[d], name),
                    of.span);
    }
  }
  subscripts.output = opened(subscripts.output, open);
  // From left to right; what no later factor and not the output has is summed over at once.
  const auto needed_after = [&](std::size_t i) {
    auto needed = subscripts.output;
    for (; i < count; ++i) needed += subscripts.inputs[i];
    return needed;
  };
  auto result = inputs[0];
  for (std::size_t i = 1; i < count; ++i) {
    const auto later = needed_after(i + 1);
    const auto left = without(std::move(result), later + inputs[i].letters);
    result = product(left, without(inputs[i], later + left.letters), later, of.span);
  }
  result = without(std::move(result), subscripts.output);
  auto view = arranged(result, subscripts.output);
  if (is_contiguous(view)) view.strides.clear();
  return frame_.array_expressions.number_or_elements(std::move(view));
}

}  // namespace xcuda::interpreter
