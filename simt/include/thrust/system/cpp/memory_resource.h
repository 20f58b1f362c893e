#pragma once

// Included for the host's system and, by thrust/detail/config/device_system.h, for the device's.
#include_next <thrust/system/cpp/memory_resource.h>
#include <thrust/system/cuda/memory_resource.h>
