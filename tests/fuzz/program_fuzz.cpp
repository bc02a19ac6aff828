// Cells run one after the other through a session's program, without a compiler: no text may break the assembly.
// The input is cells separated by a line "%%%", each with its number as cell id.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cell/parse.hpp"
#include "compiler/compiler_codec.hpp"
#include "compiler/diagnostics.hpp"
#include "compiler/program.hpp"
#include "files/facts_message.hpp"

namespace {

using namespace xcuda;

// What the processes that compile and read files answer, whoever may have taken them over. An exception of the JSON
// library costs the cell, like an Error.
template <class Decode> void decode(const Decode& decode) {
  try {
    decode();
  } catch (const Error& error) {
    if (error.message.empty()) std::abort();
  } catch (const nlohmann::json::exception&) {}
}

void answers(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  const auto body = std::as_bytes(std::span(text));
  decode([&] { compiler::encode(compiler::decode_output(json, {body.begin(), body.end()})); });
  decode([&] { compiler::to_json(compiler::error_from(json)); });
  decode([&] { compiler::to_json(compiler::toolkit_from(json)); });
  decode([&] {
    const auto facts = files::facts_from(json);
    if (facts.type.size == 0 || files::facts_from(files::to_json(facts)).bytes() != facts.bytes()) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  answers(text);
  // The same bytes as a log.
  compiler::CompileRequest request;
  request.name = "/In[1]";
  request.source = text;
  for (const auto& diagnostic : compiler::parse_log(text, request)) compiler::to_text(diagnostic);

  compiler::Program program;
  for (int number = 1; number < 8 && !text.empty(); ++number) {
    const auto end = text.find("%%%\n");
    const auto name = "In[" + std::to_string(number) + "]";
    const auto parsed = cell::try_parse_cell(text.substr(0, end), name);
    if (!parsed.error) {
      const compiler::CellCode code{&parsed.cell, name, number % 3 == 0 ? "a" : "", {}};
      program.assemble(code);
      program.commit(code);
      program.host_constant("n");
      for (const auto& kernel : program.kernel_names()) {
        program.source_of(kernel);
        if (program.is_kernel_template(kernel)) program.instantiate(kernel + "<int>");
      }
      program.type_query("P", {});
    }
    text = end == std::string_view::npos ? "" : text.substr(end + 4);
  }
  return 0;
}
