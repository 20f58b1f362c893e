// Blocks that run as loops over their threads: which grids do, their memory, and which thread runs
// next.

#include <simt/fault.h>
#include <simt/split.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "tools/check_hooks.h"
#include "tools/debug.h"

namespace simt {

bool may_split() {
  static const bool wanted = [] {
    const char* text = std::getenv("SIMT_SPLIT");
    return text == nullptr || std::string_view(text) != "0";
  }();
  return wanted && !has_debugger;
}

void split_misuse() {
  fault(cudaErrorLaunchFailure,
        "a thread waits where the translator saw nothing that waits; compile with --no-split");
}

void split_begins() {
  Block& block = current_block();
  block.splitting = true;
  block.split_used = 0;
  // A block may want more than the last one had: then there is one piece for all of it the next
  // time.
  if (block.split_pieces.size() > 1) {
    std::size_t all = 0;
    for (const SplitPiece& piece : block.split_pieces) all += piece.size;
    block.split_pieces.clear();
    block.split_pieces.push_back({std::make_unique<char[]>(all), all});
  }
}

void split_ends() {
  Block& block = current_block();
  block.splitting = false;
  block.next_thread = block.thread_count;
  block.parked = split_is_over;  // makes the loop over threads look here
}

void split_barrier() {
  if (check_hooks != nullptr) check_hooks->barrier_passed(current_block());
}

void* split_memory(std::size_t size) {
  constexpr std::size_t line = 64;
  Block& block = current_block();
  size = (size + line - 1) / line * line;
  if (block.split_pieces.empty() ||
      block.split_used + size + line > block.split_pieces.back().size) {
    const std::size_t piece = size + line < 64 * 1024 ? 64 * 1024 : size + line;
    block.split_pieces.push_back({std::make_unique<char[]>(piece), piece});
    block.split_used = 0;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(block.split_pieces.back().memory.get());
  const std::uintptr_t place = (start + block.split_used + line - 1) / line * line;
  block.split_used = place + size - start;
  return reinterpret_cast<void*>(place);
}

void SplitRun::drop_gone() {
  if (gone == nullptr) {
    gone = static_cast<unsigned char*>(split_memory(block.thread_count));
    std::memset(gone, 0, block.thread_count);
    return;
  }
  some_left = false;
  if (list == nullptr) {
    list = static_cast<std::uint16_t*>(split_memory(block.thread_count * sizeof *list));
    for (unsigned i = 0; i < count; ++i) list[i] = static_cast<std::uint16_t>(i);
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (gone[list[i]] == 0) list[kept++] = list[i];
  }
  count = kept;
}

SplitSchedule::SplitSchedule()
    : places_(static_cast<std::uint16_t*>(split_memory(block.thread_count * sizeof *places_))),
      alive_(block.thread_count) {
  std::memset(places_, 0, block.thread_count * sizeof *places_);
  common_ = 0;
}

unsigned SplitSchedule::next() {
  const unsigned where = common_;
  const bool together = same_ && count == alive_;
  common_ = none_yet;
  same_ = true;
  if (!together) return choose();
  if (where == over) return over;
  return where & ~unsigned{barrier};
}

// The threads furthest behind among those that do not wait: so diverged threads reconverge where
// they can.
unsigned SplitSchedule::choose() {
  if (list == nullptr) list = static_cast<std::uint16_t*>(split_memory(block.thread_count * 2));
  unsigned least = over;
  alive_ = 0;
  for (unsigned id = 0; id < block.thread_count; ++id) {
    if (places_[id] == over) continue;
    ++alive_;
    if (places_[id] < least) least = places_[id];
  }
  if (alive_ == 0) return over;
  if ((least & barrier) != 0) {
    // All that are left wait: the barrier is complete.
    for (unsigned id = 0; id < block.thread_count; ++id) {
      if (places_[id] != over) places_[id] &= static_cast<std::uint16_t>(~barrier);
    }
    least = over;
    for (unsigned id = 0; id < block.thread_count; ++id) {
      if (places_[id] < least) least = places_[id];
    }
  }
  count = 0;
  for (unsigned id = 0; id < block.thread_count; ++id) {
    if (places_[id] == least) list[count++] = static_cast<std::uint16_t>(id);
  }
  return least;
}

}  // namespace simt
