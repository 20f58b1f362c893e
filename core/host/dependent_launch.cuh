// Programmatic dependent launch: the blocks of a kernel take their places while the kernel before it on the stream still runs,
// so that the launch itself, and what does not depend on that kernel, cost no time. In a captured graph it is a programmatic
// edge.
//
// The kernel calls ptx::wait_for_grids_before() in every thread, on every path (core/ptx/grid_order.cuh). That waits for the
// kernel before it to end, which has itself waited for the one before; so whatever was launched earlier has ended, too. An
// ordinary launch behind it begins when it has ended, as always.
#pragma once
#include <cuda_runtime.h>

#include <utility>

#include "core/host/device.cuh"

namespace warpath {

struct DependentLaunch {
  dim3 blocks, threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
  bool overlaps = true;  // false: an ordinary launch

  // Of a grid that is over so soon that its launch counts: no more blocks than multiprocessors.
  static bool pays(unsigned blocks) { return blocks <= multiprocessors(); }

  template <class... Params, class... Args>
  void operator()(void (*kernel)(Params...), Args&&... args) const {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlaps && is_known() ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
  }

 private:
  // Whether the device has it: from sm_90 on. Asked once for the first devices.
  static bool is_known() {
    static std::array<std::atomic<int>, 64> majors{};
    const auto device = static_cast<std::size_t>(current_device());
    const auto ask = [] { return device_attribute(cudaDevAttrComputeCapabilityMajor); };
    if (device >= majors.size()) return ask() >= 9;
    int major = majors[device].load(std::memory_order_relaxed);
    if (major == 0) majors[device].store(major = ask(), std::memory_order_relaxed);
    return major >= 9;
  }
};

}  // namespace warpath
