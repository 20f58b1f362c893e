#include "counts.h"

#include <algorithm>

namespace simt::xray {

void AccessCounts::add(const AccessCounts& other) {
  if (requests == 0) {
    space = other.space;
    kind = other.kind;
    size = other.size;
    array = other.array;
  }
  if (other.strides_differ ||
      (stride != no_stride && other.stride != no_stride && stride != other.stride))
    strides_differ = true;
  if (stride == no_stride) stride = other.stride;
  requests += other.requests;
  lanes += other.lanes;
  bytes_asked += other.bytes_asked;
  sectors += other.sectors;
  least += other.least;
  fresh += other.fresh;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  meetings += other.meetings;
  misaligned += other.misaligned;
  addresses += other.addresses;
  unlike += other.unlike;
  worst = std::max(worst, other.worst);
  samples.insert(samples.end(), other.samples.begin(), other.samples.end());
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return a.block != b.block ? a.block < b.block : a.iteration < b.iteration;
  });
  if (samples.size() > samples_of_access) samples.resize(samples_of_access);
}

void LaunchCounts::add(const LaunchCounts& other) {
  blocks_counted += other.blocks_counted;
  barriers += other.barriers;
  waits += other.waits;
  warp_meets += other.warp_meets;
  for (const auto& [pc, counts] : other.accesses) accesses[pc].add(counts);
  for (const auto& [pc, counts] : other.code) {
    code[pc].times += counts.times;
    code[pc].lanes += counts.lanes;
    code[pc].splits += counts.splits;
  }
  for (const auto& [place, times] : other.barrier_places) barrier_places[place] += times;
  busiest_warp += other.busiest_warp;
  all_warps += other.all_warps;
  warps += other.warps;
  if (timeline.empty()) {
    timeline = other.timeline;
    timeline_ends = other.timeline_ends;
  }
}

}  // namespace simt::xray
