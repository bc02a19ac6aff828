// Stands in front of libzmq's own function: one that was built without libsodium has no CURVE.
#include <cstring>

extern "C" int zmq_has(const char* capability) { return std::strcmp(capability, "ipc") == 0 ? 1 : 0; }
