#include "interpreter/results.hpp"

#include <fmt/format.h>

#include "arrays/array_math.hpp"
#include "base/text.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/texture_declarations.hpp"

namespace xcuda::interpreter {

std::string Results::written(const cell::Expression& expression) const {
  constexpr std::size_t kLongest = 60;
  const auto [begin, end] = expression.span;
  std::string text;
  for (const char c : std::string_view(frame_.text.text).substr(begin, end - begin)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return code_points_of_bytes(text, text.size()) <= kLongest
             ? text
             : text.substr(0, bytes_of_code_points(text, kLongest)) + "…";
}

std::optional<Pointer> Results::elements(const Value& value) {
  if (const auto* pointer = std::get_if<Pointer>(&value)) return frame_.arrays.contiguous(*pointer);
  if (const auto* expression = std::get_if<ArrayExpression>(&value)) return frame_.arrays.evaluate(expression->node);
  return std::nullopt;
}

display::Bundle Results::sparse(const SparseMatrix& matrix) {
  return display::sparse_bundle(view_of(session_, matrix, display::kShownStored));
}

// "{{"a", 1}, {"b", 2}}", with the first elements of a large one.
std::string Results::container(const Container& container, int depth) {
  constexpr std::size_t kShown = 20;
  constexpr int kDeepest = 8;
  const auto& data = *container.data;
  if (data.text != nullptr) return data.text->str();
  if (depth > kDeepest) return "{…}";
  const bool optional = data.type.kind == cell::ContainerKind::optional;
  if (optional && data.items.empty()) return "std::nullopt";
  std::vector<std::string> texts;
  const auto* record = data.record.get();
  const auto add = [&](const ItemPtr& item) {
    if (texts.size() > kShown && record == nullptr) return;
    if (texts.size() == kShown && record == nullptr) return texts.push_back("…");
    const auto value = frame_.containers.value_of(*item, run_.current);
    if (const auto* inner = std::get_if<Container>(&value))
      texts.push_back(this->container(*inner, depth + 1));
    else if (const auto* text = std::get_if<std::string>(&value))
      texts.push_back(fmt::format("\"{}\"", *text));
    else
      texts.push_back(bundle(value).data.at("text/plain").get<std::string>());
    if (const auto elements = texts.back().find("\n["); elements != std::string::npos)  // below what an array is
      texts.back().erase(0, elements + 1);
    if (record != nullptr) texts.back() = fmt::format("{}: {}", record->parts[texts.size() - 1].name, texts.back());
  };
  for (const auto& one : data.items) add(one);
  for (const auto& [key, one] : data.sorted) add(one);
  for (const auto& [key, one] : data.hashed) add(one);
  return optional ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "));
}

display::Bundle Results::bundle(const Value& value, std::string_view text) {
  struct Visitor {
    Results& self;
    std::string_view text;
    display::Bundle array(const Value& value) const {
      const auto elements = *self.elements(value);
      auto view = view_of(self.session_, elements, print_options(self.session_.settings(), elements.type));
      if (const auto* pointer = std::get_if<Pointer>(&value)) view.device = home_of(self.session_, *pointer);
      if (!text.empty() && !view.name.empty()) view.name = text;  // a slice is named as it is written
      return display::array_bundle(view);
    }
    display::Bundle operator()(const Nothing&) const { return display::text_bundle(""); }
    display::Bundle operator()(const language::ScalarValue& number) const {
      std::byte bytes[16] = {};
      number.store(bytes);
      return display::scalar_bundle(number.type(), std::span(bytes).first(number.type().size));
    }
    display::Bundle operator()(const device::Dim3& dim) const {
      return display::text_bundle(fmt::format("dim3{{{}, {}, {}}}", dim.x, dim.y, dim.z));
    }
    display::Bundle operator()(const Object& object) const {
      const auto plain = [this](const Value& value) {
        return self.bundle(value).data.at("text/plain").template get<std::string>();
      };
      if (auto text = self.frame_.library_values.text(object, plain)) return display::text_bundle(*text);
      display::ArrayView view{.type = object.type,
                              .bytes = object.type.size,
                              .elements = object.bytes,
                              .fields = self.session_.code().fields_of(object.type)};
      return display::record_bundle(view);
    }
    display::Bundle operator()(const Stream& stream) const { return display::text_bundle("stream " + stream.name); }
    display::Bundle operator()(const Event& event) const { return display::text_bundle("event " + event.name); }
    display::Bundle operator()(const Texture& texture) const {
      return display::text_bundle(description(self.session_, texture));
    }
    display::Bundle operator()(const Sparse& sparse) const { return self.sparse(*sparse.matrix); }
    display::Bundle operator()(const Pointer& pointer) const { return array(pointer); }
    display::Bundle operator()(const ArrayExpression& expression) const { return array(expression); }
    display::Bundle operator()(const NullPointer&) const { return display::text_bundle("nullptr"); }
    display::Bundle operator()(const std::string& text) const { return display::text_bundle(text); }
    display::Bundle operator()(const Container& container) const {
      return display::text_bundle(self.container(container, 0));
    }
    display::Bundle operator()(const Iterator&) const { return display::text_bundle("an iterator"); }
    display::Bundle operator()(const Function& function) const {
      return display::text_bundle(function.name.empty() ? "nullptr" : "&" + function.name);
    }
  };
  return std::visit(Visitor{*this, text}, value);
}

}  // namespace xcuda::interpreter
