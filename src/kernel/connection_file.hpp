// The connection file that a client writes for its kernel: where to bind, the key that signs messages, and the keys
// that encrypt them.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::kernel {

struct Connection {
  std::string transport;  // "tcp" or "ipc"
  std::string ip;         // "127.0.0.1", "::1", "*"; for ipc the path before "-<port>"
  int shell = 0, control = 0, input = 0, iopub = 0, heartbeat = 0;  // ports
  std::string digest;                                               // of the HMAC: "sha256"
  std::string key;                                                  // never printed
  std::string curve_secret;  // the server's CurveZMQ key in Z85, never printed; empty: nothing is encrypted

  bool is_ipc() const { return transport == "ipc"; }
  bool is_ipv6() const { return !is_ipc() && ip.find(':') != std::string::npos; }
  std::string endpoint(int port) const;
};

// Resolves names such as localhost. Errors: io when the file cannot be read, value for its contents, unsupported for an
// encryption that this libzmq does not have. Messages hold only names of fields, the address and the ports of the file.
Connection read_connection_file(const std::string& path);
Connection parse_connection(std::string_view text, const std::string& name);

}  // namespace xcuda::kernel
