#include "kernel/connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace xcuda::kernel {
namespace {

using Json = nlohmann::json;

Error bad(const std::string& file, const std::string& what) {
  return Error(ErrorKind::value, fmt::format("the connection file {} {}", file, what))
      .advise("A Jupyter client writes this file; start the kernel through one: jupyter console --kernel xcuda");
}

const Json& field(const Json& object, const char* name, const std::string& file) {
  const auto found = object.find(name);
  if (found == object.end()) throw bad(file, fmt::format("has no field \"{}\"", name));
  return *found;
}

std::string text(const Json& object, const char* name, const std::string& file) {
  const auto& value = field(object, name, file);
  if (!value.is_string()) throw bad(file, fmt::format("holds no text in its field \"{}\"", name));
  return value.get<std::string>();
}

int port(const Json& object, const char* name, const std::string& file) {
  const auto& value = field(object, name, file);
  if (!value.is_number_integer() || value < 1 || value > 65535)
    throw bad(file, fmt::format("holds no port (1 to 65535) in its field \"{}\"", name));
  return value.get<int>();
}

}  // namespace

std::string Connection::endpoint(int port) const {
  return fmt::format("{}://{}{}{}", transport, ip, transport == "ipc" ? "-" : ":", port);
}

Connection parse_connection(std::string_view content, const std::string& file) {
  const auto json = Json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw bad(file, "is not a JSON object");

  Connection connection;
  connection.transport = text(json, "transport", file);
  if (connection.transport != "tcp" && connection.transport != "ipc")
    throw bad(file, fmt::format("asks for the transport \"{}\"; tcp and ipc are known", connection.transport));

  connection.ip = text(json, "ip", file);
  in_addr address{};
  if (connection.transport == "tcp" && connection.ip != "*" && inet_pton(AF_INET, connection.ip.c_str(), &address) != 1)
    throw bad(file,
              fmt::format("asks for the address \"{}\"; write an IPv4 address such as 127.0.0.1, not a name or an "
                          "IPv6 address",
                          connection.ip));
  if (connection.transport == "ipc" && (connection.ip.empty() || connection.ip.size() > 90))
    throw bad(file, "gives no path, or one over 90 characters, in its field \"ip\" for the transport ipc");

  connection.shell = port(json, "shell_port", file);
  connection.control = port(json, "control_port", file);
  connection.input = port(json, "stdin_port", file);
  connection.iopub = port(json, "iopub_port", file);
  connection.heartbeat = port(json, "hb_port", file);

  const auto scheme = text(json, "signature_scheme", file);
  constexpr std::array digests{"md5", "sha1", "sha224", "sha256", "sha384", "sha512"};
  connection.digest = scheme.rfind("hmac-", 0) == 0 ? scheme.substr(5) : std::string();
  if (std::find(digests.begin(), digests.end(), connection.digest) == digests.end())
    throw bad(file, fmt::format("asks for the signature scheme \"{}\"; known are hmac-{}", scheme,
                                fmt::join(digests, ", hmac-")));

  connection.key = text(json, "key", file);
  if (connection.key.empty())
    throw bad(file,
              "holds an empty key: anybody who reaches the ports could run code. Let the client make a key "
              "(Session.key, Session.keyfile)");
  return connection;
}

Connection read_connection_file(const std::string& path) {
  const auto fail = [&](int number) {
    throw Error(ErrorKind::io, fmt::format("cannot read the connection file {}", path)).said(errno_text(number));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(EISDIR);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(errno);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return parse_connection(content, path);
}

}  // namespace xcuda::kernel
