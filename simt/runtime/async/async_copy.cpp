#include <simt/async_copy.h>
#include <simt/fault.h>
#include <simt/shared.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "async/state.h"
#include "faults/report.h"
#include "scheduler/block.h"
#include "tools/check_hooks.h"

namespace simt {

struct PendingCopy {
  void* to;
  const void* from;
  unsigned size, zeros;
  unsigned group;
  std::size_t number;    // counts the thread's copies
  const void* begun_at;  // in the program
};

void tell(void (*hook)(void*, const void*, std::size_t, const void*), const PendingCopy& copy) {
  const unsigned kept = copy.size - copy.zeros;
  if (kept != 0) hook(copy.to, copy.from, kept, copy.begun_at);
  if (copy.zeros == 0) return;
  hook(static_cast<char*>(copy.to) + kept, nullptr, copy.zeros, copy.begun_at);
}

// The copies of one thread, in the order they were begun.
struct CopyQueue {
  std::uint64_t block = 0;  // whose thread it was: the queue of an earlier block is empty
  unsigned committed = 0;   // groups made so far; a copy without a group has this as its own
  std::size_t first = 0;    // the copies before it have landed
  std::size_t begun = 0;    // copies so far
  std::vector<PendingCopy> copies;

  template <class Done>
  void land_while(const Done& is_due) {
    for (; first < copies.size() && is_due(copies[first]); ++first) {
      const PendingCopy& copy = copies[first];
      const unsigned kept = copy.size - copy.zeros;
      if (check_hooks != nullptr) tell(check_hooks->copy_landed, copy);
      std::memcpy(copy.to, copy.from, kept);
      std::memset(static_cast<char*>(copy.to) + kept, 0, copy.zeros);
    }
    if (first != copies.size()) return;
    copies.clear();
    first = 0;
  }
};

struct CopyQueues {
  std::array<CopyQueue, max_threads> of_thread;
};

void CopyQueuesDeleter::operator()(CopyQueues* queues) const {
  delete queues;
}

namespace {

CopyQueue& queue_of(Block& block, unsigned thread) {
  if (block.copies == nullptr) block.copies.reset(new CopyQueues);
  CopyQueue& queue = block.copies->of_thread[thread];
  if (queue.block != block.number) {
    queue.block = block.number;
    queue.committed = 0;
    queue.first = 0;
    queue.copies.clear();
    queue.begun = 0;
  }
  return queue;
}

CopyQueue& queue_of_running() {
  Block& block = current_block();
  return queue_of(block, rank_of_running(block));
}

bool is_aligned(const void* pointer, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(pointer) % size == 0;
}

[[noreturn, gnu::cold, gnu::noinline]] void bad_copy(cudaError_t error, const std::string& what,
                                                     Site site) {
  fault(error, "an asynchronous copy " + what, site);
}

void begin_copy(void* to, const void* from, std::size_t size, std::size_t zeros, const void* at) {
  CopyQueue& queue = queue_of_running();
  queue.copies.push_back({to, from, static_cast<unsigned>(size), static_cast<unsigned>(zeros),
                          queue.committed, queue.begun++, at});
  if (check_hooks != nullptr) tell(check_hooks->copy_began, queue.copies.back());
}

std::string address(const void* pointer) {
  return hexadecimal(reinterpret_cast<unsigned long long>(pointer));
}

}  // namespace

// On the host, where cuda::memcpy_async may be used as well, a copy is done at once.
void async_copy(void* to, const void* from, std::size_t size, std::size_t zeros) {
  if (!in_kernel()) {
    std::memcpy(to, from, size - zeros);
    std::memset(static_cast<char*>(to) + size - zeros, 0, zeros);
    return;
  }
  begin_copy(to, from, size, zeros, __builtin_return_address(0));
}

void checked_async_copy(void* to, const void* from, std::size_t size, std::size_t zeros,
                        Site site) {
  if (!in_kernel()) host_misuse("an asynchronous copy", site);
  if (size != 4 && size != 8 && size != 16) {
    bad_copy(cudaErrorMisalignedAddress,
             "of " + std::to_string(size) + " bytes; it takes 4, 8 or 16", site);
  }
  if (zeros > size) {
    bad_copy(cudaErrorMisalignedAddress,
             "of " + std::to_string(size) + " bytes clears " + std::to_string(zeros), site);
  }
  if (!is_aligned(to, size) || !is_aligned(from, size)) {
    const bool destination = !is_aligned(to, size);
    bad_copy(cudaErrorMisalignedAddress,
             "of " + std::to_string(size) + " bytes with a misaligned " +
                 (destination ? "destination " + address(to) : "source " + address(from)),
             site);
  }
  if (!is_shared(to)) {
    bad_copy(cudaErrorInvalidAddressSpace, "to " + address(to) + ", which is not shared memory",
             site);
  }
  if (is_cluster_shared(from)) {
    bad_copy(cudaErrorInvalidAddressSpace, "from " + address(from) + ", which is not global memory",
             site);
  }
  begin_copy(to, from, size, zeros, __builtin_return_address(0));
}

std::size_t small_copies_begun(Block& block) {
  return queue_of(block, rank_of_running(block)).begun;
}

void land_small_copies(Block& block, unsigned thread, std::size_t count) {
  queue_of(block, thread).land_while([&](const PendingCopy& copy) { return copy.number < count; });
}

void async_commit() {
  if (!in_kernel()) return;
  ++queue_of_running().committed;
}

void async_wait(std::size_t newest) {
  if (!in_kernel()) return;
  CopyQueue& queue = queue_of_running();
  queue.land_while([&](const PendingCopy& copy) { return copy.group + newest < queue.committed; });
}

void async_wait_all() {
  if (!in_kernel()) return;
  queue_of_running().land_while([](const PendingCopy&) { return true; });
}

}  // namespace simt
