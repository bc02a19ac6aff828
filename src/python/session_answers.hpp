// The questions that Python asks while a cell of it runs.
#pragma once

#include "base/channel.hpp"
#include "python/python_client.hpp"
#include "session/session.hpp"

namespace xcuda::python {

// What an Error is to Python: {"error": text}, an exception there, or {"interrupted": true}.
Message answer(session::Session& session, session::CellRun& run, Client& client, const Message& question);

}  // namespace xcuda::python
