#pragma once

// A launch while it runs: shared by the OS threads that work on its blocks.

#include <driver_types.h>
#include <simt/launch.h>
#include <simt/shared.h>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/debug.h"

namespace simt {

class Cluster;
namespace graph {
class KernelCall;
}

struct SharedPlace {
  const SharedVar* variable;
  std::size_t offset;
};

// Between shared variables in a checked program.
inline constexpr std::size_t shared_red_zone = 64;

// Where a CUDA thread was, and who called.
struct WhereAt {
  std::atomic<int> depth{0};  // of the stack; 0: not known
  void* frames[24];
  uint3 block, thread;
  const char* bottom = nullptr;        // of the grid's part of the OS thread's stack
  std::atomic<bool> only_look{false};  // the signal under way asks where it is and stops nothing
};

// An OS thread that works on a grid, whether it has a signal of the watchdog under way, and where that
// found it.
struct Worked {
  pthread_t thread;
  std::atomic<bool>* signalled;
  WhereAt* place;
};

struct Grid {
  Grid(const Config& launch_config, const Kernel& launched);

  // The first fault of the grid is kept; blocks that have not started never do.
  void record_fault(cudaError_t error, std::string report);
  // The launch turned out to be one that CUDA refuses, for this reason.
  void record_refusal(cudaError_t error, std::string reason);
  // The kernel is made for clusters of this size; nothing of it has run.
  void want_cluster(dim3 size);

  // Offset of a statically sized shared variable; faults when the limits are passed.
  std::size_t place(const SharedVar& variable);

  void keep_output(std::uint64_t block, std::string text);

  // Index of a block by its cluster's number and its rank there.
  std::uint64_t block_of(std::uint64_t cluster, unsigned rank) const;

  // All blocks of a cooperative grid meet here; false when the grid was aborted meanwhile.
  bool meet();
  void block_left();

  const Config config;
  const Kernel kernel;
  const std::uint64_t block_count;
  const unsigned cluster_blocks;
  const unsigned generation;
  const std::uint64_t batch;                 // blocks an OS thread takes at once
  std::atomic<std::uint64_t> next_block{0};  // with clusters: the next cluster
  std::atomic<bool> aborted{false};
  std::atomic<std::size_t> static_used{0};
  std::atomic<void*> check{nullptr};  // what simt/check keeps of it
  std::vector<Cluster*> teams;        // set before blocks run
  std::uint64_t debug_block = no_debug_block;
  bool watched = false;  // its time is; then the OS threads that work on it are known
  std::chrono::steady_clock::time_point began, due;  // then: and when its time is over
  std::atomic<bool> stopped_by_user{false};          // its time was ended by Ctrl-C
  std::mutex workers_mutex;
  std::vector<Worked> workers;

  std::mutex mutex;  // guards what follows
  cudaError_t error = cudaSuccess;
  bool refused = false;
  std::optional<dim3> wanted_cluster;
  std::string report;
  std::vector<SharedPlace> places;
  std::vector<std::pair<std::uint64_t, std::string>> outputs;
  std::vector<std::shared_ptr<graph::KernelCall>> children;  // launched by its threads, not yet run
  std::vector<std::shared_ptr<graph::KernelCall>> tails;     // and for when all of that is complete

  std::condition_variable meeting;
  std::uint64_t arrived = 0, left = 0, meetings = 0;
};

const char* name_of(const Grid& grid);
std::string describe(const uint3& v);
std::string describe(Site site);

// Puts the outputs of a grid, in block order, behind what earlier grids printed.
void publish_output(Grid& grid);

// Runs what threads of the running block's grid have launched and what still waits for its end.
void run_children_now();

}  // namespace simt
