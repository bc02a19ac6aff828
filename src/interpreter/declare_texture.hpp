// Textures and surfaces as declarations name them.
#pragma once

#include <string>

#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

// "texture t: x, float, [64][64], filter linear, address wrap"
std::string description(Session& session, const Texture& texture);

}  // namespace xcuda::interpreter
