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

// A quarter of the register file serves a quarter of the warps: what is left over in each is no place for a warp. The
// numbers are those of CUDA's cuda_occupancy.h.
TEST(Occupancy, RegistersAreInFourParts) {
  EXPECT_EQ(occupancy(gpu("H200"), 64, 0, 33).blocks, 24);
  EXPECT_EQ(occupancy(gpu("RTX 4090"), 96, 0, 48).blocks, 13);
  EXPECT_EQ(occupancy(gpu("T4"), 160, 0, 80).blocks, 4);
  EXPECT_EQ(occupancy(gpu("Orin"), 96, 4096, 48).blocks, 13);
}

TEST(GpuFacts, AT4AndAnH200) {
  EXPECT_EQ(with_article(gpu("T4")), "a T4");
  for (const char* name : {"H200", "A100", "RTX 4090", "Orin"})
    EXPECT_EQ(with_article(gpu(name)), std::string("an ") + name);
}

// Our products are summed in fp32. NVIDIA's whitepapers of GeForce GPUs give that rate beside another, twice as high, of sums in
// fp16: it is twice that of fp32 without tensor cores.
TEST(GpuFacts, TensorRatesAreOfSumsInFp32) {
  for (const char* geforce : {"RTX 4090", "RTX 3060"})
    EXPECT_NEAR(gpu(geforce).fp16_tensor / gpu(geforce).fp32, 2, 0.02) << geforce;
  for (const GpuFacts& g : gpu_facts)
    if (g.tf32_tensor != 0) EXPECT_NEAR(g.fp16_tensor / g.tf32_tensor, 2, 0.02) << g.name;
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
