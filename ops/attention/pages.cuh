// Where a token of a sequence lies in a cache of keys or values.
//
// A cache is (pages, page_size, kv_heads, dim). With a block table (batch, max_pages), token t of sequence b lies in slot
// t % page_size of page table[b][t / page_size]. Without one every sequence has one page, its own: the cache is then
// (batch, capacity, kv_heads, dim).
#pragma once
#include <cstdint>

#include "core/host/error.h"
#include "core/host/tensor.h"
#include "core/thread/divisor.cuh"

namespace warpath::attention {

struct Slot {
  int page, slot;
};

struct Pages {
  const int* table;  // null: one page per sequence
  int max_pages, page_size;
  Divisor by_size;

  __device__ __forceinline__ Slot find(int sequence, int token) const {
    if (!table) return {sequence, token};
    const int page = by_size.quotient(token);
    return {table[std::int64_t(sequence) * max_pages + page], token - page * page_size};
  }
  // Whether `count` tokens from a multiple of `count` on lie one behind the other.
  __device__ __forceinline__ bool whole(int count) const {
    return !table || page_size % count == 0;
  }
};

// Tokens that a sequence can have.
inline std::int64_t capacity_of(const Tensor& cache, const Tensor& table) {
  return cache.shape[1] * (table.rank > 0 ? table.shape[1] : 1);
}

inline Pages pages_of(const char* op, std::int64_t batch, const Tensor& cache,
                      const Tensor& table) {
  const std::string name = op;
  WARPATH_CHECK(table.data || cache.shape[0] == batch,
                name + ": without a block table the cache has one page per sequence");
  WARPATH_CHECK(capacity_of(cache, table) < std::int64_t(1) << 31,
                name + ": a sequence has fewer than 2^31 tokens");
  const auto size = static_cast<int>(cache.shape[1]);
  return {table.as<int>(), table.data ? static_cast<int>(table.shape[1]) : 1, size,
          Divisor::of(size > 0 ? size : 1)};
}

}  // namespace warpath::attention
