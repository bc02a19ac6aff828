// The parts of xeus that this folder uses, and the differences between versions 2.4 (Debian 12) to 6 (conda-forge).
//
// Only xeus::xserver, the message classes and small functions beside them are used. Since xeus 3 the ZeroMQ parts and
// the authentication are in another library (xeus-zmq), and xeus 6 renamed the configuration; neither matters here,
// because the sockets and the signatures are ours and the configuration's type is taken from the function that uses it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <xeus/xcontrol_messenger.hpp>
#include <xeus/xeus.hpp>
#include <xeus/xguid.hpp>
#include <xeus/xmessage.hpp>
#include <xeus/xserver.hpp>

namespace xcuda::kernel {

template <class Function> struct MemberArgument;
template <class Class, class Argument> struct MemberArgument<void (Class::*)(Argument) const> {
  using type = Argument;
};

// xeus::xconfiguration&, or xeus::xkernel_configuration& from 6 on.
using XeusConfiguration = MemberArgument<decltype(&xeus::xserver::update_config)>::type;

// The protocol this kernel speaks, whatever the library was made for: from 5.5 on a client may ask for subshells and
// for the handshake that finds the ports.
inline constexpr const char* kProtocolVersion = "5.3";

inline std::string new_id() {
  const auto id = xeus::new_xguid();
  return {id.c_str(), id.size()};
}

}  // namespace xcuda::kernel
