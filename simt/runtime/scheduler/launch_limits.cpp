#include "scheduler/launch_limits.h"

#include <simt/errors.h>
#include <simt/shared.h>
#include <simt/special.h>

#include <algorithm>
#include <cstdint>

#include "scheduler/cluster.h"

namespace simt {
namespace {

constexpr std::uint64_t resident_threads = 2048;
constexpr std::uint64_t resident_blocks = 32;
constexpr std::size_t resident_shared = 228 * 1024;

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

std::string text(const dim3& size) {
  return "(" + text(size.x) + ", " + text(size.y) + ", " + text(size.z) + ")";
}

std::uint64_t count(const dim3& size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

// The first of the three sizes that is above its limit; empty if none is.
std::string too_large(const char* what, const dim3& size, const dim3& limit) {
  const unsigned sizes[] = {size.x, size.y, size.z}, limits[] = {limit.x, limit.y, limit.z};
  for (int i = 0; i < 3; ++i) {
    if (sizes[i] > limits[i]) {
      return what + text(sizes[i]) + " in " + "xyz"[i] + "; the limit is " + text(limits[i]);
    }
  }
  return "";
}

std::string shape_mistake(const dim3& grid, const dim3& block) {
  if (count(grid) == 0) return "the grid has no blocks: its size is " + text(grid);
  if (count(block) == 0) return "the block has no threads: its size is " + text(block);
  if (count(block) > max_threads) {
    return "a block of " + text(count(block)) + " threads, " + text(block) + "; the limit is " +
           text(max_threads);
  }
  const std::string wide = too_large("a block of ", block, dim3(1024, 1024, 64));
  return !wide.empty() ? wide : too_large("a grid of ", grid, dim3(0x7fffffffu, 65535, 65535));
}

std::string shared_mistake(std::size_t wanted, const SharedLimit& limit) {
  if (wanted <= limit.dynamic) return "";
  std::string reason = text(wanted) + " bytes of dynamic shared memory";
  if (limit.own != 0) reason += " beside " + text(limit.own) + " of its variables";
  reason += "; the limit is ";
  if (wanted + limit.own > max_block_shared || wanted > max_block_shared)
    return reason + text(max_block_shared);
  if (limit.is_set) return reason + text(limit.dynamic) + " as set by cudaFuncSetAttribute";
  return reason + text(max_static_shared) +
         " unless cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
         "bytes) allows up to " +
         text(max_block_shared - limit.own);
}

std::string cooperative_mistake(const Config& config) {
  if (!config.cooperative) return "";
  const std::uint64_t shared = std::max<std::size_t>(config.dynamic_shared, 1);
  const std::uint64_t each =
      std::min({resident_threads / count(config.block), resident_blocks, resident_shared / shared});
  const std::uint64_t limit = each * special::multiprocessors();
  if (count(config.grid) <= limit) return "";
  return "a cooperative grid of " + text(count(config.grid)) +
         " blocks, which must all be resident; the limit is " + text(limit) + ", " + text(each) +
         " for each of " + text(special::multiprocessors()) + " multiprocessors";
}

std::string cluster_mistake(const Config& config, const void* kernel) {
  const dim3 &c = config.cluster, &g = config.grid;
  if (count(c) == 0) return "the cluster has no blocks: its size is " + text(c);
  if (count(c) > max_cluster) {
    return "a cluster of " + text(count(c)) + " blocks, " + text(c) + "; the limit is " +
           text(max_portable_cluster) + ", or " + text(max_cluster) +
           " with cudaFuncAttributeNonPortableClusterSizeAllowed";
  }
  if (count(c) > max_portable_cluster && !may_exceed_portable_cluster(kernel)) {
    return "a cluster of " + text(count(c)) + " blocks, " + text(c) + "; the limit is " +
           text(max_portable_cluster) +
           " unless cudaFuncAttributeNonPortableClusterSizeAllowed is set";
  }
  const unsigned grid[] = {g.x, g.y, g.z}, cluster[] = {c.x, c.y, c.z};
  for (int i = 0; i < 3; ++i) {
    if (grid[i] % cluster[i] != 0) {
      return "a grid of " + text(grid[i]) + " blocks in " + "xyz"[i] +
             ", which is no multiple of the cluster's " + text(cluster[i]);
    }
  }
  return "";
}

}  // namespace

// CUDA 13 answers cudaErrorInvalidValue to every shape it does not take (seen on an H200); before
// it was cudaErrorInvalidConfiguration. Whatever is wrong with the clusters has one code.
Refusal check_limits(const Config& config, const Kernel& kernel) {
  if (std::string reason = shape_mistake(config.grid, config.block); !reason.empty()) {
    return {cudaErrorInvalidValue, std::move(reason)};
  }
  const unsigned bound = launch_bound_of(kernel.identity);
  if (bound != 0 && count(config.block) > bound) {
    return beyond_bounds(static_cast<unsigned>(count(config.block)), bound);
  }
  std::string reason = shared_mistake(config.dynamic_shared, shared_limit_of(kernel.identity));
  if (!reason.empty()) return {cudaErrorInvalidValue, std::move(reason)};
  reason = cooperative_mistake(config);
  if (!reason.empty()) return {cudaErrorCooperativeLaunchTooLarge, std::move(reason)};
  reason = cluster_mistake(config, kernel.identity);
  if (!reason.empty()) return {cudaErrorInvalidClusterSize, std::move(reason)};
  return {};
}

Refusal beyond_bounds(unsigned threads, unsigned bound) {
  return {cudaErrorInvalidValue,
          "a block of " + text(threads) + " threads; its __launch_bounds__ says " + text(bound)};
}

Refusal wrong_cluster(dim3 launched, dim3 made_for) {
  return {cudaErrorInvalidClusterSize,
          "clusters of " + text(launched) + ", but its __cluster_dims__ says " + text(made_for)};
}

}  // namespace simt
