// How the rows of a reduction are shared out among blocks or warps.
#pragma once
#include "core/host/device.cuh"
#include "core/host/launch.h"

namespace warpath::reduce {

// What a kernel that reduces stretches is built for.
struct Build {
  int threads, unroll, per_load, blocks_an_sm;

  std::int64_t round() const { return std::int64_t(threads) * unroll * per_load; }  // elements
  std::int64_t resident_blocks() const { return std::int64_t(multiprocessors()) * blocks_an_sm; }
};

struct Split {
  std::int64_t blocks_a_row, elements_a_block;
};

// Blocks per row: enough to fill the GPU, but none with less than one round of loads.
inline Split split_rows(const Build& build, std::int64_t rows, std::int64_t cols) {
  const std::int64_t wanted = std::max<std::int64_t>(1, build.resident_blocks() / rows);
  const std::int64_t rounds_a_block =
      ceil_div(std::max<std::int64_t>(cols, 1), wanted * build.round());
  const std::int64_t elements = rounds_a_block * build.round();
  return {std::max<std::int64_t>(1, ceil_div(cols, elements)), elements};
}

// One round of loads per block, two where there are many blocks, and more where 16 times the resident blocks would not be
// enough: someone has to join what they leave. Blocks are started in order, so short ones walk through the memory from
// front to back, and an SM that finishes early takes the next block.
inline Split split_in_order(const Build& build, std::int64_t rows, std::int64_t cols) {
  const std::int64_t resident = build.resident_blocks();
  if (rows >= resident) return {1, std::max<std::int64_t>(cols, 1)};
  const std::int64_t rounds = rows * ceil_div(std::max<std::int64_t>(cols, 1), build.round());
  const std::int64_t few = rounds >= 4 * resident ? 2 : 1;
  const std::int64_t elements = build.round() * std::max(few, ceil_div(rounds, 16 * resident));
  return {std::max<std::int64_t>(1, ceil_div(cols, elements)), elements};
}

// Warps for a short row: four or eight only where each thread gets at least four loads.
inline int warps_for(const Build& build, std::int64_t cols) {
  const std::int64_t vectors = cols / build.per_load;
  return vectors >= 1024 ? 8 : vectors >= 512 ? 4 : 1;
}

// A row is short when it is less than a full round of loads for a block, and either its warps finish in a few loads or
// there are enough rows to fill the GPU with warps.
inline bool rows_are_short(const Build& build, std::int64_t rows, std::int64_t cols) {
  const std::int64_t vectors = cols / build.per_load;
  return cols < build.round() &&
         (cols <= 1024 || (vectors >= 512 && vectors <= 1024) ||
          rows * warps_for(build, cols) >= std::int64_t(multiprocessors()) * 32);
}

// Partial results of all rows that a single pass needs; none where a row is reduced by warps or by one block.
inline std::int64_t partials_of(const Build& build, std::int64_t rows, std::int64_t cols) {
  if (rows == 0 || rows_are_short(build, rows, cols)) return 0;
  const std::int64_t blocks = split_in_order(build, rows, cols).blocks_a_row;
  return blocks > 1 ? rows * blocks : 0;
}

// Rows are split only when there are fewer rows than resident blocks, which bounds the number of counters. The counters
// have the same place for every shape, because they must stay zero between launches.
inline std::int64_t counter_bytes(const Build& build, std::int64_t rows, std::int64_t cols) {
  return partials_of(build, rows, cols) > 0 ? ceil_div(build.resident_blocks() * 4, 16) * 16 : 0;
}

}  // namespace warpath::reduce
