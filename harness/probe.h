// What the device is and its best rates. A process of its own asks it: the program itself never
// touches a device.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "harness/device/device.h"

namespace warpath::harness {

struct Probe {
  std::string error;  // empty: the device answered
  DeviceInfo info{};
  std::string method;
  bool ok() const { return error.empty(); }
};
Probe probe_device(const std::filesystem::path& device_library);

struct MeasuredRate {
  double per_second = 0;
  std::string how;
};
struct Roofline {
  std::optional<MeasuredRate> copy;    // bytes
  std::optional<MeasuredRate> matmul;  // operations
  std::string error;                   // why one is missing

  // The least time in seconds for that much work; 0 when nothing was measured.
  double floor_seconds(double bytes, double flops) const;
};
Roofline measure_roofline(const std::filesystem::path& device_library);

// "570.86" from the kernel's driver, or empty.
std::string driver_version();
// "NVIDIA H200" is "h200", "NVIDIA A100-SXM4-80GB" is "a100".
std::string device_slug(const std::string& name);

}  // namespace warpath::harness
