// In which order tiles of a matrix product are taken, and how they are shared out among blocks.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/launch.h"

namespace warpath {

struct TilePlace {
  int row, column, batch;  // in tiles
};

// A number to divide by, often: a division on the GPU is some thirty instructions, and a block that starts waits for
// each line of them. With 2^(s - 1) < by <= 2^s, ceil(2^(31 + s) / by) is too large by so little that no quotient of a
// number below 2^31 changes.
struct Divisor {
  unsigned factor;
  int shift;

  static Divisor of(int by) {
    int s = 0;
    while ((std::int64_t(1) << s) < by) ++s;
    return {unsigned(((std::uint64_t(1) << (31 + s)) + by - 1) / by), 31 + s};
  }
  __host__ __device__ int quotient(int number) const {
    return int(std::uint64_t(unsigned(number)) * factor >> shift);
  }
};

// Tiles that run at the same time should share rows of a and columns of b, so that both come from L2. A band of `band`
// rows of tiles is walked column by column.
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

// The same order for a kernel that asks often, or at its very start.
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

// A piece of one tile's sum over k. Pieces have places, in which sums can be left for others: those of the same tile
// before this one lie at first_place and after it, up to this one's.
struct Piece {
  int tile, k_begin, k_end;
  int place, first_place;
};

// Stream-k: the first `shared_tiles` tiles are cut, all of their steps along k in one row, into `workers` equal shares;
// each of the others is done whole by worker tile % workers.
//
//   tile          0         1         2
//   k steps   |0 … … … |0 … … … |0 … … … |
//   worker    |  0  |  1  |  2  |  3  |        worker 1 has the end of tile 0 and the start of tile 1
//
// A worker takes its share from the back: the start of a tile first, whose sum it must hand on, and the end of another
// last, by when the worker before it has long handed on its part. Whoever has the end of a tile finishes it, so one waits
// only for workers of lower number.
struct SharedWork {
  int tiles, steps;  // along k, of each tile
  int shared_tiles, workers;

  // Places that are needed for sums.
  __host__ __device__ int places() const { return shared_tiles ? workers : 0; }
  __host__ __device__ int share_begin(int worker) const {
    return int(std::int64_t(worker) * shared_tiles * steps / workers);
  }
  // The worker in whose share a step of the row lies.
  __host__ __device__ int worker_at(int step) const {
    int w = int((std::int64_t(step) * workers) / (std::int64_t(shared_tiles) * steps));
    while (share_begin(w + 1) <= step) ++w;
    return w;
  }
};

// Walks over the pieces of one worker.
struct PieceWalk {
  SharedWork work;
  int worker, begin, end, next_whole;

  __host__ __device__ PieceWalk(const SharedWork& w, int id) : work(w), worker(id) {
    begin = w.share_begin(id);
    end = w.share_begin(id + 1);
    next_whole = w.shared_tiles + id;
  }
  __host__ __device__ bool next(Piece& piece) {
    if (end > begin) {
      const int tile = (end - 1) / work.steps, start = tile * work.steps;
      const int from = begin > start ? begin : start;
      piece = {tile, from - start, end - start, worker,
               from > start ? work.worker_at(start) : worker};
      end = from;
      return true;
    }
    if (next_whole >= work.tiles) return false;
    piece = {next_whole, 0, work.steps, worker, worker};
    next_whole += work.workers;
    return true;
  }
};

// Where there are fewer tiles than workers, all are cut into `parts` instead. The same part of all tiles is done at the
// same time, so that they share what they read of a and b: part p of tile t is the piece p * tiles + t, of worker
// piece % workers.
struct EqualParts {
  int tiles, steps;  // along k, of each tile
  int parts, workers;

  __host__ __device__ int pieces() const { return tiles * parts; }
  __host__ __device__ int tile(int piece) const { return piece % tiles; }
  __host__ __device__ int part(int piece) const { return piece / tiles; }
  // Where a part begins of what all parts of a tile share: its steps along k, or what is left to do with its sum.
  __host__ __device__ int begin(int part, int all) const {
    return int(std::int64_t(part) * all / parts);
  }
};

}  // namespace warpath
