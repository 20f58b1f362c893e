#include "scheduler/grid.h"

#include <simt/fault.h>

#include <algorithm>
#include <limits>

#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/cluster.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

unsigned next_generation() {
  static std::atomic<unsigned> last{0};
  unsigned generation;
  do {
    generation = last.fetch_add(1, std::memory_order_relaxed) + 1;
  } while (generation == 0);
  return generation;
}

}  // namespace

Grid::Grid(const Config& launch_config, const Kernel& launched)
    : config(launch_config),
      kernel(launched),
      block_count(std::uint64_t{config.grid.x} * config.grid.y * config.grid.z),
      cluster_blocks(config.cluster.x * config.cluster.y * config.cluster.z),
      generation(next_generation()),
      // Blocks are taken in order, so one may wait for blocks before it, batch or not.
      batch(config.cooperative ? 1 : std::clamp<std::uint64_t>(block_count / 1024, 1, 16)) {}

void Grid::record_fault(cudaError_t code, std::string text) {
  {
    const std::lock_guard lock(mutex);
    if (error == cudaSuccess) {
      error = code;
      report = std::move(text);
    }
    aborted.store(true);
  }
  meeting.notify_all();
  for (Cluster* team : teams) team->wake();
  if (has_debugger) simt_debug_faulted(report.c_str());
}

void Grid::want_cluster(dim3 size) {
  const std::lock_guard lock(mutex);
  wanted_cluster = size;
  aborted.store(true);
}

std::uint64_t Grid::block_of(std::uint64_t number, unsigned rank) const {
  const dim3& size = config.cluster;
  const std::uint64_t across = config.grid.x / size.x, down = config.grid.y / size.y;
  const std::uint64_t x = number % across * size.x + rank % size.x;
  const std::uint64_t y = number / across % down * size.y + rank / size.x % size.y;
  const std::uint64_t z = number / across / down * size.z + rank / size.x / size.y;
  return x + config.grid.x * (y + config.grid.y * z);
}

void Grid::record_refusal(cudaError_t code, std::string text) {
  {
    const std::lock_guard lock(mutex);
    if (error == cudaSuccess) refused = true;
  }
  record_fault(code, std::move(text));
}

std::size_t Grid::place(const SharedVar& variable) {
  std::size_t total = 0;
  {
    const std::lock_guard lock(mutex);
    const auto known = std::find_if(places.begin(), places.end(), [&](const SharedPlace& place) {
      return place.variable == &variable;
    });
    if (known != places.end()) return known->offset;
    const std::size_t alignment = std::max<std::size_t>(variable.alignment(), 1);
    const std::size_t used = static_used.load(std::memory_order_relaxed);
    const std::size_t gaps = places.size() * red_zone(shared_red_zone);
    const std::size_t offset =
        (used + red_zone(shared_red_zone) + alignment - 1) / alignment * alignment;
    total = offset - std::min(offset, gaps + red_zone(shared_red_zone)) + variable.size();
    const bool fits =
        total <= max_static_shared && total + config.dynamic_shared <= max_block_shared;
    if (fits) {
      places.push_back({&variable, offset});
      static_used.store(offset + variable.size(), std::memory_order_relaxed);
      return offset;
    }
  }
  const std::string with = "with '" + std::string(variable.name()) + "' the kernel uses " +
                           std::to_string(total) + " bytes of static shared memory";
  const std::string limit = total > max_static_shared
                                ? "; the limit is " + std::to_string(max_static_shared)
                                : " and " + std::to_string(config.dynamic_shared) +
                                      " of dynamic; the limit is " +
                                      std::to_string(max_block_shared);
  record_refusal(cudaErrorInvalidValue, with + limit);
  current_block().leave();
}

void Grid::keep_output(std::uint64_t block, std::string text) {
  const std::lock_guard lock(mutex);
  outputs.emplace_back(block, std::move(text));
}

bool Grid::meet() {
  std::unique_lock lock(mutex);
  const std::uint64_t meeting_number = meetings;
  if (++arrived == block_count) {
    arrived = 0;
    ++meetings;
    if (check_hooks != nullptr) check_hooks->blocks_met(*this);
    lock.unlock();
    meeting.notify_all();
    return true;
  }
  meeting.wait(lock, [&] {
    return meetings != meeting_number || aborted.load() || arrived + left == block_count;
  });
  return meetings != meeting_number;
}

void Grid::block_left() {
  {
    const std::lock_guard lock(mutex);
    ++left;
  }
  meeting.notify_all();
}

}  // namespace simt
