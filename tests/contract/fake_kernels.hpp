// The kernels of kernels.cu as host functions, and what else makes a fake for the suite.
#pragma once

#include "device/fake.hpp"

namespace xcuda::device::contract {

// How the fake does what ends a device: it tells, as a well-behaved one, or it does it, as real ones may.
enum class Manners : std::uint8_t { tells, dies };

FakeOptions fake_options(Manners manners);
std::string fake_kernels_text();

}  // namespace xcuda::device::contract
