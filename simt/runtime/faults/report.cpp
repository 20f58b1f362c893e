#include "faults/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "scheduler/cluster.h"

namespace simt {

const char* name_of(Barrier kind) {
  switch (kind) {
    case Barrier::count:
      return "__syncthreads_count";
    case Barrier::all:
      return "__syncthreads_and";
    case Barrier::any:
      return "__syncthreads_or";
    case Barrier::sync:
      break;
  }
  return "__syncthreads";
}

const char* name_of(WarpOp op) {
  static constexpr std::array names = {
      "__syncwarp",        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",
      "__shfl_xor_sync",   "__all_sync",        "__any_sync",        "__uni_sync",
      "__ballot_sync",     "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync",
      "__reduce_min_sync", "__reduce_max_sync", "__reduce_min_sync", "__reduce_max_sync",
      "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync", "a matrix operation"};
  static_assert(names.size() == static_cast<std::size_t>(WarpOp::together) + 1);
  return names[static_cast<std::size_t>(op)];
}

// As the launch writes it; `::sum<<<…>>>` is the kernel sum.
const char* name_of(const Grid& grid) {
  const char* const name = grid.kernel.name;
  if (name == nullptr) return "(unnamed)";
  return name[0] == ':' && name[1] == ':' ? name + 2 : name;
}

std::string hexadecimal(unsigned long long value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", value);
  return text;
}

std::string describe(const uint3& v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

std::string describe(Site site) {
  return site.file != nullptr ? std::string(site.file) + ":" + std::to_string(site.line)
                              : "an unknown place";
}

std::string ranges(const std::vector<unsigned>& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += std::to_string(sorted[i]);
    if (end - i > 1) text += "-" + std::to_string(sorted[end - 1]);
    i = end;
  }
  return text;
}

namespace {

std::string threads_text(const std::vector<unsigned>& ids, const char* one, const char* many) {
  return (ids.size() == 1 ? "thread " : "threads ") + ranges(ids) + " " +
         (ids.size() == 1 ? one : many);
}

std::string what_for(const Block& block, const Thread& thread) {
  if (thread.wait == Wait::active_mask) return "__activemask";
  if (thread.wait == Wait::barrier) {
    const BarrierState& barrier = block.barriers[thread.barrier];
    std::string text = thread.barrier >= named_barriers ? "the barrier of a tile"
                       : thread.barrier == 0 && barrier.expected == 0
                           ? std::string(name_of(barrier.kind))
                           : "barrier " + std::to_string(thread.barrier);
    if (barrier.expected != 0) {
      text += " (" + std::to_string(barrier.arrived) + " of " + std::to_string(barrier.expected) +
              " threads arrived)";
    }
    return text;
  }
  if (thread.wait == Wait::arrive_wait) {
    const bool cluster = thread.barrier == static_cast<unsigned char>(BarrierScope::cluster);
    return std::string(cluster ? "the cluster's barrier" : "the block's split barrier") + " (" +
           std::to_string(block.arrive_wait[thread.barrier].arrived) +
           " threads of this block arrived)";
  }
  if (thread.wait == Wait::watch || thread.wait == Wait::poll) {
    return describe_memory_barrier(block, thread.watched);
  }
  return std::string(name_of(thread.op)) + " with mask " + hexadecimal(thread.mask);
}

// Threads that wait at the same place for the same thing make one line, in order of the first.
std::string waiting_threads(const Block& block) {
  std::map<std::tuple<std::string, std::string>, std::vector<unsigned>> groups;
  std::vector<unsigned> gone;
  for (unsigned id = 0; id < block.thread_count; ++id) {
    if (block.has_exited(id)) {
      gone.push_back(id);
    } else {
      const Thread& thread = block.threads[id];
      groups[{describe(Site{thread.file, thread.line}), what_for(block, thread)}].push_back(id);
    }
  }
  std::vector<std::pair<std::vector<unsigned>, std::string>> lines;
  for (auto& [key, ids] : groups) {
    lines.emplace_back(ids, "at " + std::get<0>(key) + " for " + std::get<1>(key));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& [ids, rest] : lines) {
    text += "  " + threads_text(ids, "waits ", "wait ") + rest + "\n";
  }
  if (!gone.empty()) text += "  " + threads_text(gone, "has", "have") + " exited\n";
  return text;
}

}  // namespace

std::string deadlock_report(const Block& block) {
  std::string text = "simt: kernel '" + std::string(name_of(*block.grid)) + "' is deadlocked: ";
  const Cluster* const cluster = block.cluster;
  if (cluster == nullptr || !cluster->is_stuck()) {
    return text + "no thread of block " + describe(blockIdx) + " can go on\n" +
           waiting_threads(block);
  }
  // The others sleep, so their threads can be looked at.
  text += "no thread of block " + describe(blockIdx) + "'s cluster can go on\n";
  for (unsigned rank = 0; rank < cluster->count(); ++rank) {
    text += "  block " + std::to_string(rank) + " of the cluster:\n" +
            waiting_threads(cluster->block(rank));
  }
  return text;
}

}  // namespace simt
