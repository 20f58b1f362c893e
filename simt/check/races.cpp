// Decides whether a conflict is a race; for some that is known only later.

#include "races.h"

#include <algorithm>
#include <vector>

#include "faults.h"

namespace simt::check {
namespace {

// Two writes of the same value harm nobody, and the value is known only when the second has
// happened: then this is looked at again.
struct OpenRace {
  const Area* area = nullptr;
  Access access{};
  Note now{};
  Conflict with;
  unsigned size = 0;
  char before[16];
};

// A plain read and an atomic update. Loops around atomicCAS begin with such a read: it is one if
// the reader makes no atomic access of its own to the word before the next barrier.
struct OpenRead {
  Address address;
  std::uint64_t reader;  // block and thread
  Finding finding;
};

struct SelfWithRaces : Self {
  OpenRace race;
  std::vector<OpenRead> reads;
};

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
  return note.is_atomic() ? "changed atomically by " : writes ? "written by " : "read by ";
}

const char* what_lacks(const Note& before, const Note& now) {
  if (before.block() != now.block()) return "blocks of a grid are not ordered";
  return before.warp() != now.warp()
             ? "there is no barrier between them"
             : "there is no barrier or __syncwarp between them (lanes do not run in lockstep)";
}

void name_word(Finding& f, const Area& area, const Access& access) {
  f.what = "two threads, one element: ";
  if (&area == &heap_area) {
    const Region* const region = region_before(access.address);
    if (region == nullptr) return;
    f.what += element("", access.address - region->start(), access.size) + " of the " +
              std::to_string(region->end() - region->start()) + "-byte block";
    tell_region(f, *region, access.address, access.size);
  } else if (const Block* owner = shared_owner(current_block(), access.address)) {
    f.what += shared_name(*owner, access.address - area.begin, access.size) + " in shared memory";
    if (owner != &current_block()) {
      f.what += " of block " + std::to_string(owner->cluster_rank) + " of the cluster";
    }
  } else if (const Variable* variable = variable_near(access.address)) {
    f.what += variable->size <= access.size
                  ? "'" + std::string(variable->name) + "'"
                  : element(variable->name, access.address - variable->base, access.size);
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
  f.tail = what_lacks(before, now);
  name_word(f, area, access);
  return f;
}

}  // namespace

void race_found(const Area& area, const Access& access, const Note& now, const Conflict& with) {
  const Note& before = with.with;
  const bool some_atomic = now.is_atomic() || before.is_atomic();
  SelfWithRaces& me = my_races();
  if (access.write && with.writes && !some_atomic) {
    if (before.block() != now.block()) await_store(me, access);
    me.open = true;
    me.race = {&area, access, now, with, 0, {}};
    me.race.size = static_cast<unsigned>(std::min<std::size_t>(access.size, sizeof me.race.before));
    std::memcpy(me.race.before, access.pointer(), me.race.size);
    return;
  }
  if (!some_atomic) {
    const std::uint64_t rank = std::uint64_t{now.block()} << 10 | now.thread();
    if (is_news("race", access.pc, before.pc(), rank)) {
      add(race_finding(area, access, now, with));
    }
    return;
  }
  const bool reads_atomic =
      (!access.write && before.is_atomic()) || (!with.writes && now.is_atomic());
  if (!reads_atomic) return add(race_finding(area, access, now, with));
  // Other blocks' loops may be between their two steps right now.
  if ((access.write && before.block() != now.block()) || me.reads.size() >= 256) return;
  const Note& reader = access.write ? before : now;
  me.reads.push_back({access.address, std::uint64_t{reader.block()} << 10 | reader.thread(),
                      race_finding(area, access, now, with)});
}

void forgive_reads(Address address) {
  auto& reads = my_races().reads;
  if (reads.empty()) return;
  const Block& block = current_block();
  const std::uint64_t reader = std::uint64_t{state_of(block).index} << 10 | rank_of_running(block);
  std::erase_if(reads, [&](const OpenRead& open) {
    return open.address == address && open.reader == reader;
  });
}

void settle_open() {
  SelfWithRaces& me = my_races();
  me.open = false;
  const OpenRace& race = me.race;
  if (std::memcmp(race.before, race.access.pointer(), race.size) == 0) return;
  const std::uint64_t rank = std::uint64_t{race.now.block()} << 10 | race.now.thread();
  if (!is_news("race", race.access.pc, race.with.with.pc(), rank)) return;
  add(race_finding(*race.area, race.access, race.now, race.with));
}

void settle_reads() {
  SelfWithRaces& me = my_races();
  settle_writes(me);
  for (OpenRead& open : me.reads) add(std::move(open.finding));
  me.reads.clear();
}

}  // namespace simt::check
