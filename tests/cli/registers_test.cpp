// What is read from the lines that ptxas -v prints; a script stands in for nvcc.
#include "cli/xray_registers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace fs = std::filesystem;
using warpath::cli::PtxasFacts;

TEST(Registers, MostOfEachKernelsInstances) {
  const fs::path script = fs::temp_directory_path() / ("warpath-nvcc-" + std::to_string(getpid()));
  std::ofstream(script) << R"(#!/bin/sh
cat <<'END'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN7warpath7softmax12_GLOBAL__N_16sharedI6__halfEEvPKT_PS4_lb' for 'sm_90a'
ptxas info    : Function properties for _ZN7warpath7softmax12_GLOBAL__N_16sharedI6__halfEEvPKT_PS4_lb
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compiling entry function '_ZN7warpath7softmax51_GLOBAL__N__397abfeb_12_02_shared_cu_1d570038_254996sharedIfEEvPKT_PS3_lb' for 'sm_90a'
ptxas info    : Function properties for _ZN7warpath7softmax51_GLOBAL__N__397abfeb_12_02_shared_cu_1d570038_254996sharedIfEEvPKT_PS3_lb
    48 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Used 8 registers
END
)";
  fs::permissions(script, fs::perms::owner_all);
  setenv("NVCC", script.c_str(), 1);
  const auto found = warpath::cli::registers_of({}, "kernel.cu");
  unsetenv("NVCC");
  fs::remove(script);

  ASSERT_EQ(found.size(), 2u);
  const PtxasFacts& shared = found.at("shared");
  EXPECT_EQ(shared.registers, 40);
  EXPECT_EQ(shared.stack, 48);
  EXPECT_EQ(shared.spill_stores, 16);
  EXPECT_EQ(shared.spill_loads, 24);
  EXPECT_EQ(found.at("plain").registers, 8);
  EXPECT_EQ(found.at("plain").stack, 0);
}
