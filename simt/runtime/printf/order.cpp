// Merges what the lanes of a warp print with the same printf.
//
// Each lane's texts are in order; what is not known is which of two lanes' came first. A lane's
// next printf goes before another's if the other lane reaches it later: then it is in a branch or a
// loop that the other has not entered or has left, and a GPU lets those inside go on first. A
// printf is identified by its line and format.

#include "printf/order.h"

#include <algorithm>
#include <array>

namespace simt {
namespace {

using Records = std::vector<const Printed*>;
constexpr unsigned lanes = 32;

class Merge {
 public:
  explicit Merge(const Records& records) {
    for (const Printed* record : records) {
      const std::size_t site = site_of(*record);
      const unsigned lane = record->thread % lanes;
      queues_[lane].push_back({record, site});
      ++sites_[site].left[lane];
    }
  }

  template <class Write>
  void run(const Write& write) {
    for (;;) {
      const std::size_t site = next_site();
      if (site == no_site) return;
      ++sites_[site].rounds;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        if (head(lane) != site) continue;
        write(*queues_[lane][at_[lane]++].record);
        --sites_[site].left[lane];
      }
    }
  }

 private:
  struct Site {
    int line;
    const char* format;
    unsigned rounds = 0;
    std::array<unsigned, lanes> left = {};  // how often each lane still comes here
  };
  struct Entry {
    const Printed* record;
    std::size_t site;
  };
  static constexpr std::size_t no_site = ~std::size_t{0};

  std::size_t site_of(const Printed& record) {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i].line == record.line && sites_[i].format == record.format) return i;
    }
    sites_.push_back({record.line, record.format});
    return sites_.size() - 1;
  }
  std::size_t head(unsigned lane) const {
    return at_[lane] < queues_[lane].size() ? queues_[lane][at_[lane]].site : no_site;
  }
  bool others_come_later(std::size_t site) const {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (head(lane) != site && sites_[site].left[lane] != 0) return true;
    }
    return false;
  }
  // Two branches of a loop alternate; else what stands first in the program comes first.
  bool goes_before(std::size_t a, std::size_t b) const {
    if (sites_[a].rounds != sites_[b].rounds) return sites_[a].rounds < sites_[b].rounds;
    return sites_[a].line < sites_[b].line;
  }
  std::size_t next_site() const {
    std::size_t first = no_site, best = no_site;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::size_t site = head(lane);
      if (site == no_site || site == best) continue;
      if (first == no_site) first = site;
      if (best != no_site && !goes_before(site, best)) continue;
      if (!others_come_later(site)) best = site;
    }
    return best != no_site ? best : first;
  }

  std::vector<Site> sites_;
  std::array<std::vector<Entry>, lanes> queues_;
  std::array<std::size_t, lanes> at_ = {};
};

}  // namespace

std::string in_warp_order(const std::string& text, const std::vector<Printed>& printed) {
  std::string out;
  out.reserve(text.size());
  const auto write = [&](const Printed& record) {
    const Printed* const next = &record + 1;
    const bool last = next == printed.data() + printed.size();
    out.append(text, record.begin, (last ? text.size() : next->begin) - record.begin);
  };
  // Warps stay in the order in which they began to print, in each phase.
  struct Group {
    unsigned warp, phase;
    Records records;
  };
  std::vector<Group> groups;
  std::array<std::size_t, 32> latest;
  latest.fill(~std::size_t{0});
  for (const Printed& record : printed) {
    const unsigned warp = record.thread / lanes;
    std::size_t& group = latest[warp];
    if (group >= groups.size() || groups[group].phase != record.phase) {
      group = groups.size();
      groups.push_back({warp, record.phase, {}});
    }
    groups[group].records.push_back(&record);
  }
  for (const Group& group : groups) {
    const Records& records = group.records;
    // Atomics and the like may have let one lane in after the other: the order in which they came
    // is kept.
    if (records.front()->spins == records.back()->spins) {
      Merge(records).run(write);
    } else {
      for (const Printed* record : records) write(*record);
    }
  }
  return out;
}

}  // namespace simt
