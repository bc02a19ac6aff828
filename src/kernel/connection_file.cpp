#include "kernel/connection_file.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace xcuda::kernel {
namespace {

using Json = nlohmann::json;

Error bad(const std::string& file, const std::string& what) {
  return Error(ErrorKind::value, fmt::format("the connection file {} {}", file, what))
      .advise("A Jupyter client writes this file. Start the kernel from one: jupyter console --kernel xcuda");
}

const Json& field(const Json& object, const char* name, const std::string& file) {
  const auto found = object.find(name);
  if (found == object.end()) throw bad(file, fmt::format("has no field \"{}\"", name));
  return *found;
}

std::string text(const Json& object, const char* name, const std::string& file) {
  const auto& value = field(object, name, file);
  if (!value.is_string()) throw bad(file, fmt::format("has no string in its field \"{}\"", name));
  return value.get<std::string>();
}

int port(const Json& object, const char* name, const std::string& file) {
  const auto& value = field(object, name, file);
  if (!value.is_number_integer() || value < 1 || value > 65535)
    throw bad(file, fmt::format("has no port (1 to 65535) in its field \"{}\"", name));
  return value.get<int>();
}

struct AddressTraits {
  using type = addrinfo*;
  static constexpr type kEmpty = nullptr;
  static void close(type list) noexcept { freeaddrinfo(list); }
};

// As libzmq binds it: "127.0.0.1", "::1". Of a name with both, IPv4: that is what libzmq's clients take by themselves.
std::string numeric_address(std::string ip, const std::string& file) {
  if (ip == "*") return ip;
  if (ip.size() > 2 && ip.front() == '[' && ip.back() == ']') ip = ip.substr(1, ip.size() - 2);
  int failed = EAI_NONAME;
  for (const int family : {AF_INET, AF_INET6}) {
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (ip.empty() || (failed = getaddrinfo(ip.c_str(), nullptr, &hints, &list)) != 0) continue;
    const Handle<AddressTraits> found(list);
    std::array<char, NI_MAXHOST> text{};
    failed = getnameinfo(found.get()->ai_addr, found.get()->ai_addrlen, text.data(), text.size(), nullptr, 0,
                         NI_NUMERICHOST);
    if (failed == 0) return text.data();
  }
  throw bad(file, fmt::format("has the address \"{}\", which this machine does not know", ip))
      .said(gai_strerror(failed));
}

constexpr std::size_t kCurveKeySize = 40;  // 32 bytes in Z85

std::optional<std::string> curve_key(const Json& object, const char* name, const std::string& file) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  constexpr std::string_view kZ85 =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  const auto* key = found->get_ptr<const std::string*>();
  if (key == nullptr || key->size() != kCurveKeySize || key->find_first_not_of(kZ85) != std::string::npos)
    throw bad(file, fmt::format("has no CurveZMQ key ({} characters of Z85) in its field \"{}\"", kCurveKeySize, name));
  return *key;
}

// The secret key, when the client wants encryption. Whoever asks for it never gets a kernel without.
std::string curve_secret(const Json& object, const std::string& file) {
  const auto open = curve_key(object, "curve_publickey", file), secret = curve_key(object, "curve_secretkey", file);
  if (!open && !secret) return "";
  if (!open || !secret)
    throw bad(file,
              fmt::format("has {0} but no {1}: encryption needs both", open ? "curve_publickey" : "curve_secretkey",
                          open ? "curve_secretkey" : "curve_publickey"));
  if (zmq_has("curve") == 0)
    throw Error(ErrorKind::unsupported, fmt::format("the connection file {} asks for encryption (CurveZMQ)", file))
        .said("this libzmq was built without CURVE")
        .advise("Install a libzmq with libsodium, or start the client with transport_encryption = \"disabled\"");
  std::array<char, kCurveKeySize + 1> derived{};
  if (zmq_curve_public(derived.data(), secret->c_str()) != 0 || *open != derived.data())
    throw bad(file, "has a curve_publickey that does not match its curve_secretkey");
  return *secret;
}

}  // namespace

std::string Connection::endpoint(int port) const {
  if (is_ipc()) return fmt::format("ipc://{}-{}", ip, port);
  return is_ipv6() ? fmt::format("tcp://[{}]:{}", ip, port) : fmt::format("tcp://{}:{}", ip, port);
}

Connection parse_connection(std::string_view content, const std::string& file) {
  const auto json = Json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw bad(file, "is not a JSON object");

  Connection connection;
  connection.transport = text(json, "transport", file);
  if (connection.transport != "tcp" && connection.transport != "ipc")
    throw bad(file, fmt::format("has the transport \"{}\", which is neither tcp nor ipc", connection.transport));

  connection.ip = text(json, "ip", file);
  if (!connection.is_ipc()) connection.ip = numeric_address(std::move(connection.ip), file);
  // With "-PORT" after it, it is the path of a Unix socket.
  constexpr std::size_t kLongestPath = sizeof(sockaddr_un{}.sun_path) - sizeof("-65535");
  if (connection.is_ipc() && (connection.ip.empty() || connection.ip.size() > kLongestPath))
    throw bad(file, fmt::format("has no path of at most {} characters in its field \"ip\" for the transport ipc",
                                kLongestPath));

  connection.shell = port(json, "shell_port", file);
  connection.control = port(json, "control_port", file);
  connection.input = port(json, "stdin_port", file);
  connection.iopub = port(json, "iopub_port", file);
  connection.heartbeat = port(json, "hb_port", file);

  const auto scheme = text(json, "signature_scheme", file);
  constexpr std::array kDigests{"md5", "sha1", "sha224", "sha256", "sha384", "sha512"};
  connection.digest = scheme.rfind("hmac-", 0) == 0 ? scheme.substr(5) : std::string();
  if (std::find(kDigests.begin(), kDigests.end(), connection.digest) == kDigests.end())
    throw bad(file,
              fmt::format("has the signature scheme \"{}\"; expected hmac-{}", scheme, fmt::join(kDigests, ", hmac-")));

  connection.key = text(json, "key", file);
  if (connection.key.empty())
    throw bad(file,
              "has an empty key: anybody who reaches the ports could run code. Let the client make a key "
              "(Session.key, Session.keyfile)");
  connection.curve_secret = curve_secret(json, file);
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
