// Barriers at which arriving and waiting are two calls, over a block or over a cluster.
//
// Each block counts its own threads. When all have arrived, the barrier of a block is complete; at
// a cluster's the block posts, and learns that the phase has passed when it next looks. A cluster
// cannot be two phases ahead of a block, because each takes a post of that block.

#include <simt/cluster.h>
#include <simt/fault.h>

#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/cluster.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

// A thread's arrival, as of this phase: an arrival of the last phase is the other number.
unsigned char mark(const ArriveWaitState& barrier) {
  return static_cast<unsigned char>(1 + (barrier.phase & 1u));
}

const char* name_of(BarrierScope scope) {
  return scope == BarrierScope::cluster ? "a cluster's barrier" : "a block's split barrier";
}

[[noreturn, gnu::cold, gnu::noinline]] void arrived_twice(BarrierScope scope, Site site) {
  fault(cudaErrorIllegalInstruction,
        std::string("a thread arrives twice at ") + name_of(scope) + " without waiting", site);
}

[[noreturn, gnu::cold, gnu::noinline]] void never_arrived(BarrierScope scope, Site site) {
  fault(cudaErrorIllegalInstruction,
        std::string("a thread waits at ") + name_of(scope) + " without having arrived", site);
}

}  // namespace

void Block::pass(ArriveWaitState& barrier) {
  if (check_hooks != nullptr) check_hooks->barrier_passed(*this);
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.complete = false;
  make_ready(barrier.waiting);
}

void Block::look_at_cluster() {
  if (cluster == nullptr) return;
  ArriveWaitState& barrier = barrier_of(BarrierScope::cluster);
  if (cluster->phase() != barrier.phase) pass(barrier);
  if (const std::uint64_t events = cluster->events(cluster_rank); events != events_seen) {
    events_seen = events;
    polls = 0;
    wake_all();
  }
}

void Block::complete(BarrierScope scope) {
  ArriveWaitState& barrier = barrier_of(scope);
  if (barrier.complete || barrier.arrived == 0) return;
  if (barrier.arrived + exited_count() != thread_count) return;
  barrier.complete = true;
  if (scope == BarrierScope::block || cluster == nullptr || cluster->post()) pass(barrier);
}

// A thread that returns counts as arrived from now on, whether it had arrived or not.
void Block::forget_arrivals(Thread& thread) {
  for (const BarrierScope scope : {BarrierScope::block, BarrierScope::cluster}) {
    unsigned char& arrival = thread.arrival[static_cast<unsigned>(scope)];
    if (arrival == 0) continue;
    if (scope == BarrierScope::cluster) look_at_cluster();
    ArriveWaitState& barrier = barrier_of(scope);
    if (arrival == mark(barrier) && !barrier.complete) --barrier.arrived;
    arrival = 0;
  }
}

bool Block::is_waiting_for_phase(const Thread& thread) const {
  return thread.arrival[thread.barrier] == mark(arrive_wait[thread.barrier]);
}

bool Block::await_cluster() {
  ArriveWaitState& barrier = barrier_of(BarrierScope::cluster);
  if (cluster == nullptr) return false;
  const bool at_barrier = barrier.complete && !barrier.waiting.empty();
  if (!at_barrier && watching.empty()) return false;
  switch (cluster->sleep(cluster_rank, at_barrier, barrier.phase, events_seen)) {
    case Cluster::Woken::passed:
      pass(barrier);
      break;
    case Cluster::Woken::told:
      look_at_cluster();
      break;
    case Cluster::Woken::aborted:
      leave();
    case Cluster::Woken::stuck:
      return false;
  }
  return true;
}

void Block::leave_cluster() {
  const ArriveWaitState& barrier = barrier_of(BarrierScope::cluster);
  cluster->block_ended(barrier.complete && cluster->phase() == barrier.phase);
}

void barrier_arrive(BarrierScope scope, Site site) {
  if (!in_kernel()) host_misuse(name_of(scope), site);
  Block& block = current_block();
  block.park();
  block.look_at_cluster();
  ArriveWaitState& barrier = block.barrier_of(scope);
  unsigned char& arrival = block.threads[block.current].arrival[static_cast<unsigned>(scope)];
  if (arrival != 0) arrived_twice(scope, site);
  arrival = mark(barrier);
  ++barrier.arrived;
  block.complete(scope);
}

void barrier_wait(BarrierScope scope, Site site) {
  if (!in_kernel()) host_misuse(name_of(scope), site);
  Block& block = current_block();
  block.park();
  block.look_at_cluster();
  ArriveWaitState& barrier = block.barrier_of(scope);
  Thread& me = block.threads[block.current];
  unsigned char& arrival = me.arrival[static_cast<unsigned>(scope)];
  if (arrival == 0) never_arrived(scope, site);
  if (arrival == mark(barrier)) {
    me.barrier = static_cast<unsigned char>(scope);
    append(block, barrier.waiting, block.current);
    block.wait(me, Wait::arrive_wait, site);
  }
  arrival = 0;
}

}  // namespace simt
