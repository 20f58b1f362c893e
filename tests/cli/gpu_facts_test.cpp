// Blocks per multiprocessor: held to the limits that ncu recorded for the kernels of tests/xray.
#include "cli/gpu_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

using namespace warpath::cli;

namespace {

const GpuFacts& gpu(std::string_view name) {
  return *std::find_if(gpu_facts.begin(), gpu_facts.end(),
                       [&](const GpuFacts& g) { return g.name == name; });
}

// ncu's name of a limit
std::string metric(std::string_view limit) {
  const std::string name = limit == "threads"         ? "warps"
                           : limit == "shared memory" ? "shared_mem"
                                                      : std::string(limit);
  return "launch__occupancy_limit_" + name;
}

}  // namespace

TEST(Occupancy, IsWhatNcuRecorded) {
  int launches = 0;
  for (const char* name : {"recorded.json", "recorded_spaces.json"}) {
    std::ifstream in(std::filesystem::path(WARPATH_TREE) / "tests/xray" / name);
    const nlohmann::json recorded = nlohmann::json::parse(in);
    ASSERT_EQ(recorded.at("device"), "NVIDIA H200");
    for (const nlohmann::json& l : recorded.at("launches")) {
      const nlohmann::json& m = l.at("metrics");
      const auto of = [&](const std::string& key) { return m.at("launch__" + key).get<int>(); };
      const Occupancy o =
          occupancy(gpu("H200"), of("block_size"),
                    of("shared_mem_per_block_static") + of("shared_mem_per_block_dynamic"),
                    of("registers_per_thread"));
      int least = 1 << 20;
      for (const char* limit : {"threads", "blocks", "shared memory", "registers"})
        least = std::min(least, m.at(metric(limit)).get<int>());
      EXPECT_EQ(o.blocks, least) << l.at("kernel");
      EXPECT_EQ(m.at(metric(o.limit)), least) << l.at("kernel") << ": " << o.limit;
      EXPECT_NEAR(100 * o.share, m.at("sm__maximum_warps_per_active_cycle_pct").get<double>(), 0.01)
          << l.at("kernel");
      ++launches;
    }
  }
  EXPECT_GE(launches, 80);
}

// The largest block that a GPU takes fits. On a T4 the system takes nothing; from sm_80 on it takes 1 KiB per block.
TEST(Occupancy, LargestBlockFits) {
  for (const GpuFacts& g : gpu_facts) {
    const Occupancy o = occupancy(g, 256, g.shared_block_kib * 1024ll, 0);
    EXPECT_EQ(o.blocks, 1) << g.name;
    EXPECT_STREQ(o.limit, "shared memory") << g.name;
    EXPECT_EQ(occupancy(g, 256, g.shared_block_kib * 1024ll + 1, 0).blocks, 0) << g.name;
  }
  EXPECT_EQ(occupancy(gpu("T4"), 128, 32 << 10, 0).blocks, 2);
  EXPECT_EQ(occupancy(gpu("A100"), 128, 82 << 10, 0).blocks,
            1);  // two would leave nothing for the system
}
