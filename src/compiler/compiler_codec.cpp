#include "compiler/compiler_codec.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

namespace xcuda::compiler {
namespace {

using Json = nlohmann::json;

// Texts one after the other in the body; the head keeps their lengths.
class BodyWriter {
 public:
  explicit BodyWriter(Message& message) : message_(message) { message.head["lengths"] = Json::array(); }
  void add(std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    message_.body.insert(message_.body.end(), bytes, bytes + text.size());
    message_.head["lengths"].push_back(text.size());
  }

 private:
  Message& message_;
};

class BodyReader {
 public:
  BodyReader(const Json& head, const std::vector<std::byte>& body) : body_(body) {
    for (const auto& length : head.at("lengths")) {
      if (!length.is_number_integer())
        throw Error(ErrorKind::internal, "a message of the compiler has a length that is not an integer");
      lengths_.push_back(length.get<std::size_t>());
    }
  }
  std::string next() {
    const auto length = index_ < lengths_.size() ? lengths_[index_] : 0;
    if (index_ >= lengths_.size() || length > body_.size() - at_)
      throw Error(ErrorKind::internal, "a message of the compiler is truncated");
    std::string text(reinterpret_cast<const char*>(body_.data()) + at_, length);
    at_ += length;
    ++index_;
    return text;
  }

 private:
  const std::vector<std::byte>& body_;
  std::vector<std::size_t> lengths_;
  std::size_t at_ = 0, index_ = 0;
};

// Integers that are written as such: what 1e99 becomes is undefined.
template <class T> T get(const Json& json, const char* name) {
  const auto& value = json.at(name);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    if (!value.is_number_integer())
      throw Error(ErrorKind::internal, fmt::format("a message of the compiler has no integer as its {}", name));
  return value.get<T>();
}
std::string text_in(const Json& json, const char* name) { return get<std::string>(json, name); }
using Texts = std::vector<std::string>;

Json to_json(const Diagnostic& diagnostic);
Json to_json(const KernelSource& kernel);
Json to_json(const VariableSource& variable);
Json to_json(const Parameter& parameter);
Json to_json(const KernelSignature& kernel);
Json to_json(const VariableSignature& variable);

template <class T> Json list(const std::vector<T>& values) {
  auto json = Json::array();
  for (const auto& value : values) json.push_back(to_json(value));
  return json;
}

Json to_json(const Place& place) {
  return {{"source", place.source},
          {"line", place.line},
          {"column", place.column},
          {"width", place.width},
          {"excerpt", place.excerpt}};
}
Place place_from(const Json& json) {
  return {text_in(json, "source"), get<int>(json, "line"), get<int>(json, "column"), get<int>(json, "width"),
          text_in(json, "excerpt")};
}

Json to_json(const Diagnostic& diagnostic) {
  return {{"severity", static_cast<int>(diagnostic.severity)},
          {"text", diagnostic.text},
          {"code", diagnostic.code},
          {"place", to_json(diagnostic.place)},
          {"notes", list(diagnostic.notes)}};
}
Diagnostic diagnostic_from(const Json& json) {
  Diagnostic diagnostic{static_cast<Severity>(get<int>(json, "severity")),
                        text_in(json, "text"),
                        text_in(json, "code"),
                        place_from(json.at("place")),
                        {}};
  for (const auto& note : json.at("notes")) diagnostic.notes.push_back(diagnostic_from(note));
  return diagnostic;
}

Json to_json(const KernelSource& kernel) {
  return {{"name", kernel.name},
          {"parameters", kernel.parameter_names},
          {"source", kernel.source},
          {"line", kernel.line},
          {"template", kernel.is_template},
          {"key", kernel.key},
          {"only_launched", kernel.only_launched}};
}
Json to_json(const VariableSource& variable) {
  return {
      {"name", variable.name}, {"type", variable.type}, {"source", variable.source}, {"constant", variable.constant}};
}

Json to_json(const Parameter& parameter) {
  return {{"name", parameter.name},       {"type", parameter.type},           {"written", parameter.written},
          {"pointer", parameter.pointer}, {"const", parameter.const_pointee}, {"pointee", parameter.pointee},
          {"offset", parameter.offset},   {"size", parameter.size},           {"alignment", parameter.alignment}};
}
Parameter parameter_from(const Json& json) {
  return {text_in(json, "name"),
          text_in(json, "type"),
          text_in(json, "written"),
          get<bool>(json, "pointer"),
          get<bool>(json, "const"),
          text_in(json, "pointee"),
          get<std::uint32_t>(json, "offset"),
          get<std::uint32_t>(json, "size"),
          get<std::uint32_t>(json, "alignment")};
}

Json to_json(const KernelSignature& kernel) {
  return {{"name", kernel.name},
          {"entry", kernel.entry},
          {"parameters", list(kernel.parameters)},
          {"types_known", kernel.types_known},
          {"line", kernel.line},
          {"max_threads", kernel.max_threads.value_or(0)}};
}
KernelSignature kernel_from(const Json& json) {
  KernelSignature kernel;
  kernel.name = text_in(json, "name");
  kernel.entry = text_in(json, "entry");
  for (const auto& parameter : json.at("parameters")) kernel.parameters.push_back(parameter_from(parameter));
  kernel.types_known = get<bool>(json, "types_known");
  kernel.line = get<int>(json, "line");
  if (const int threads = get<int>(json, "max_threads"); threads != 0) kernel.max_threads = threads;
  return kernel;
}

Json to_json(const VariableSignature& variable) {
  return {{"name", variable.name}, {"symbol", variable.symbol},     {"type", variable.type},
          {"size", variable.size}, {"constant", variable.constant}, {"source", variable.source}};
}
VariableSignature variable_from(const Json& json) {
  return {text_in(json, "name"),       text_in(json, "symbol"), text_in(json, "type"), get<std::uint64_t>(json, "size"),
          get<bool>(json, "constant"), text_in(json, "source")};
}

Json to_json(const TypeLayout& layout) {
  auto members = Json::array();
  for (const auto& member : layout.members)
    members.push_back({{"name", member.name}, {"type", member.type}, {"offset", member.offset}, {"size", member.size}});
  return {{"type", layout.type},
          {"size", layout.size},
          {"alignment", layout.alignment},
          {"members", members},
          {"copyable", layout.trivially_copyable},
          {"enumeration", static_cast<int>(layout.enumeration)}};
}
TypeLayout layout_from(const Json& json) {
  TypeLayout layout{text_in(json, "type"),
                    get<std::uint64_t>(json, "size"),
                    get<std::uint64_t>(json, "alignment"),
                    {},
                    get<bool>(json, "copyable"),
                    static_cast<TypeLayout::Enumeration>(get<int>(json, "enumeration"))};
  for (const auto& member : json.at("members"))
    layout.members.push_back({text_in(member, "name"), text_in(member, "type"), get<std::uint64_t>(member, "offset"),
                              get<std::uint64_t>(member, "size")});
  return layout;
}

}  // namespace

Message encode(const CompileRequest& request) {
  Message message;
  BodyWriter body(message);
  body.add(request.source);
  auto paths = Json::array();
  for (const auto& header : request.headers) {
    paths.push_back(header.path);
    body.add(header.text);
  }
  auto& head = message.head;
  head["name"] = request.name;
  head["options"] = request.options;
  head["include_folders"] = request.include_folders;
  head["headers"] = std::move(paths);
  head["name_expressions"] = request.name_expressions;
  head["extern_c"] = request.extern_c_candidates;
  head["architecture"] = request.architecture;
  head["kernels"] = list(request.kernels);
  head["variables"] = list(request.variables);
  if (request.type_query)
    head["type_query"] = {{"type", request.type_query->type}, {"members", request.type_query->members}};
  head["pch_folder"] = request.pch_folder;
  head["linker_folders"] = request.linker_folders;
  head["linked_files"] = request.linked_files;
  head["cacheable"] = request.cacheable;
  return message;
}

CompileRequest decode_request(const Message& message) {
  const auto& head = message.head;
  BodyReader body(head, message.body);
  CompileRequest request;
  request.source = body.next();
  for (const auto& path : head.at("headers")) request.headers.push_back({path.get<std::string>(), body.next()});
  request.name = text_in(head, "name");
  request.options = get<Texts>(head, "options");
  request.include_folders = get<Texts>(head, "include_folders");
  request.name_expressions = get<Texts>(head, "name_expressions");
  request.extern_c_candidates = get<Texts>(head, "extern_c");
  request.architecture = text_in(head, "architecture");
  for (const auto& kernel : head.at("kernels"))
    request.kernels.push_back({text_in(kernel, "name"), get<Texts>(kernel, "parameters"), text_in(kernel, "source"),
                               get<int>(kernel, "line"), get<bool>(kernel, "template"), text_in(kernel, "key"),
                               get<bool>(kernel, "only_launched")});
  for (const auto& variable : head.at("variables"))
    request.variables.push_back({text_in(variable, "name"), text_in(variable, "type"), text_in(variable, "source"),
                                 get<bool>(variable, "constant")});
  if (const auto query = head.find("type_query"); query != head.end())
    request.type_query = TypeQuery{text_in(*query, "type"), get<Texts>(*query, "members")};
  request.pch_folder = text_in(head, "pch_folder");
  request.linker_folders = get<Texts>(head, "linker_folders");
  request.linked_files = get<Texts>(head, "linked_files");
  request.cacheable = get<bool>(head, "cacheable");
  return request;
}

Message encode(const CompileOutput& output) {
  Message message;
  BodyWriter body(message);
  body.add(output.ptx);
  body.add(std::string_view(reinterpret_cast<const char*>(output.cubin.data()), output.cubin.size()));
  body.add(output.log);
  auto& head = message.head;
  head["ok"] = output.ok;
  head["name"] = output.name;
  head["architecture"] = output.architecture;
  head["kernels"] = list(output.kernels);
  head["variables"] = list(output.variables);
  head["lowered_names"] = output.lowered_names;
  head["diagnostics"] = list(output.diagnostics);
  if (output.type_layout) head["type_layout"] = to_json(*output.type_layout);
  head["options"] = output.options;
  head["nvrtc_version"] = output.nvrtc_version;
  head["phases"] = {output.phases.prepare, output.phases.nvrtc, output.phases.signatures, output.phases.total};
  return message;
}

CompileOutput decode_output(const Json& head, const std::vector<std::byte>& bytes) {
  BodyReader body(head, bytes);
  CompileOutput output;
  output.ptx = body.next();
  const auto cubin = body.next();
  const auto cubin_bytes = std::as_bytes(std::span(cubin));
  output.cubin.assign(cubin_bytes.begin(), cubin_bytes.end());
  output.log = body.next();
  output.ok = get<bool>(head, "ok");
  output.name = text_in(head, "name");
  output.architecture = text_in(head, "architecture");
  for (const auto& kernel : head.at("kernels")) output.kernels.push_back(kernel_from(kernel));
  for (const auto& variable : head.at("variables")) output.variables.push_back(variable_from(variable));
  output.lowered_names = get<std::vector<std::pair<std::string, std::string>>>(head, "lowered_names");
  for (const auto& diagnostic : head.at("diagnostics")) output.diagnostics.push_back(diagnostic_from(diagnostic));
  if (const auto layout = head.find("type_layout"); layout != head.end()) output.type_layout = layout_from(*layout);
  output.options = get<Texts>(head, "options");
  output.nvrtc_version = text_in(head, "nvrtc_version");
  const auto& phases = head.at("phases");
  output.phases = {phases.at(0), phases.at(1), phases.at(2), phases.at(3)};
  return output;
}

Json to_json(const Toolkit& toolkit) {
  return {{"origin", toolkit.origin},
          {"root", toolkit.root},
          {"nvrtc", toolkit.nvrtc},
          {"includes", toolkit.includes},
          {"version", toolkit.version},
          {"fingerprint", toolkit.fingerprint},
          {"disassembler", toolkit.disassembler}};
}
Toolkit toolkit_from(const Json& json) {
  return {text_in(json, "origin"),      text_in(json, "root"),    text_in(json, "nvrtc"),
          get<Texts>(json, "includes"), text_in(json, "version"), text_in(json, "fingerprint"),
          text_in(json, "disassembler")};
}

Json to_json(const Error& error) {
  Json json = {{"kind", static_cast<int>(error.kind)},
               {"message", error.message},
               {"library", error.library},
               {"advice", error.advice},
               {"notes", error.notes}};
  if (error.place) json["place"] = to_json(*error.place);
  return json;
}
Error error_from(const Json& json) {
  Error error(static_cast<ErrorKind>(get<int>(json, "kind")), text_in(json, "message"));
  error.library = text_in(json, "library");
  error.advice = text_in(json, "advice");
  error.notes = get<Texts>(json, "notes");
  if (const auto place = json.find("place"); place != json.end()) error.place = place_from(*place);
  return error;
}

}  // namespace xcuda::compiler
