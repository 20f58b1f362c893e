#pragma once
#include <filesystem>

#include "harness/device/device.h"

namespace warpath::harness {

// The table of a device library, which stays open. Throws Error.
const Device& open_device(const std::filesystem::path& library);

}  // namespace warpath::harness
