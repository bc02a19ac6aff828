// Elements of arrays from files, by the process that decodes them.
#pragma once

#include <string>

#include "files/files_client.hpp"
#include "session/parts.hpp"
#include "session/submission.hpp"

namespace xcuda::session {

// Opens a file. It is good until another one is opened.
files::OpenArray open_array(Session& session, const std::string& path, files::ArrayRequest wanted);
void write(Session& session, device::Address to, const files::OpenArray& file);  // all of its elements

}  // namespace xcuda::session
