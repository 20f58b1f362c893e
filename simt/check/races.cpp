// Decides whether a conflict is a race; for some that is known only later.

#include "races.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "faults.h"

namespace simt::check {
namespace {

// What a write stores is known only when it has happened: then this is looked at again. Two writes of
// the same value harm nobody.
struct OpenRace {
  const Area* area = nullptr;
  Access access{};
  Note now{};
  Conflict with;
  unsigned size = 0;
  char before[16];
};

// A plain read and an atomic update. Loops around atomicCAS begin with such a read: it is a race if
// the reader makes no atomicCAS of its own on the word before the next barrier, and nobody who
// read at that line has gone on to an atomicCAS.
struct OpenRead {
  Address address;
  std::uint64_t reader;  // block and thread
  const void* pc;        // of the read
  Finding finding;
};

struct SelfWithRaces : Self {
  OpenRace race;
  std::vector<OpenRead> reads;
  const void* feeder = nullptr;  // the last one that was noted
};

// Reads from which a thread went on to an atomicCAS of the word.
struct Feeders {
  std::mutex mutex;
  std::set<const void*> reads;
};

Feeders& feeders() {
  static Feeders* const it = new Feeders;
  return *it;
}

void note_feeder(SelfWithRaces& me, const void* pc) {
  if (me.feeder == pc) return;
  me.feeder = pc;
  Feeders& all = feeders();
  const std::lock_guard lock(all.mutex);
  all.reads.insert(pc);
}

bool is_feeder(const void* pc) {
  Feeders& all = feeders();
  const std::lock_guard lock(all.mutex);
  return all.reads.contains(pc);
}

std::atomic<Self*> all_selves{nullptr};

SelfWithRaces& my_races() {
  return static_cast<SelfWithRaces&>(self());
}

// Waits until another OS thread's store to this word has happened. Nobody waits for one who waits.
void await_store(Self& me, const Access& access) {
  me.writing.store(0, std::memory_order_release);
  for (const Self* other = all_selves.load(); other != nullptr; other = other->next) {
    if (other == &me) continue;
    for (int i = 0; i < 100000; ++i) {
      const Address writing = other->writing.load(std::memory_order_acquire);
      if (writing + 16 <= access.address || writing >= access.address + access.size) break;
    }
  }
}

std::string verb(bool writes, const Note& note) {
  return !writes ? "read by " : note.is_atomic() ? "changed atomically by " : "written by ";
}

Apart apart(const Note& a, const Note& b) {
  if (a.block() != b.block()) return Apart::blocks;
  return a.warp() != b.warp() ? Apart::warps : Apart::lanes;
}

Value value_at(const Access& access) {
  Value value;
  if (access.size > sizeof value.bits) return value;
  value.bytes = static_cast<unsigned>(access.size);
  value.at = access.address;
  std::memcpy(&value.bits, access.pointer(), access.size);
  return value;
}

void name_word(Finding& f, const Area& area, const Access& access) {
  f.what = "two threads, one element: ";
  if (&area == &heap_area) {
    const Region* const region = region_before(access.address);
    if (region == nullptr) return;
    f.what += place_in(*region, access) + " of " + allocation_text(*region);
    tell_region(f, *region, access.address, access.size);
  } else if (const Block* owner = shared_owner(current_block(), access.address)) {
    f.what += shared_name(*owner, access.address - area.begin, access.size) + " in shared memory";
    if (owner != &current_block()) {
      f.what += " of block " + std::to_string(owner->cluster_rank) + " of the cluster";
    }
  } else if (const Variable* variable = variable_near(access.address)) {
    f.what += variable->shape.rank == 0 && variable->size <= access.size
                  ? "'" + std::string(variable->name) + "'"
                  : element(variable->name, access.address - variable->base, access.size,
                            variable->shape);
    f.what += " in device memory";
  }
}

}  // namespace

void make_self() {
  mine = new SelfWithRaces;  // OS threads of the runtime do not end
  mine->next = all_selves.load();
  while (!all_selves.compare_exchange_weak(mine->next, mine)) {
  }
}

namespace {

Finding race_finding(const Area& area, const Access& access, const Note& now,
                     const Conflict& with) {
  const Block& block = current_block();
  const Note& before = with.with;
  Finding f = finding_here("race", access.pc);
  f.rank = std::uint64_t{now.block()} << 10 | now.thread();
  f.thread = index_of_thread(now.thread());
  f.other = before.pc();
  f.who = verb(access.write, now) + who_text(block, now.block(), now.thread());
  f.other_who = verb(with.writes, before) + who_text(block, before.block(), before.thread());
  f.other_thread = index_of_thread(before.thread());
  const dim3& grid = block.grid->config.grid;
  f.other_block = {before.block() % grid.x, before.block() / grid.x % grid.y,
                   before.block() / grid.x / grid.y};
  f.apart = apart(before, now);
  f.both_write = access.write && with.writes;
  f.some_atomic = before.is_atomic() != now.is_atomic();
  f.atomic_reads = f.some_atomic && !(now.is_atomic() ? access.write : with.writes);
  name_word(f, area, access);
  return f;
}

}  // namespace

void race_found(const Area& area, const Access& access, const Note& now, const Conflict& with) {
  const Note& before = with.with;
  const bool some_atomic = now.is_atomic() || before.is_atomic();
  SelfWithRaces& me = my_races();
  if (!some_atomic) {
    const bool both_write = access.write && with.writes;
    if (!both_write) {
      const std::uint64_t rank = std::uint64_t{now.block()} << 10 | now.thread();
      if (is_news("race", access.pc, before.pc(), rank)) {
        add(race_finding(area, access, now, with));
      }
      if (!access.write) return note_written(access.pc, before.pc(), value_at(access));
    } else if (before.block() != now.block()) {
      await_store(me, access);
    }
    me.open = true;
    me.race = {&area, access, now, with, 0, {}};
    me.race.size = static_cast<unsigned>(std::min<std::size_t>(access.size, sizeof me.race.before));
    std::memcpy(me.race.before, access.pointer(), me.race.size);
    return;
  }
  const bool reads_atomic =
      (!access.write && before.is_atomic()) || (!with.writes && now.is_atomic());
  if (!reads_atomic) return add(race_finding(area, access, now, with));
  // Other blocks' loops may be between their two steps right now.
  if ((access.write && before.block() != now.block()) || me.reads.size() >= 256) return;
  const Note& reader = access.write ? before : now;
  me.reads.push_back({access.address, std::uint64_t{reader.block()} << 10 | reader.thread(),
                      reader.pc(), race_finding(area, access, now, with)});
}

void forgive_reads(const Access& update) {
  SelfWithRaces& me = my_races();
  const Block& block = current_block();
  const unsigned thread = rank_of_running(block);
  if (me.read.address == update.address &&
      threads_apart(me.read.stamp, stamp_here(state_of(block), thread, 0)) == 0) {
    note_feeder(me, me.read.pc);
  }
  if (me.reads.empty()) return;
  const std::uint64_t reader = std::uint64_t{state_of(block).index} << 10 | thread;
  std::erase_if(me.reads, [&](const OpenRead& open) {
    return open.address == update.address && open.reader == reader;
  });
}

void settle_open() {
  SelfWithRaces& me = my_races();
  me.open = false;
  const OpenRace& race = me.race;
  const void* const other = race.with.with.pc();
  if (!race.with.writes) return note_written(race.access.pc, other, value_at(race.access));
  if (std::memcmp(race.before, race.access.pointer(), race.size) == 0) return;
  const std::uint64_t rank = std::uint64_t{race.now.block()} << 10 | race.now.thread();
  if (!is_news("race", race.access.pc, other, rank)) return;
  add(race_finding(*race.area, race.access, race.now, race.with));
}

void settle_reads() {
  SelfWithRaces& me = my_races();
  settle_writes(me);
  for (OpenRead& open : me.reads) {
    if (!is_feeder(open.pc)) add(std::move(open.finding));
  }
  me.reads.clear();
}

}  // namespace simt::check
