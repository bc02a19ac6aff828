// What a session and its workers agree on before the first request.
#pragma once

namespace xcuda {

constexpr int kWorkerProtocol = 1;                       // of the hello and of every message that follows
constexpr const char* kWorkerVariable = "XCUDA_WORKER";  // "<pid of the session>:<version>"

}  // namespace xcuda
