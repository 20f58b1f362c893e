// The order in which the tiles of a matrix are computed.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/thread/divisor.cuh"

namespace warpath {

struct TilePlace {
  int row, column, batch;  // in tiles
};

// Tiles that run at the same time should share rows of a product's a and columns of its b, so that
// both come from L2. A band of `band` rows of tiles is walked column by column.
struct TileOrder {
  int rows, columns, batches, band;

  __host__ __device__ int tiles() const { return rows * columns * batches; }
  __host__ __device__ TilePlace at(int index) const {
    const int matrix = rows * columns, batch = index / matrix, inside = index % matrix;
    const int first = inside / (band * columns) * band;  // row of the band
    const int high = rows - first < band ? rows - first : band;
    const int rest = inside - first * columns;
    return {first + rest % high, rest / high, batch};
  }
};

// The same order without divisions, for a kernel that needs it often, or at its very start.
struct QuickOrder : TileOrder {
  Divisor matrix, whole_band;  // tiles of each
  Divisor high, low;           // rows of a band, of the last one

  static QuickOrder of(std::int64_t rows, std::int64_t columns, std::int64_t batches, int band) {
    band = int(std::min<std::int64_t>(band, rows));
    const int low = int(rows % band);
    return {{int(rows), int(columns), int(batches), band},
            Divisor::of(int(rows * columns)),
            Divisor::of(int(band * columns)),
            Divisor::of(band),
            Divisor::of(low > 0 ? low : band)};
  }
  __host__ __device__ TilePlace at(int index) const {
    const int batch = matrix.quotient(index), inside = index - batch * rows * columns;
    const int first = whole_band.quotient(inside) * band;
    const bool last = rows - first < band;
    const int rest = inside - first * columns, column = (last ? low : high).quotient(rest);
    return {first + rest - column * (last ? rows - first : band), column, batch};
  }
};

}  // namespace warpath
