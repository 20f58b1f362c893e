// Kernels: attributes and occupancy, with the limits of an sm_90 multiprocessor.

#include <simt/kernel.h>
#include <simt/special.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "api/internal.h"

using namespace simt;
using namespace simt::api;

namespace {

constexpr size_t kib = 1024;
constexpr int max_threads = 1024;
constexpr int warps_per_sm = 64;
constexpr int blocks_per_sm = 32;
constexpr size_t shared_per_sm = 228 * kib;
constexpr size_t shared_opt_in = 227 * kib;
constexpr size_t shared_default = 48 * kib;
constexpr size_t shared_reserved = 1 * kib;  // the driver takes this from every block
constexpr size_t shared_unit = 128;
constexpr size_t carveouts[] = {0,         8 * kib,   16 * kib,  32 * kib,  64 * kib,
                                100 * kib, 132 * kib, 164 * kib, 196 * kib, 228 * kib};

struct Function {
  size_t max_dynamic = 0;
  bool max_dynamic_set = false;
  int carveout = cudaSharedmemCarveoutDefault;  // percent of the shared memory there can be
  int cluster[3] = {0, 0, 0};
  int cluster_must_be_set = 0;
  int non_portable_cluster = 0;
  int scheduling = 0;
};

std::mutex functions_mutex;

std::unordered_map<const void*, Function>& functions() {
  static auto* const all = new std::unordered_map<const void*, Function>;
  return *all;
}

// What the kernels' definitions say, and what launches have told; a reset does not change it.
struct Facts {
  KernelFacts declared;
  size_t seen_shared = 0;

  size_t shared() const {
    return std::max(seen_shared, declared.shared != nullptr ? declared.shared->bytes : 0);
  }
  // What a launch may ask for beside the kernel's own variables.
  size_t max_dynamic(const Function& f) const {
    return f.max_dynamic_set ? f.max_dynamic : shared_default - std::min(shared_default, shared());
  }
  int threads() const {
    const auto bound = static_cast<int>(declared.max_threads);
    return bound != 0 && bound < max_threads ? bound : max_threads;
  }
};

std::unordered_map<const void*, Facts>& all_facts() {
  static auto* const all = new std::unordered_map<const void*, Facts>;
  return *all;
}

Facts facts_of(const void* kernel) {
  const std::lock_guard lock(functions_mutex);
  const auto it = all_facts().find(kernel);
  return it == all_facts().end() ? Facts{} : it->second;
}

Function function_of(const void* kernel) {
  const std::lock_guard lock(functions_mutex);
  const auto it = functions().find(kernel);
  return it == functions().end() ? Function{} : it->second;
}

// An instance of one of several templates of a name is known from its first launch on: until then it is some code.
cudaError_t no_kernel(const void* pointer) {
  if (pointer == nullptr) return cudaErrorInvalidDeviceFunction;
  return is_kernel(pointer) || api::is_code(pointer) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

// Shared memory of a multiprocessor while this kernel runs: the smallest setting that grants what
// was preferred and holds one block.
size_t shared_setting(const Function& f, size_t block_needs) {
  const size_t preferred =
      f.carveout < 0 ? shared_per_sm : shared_per_sm * static_cast<size_t>(f.carveout) / 100;
  for (const size_t setting : carveouts)
    if (setting >= std::max(preferred, block_needs)) return setting;
  return shared_per_sm;
}

size_t round_up(size_t n, size_t unit) {
  return (n + unit - 1) / unit * unit;
}

int active_blocks(const Function& f, const Facts& facts, int block_size, size_t dynamic) {
  if (block_size > max_threads || dynamic > facts.max_dynamic(f)) return 0;
  const int warps = (block_size + 31) / 32;
  const size_t needs = round_up(facts.shared() + dynamic + shared_reserved, shared_unit);
  const int by_shared = static_cast<int>(shared_setting(f, needs) / needs);
  return std::min({blocks_per_sm, warps_per_sm / warps, by_shared});
}

}  // namespace

void simt::api::forget_functions() {
  const std::lock_guard lock(functions_mutex);
  functions().clear();
}

void simt::describe_kernel(const void* kernel, const KernelFacts& facts) {
  const std::lock_guard lock(functions_mutex);
  all_facts()[kernel].declared = facts;
}

unsigned simt::launch_bound_of(const void* kernel) {
  return facts_of(kernel).declared.max_threads;
}

void simt::note_static_shared(const void* kernel, size_t bytes) {
  const std::lock_guard lock(functions_mutex);
  size_t& seen = all_facts()[kernel].seen_shared;
  seen = std::max(seen, bytes);
}

SharedLimit simt::shared_limit_of(const void* kernel) {
  const Function f = function_of(kernel);
  const Facts facts = facts_of(kernel);
  return {facts.shared(), facts.max_dynamic(f), f.max_dynamic_set};
}

bool simt::may_exceed_portable_cluster(const void* kernel) {
  return function_of(kernel).non_portable_cluster != 0;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attr, int value) {
  if (const cudaError_t error = no_kernel(kernel)) return record(error);
  if (const cudaError_t error = device_state()) return record(error);
  const size_t own = facts_of(kernel).shared();
  const std::lock_guard lock(functions_mutex);
  Function& f = functions()[kernel];
  switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<size_t>(value) + own > shared_opt_in) {
        return record(cudaErrorInvalidValue,
                      std::to_string(value) + " bytes of dynamic shared memory" +
                          (own == 0 ? "" : " beside " + std::to_string(own) + " of its variables") +
                          "; the limit is " + std::to_string(shared_opt_in));
      }
      f.max_dynamic = static_cast<size_t>(value);
      f.max_dynamic_set = true;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) break;
      f.carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (value < 0) break;
      f.cluster[attr - cudaFuncAttributeRequiredClusterWidth] = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      if (value != 0 && value != 1) break;
      f.non_portable_cluster = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing) break;
      f.scheduling = value;
      return cudaSuccess;
    default:
      break;
  }
  return record(cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  if (!attributes) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = no_kernel(kernel)) return record(error);
  if (const cudaError_t error = device_state()) return record(error);
  const Function f = function_of(kernel);
  *attributes = {};
  const Facts facts = facts_of(kernel);
  attributes->maxThreadsPerBlock = facts.threads();
  attributes->sharedSizeBytes = facts.shared();
  attributes->numRegs = 32;  // of 64 Ki registers, what lets 2048 threads be resident
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(facts.max_dynamic(f));
  attributes->preferredShmemCarveout = f.carveout;
  const bool declared = facts.declared.cluster[0] != 0;
  const auto cluster = [&](int axis) {
    return declared ? static_cast<int>(std::max(facts.declared.cluster[axis], 1u))
                    : f.cluster[axis];
  };
  attributes->clusterDimMustBeSet = declared ? 1 : f.cluster_must_be_set;
  attributes->requiredClusterWidth = cluster(0);
  attributes->requiredClusterHeight = cluster(1);
  attributes->requiredClusterDepth = cluster(2);
  attributes->clusterSchedulingPolicyPreference = f.scheduling;
  attributes->nonPortableClusterSizeAllowed = f.non_portable_cluster;
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
    return record(cudaErrorInvalidValue);
  return record(device_state());
}

cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config) {
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return record(cudaErrorInvalidValue);
  return record(device_state());
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                   int block_size, size_t dynamic,
                                                                   unsigned int flags) {
  if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride)
    return record(cudaErrorInvalidValue);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (const cudaError_t error = device_state()) return record(error);
  *blocks = active_blocks(function_of(kernel), facts_of(kernel), block_size, dynamic);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int block_size, size_t dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, dynamic,
                                                                cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic, const void* kernel,
                                                      int blocks, int block_size) {
  if (!dynamic || blocks <= 0 || block_size <= 0) return record(cudaErrorInvalidValue);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (const cudaError_t error = device_state()) return record(error);
  const Function f = function_of(kernel);
  const Facts facts = facts_of(kernel);
  if (active_blocks(f, facts, block_size, 0) < blocks) return record(cudaErrorInvalidValue);
  // A preference does not bind a single block: it may have all there is.
  const size_t all = blocks == 1 ? shared_per_sm : shared_setting(f, 0);
  const size_t each = all / static_cast<size_t>(blocks);
  const size_t free = each / shared_unit * shared_unit;
  *dynamic = std::min(facts.max_dynamic(f), free - std::min(free, facts.shared()));
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster_size, const void* kernel,
                                                 const cudaLaunchConfig_t* config) {
  if (!cluster_size || !config) return record(cudaErrorInvalidValue);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (const cudaError_t error = device_state()) return record(error);
  const dim3& block = config->blockDim;
  const auto threads = static_cast<int>(block.x * block.y * block.z);
  if (threads < 1) return record(cudaErrorInvalidConfiguration);
  const Function f = function_of(kernel);
  const bool fits = active_blocks(f, facts_of(kernel), threads, config->dynamicSmemBytes) > 0;
  *cluster_size = !fits ? 0 : f.non_portable_cluster ? 16 : 8;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel,
                                           const cudaLaunchConfig_t* config) {
  if (!clusters || !config) return record(cudaErrorInvalidValue);
  if (!kernel) return record(cudaErrorInvalidDeviceFunction);
  if (const cudaError_t error = device_state()) return record(error);
  int cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attr = config->attrs[i];
    if (attr.id == cudaLaunchAttributeClusterDimension)
      cluster =
          static_cast<int>(attr.val.clusterDim.x * attr.val.clusterDim.y * attr.val.clusterDim.z);
  }
  const dim3& block = config->blockDim;
  const int threads = static_cast<int>(block.x * block.y * block.z);
  if (threads < 1) return record(cudaErrorInvalidValue);
  const Function f = function_of(kernel);
  if (cluster < 1 || cluster > (f.non_portable_cluster ? 16 : 8))
    return record(cudaErrorInvalidClusterSize);
  const int resident = active_blocks(f, facts_of(kernel), threads, config->dynamicSmemBytes);
  *clusters = static_cast<int>(special::multiprocessors()) * resident / cluster;
  return cudaSuccess;
}
