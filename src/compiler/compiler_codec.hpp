// CompileRequest, CompileOutput, Toolkit and Error as messages: for the socket, and for files of the cache. Long texts
// travel in the body, the rest in the head.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/channel.hpp"
#include "base/error.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/toolkit.hpp"

namespace xcuda::compiler {

// Changes whenever the meaning of a field changes; part of the cache's key.
constexpr int kCodecVersion = 6;

Message encode(const CompileRequest& request);
CompileRequest decode_request(const Message& message);

Message encode(const CompileOutput& output);
CompileOutput decode_output(const nlohmann::json& head, const std::vector<std::byte>& body);

nlohmann::json to_json(const Toolkit& toolkit);
Toolkit toolkit_from(const nlohmann::json& json);
nlohmann::json to_json(const Error& error);
Error error_from(const nlohmann::json& json);

}  // namespace xcuda::compiler
