// Values of index tensors on the host, for `.check` of an op (registry.h): a kernel would follow a wrong one out of its
// tensors.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/host/error.h"
#include "core/host/tensor.h"

namespace warpath {

// Element i of a contiguous tensor of i32 or i64.
inline std::int64_t index_at(const Tensor& t, std::int64_t i) {
  return t.dtype == DType::i32 ? t.as<std::int32_t>()[i] : t.as<std::int64_t>()[i];
}

inline void check_index(const char* argument, std::int64_t element, std::int64_t value,
                        std::int64_t first, std::int64_t last) {
  if (value >= first && value <= last) return;
  throw Error(std::string("argument '") + argument + "' has " + std::to_string(value) +
              " as element " + std::to_string(element) + "; it must be between " +
              std::to_string(first) + " and " + std::to_string(last));
}

// Every element is between `first` and `last`. A tensor that is left out has none.
inline void check_indices(const char* argument, const Tensor& t, std::int64_t first,
                          std::int64_t last) {
  if (t.rank == 0) return;
  for (std::int64_t i = 0; i < t.size(); ++i) check_index(argument, i, index_at(t, i), first, last);
}

// Offsets of ragged rows: between 0 and `rows`, and none smaller than the one before it.
inline void check_offsets(const char* argument, const Tensor& t, std::int64_t rows) {
  if (t.rank == 0) return;
  for (std::int64_t i = 0, before = 0; i < t.size(); ++i) {
    check_index(argument, i, index_at(t, i), 0, rows);
    if (index_at(t, i) < before)
      throw Error(std::string("argument '") + argument + "' has " + std::to_string(index_at(t, i)) +
                  " as element " + std::to_string(i) + ", less than the one before it");
    before = index_at(t, i);
  }
}

// The tokens [first(b), lengths[b]) of each sequence b in a cache of `pages` pages, which a block table names where there
// is one; otherwise each sequence has one page.
template <class First>
void check_pages(const Tensor& lengths, const Tensor& block_table, std::int64_t pages,
                 std::int64_t page_size, First first) {
  const bool paged = block_table.rank > 0;
  const std::int64_t most = paged ? block_table.shape[1] : 1;
  for (std::int64_t b = 0; b < lengths.size(); ++b) {
    const std::int64_t length = index_at(lengths, b);
    if (length > most * page_size)
      throw Error("argument 'lengths' has " + std::to_string(length) + " as element " +
                  std::to_string(b) + "; the cache of a sequence holds " +
                  std::to_string(most * page_size) + " tokens");
    if (!paged || length <= 0) continue;
    const std::int64_t from = std::max<std::int64_t>(first(length), 0) / page_size;
    for (std::int64_t p = from; p <= (length - 1) / page_size; ++p)
      check_index("block_table", b * most + p, index_at(block_table, b * most + p), 0, pages - 1);
  }
}

}  // namespace warpath
