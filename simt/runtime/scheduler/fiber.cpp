#include "scheduler/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace simt {
namespace {

constexpr std::size_t slab_fibers = 32;

// A guard page splits its mapping, and a process may have 65530 of them: a cooperative grid of many
// blocks needs more stacks than that. Those past this number go without: an overflow there runs
// into the next stack.
constexpr std::size_t most_guards = 16384;
std::atomic<std::size_t> guards{0};

std::size_t stack_bytes() {
  static const std::size_t bytes = [] {
    const char* text = std::getenv("SIMT_STACK_KB");
    const long kib = text != nullptr ? std::atol(text) : 256;
    return static_cast<std::size_t>(std::clamp(kib, 32L, 1024L * 1024L)) * 1024;
  }();
  return bytes;
}

}  // namespace

FiberPool::~FiberPool() {
  for (const Slab& slab : slabs_) munmap(slab.memory, slab.size);
}

void FiberPool::make_fresh(Fiber& fiber) {
  make_context(fiber.context, fiber.stack_low, fiber.stack_high, entry_);
}

void FiberPool::grow() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t each = stack_bytes() + page;
  const std::size_t size =
      each * slab_fibers + page;  // the last page is the last stack's upper guard
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Stacks are mostly touched in their top pages; a huge page would make each one cost 2 MiB.
  madvise(memory, size, MADV_NOHUGEPAGE);
  slabs_.push_back({static_cast<char*>(memory), size});
  mprotect(static_cast<char*>(memory) + size - page, page, PROT_NONE);
  for (std::size_t i = slab_fibers; i-- > 0;) {
    auto fiber = std::make_unique<Fiber>();
    char* low = static_cast<char*>(memory) + i * each;
    if (guards.fetch_add(1, std::memory_order_relaxed) < most_guards)
      mprotect(low, page, PROT_NONE);
    fiber->stack_low = low + page;
    // Equal offsets of all stacks would make their hot lines fight for the same cache sets.
    const std::size_t colour = ((fibers_.size() * 7) % 64) * 64;
    fiber->stack_high = low + each - colour;
    make_fresh(*fiber);
    give(fiber.get());
    fibers_.push_back(std::move(fiber));
  }
}

void FiberPool::reset(Block* owner) {
  for (const auto& fiber : fibers_) {
    if (fiber->owner != owner) continue;
    make_fresh(*fiber);
    give(fiber.get());
  }
}

bool FiberPool::on_a_stack(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  return std::any_of(slabs_.begin(), slabs_.end(), [byte](const Slab& slab) {
    return byte >= slab.memory && byte < slab.memory + slab.size;
  });
}

}  // namespace simt
