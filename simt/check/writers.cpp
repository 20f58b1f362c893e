// Who wrote a word last: for a host that found a wrong number in it and wants to say whose it is.

#include "writers.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>

#include "faults.h"
#include "json.h"
#include "source_location.h"

namespace simt::check {
namespace {

struct PastGrid {
  Time start;
  dim3 grid, block;
};

// Of the last launches: a note has a thread and a block as one number each.
struct PastGrids {
  static constexpr std::size_t most = 256;
  std::mutex mutex;
  std::deque<PastGrid> all;
};

PastGrids& past_grids() {
  static PastGrids* const it = new PastGrids;
  return *it;
}

std::string index_text(std::uint32_t index, const dim3& size) {
  return "[" + std::to_string(index % size.x) + ", " + std::to_string(index / size.x % size.y) +
         ", " + std::to_string(index / size.x / size.y) + "]";
}

// The note of the last write that covers this byte; null: nothing is known.
const Note* last_write(Address address) {
  if (heap_area.cells == nullptr || !heap_area.holds(address)) return nullptr;
  const std::size_t at = (address - heap_area.begin) / 4;
  const unsigned byte = 1u << (address & 3u);
  const Note* const last = &heap_area.cells[at].write;
  if (last->stamp == 0) return nullptr;
  if ((last->bytes() & byte) != 0) return last;
  if ((last->stamp & Note::more_flag) == 0) return nullptr;
  const Note* const before = &heap_area.spares[at].write;
  return (before->bytes() & byte) != 0 ? before : nullptr;
}

}  // namespace

void remember_grid(const Grid& grid, Time start) {
  PastGrids& past = past_grids();
  const std::lock_guard lock(past.mutex);
  past.all.push_back({start, grid.config.grid, grid.config.block});
  if (past.all.size() > PastGrids::most) past.all.pop_front();
}

std::string last_writer(Address address) {
  if (heap_area.holds(address) && *heap_area.mark(address) != good) return "{\"written\": false}";
  const Note* const note = last_write(address);
  if (note == nullptr) return "";
  PastGrids& past = past_grids();
  const std::lock_guard lock(past.mutex);
  const auto after = std::find_if(past.all.begin(), past.all.end(),
                                  [&](const PastGrid& g) { return g.start > note->time(); });
  if (after == past.all.begin()) return "";
  const PastGrid& grid = *(after - 1);
  return "{\"written\": true, \"thread\": " + index_text(note->thread(), grid.block) +
         ", \"block\": " + index_text(note->block(), grid.grid) + location_fields(note->pc()) + "}";
}

}  // namespace simt::check
