#pragma once

// Each thread's first and last item, for its neighbours to see.

#include <cub/util_ptx.cuh>

namespace cub::detail {

template <class T, int Threads>
struct Neighbours {
  T first[Threads];
  T last[Threads];

  template <int Items>
  void publish(const T (&items)[Items]) {
    const unsigned rank = simt::thread_rank();
    first[rank] = items[0];
    last[rank] = items[Items - 1];
    CTA_SYNC();
  }
};

}  // namespace cub::detail
