// How the tiles of a product, and their steps along k, are shared out among blocks.
#pragma once
#include <cstdint>

namespace warpath {

// A piece of one tile's sum over k. Its sums can be left in `slot` for another block. The earlier
// pieces of the same tile have the slots from `first_slot` up to, but not including, `slot`.
struct Piece {
  int tile, k_begin, k_end;
  int slot, first_slot;
};

// Stream-k: the steps along k of the first `shared_tiles` tiles are laid end to end and cut into
// `workers` equal shares. Each of the other tiles is computed whole, by worker
// (tile - shared_tiles) % workers.
//
//   tile          0         1         2
//   k steps   |0 … … … |0 … … … |0 … … … |
//   worker    |  0  |  1  |  2  |  3  |     worker 1: the end of tile 0 and the start of tile 1
//
// A worker takes its share from the back: first the start of a tile, whose sum another worker
// needs; last the end of a tile, whose earlier pieces are done by then. The worker that has the end
// of a tile finishes it, so a worker waits only for workers with lower numbers.
struct SharedWork {
  int tiles, steps;  // along k, of each tile
  int shared_tiles, workers;

  __host__ __device__ int slots() const { return shared_tiles ? workers : 0; }
  __host__ __device__ int share_begin(int worker) const {
    return int(std::int64_t(worker) * shared_tiles * steps / workers);
  }
  // The worker whose share contains `step`, counted over all shared tiles.
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

// For fewer tiles than workers: every tile is cut into `parts`. The same part of all tiles is
// computed at the same time, so that they share their reads of a and b. Part p of tile t is piece
// p * tiles + t, and worker piece % workers takes it.
struct EqualParts {
  int tiles, steps;  // along k, of each tile
  int parts, workers;

  __host__ __device__ int pieces() const { return tiles * parts; }
  __host__ __device__ int tile(int piece) const { return piece % tiles; }
  __host__ __device__ int part(int piece) const { return piece / tiles; }
  // Where a part begins among `all` of a tile: its steps along k, or the columns of its sum.
  __host__ __device__ int begin(int part, int all) const {
    return int(std::int64_t(part) * all / parts);
  }
};

}  // namespace warpath
