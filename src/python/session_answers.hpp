// The questions that Python asks while a cell of it runs.
#pragma once

#include "base/channel.hpp"
#include "python/python_client.hpp"
#include "session/session.hpp"

namespace xcuda::python {

// Answers a question. An Error becomes {"error": text}, an exception in Python, or {"interrupted": true}.
Message answer(session::Session& session, session::CellRun& run, Client& client, const Message& question);

}  // namespace xcuda::python
