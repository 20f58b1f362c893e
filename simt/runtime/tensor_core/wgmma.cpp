// wgmma: a warp issues products; they are computed when it waits for them.

#include <simt/fault.h>
#include <simt/matrix_layout.h>
#include <simt/matrix_multiply.h>
#include <simt/shared.h>
#include <simt/small_float.h>
#include <simt/wgmma.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "async/state.h"
#include "async/tell_checks.h"
#include "faults/report.h"
#include "scheduler/grid.h"
#include "tensor_core/tensor_core.h"
#include "tensor_core/wgmma_operand.h"

namespace simt {
namespace {

constexpr unsigned max_n = 256, max_k = 32, rows = 16;

struct Issued {
  Product product;
  unsigned group;
  const void* pc;
  std::uint64_t since;  // when it was asked for, as the checks count
  Site site;
  char* first;                        // the registers, where they lie side by side
  std::vector<void*> places;          // else one by one
  std::vector<std::uint32_t> before;  // what they held, for the checks

  std::uint32_t* place(unsigned i) const {
    return static_cast<std::uint32_t*>(places.empty() ? static_cast<void*>(first + 4 * i)
                                                      : places[i]);
  }
};

unsigned registers_of(const ProductShape& shape) {
  return shape.n / (shape.sum == Element::f16 ? 4 : 2);
}

struct ThreadProducts {
  unsigned committed = 0;
  bool fenced = false;  // since products were last waited for
  bool ever_fenced = false;
  void* last = nullptr;  // the registers of the last product that was waited for
  std::vector<Issued> issued;
  std::vector<std::uint32_t> written;  // the last values a product wrote, for the checks
};

// Where the warp's product is put together.
struct Tile {
  alignas(64) float a[rows * max_k];
  alignas(64) float b[max_k * max_n];
  alignas(64) float d[rows * max_n];
  std::int32_t* whole_a() { return reinterpret_cast<std::int32_t*>(a); }
  std::int32_t* whole_b() { return reinterpret_cast<std::int32_t*>(b); }
  std::int32_t* whole_d() { return reinterpret_cast<std::int32_t*>(d); }
};

}  // namespace

struct ProductState {
  std::vector<ThreadProducts> threads;
  std::unique_ptr<Tile> tile;
};

namespace {

ProductState& state_of_running() {
  ProductState& state = *current_block().products;
  if (state.threads.empty()) state.threads.resize(max_threads);
  if (state.tile == nullptr) state.tile.reset(new Tile);
  return state;
}

ThreadProducts& products_of_running() {
  return state_of_running().threads[rank_of_running(current_block())];
}

[[noreturn, gnu::cold, gnu::noinline]] void bad(const std::string& what, Site site) {
  fault(cudaErrorIllegalInstruction, "wgmma: " + what, site);
}

bool is_whole(Element element) {
  return element == Element::s8 || element == Element::u8;
}

// The row and column of register element i, in the warp's 16 rows.
Place sum_place(unsigned lane, unsigned i) {
  return {static_cast<int>(lane / 4 + i / 2 % 2 * 8),
          static_cast<int>(lane % 4 * 2 + i % 2 + i / 4 * 8)};
}

void gather_sums(const Issued* const* lanes, Tile& tile) {
  const Product& p = lanes[0]->product;
  const unsigned n = p.shape.n, count = registers_of(p.shape);
  if (!p.adds) {
    std::memset(tile.d, 0, sizeof(float) * rows * n);
    return;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned r = 0; r < count; ++r) {
      const std::uint32_t word = *lanes[lane]->place(r);
      if (p.shape.sum == Element::f16) {
        for (unsigned half = 0; half < 2; ++half) {
          const Place at = sum_place(lane, 2 * r + half);
          tile.d[static_cast<unsigned>(at.row) * n + static_cast<unsigned>(at.column)] =
              half_to_float(static_cast<unsigned short>(word >> 16 * half));
        }
      } else {
        const Place at = sum_place(lane, r);
        std::memcpy(&tile.d[static_cast<unsigned>(at.row) * n + static_cast<unsigned>(at.column)],
                    &word, 4);
      }
    }
  }
}

void scatter_sums(const Issued* const* lanes, const Tile& tile) {
  const Product& p = lanes[0]->product;
  const unsigned n = p.shape.n, count = registers_of(p.shape);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned r = 0; r < count; ++r) {
      std::uint32_t word = 0;
      if (p.shape.sum == Element::f16) {
        for (unsigned half = 0; half < 2; ++half) {
          const Place at = sum_place(lane, 2 * r + half);
          const float sum =
              tile.d[static_cast<unsigned>(at.row) * n + static_cast<unsigned>(at.column)];
          word |= static_cast<std::uint32_t>(float_to_half(sum)) << 16 * half;
        }
      } else {
        const Place at = sum_place(lane, r);
        std::memcpy(&word,
                    &tile.d[static_cast<unsigned>(at.row) * n + static_cast<unsigned>(at.column)],
                    4);
      }
      std::memcpy(lanes[lane]->place(r), &word, 4);
    }
  }
}

// A in four registers per lane, as in mma: rows 8 apart, then k; 4, 2 or 1 elements per register.
void gather_a(const Issued* const* lanes, Tile& tile, unsigned k) {
  const Element element = lanes[0]->product.shape.a;
  const unsigned per = 32 / k == 1 ? 4 : k == 16 ? 2 : 1;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned r = 0; r < 4; ++r) {
      const unsigned row = lane / 4 + r % 2 * 8, first = lane % 4 * per + r / 2 * 4 * per;
      unsigned char bytes[4];
      std::memcpy(bytes, &lanes[lane]->product.a_registers[r], 4);
      widen(tile.a + row * k + first, bytes, per, element);
    }
  }
}

void negate(float* values, unsigned count) {
  for (unsigned i = 0; i < count; ++i) values[i] = -values[i];
}

void execute(const Issued* const* lanes, unsigned warp, Tile& tile) {
  const Product& p = lanes[0]->product;
  const unsigned n = p.shape.n, k = depth_of(p.shape.a);
  const Operand b = operand_of(p.b, p.shape.b, p.b_turned, n, 0, lanes[0]->site);
  read_columns(b, n, k, tile.b, lanes[0]->pc, lanes[0]->since);
  if (p.a_in_registers) {
    gather_a(lanes, tile, k);
  } else {
    const Operand a = operand_of(p.a, p.shape.a, p.a_turned, 64, warp % 4 * rows, lanes[0]->site);
    read_rows(a, rows, k, tile.a, lanes[0]->pc, lanes[0]->since);
  }
  gather_sums(lanes, tile);
  if (is_whole(p.shape.a)) {
    multiply_whole(tile.whole_d(), tile.whole_a(), tile.whole_b(), n, k, p.shape.saturates);
  } else {
    if (p.negate_a != p.negate_b) negate(tile.a, rows * k);
    const bool half_sum = p.shape.sum == Element::f16;
    if (tensor_cores_are_exact()) {
      multiply_exact(tile.d, tile.a, tile.b, n, k, p.shape.a, half_sum);
    } else {
      multiply_quick(tile.d, tile.a, tile.b, n, k);
    }
  }
  scatter_sums(lanes, tile);
}

bool same(const Product& x, const Product& y) {
  return x.shape.n == y.shape.n && x.shape.sum == y.shape.sum && x.shape.a == y.shape.a &&
         x.shape.b == y.shape.b && x.a == y.a && x.b == y.b && x.adds == y.adds &&
         x.a_in_registers == y.a_in_registers && x.a_turned == y.a_turned &&
         x.b_turned == y.b_turned;
}

struct Waiting {
  ThreadProducts* products;
  unsigned newest;
  std::size_t due;
  Site site;
  const char* frame;  // registers of functions that have returned lie below it
};

std::size_t due_of(const ThreadProducts& products, unsigned newest) {
  std::size_t due = 0;
  while (due < products.issued.size() && products.issued[due].group + newest < products.committed) {
    ++due;
  }
  return due;
}

// The variables that hold the registers must still be there, and untouched.
void check_registers(const Issued& issued, const Waiting& waiting, unsigned thread) {
  const unsigned count = registers_of(issued.product.shape);
  for (unsigned r = 0; r < count; ++r) {
    const char* const at = reinterpret_cast<const char*>(issued.place(r));
    if (is_local(at) && at < waiting.frame && at > waiting.frame - 65536) {
      bad("the function that holds the accumulators has returned before wgmma.wait_group",
          issued.site);
    }
    if (r < issued.before.size() && issued.before[r] != *issued.place(r)) {
      tell_misuse("register in flight",
                  "an accumulator of this wgmma was written before wgmma.wait_group", thread,
                  issued.pc);
      return;
    }
  }
}

void run_products(void* const* data) {
  Waiting* lanes[32];
  for (unsigned lane = 0; lane < 32; ++lane) lanes[lane] = static_cast<Waiting*>(data[lane]);
  const unsigned warp = rank_of_running(current_block()) >> 5;
  Tile& tile = *current_block().products->tile;
  const std::size_t due = lanes[0]->due;
  for (unsigned lane = 1; lane < 32; ++lane) {
    if (lanes[lane]->due != due)
      bad("the lanes of a warp have asked for different products", lanes[0]->site);
  }
  for (std::size_t i = 0; i < due; ++i) {
    const Issued* issued[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
      issued[lane] = &lanes[lane]->products->issued[i];
      if (!same(issued[lane]->product, issued[0]->product)) {
        bad("the lanes of a warp have asked for different products", issued[lane]->site);
      }
      check_registers(*issued[lane], *lanes[lane], warp * 32 + lane);
    }
    execute(issued, warp, tile);
    if (check_hooks == nullptr) continue;
    // Later products of the same registers were asked for with what is there now.
    for (unsigned lane = 0; lane < 32; ++lane) {
      auto& queue = lanes[lane]->products->issued;
      for (std::size_t later = i + 1; later < queue.size(); ++later) {
        if (queue[later].place(0) != queue[i].place(0)) continue;
        for (unsigned r = 0; r < queue[later].before.size(); ++r) {
          queue[later].before[r] = *queue[later].place(r);
        }
      }
    }
  }
}

}  // namespace

void AsyncStateDeleter::operator()(ProductState* state) const {
  delete state;
}

void make_products(Block& block) {
  block.products.reset(new ProductState);
}

void begin_products(Block& block) {
  block.products->threads.clear();
  block.products_in_flight = 0;
}

void end_products(Block& block) {
  if (block.abandoned) return;
  for (unsigned thread = 0; thread < block.products->threads.size(); ++thread) {
    const ThreadProducts& products = block.products->threads[thread];
    if (products.issued.empty()) continue;
    tell_misuse("never waited for", "the thread ends before this wgmma is committed and waited for",
                thread, products.issued[0].pc);
  }
}

namespace {

// A fence must come before the first product, and after the program has changed the registers.
bool needs_fence(const ThreadProducts& mine, const Issued& next) {
  if (!mine.ever_fenced) return true;
  if (!next.product.adds || mine.last != next.place(0)) return false;
  for (unsigned r = 0; r < mine.written.size() && r < registers_of(next.product.shape); ++r) {
    if (mine.written[r] != *next.place(r)) return true;
  }
  return false;
}

}  // namespace

bool is_in_flight(const void* address) {
  for (const Issued& issued : products_of_running().issued) {
    const unsigned count = registers_of(issued.product.shape);
    if (issued.places.empty()) {
      if (static_cast<const char*>(address) - issued.first < 0) continue;
      if (static_cast<const char*>(address) < issued.first + 4 * count) return true;
      continue;
    }
    for (void* place : issued.places) {
      if (place == address) return true;
    }
  }
  return false;
}

void wgmma_issue(const Product& product, void* const* places, Site site) {
  const void* const pc = __builtin_return_address(0);
  if (!in_kernel()) host_misuse("wgmma", site);
  Block& block = current_block();
  const unsigned thread = rank_of_running(block);
  if ((thread / 128 + 1) * 128 > block.thread_count) bad("it takes four whole warps", site);
  ThreadProducts& mine = products_of_running();
  Issued issued{product, mine.committed, pc, 0, site, static_cast<char*>(places[0]), {}, {}};
  const unsigned count = registers_of(product.shape);
  for (unsigned r = 1; r < count; ++r) {
    if (places[r] != issued.first + 4 * r) {
      issued.places.assign(places, places + count);
      break;
    }
  }
  if (check_hooks != nullptr) {
    if (!mine.fenced && needs_fence(mine, issued)) {
      tell_misuse("missing wgmma.fence",
                  "the registers of this wgmma were used without wgmma.fence.sync.aligned since",
                  thread, pc);
      mine.fenced = true;
    }
    for (unsigned r = 0; r < count; ++r) issued.before.push_back(*issued.place(r));
    if (thread % 32 == 0) tell_operands(product, thread >> 5, site, pc);
    issued.since = async_time();
  }
  mine.issued.push_back(std::move(issued));
  ++block.products_in_flight;
}

void wgmma_fence(Site site) {
  if (!in_kernel()) host_misuse("wgmma", site);
  ThreadProducts& mine = products_of_running();
  mine.fenced = mine.ever_fenced = true;
}

void wgmma_commit(Site site) {
  if (!in_kernel()) host_misuse("wgmma", site);
  ++products_of_running().committed;
}

void wgmma_wait(unsigned newest, Site site) {
  if (!in_kernel()) host_misuse("wgmma", site);
  ThreadProducts& mine = products_of_running();
  Waiting waiting{&mine, newest, due_of(mine, newest), site,
                  static_cast<const char*>(__builtin_frame_address(0))};
  matrix_operation(&waiting, &run_products, site);
  if (check_hooks != nullptr && waiting.due != 0) {
    const Issued& last = mine.issued[waiting.due - 1];
    mine.fenced = false;
    mine.last = last.place(0);
    mine.written.clear();
    for (unsigned r = 0; r < registers_of(last.product.shape); ++r) {
      mine.written.push_back(*last.place(r));
    }
  }
  current_block().products_in_flight -= static_cast<unsigned>(waiting.due);
  mine.issued.erase(mine.issued.begin(),
                    mine.issued.begin() + static_cast<std::ptrdiff_t>(waiting.due));
  // The product is the four warps' together: it is done for none of them before it is for all.
  // Pipelines count on it, where one thread tells for its warp group that operands were read.
  if (waiting.due != 0) tile_barrier(128, site);
}

}  // namespace simt
