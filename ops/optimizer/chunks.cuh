// Many tensors in one launch: a table of pointers and sizes, passed by value as a kernel parameter. It needs no device
// memory and no copy before the launch, and works under graph capture. Parameters of 4 KB are allowed everywhere, so a
// long list takes a few launches. Each tensor is cut into chunks, one block per chunk.
#pragma once
#include <array>

#include "core/host/launch.h"
#include "core/host/tensor.h"

namespace warpath::optimizer {

// Entries of up to `Most` tensors of `Lists` lists.
template <int Lists, int Most>
struct ChunkTable {
  void* at[Lists][Most];  // null: the list is left out
  std::int64_t size[Most];
  unsigned first[Most + 1];  // chunk of the launch that is the tensor's first
  int index[Most];           // of the tensor in the list
  int count;

  // The tensor that chunk `c` belongs to.
  __device__ __forceinline__ int tensor_of(unsigned c) const {
    int low = 0, high = count;  // first[low] <= c < first[high]
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first[middle] <= c ? low : high) = middle;
    }
    return low;
  }
};

// Calls f(table, chunks) for each launch: chunks of `chunk` elements, tensors without elements left out. The first list is
// never left out.
template <int Most, std::size_t Lists, class F>
void for_each_table(const std::array<const TensorList*, Lists>& lists, std::int64_t chunk, F&& f) {
  ChunkTable<int(Lists), Most> table;
  table.count = 0;
  table.first[0] = 0;
  const auto flush = [&] {
    if (table.count > 0) f(table, table.first[table.count]);
    table.count = 0;
  };
  for (std::int64_t i = 0; i < lists[0]->count; ++i) {
    const std::int64_t n = (*lists[0])[i].size();
    if (n == 0) continue;
    const int k = table.count++;
    for (std::size_t l = 0; l < Lists; ++l)
      table.at[l][k] = lists[l]->at ? (*lists[l])[i].data : nullptr;
    table.size[k] = n;
    table.index[k] = int(i);
    table.first[k + 1] = table.first[k] + unsigned(ceil_div(n, chunk));
    if (table.count == Most) flush();
  }
  flush();
}

// How many chunks all tensors of a list have.
inline std::int64_t chunks_of(const TensorList& list, std::int64_t chunk) {
  std::int64_t all = 0;
  for (const Tensor& t : list) all += ceil_div(t.size(), chunk);
  return all;
}

}  // namespace warpath::optimizer
