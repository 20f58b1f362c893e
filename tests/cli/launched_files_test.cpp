// Which files a rung launches kernels of is read from its text.
#include "cli/launched_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::vector<std::string> launched_by(const std::string& rung) {
  const fs::path root = WARPATH_TREE;
  std::vector<std::string> names;
  for (const fs::path& file : warpath::cli::launched_files(root, root / "ops" / rung))
    names.push_back(file.filename().string());
  return names;
}

}  // namespace

TEST(LaunchedFiles, ThoseOfTheFilesItLaunchesToo) {
  EXPECT_EQ(launched_by("matmul/matmul/19_repacked_sm90.cu"),
            (std::vector<std::string>{"17_staged_sm90.cu", "18_stream_k_sm90.cu",
                                      "narrow_last_wave_sm90.cu", "split_tiles_sm90.cu"}));
  EXPECT_EQ(launched_by("matmul/matmul/18_stream_k_sm90.cu"),
            (std::vector<std::string>{"17_staged_sm90.cu", "narrow_last_wave_sm90.cu",
                                      "split_tiles_sm90.cu"}));
}

TEST(LaunchedFiles, MostRungsStandAlone) {
  EXPECT_TRUE(launched_by("matmul/matmul/17_staged_sm90.cu").empty());
  EXPECT_TRUE(launched_by("matmul/matmul/13_tma_wgmma_sm90.cu").empty());
  EXPECT_TRUE(launched_by("softmax/softmax/03_warp.cu").empty());
}
