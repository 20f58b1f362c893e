// Accepting a launch: CUDA's limits first, then the grid runs to its end.

#include <simt/errors.h>
#include <simt/kernel.h>
#include <simt/launch.h>
#include <simt/shared.h>
#include <simt/special.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "faults/timeout.h"
#include "graph/graph.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/worker.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

// An H100's limits.
constexpr std::uint64_t resident_threads = 2048;
constexpr std::uint64_t resident_blocks = 32;
constexpr std::size_t resident_shared = 228 * 1024;

// Whatever is wrong with the clusters has one code, whose text says so.
cudaError_t check_cluster(const Config& config, const Kernel& kernel) {
  const dim3 &c = config.cluster, &g = config.grid;
  const std::uint64_t blocks = std::uint64_t{c.x} * c.y * c.z;
  const bool fits =
      blocks != 0 && c.x <= max_cluster && c.y <= max_cluster && c.z <= max_cluster &&
      blocks <= max_cluster &&
      (blocks <= max_portable_cluster || may_exceed_portable_cluster(kernel.identity));
  if (!fits || g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    return cudaErrorInvalidClusterSize;
  }
  return cudaSuccess;
}

// CUDA 13 answers cudaErrorInvalidValue to every shape it does not take (seen on an H200); before
// it was cudaErrorInvalidConfiguration.
cudaError_t check(const Config& config, const Kernel& kernel) {
  const dim3& g = config.grid;
  const dim3& b = config.block;
  if (g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0) {
    return cudaErrorInvalidValue;
  }
  if (b.x > 1024 || b.y > 1024 || b.z > 64) return cudaErrorInvalidValue;
  const std::uint64_t threads = std::uint64_t{b.x} * b.y * b.z;
  if (threads > max_threads) return cudaErrorInvalidValue;
  if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) return cudaErrorInvalidValue;
  const std::size_t allowed = max_dynamic_shared(kernel.identity);
  if (config.dynamic_shared > std::min(allowed, max_block_shared)) return cudaErrorInvalidValue;
  if (config.cooperative) {
    const std::uint64_t shared = std::max<std::size_t>(config.dynamic_shared, 1);
    const std::uint64_t each =
        std::min({resident_threads / threads, resident_blocks, resident_shared / shared});
    const std::uint64_t blocks = std::uint64_t{g.x} * g.y * g.z;
    if (blocks > each * special::multiprocessors()) return cudaErrorCooperativeLaunchTooLarge;
  }
  return check_cluster(config, kernel);
}

void run_blocks(Grid& grid) {
  const TimeLimit limit(grid);
  if (grid.cluster_blocks > 1) {
    run_clusters(grid);
  } else if (grid.config.cooperative) {
    run_resident(grid);
  } else {
    run_on_pool(grid);
  }
}

using Children = std::vector<std::shared_ptr<graph::KernelCall>>;

thread_local bool launch_now = false;  // the next launch is one that has waited already
thread_local std::deque<std::shared_ptr<graph::KernelCall>>* waiting = nullptr;

// A launch by a thread takes a GPU longer than what is left of a small grid, and programs rely on
// that: it waits for the end of its grid, or until a thread asks for it. The checks see it where it
// stands.
bool put_off(const Config& config, const Kernel& kernel) {
  if (!in_kernel() || check_hooks != nullptr || has_debugger) return false;
  Grid& grid = *current_block().grid;
  if (grid.has_limit) return false;
  auto call = std::make_shared<graph::KernelCall>(config, kernel);
  const std::lock_guard lock(grid.mutex);
  grid.children.push_back(std::move(call));
  return true;
}

Children take_children(Grid& grid) {
  const std::lock_guard lock(grid.mutex);
  return std::exchange(grid.children, {});
}

void run_inside(const Children& children) {
  for (const auto& child : children) {
    launch_now = true;
    child->run();
  }
  launch_now = false;
}

// After the end of `grid`. On the host one loop runs all generations, however many there are.
void run_children(Grid& grid) {
  Children children = take_children(grid);
  if (children.empty()) return;
  if (in_kernel()) return run_inside(children);
  if (waiting != nullptr) {
    waiting->insert(waiting->end(), children.begin(), children.end());
    return;
  }
  std::deque<std::shared_ptr<graph::KernelCall>> all(children.begin(), children.end());
  waiting = &all;
  while (!all.empty()) {
    const auto child = all.front();
    all.pop_front();
    child->run();
  }
  waiting = nullptr;
}

struct Registered {
  const char* name;
  LaunchThunk thunk;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<const void*, Registered> kernels;
};

Table& table() {
  static Table* const it = new Table;  // registrars of other modules may run after our destructors
  return *it;
}

}  // namespace

void run_children_now() {
  Block& block = current_block();
  const Children children = take_children(*block.grid);
  if (children.empty()) return;
  block.yield();
  run_inside(children);
}

cudaError_t run_grid(const Config& config, const Kernel& kernel) {
  const bool now = std::exchange(launch_now, false);
  if (is_poisoned()) {
    launch_failed(cudaErrorLaunchFailure);
    return cudaErrorLaunchFailure;
  }
  if (const cudaError_t refused = check(config, kernel); refused != cudaSuccess) {
    launch_failed(refused);
    return refused;
  }
  if (const auto taken = graph::take_launch(config, kernel)) {
    if (*taken != cudaSuccess) launch_failed(*taken);
    return *taken;
  }
  catch_signals();
  if (!now && put_off(config, kernel)) return cudaSuccess;
  // The other lanes get on with what stands before the launch: programs rely on their stores.
  if (in_kernel() && !now) current_block().yield();
  Grid grid(config, kernel);
  if (has_debugger) simt_debug_grid_began(&grid);
  run_blocks(grid);
  if (grid.wanted_cluster) {
    Config again = config;
    again.cluster = *grid.wanted_cluster;
    if (grid.cluster_blocks == 1) return run_grid(again, kernel);
    launch_failed(cudaErrorInvalidClusterSize);  // the launch asked for another size
    return cudaErrorInvalidClusterSize;
  }
  publish_output(grid);
  if (check_hooks != nullptr) check_hooks->grid_ended(grid, grid.error != cudaSuccess);
  if (grid.error == cudaSuccess) {
    run_children(grid);
    return cudaSuccess;
  }
  if (grid.refused) {
    show_report(grid.report);
    launch_failed(grid.error);
    return grid.error;
  }
  kernel_faulted(grid.error, grid.report);
  return cudaSuccess;  // a fault shows at the next synchronising call, as on a GPU
}

void register_kernel(const void* identity, const char* name, LaunchThunk thunk) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  Registered& entry = all.kernels[identity];
  entry.thunk = thunk;
  if (name != nullptr) entry.name = name;
}

const char* kernel_name(const void* identity) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(identity);
  return found != all.kernels.end() ? found->second.name : nullptr;
}

cudaError_t launch_registered(const Config& config, const void* identity, void** args) {
  Registered entry = {};
  {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.kernels.find(identity);
    if (found != all.kernels.end()) entry = found->second;
  }
  if (entry.thunk == nullptr) {
    launch_failed(cudaErrorInvalidDeviceFunction);
    return cudaErrorInvalidDeviceFunction;
  }
  return entry.thunk(config, identity, entry.name, args);
}

Config config_of(const cudaLaunchConfig_t& from) {
  Config config{from.gridDim, from.blockDim, from.dynamicSmemBytes,
                from.stream,  dim3(1, 1, 1), false};
  for (unsigned i = 0; i < from.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = from.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) {
      config.cooperative = attribute.val.cooperative != 0;
    } else if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& size = attribute.val.clusterDim;
      config.cluster = dim3(size.x, size.y, size.z);
    }
  }
  return config;
}

}  // namespace simt

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args,
                             size_t dynamic_shared, cudaStream_t stream) {
  return simt::launch_registered(simt::config(grid, block, dynamic_shared, stream), kernel, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** args,
                                        size_t dynamic_shared, cudaStream_t stream) {
  simt::Config config = simt::config(grid, block, dynamic_shared, stream);
  config.cooperative = true;
  return simt::launch_registered(config, kernel, args);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** args) {
  if (config == nullptr) {
    simt::launch_failed(cudaErrorInvalidValue);
    return cudaErrorInvalidValue;
  }
  return simt::launch_registered(simt::config_of(*config), kernel, args);
}
