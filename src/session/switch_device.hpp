// %device: another device takes over, with every array, module, stream and variable. Nothing has changed until the new
// one holds it all.
#pragma once

#include "device/selector.hpp"

namespace xcuda::session {

class Session;

void switch_device(Session& session, const device::Selector& selector);

}  // namespace xcuda::session
