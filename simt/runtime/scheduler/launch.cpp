// Accepting a launch: CUDA's limits first (launch_limits.cpp), then the grid runs to its end.

#include <simt/errors.h>
#include <simt/kernel.h>
#include <simt/launch.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "faults/timeout.h"
#include "graph/graph.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/launch_limits.h"
#include "scheduler/worker.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

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
// stands, but a tail launch always comes last.
bool put_off(const Config& config, const Kernel& kernel) {
  if (!in_kernel()) return false;
  const bool tail = config.stream == cudaStreamTailLaunch;
  if (!tail && (check_hooks != nullptr || has_debugger)) return false;
  Grid& grid = *current_block().grid;
  auto call = std::make_shared<graph::KernelCall>(config, kernel);
  const std::lock_guard lock(grid.mutex);
  (tail ? grid.tails : grid.children).push_back(std::move(call));
  return true;
}

Children take_children(Grid& grid) {
  const std::lock_guard lock(grid.mutex);
  return std::exchange(grid.children, {});
}

// What comes after the end of `grid`: its children, then its tail launches.
Children take_followers(Grid& grid) {
  Children all = take_children(grid);
  const std::lock_guard lock(grid.mutex);
  all.insert(all.end(), grid.tails.begin(), grid.tails.end());
  grid.tails.clear();
  return all;
}

void run_inside(const Children& children) {
  for (const auto& child : children) {
    launch_now = true;
    child->run();
  }
  launch_now = false;
}

// After the end of `grid`. On the host one loop runs all generations, however many there are. A grid
// is complete when its children are, so they come before what was launched after it.
void run_children(Grid& grid) {
  const Children children = take_followers(grid);
  if (children.empty()) return;
  if (in_kernel()) return run_inside(children);
  if (waiting != nullptr) {
    waiting->insert(waiting->begin(), children.begin(), children.end());
    return;
  }
  std::deque<std::shared_ptr<graph::KernelCall>> all(children.begin(), children.end());
  waiting = &all;
  const InTimeOf same_time(grid);
  // A child that ends at once is hardly ever in its own code when its time is over.
  while (!all.empty() && !ended_late(grid)) {
    const auto child = all.front();
    all.pop_front();
    child->run();
  }
  waiting = nullptr;
}

// The first launch tells what the variables of a kernel and of the functions it calls take.
void note_shared(const void* identity, const Grid& grid) {
  StaticShared used;
  for (const SharedPlace& place : grid.places) {
    used.add(place.variable->size(), std::max<std::size_t>(place.variable->alignment(), 1));
  }
  note_static_shared(identity, used.bytes);
}

cudaError_t refuse(const Kernel& kernel, const Refusal& refusal) {
  launch_failed(refusal.error, refusal.reason);
  if (in_kernel()) return refusal.error;
  // cudaLaunchKernelEx knows no name of a template's instance.
  const std::string_view name = kernel.name != nullptr ? kernel.name : "";
  const std::string_view bare = name.starts_with("::") ? name.substr(2) : name;
  const std::string who = bare.empty() ? "a kernel" : "kernel '" + std::string(bare) + "'";
  show_refusal("simt: " + who + " cannot run: " + refusal.reason + "\n");
  return refusal.error;
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

// The stub that nvcc makes of a kernel takes the configuration that <<<>>> has put down and returns
// if there is none.
void called_without_launch(const char* name) {
  const Kernel kernel{nullptr, name, nullptr, nullptr, 0};
  note_lost_launch(name, refuse(kernel, {cudaErrorMissingConfiguration,
                                         "it is called as a function, without <<<grid, block>>>"}));
}

void beyond_launch_bounds(unsigned threads) {
  Block& block = current_block();
  Refusal refusal = beyond_bounds(block.thread_count, threads);
  block.grid->record_refusal(refusal.error, std::move(refusal.reason));
  block.leave();
}

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
  if (const Refusal refusal = check_limits(config, kernel); refusal.error != cudaSuccess) {
    return refuse(kernel, refusal);
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
    return refuse(kernel, wrong_cluster(config.cluster, *grid.wanted_cluster));
  }
  publish_output(grid);
  if (check_hooks != nullptr)
    check_hooks->grid_ended(grid, grid.error != cudaSuccess && !grid.refused);
  if (grid.error == cudaSuccess) {
    if (kernel.identity != nullptr && !grid.places.empty()) note_shared(kernel.identity, grid);
    run_children(grid);
    return cudaSuccess;
  }
  if (grid.refused) return refuse(kernel, {grid.error, grid.report});
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

// g++: "… [with auto Function = a::{anonymous}::sum<float>]", clang: "… [Function = &a::(anonymous namespace)::sum<float>]".
const char* template_name(const char* pretty) {
  const std::string_view text(pretty), before = "Function = ";
  const std::size_t at = text.rfind(before);
  if (at == text.npos) return nullptr;
  std::string_view name = text.substr(at + before.size());
  name = name.substr(0, name.find_first_of("<];"));
  const std::size_t scope = name.find_last_of(":&");
  if (scope != name.npos) name.remove_prefix(scope + 1);
  if (name.empty()) return nullptr;
  static std::mutex mutex;
  static auto& names = *new std::set<std::string, std::less<>>;  // kernels may run at exit
  const std::lock_guard lock(mutex);
  return names.emplace(name).first->c_str();
}

const char* kernel_name(const void* identity) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(identity);
  return found != all.kernels.end() ? found->second.name : nullptr;
}

bool is_kernel(const void* identity) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return all.kernels.count(identity) != 0;
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
    const cudaError_t error =
        identity == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    launch_failed(error, identity == nullptr ? "the kernel is a null pointer"
                                             : "there is no kernel at this address");
    return error;
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
