// The cases of a cache: their sizes, and lengths and block tables made from random numbers. Host only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/host/case.h"

namespace warpath::attention {

struct CacheSizes {
  std::int64_t batch, tokens, heads, kv_heads, dim, page_size, max_pages;  // max_pages 0: no table
};

inline Case cache_case(const char* name, CacheSizes s, Case c = {}) {
  c.name = name;
  const std::int64_t pages = s.max_pages ? s.batch * s.max_pages : s.batch;
  c.dims = {{"batch", s.batch},
            {"new_tokens", s.tokens},
            {"heads", s.heads},
            {"kv_heads", s.kv_heads},
            {"dim", s.dim},
            {"pages", pages},
            {"page_size", s.page_size},
            {"max_pages", s.max_pages}};
  if (s.max_pages == 0) c.without.push_back("block_table");
  return c;
}

// A token of a sequence in a cache as references see it; the tables are in i64.
inline std::int64_t cache_row(const Tensor& cache, const Tensor& table, std::int64_t sequence,
                              std::int64_t token) {
  if (!table.data) return sequence * cache.shape[1] + token;
  const std::int64_t size = cache.shape[1];
  const std::int64_t page = table.as<std::int64_t>()[sequence * table.shape[1] + token / size];
  return page * size + token % size;
}

// Long caches, those of the timed cases, are full. In the others every fourth sequence is full, and the others have any
// length, none among them.
inline void make_lengths(const Tensor& lengths, std::int64_t capacity) {
  auto* length = lengths.as<std::int64_t>();
  constexpr std::int64_t timed = 4096;
  for (std::int64_t b = 0; b < lengths.size(); ++b) {
    const std::int64_t any = length[b] % (capacity + 1), few = length[b] % 5;
    length[b] = capacity >= timed || b % 4 == 0 ? capacity
                : b % 4 == 1                    ? any
                : b % 4 == 2                    ? std::min(few, capacity)
                                                : std::max<std::int64_t>(capacity - few, 0);
  }
}

// Every page belongs to at most one sequence, in no order. Entries behind the last page of a sequence are no pages.
inline void make_table(const Tensor& table, const Tensor& lengths, const Tensor& cache) {
  if (!table.data) return;
  const std::int64_t pages = cache.shape[0], size = cache.shape[1], most = table.shape[1];
  std::int64_t step = pages * 5 / 8 + 1;  // visits every page once
  while (std::gcd(step, pages) > 1) ++step;
  std::int64_t used = 0;
  for (std::int64_t b = 0; b < table.shape[0]; ++b)
    for (std::int64_t i = 0; i < most; ++i) {
      const bool needed = i * size < lengths.as<std::int64_t>()[b];
      table.as<std::int64_t>()[b * most + i] =
          needed ? used++ * step % pages : std::numeric_limits<std::int32_t>::max() - i;
    }
}

}  // namespace warpath::attention
