// A backend opened by its name, in this process: the device's functions and the ladders of the ops. The program links
// neither CUDA nor simt; both are in libraries that are opened here.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/host/registry.h"
#include "harness/device/device.h"
#include "harness/library.h"

namespace warpath::models {

// The rungs of one op, from the bottom up.
struct Ladder {
  const Op* op = nullptr;
  std::vector<const Rung*> rungs;
};

class Backend {
 public:
  Backend(harness::Places places, std::string name);  // "simt" or "cuda"

  const std::string& name() const { return name_; }
  bool gpu() const { return name_ == "cuda"; }
  const harness::Device& device() const { return *device_; }
  const harness::DeviceInfo& info() const { return info_; }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(device_->stream()); }

  // Opened when it is first asked for. Without a rung that gives the same bits in every run, `deterministic` throws.
  const Ladder& ladder(const char* op, bool deterministic);

 private:
  harness::Places places_;
  std::string name_;
  const harness::Device* device_;
  harness::DeviceInfo info_{};
  std::map<std::pair<std::string, bool>, Ladder> ladders_;
};

}  // namespace warpath::models
