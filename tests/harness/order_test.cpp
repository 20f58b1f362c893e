// The order of tiles that a kernel computes without divisions.
#define __host__
#define __device__
#include "core/block/tile_order.cuh"

#include <gtest/gtest.h>

#include <random>

namespace warpath {
namespace {

TEST(divisor, gives_the_quotient) {
  std::mt19937 random(1);
  constexpr std::int64_t most = 2147483647;
  for (const int by : {1, 2, 3, 5, 7, 12, 127, 128, 129, 1000, 65535, 65536, 65537, 1 << 20,
                       (1 << 30) - 1, 1 << 30, (1 << 30) + 1, 2147483647}) {
    const Divisor divisor = Divisor::of(by);
    for (int i = 0; i < 2000; ++i) {
      // A multiple and its neighbours: the quotient changes there.
      const std::int64_t multiple = std::int64_t(random() >> 1) / by * by;
      for (std::int64_t n : {multiple - 1, multiple, multiple + 1, most - i})
        if (n >= 0 && n <= most) {
          ASSERT_EQ(divisor.quotient(int(n)), n / by) << n << " / " << by;
        }
    }
  }
}

TEST(quick_order, is_the_order) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const auto up_to = [&](int most) { return int(1 + random() % most); };
    const int rows = up_to(40), columns = up_to(40), batches = up_to(3), band = up_to(20);
    const TileOrder order{rows, columns, batches, band};
    const QuickOrder quick = QuickOrder::of(rows, columns, batches, band);
    ASSERT_EQ(quick.tiles(), order.tiles());
    for (int tile = 0; tile < order.tiles(); ++tile) {
      const TilePlace want = order.at(tile), got = quick.at(tile);
      ASSERT_TRUE(got.row == want.row && got.column == want.column && got.batch == want.batch)
          << rows << " x " << columns << " x " << batches << ", bands of " << band << ": " << tile;
    }
  }
}

}  // namespace
}  // namespace warpath
