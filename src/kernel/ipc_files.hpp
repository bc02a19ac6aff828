// The sockets in the file system of the transport ipc: a socket that another kernel serves stays, and this kernel's own
// are removed when it leaves. libzmq does neither.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

namespace xcuda::kernel {

class IpcFiles {
 public:
  IpcFiles() = default;
  ~IpcFiles() { remove(); }
  IpcFiles(const IpcFiles&) = delete;
  IpcFiles& operator=(const IpcFiles&) = delete;

  static bool is_served(const std::string& path);  // somebody accepts connections there
  void add(const std::string& path);               // this kernel has bound it
  void remove();                                   // any thread; only sockets that were not replaced meanwhile

 private:
  struct Bound {
    std::string path;
    dev_t device;
    ino_t number;
  };
  std::mutex mutex_;
  std::vector<Bound> bound_;
};

}  // namespace xcuda::kernel
