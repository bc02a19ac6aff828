// The connection file that a client writes for its kernel: where to bind, and the key that signs messages.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::kernel {

struct Connection {
  std::string transport;  // "tcp" or "ipc"
  std::string ip;         // an IPv4 address; for ipc the path before "-<port>"
  int shell = 0, control = 0, input = 0, iopub = 0, heartbeat = 0;  // ports
  std::string digest;                                               // of the HMAC: "sha256"
  std::string key;                                                  // never printed

  std::string endpoint(int port) const;
};

// Errors: io when the file cannot be read, value for what it holds. No message holds a part of the file's text but
// the names of fields, the address and the ports.
Connection read_connection_file(const std::string& path);
Connection parse_connection(std::string_view text, const std::string& name);

}  // namespace xcuda::kernel
