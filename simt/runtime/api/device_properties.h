#pragma once

// The device's properties and attributes.

#include <driver_types.h>

#include <optional>

namespace simt::api {

void fill_properties(cudaDeviceProp& prop);
std::optional<int> device_attribute(cudaDeviceAttr attr);

}  // namespace simt::api
