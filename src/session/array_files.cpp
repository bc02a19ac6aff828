#include "session/array_files.hpp"

#include "session/session.hpp"

namespace xcuda::session {

files::OpenArray open_array(Session& session, const std::string& path, files::ArrayRequest wanted) {
  return session.parts().files->open(path, std::move(wanted), limits_of(session.submission().wait_request()));
}

void write(Session& session, device::Address to, const files::OpenArray& file) {
  auto& submission = session.submission();
  submission.write({to, file.facts.bytes()}, [&](std::span<std::byte> piece) {
    session.parts().files->read(file, piece, limits_of(submission.wait_request()));
  });
}

}  // namespace xcuda::session
