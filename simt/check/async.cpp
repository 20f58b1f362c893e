// Asynchronous operations: bulk copies, wgmma, and the mbarriers that count them.
//
// A copy's destination must not be touched from its start until it has landed; its source must not
// be written until it was read. Both are recorded as accesses: of the issuing thread when it
// issues, and of the waiting thread when the copy lands. The order between threads does the rest.
// What threads wrote through the generic proxy is visible to the async proxy only after a
// fence.proxy.async, by the writer or by the issuer; without one it may also land after what the
// async proxy writes to the same place.

#include <algorithm>
#include <string>
#include <utility>

#include "access.h"
#include "faults.h"
#include "faults/report.h"
#include "hooks.h"
#include "reach.h"

namespace simt::check {
namespace {

void touch(const void* at, std::size_t size, How how, bool write, const void* pc) {
  general_access({reinterpret_cast<Address>(at), size, how, write, pc});
}

void set_marks(const void* at, std::size_t size, Mark mark) {
  const auto address = reinterpret_cast<Address>(at);
  const Block* const owner = shared_owner(current_block(), address);
  if (owner != nullptr) state_of(*owner).shared.set(address, size, mark);
}

// The first word of the range that a thread wrote and no fence has shown to the hardware.
const Note* unfenced(const BlockState& state, Address address, std::size_t size, unsigned warp) {
  const Area& area = state.shared;
  if (area.cells == nullptr || !area.holds(address)) return nullptr;
  for (std::size_t at = (address - area.begin) / 4; at < (address - area.begin + size + 3) / 4;
       ++at) {
    const Note& write = area.cells[at].write;
    if (write.stamp < area.since || (write.stamp & Note::bulk_flag) != 0) continue;
    if (write.block() != state.index) continue;
    const Time time = write.time();
    if (time < state.proxy_fence[write.warp()] || time < state.proxy_fence[warp]) continue;
    return &write;
  }
  return nullptr;
}

void check_proxy(const void* at, std::size_t size, const char* does, const void* pc) {
  if (!enabled.race) return;
  const Block& block = current_block();
  const BlockState& state = state_of(block);
  const auto address = reinterpret_cast<Address>(at);
  const Note* const write = unfenced(state, address, size, rank_of_running(block) >> 5);
  if (write == nullptr || !is_news("missing proxy fence", pc, write->pc(), rank_of(block))) return;
  Finding f = finding_here("missing proxy fence", pc);
  f.what = std::string(does) + " " + shared_name(block, address - state.shared.begin, 4) +
           ", which a thread has written without fence.proxy.async";
  f.other = write->pc();
  f.other_who = "written by " + who_text(block, write->block(), write->thread());
  f.other_thread = index_of_thread(write->thread());
  f.other_block = f.block;
  add(std::move(f));
}

// What was to be read has been written since.
void check_overwritten(const void* at, std::size_t size, const void* pc, Time since) {
  const Block& block = current_block();
  const Area& area = state_of(block).shared;
  const auto address = reinterpret_cast<Address>(at);
  if (!enabled.race || area.cells == nullptr || !area.holds(address)) return;
  const std::size_t first = address - area.begin;
  for (std::size_t word = first / 4; word < (first + size + 3) / 4; ++word) {
    const Note& write = area.cells[word].write;
    if (write.stamp < area.since || write.time() < since) continue;
    if (!is_news("race", pc, write.pc(), rank_of(block))) return;
    Finding f = finding_here("race", pc);
    f.what = shared_name(block, 4 * word, 4) +
             " was overwritten while a bulk copy or wgmma that reads it was in flight";
    f.other = write.pc();
    f.other_who = "written by " + who_text(block, write.block(), write.thread());
    f.other_thread = index_of_thread(write.thread());
    f.other_block = f.block;
    f.tail = "nobody has waited for it before";
    return add(std::move(f));
  }
}

}  // namespace

std::uint64_t async_time() {
  BlockState& state = state_of(current_block());
  tick(state);
  return state.now;
}

void async_access(AsyncEvent event, const void* at, std::size_t size, const void* pc,
                  std::uint64_t since) {
  switch (event) {
    case AsyncEvent::write_begins:
      check_proxy(at, size, "a bulk copy overwrites", pc);
      touch(at, size, How::bulk, true, pc);
      set_marks(at, size, pending);
      break;
    case AsyncEvent::write_lands:
      set_marks(at, size, good);
      touch(at, size, How::bulk, true, pc);
      break;
    case AsyncEvent::read_begins:
      check_proxy(at, size, "a bulk copy or wgmma reads", pc);
      touch(at, size, How::copy, false, pc);
      break;
    case AsyncEvent::read_ends:
      check_overwritten(at, size, pc, since);
      touch(at, size, How::copy, false, pc);
      break;
    case AsyncEvent::global_read:
    case AsyncEvent::multicast_read:
      touch(at, size, How::copy, false, pc);
      break;
    case AsyncEvent::global_write:
      touch(at, size, How::bulk, true, pc);
      break;
    case AsyncEvent::global_update:
      touch(at, size, How::atomic, true, pc);
      break;
  }
}

void barrier_made(const void* barrier, const void* pc) {
  if (front == nullptr) return;
  touch(barrier, 8, How::plain, true, pc);
  const Block& block = current_block();
  BlockState& state = state_of(block);
  tick(state);
  state.barriers[reinterpret_cast<Address>(barrier)] = {.time = state.now,
                                                        .warp = rank_of_running(block) >> 5};
}

void barrier_used(const void* barrier, bool engine, const void* pc) {
  if (front == nullptr || !enabled.race) return;
  if (records_sites) note_site(pc);
  const Block& block = current_block();
  BlockState& state = state_of(block);
  const auto address = reinterpret_cast<Address>(barrier);
  if (!state.shared.holds(address)) return;
  settle_writes(self());
  meet_cells(state.shared, {address, 8, How::atomic, true, pc});
  if (!engine) return;
  const auto known = state.barriers.find(address);
  if (known == state.barriers.end()) return;
  const MadeBarrier& made = known->second;
  if (made.time < std::max(state.proxy_fence[made.warp], state.init_fence[made.warp])) return;
  if (!is_news("missing proxy fence", pc, nullptr, rank_of(block))) return;
  Finding f = finding_here("missing proxy fence", pc);
  f.what = "a bulk copy counts at a barrier, " +
           shared_name(block, address - state.shared.begin, 8) +
           ", that was initialised without fence.mbarrier_init or fence.proxy.async";
  add(std::move(f));
}

// A parity cannot tell phases two apart. So a thread that waits for a phase must have seen its end
// before the next one ends: whoever arrives in the next one must know of that wait. Else a thread
// that is slow finds its parity unchanged, and waits for a phase that may never end. Here it only
// has to be unordered, not late.
void phase_seen(const void* barrier, const void* pc) {
  if (front == nullptr || !enabled.sync) return;
  const Block& block = current_block();
  BlockState& state = state_of(block);
  const auto known = state.barriers.find(reinterpret_cast<Address>(barrier));
  // What blocks of a cluster know of each other is not recorded per warp.
  if (known == state.barriers.end() || block.cluster != nullptr) return;
  const unsigned thread = rank_of_running(block), warp = thread >> 5;
  tick(state);
  known->second.seen[warp] = state.now;
  known->second.seen_at[warp] = pc;
  known->second.seen_by[warp] = thread;
}

void phase_ended(const void* barrier, const void* arrivals) {
  if (front == nullptr || !enabled.sync) return;
  const Block& block = current_block();
  BlockState& state = state_of(block);
  const auto known = state.barriers.find(reinterpret_cast<Address>(barrier));
  if (known == state.barriers.end()) return;
  MadeBarrier& made = known->second;
  const Clock& arrived = state.objects[reinterpret_cast<Address>(arrivals)].clock;
  for (unsigned warp = 0; warp < made.seen.size(); ++warp) {
    const Time time = std::exchange(made.seen[warp], 0);
    // Fences count as they do in ordered().
    if (time == 0 || time < arrived[warp] || stamp_of(time) < state.floor ||
        time < state.warp_fence[warp])
      continue;
    const void* const pc = made.seen_at[warp];
    if (!is_news("missed phase", pc, nullptr, rank_of(block))) continue;
    Finding f = finding_here("missed phase", pc);
    f.thread = index_of_thread(made.seen_by[warp]);
    f.who = "by thread " + describe(f.thread) + " of block " + describe(f.block);
    f.what = "waits for a phase of " +
             shared_name(block, reinterpret_cast<Address>(barrier) - state.shared.begin, 8) +
             ", whose next phase can end before this thread looks";
    f.tail =
        "a parity cannot tell phases two apart: a thread that is late waits for ever. Whoever "
        "completes the next phase must know that this thread has waited";
    add(std::move(f));
  }
}

void proxy_fence(bool init) {
  const Block& block = current_block();
  BlockState& state = state_of(block);
  tick(state);
  (init ? state.init_fence : state.proxy_fence)[rank_of_running(block) >> 5] = state.now;
}

void async_misuse(FindingKind kind, const char* what, unsigned thread, const void* pc) {
  const bool wanted = kind.check() == "race" ? enabled.race : enabled.sync;
  if (!wanted || !is_news(kind, pc, nullptr, rank_of(current_block()))) return;
  Finding f = finding_here(kind, pc);
  f.thread = index_of_thread(thread);
  f.who = "by thread " + describe(f.thread) + " of block " + describe(f.block);
  f.what = what;
  add(std::move(f));
}

void register_in_flight(const Access& access) {
  if (!enabled.race || !is_news("register in flight", access.pc, nullptr, rank_of(current_block())))
    return;
  Finding f = finding_here("register in flight", access.pc);
  f.what = std::string(access.write ? "writes" : "reads") +
           " an accumulator of a wgmma that nobody has waited for (wgmma.wait_group)";
  add(std::move(f));
}

}  // namespace simt::check
