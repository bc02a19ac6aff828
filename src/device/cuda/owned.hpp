// Objects that the driver makes and this program ends: a Handle for each kind, which knows the driver that made it. A
// destructor that fails reports and goes on.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/handle.hpp"
#include "device/cuda/driver.hpp"

namespace xcuda::device::cuda {

template <std::size_t N> struct KindName {
  constexpr KindName(const char (&given)[N]) { std::copy_n(given, N, text); }  // NOLINT(google-explicit-constructor)
  char text[N] = {};
};

// Raw: the driver's own handle. kEnd: the function of the table that ends it. kName: for the report, "a stream".
template <class Raw, auto kEnd, KindName kName> struct DriverTraits {
  struct type {
    const Driver* driver = nullptr;
    Raw raw{};
    operator Raw() const { return raw; }  // NOLINT(google-explicit-constructor): functions of the driver take it
    bool operator==(const type&) const = default;
  };
  static constexpr type kEmpty{};
  static void close(const type& owned) noexcept { owned.driver->report((owned.driver->*kEnd)(owned.raw), kName.text); }
};

using Stream = Handle<DriverTraits<CUstream, &Driver::cuStreamDestroy, "a stream">>;
using Event = Handle<DriverTraits<CUevent, &Driver::cuEventDestroy, "an event">>;
using Graph = Handle<DriverTraits<CUgraph, &Driver::cuGraphDestroy, "a graph">>;
using ExecutableGraph = Handle<DriverTraits<CUgraphExec, &Driver::cuGraphExecDestroy, "a graph">>;
using LoadedModule = Handle<DriverTraits<CUmodule, &Driver::cuModuleUnload, "a module">>;
using TextureObject = Handle<DriverTraits<CUtexObject, &Driver::cuTexObjectDestroy, "a texture object">>;
using SurfaceObject = Handle<DriverTraits<CUsurfObject, &Driver::cuSurfObjectDestroy, "a surface object">>;
using TextureArray = Handle<DriverTraits<CUarray, &Driver::cuArrayDestroy, "a texture's copy">>;
using Allocation = Handle<DriverTraits<CUmemGenericAllocationHandle, &Driver::cuMemRelease, "GPU memory">>;
using PageLocked = Handle<DriverTraits<void*, &Driver::cuMemFreeHost, "page-locked memory">>;
using PageLock = Handle<DriverTraits<void*, &Driver::cuMemHostUnregister, "the page lock of the host buffer">>;
using PrimaryContext = Handle<DriverTraits<CUdevice, &Driver::cuDevicePrimaryCtxRelease, "the GPU's context">>;

}  // namespace xcuda::device::cuda
