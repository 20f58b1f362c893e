// warpath-debug in gdb's batch mode: a program is compiled once, and each test looks at it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <string>

#include "shell.h"

namespace {

namespace fs = std::filesystem;

class Debug : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("simt-debug-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    const std::string source = " '" SIMT_DEBUG_PROGRAMS "/sum.cu' -o ";
    ASSERT_EQ(shell(SIMT_CC " -G" + source + "sum && " SIMT_CC + source + "plain"), 0) << output_;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static int shell(const std::string& command) {
    const fs::path log = folder_ / "log";
    const int status = simt_test::shell("cd '" + folder_.string() + "' && ( " + command + " ) > '" +
                                        log.string() + "' 2>&1 < /dev/null");
    output_ = simt_test::read(log);
    return status;
  }

  static int debug(const std::string& where, std::initializer_list<const char*> commands = {}) {
    std::string line = "timeout 100 " SIMT_DEBUG " --batch";
    for (const char* command : commands) line += " -ex '" + std::string(command) + "'";
    return shell(line + " " + where);
  }

  // The lines occur in the output, in this order.
  static void expect_lines(std::initializer_list<const char*> lines) {
    std::size_t at = 0;
    for (const char* line : lines) {
      const std::size_t found = output_.find(line, at);
      ASSERT_NE(found, std::string::npos) << "missing: " << line << "\nin:\n" << output_;
      at = found + 1;
    }
  }

  static void expect_refusal(const std::string& where, const char* text) {
    EXPECT_EQ(debug(where), 2);
    EXPECT_NE(output_.find(text), std::string::npos) << output_;
  }

  inline static fs::path folder_;
  inline static std::string output_;
};

// clang tells the debugger less of a thread that waits, and of what a kernel's first line has.
#ifdef __clang__
#define needs_gcc() GTEST_SKIP() << "needs g++"
#else
#define needs_gcc() static_cast<void>(0)
#endif

TEST_F(Debug, StopsInTheThreadAndStepsThere) {
  ASSERT_EQ(debug("./sum --block 2,0 --thread 33", {"print threadIdx.x",
                                                    "print blockIdx",
                                                    "print blockDim.x",
                                                    "print gridDim",
                                                    "info cuda threads",
                                                    "info cuda blocks",
                                                    "next",
                                                    "next",
                                                    "next",
                                                    "next",
                                                    "next",
                                                    "next",
                                                    "print mine",
                                                    "print tile[33]",
                                                    "print extra",
                                                    "print tile",
                                                    "next",
                                                    "print threadIdx.x",
                                                    "next",
                                                    "print other",
                                                    "info cuda threads"}),
            0)
      << output_;
  expect_lines({"[CUDA block (2,0,0), thread (33,0,0)]", "sum.cu:10", "$1 = 33",
                "$2 = {x = 2, y = 0, z = 0}", "$3 = 64", "$4 = {x = 4, y = 1, z = 1}",
                "block (2,0,0) of kernel 'reduce<int>', 64 threads:",
                "  0-32         waits at a barrier at sum.cu:16",
                "* 33           runs at sum.cu:10", "  34-63        has not begun",
                "* (2,0,0)        runs on OS thread 1", "  2 before have ended",
                "  1 have not begun",
                // Up to the barrier, line by line.
                "11\t", "12\t", "13\t", "14\t", "15\t", "16\t  __syncthreads();", "$5 = 322",
                "$6 = 322", "$7 = {7, 7, 7, 7}", "$8 = {256, 258, 260",
                // Over it, while the others run.
                "17\t  const T other", "$9 = 33", "18\t", "$10 = 316", "runs at sum.cu:18"});
}

TEST_F(Debug, ShowsThreadsThatWait) {
  needs_gcc();
  ASSERT_EQ(debug("--kernel reduce --launch 2 --block 1,1 --thread 4,4 ./sum",
                  {"cuda thread 5", "print threadIdx", "print mine", "backtrace", "cuda thread 1,2",
                   "print i", "print threadIdx", "cuda continue", "print threadIdx", "next",
                   "print other", "cuda thread 63", "cuda thread 9,9", "cuda block 0,1"}),
            1)  // the last command failed
      << output_;
  // Blocks of 8 by 8: i counts threadIdx.x only, in blocks of 8.
  expect_lines({"thread (4,4,0)]", "sum.cu:10", "[CUDA thread (5,0,0) waits at a barrier]",
                "sum.cu:16", "$1 = {x = 5, y = 0, z = 0}", "$2 = 2026", "__syncthreads",
                "reduce<int>", "[CUDA thread (1,2,0) waits at a barrier]", "$3 = 9",
                "$4 = {x = 1, y = 2, z = 0}", "[CUDA block (1,1,0), thread (1,2,0)]", "sum.cu:17",
                "$5 = {x = 1, y = 2, z = 0}", "18\t", "$6 = 0"});
  EXPECT_EQ(output_.find("run_thread_loop"), std::string::npos) << output_;
  EXPECT_NE(output_.find("there is no thread (9,9,0) in a block of (8,8,1)"), std::string::npos);
  EXPECT_NE(output_.find("block (0,1,0) of kernel 'reduce<int>' has ended"), std::string::npos);
}

TEST_F(Debug, BreaksAtALine) {
  ASSERT_EQ(debug("--break sum.cu:17 --block 1 --thread 7 ./sum", {"print mine", "next"}), 0);
  expect_lines({"[CUDA block (1,0,0), thread (7,0,0)]", "sum.cu:17", "$1 = 142", "18\t"});
}

TEST_F(Debug, OpensWhereAKernelFails) {
  needs_gcc();
  ASSERT_EQ(debug("--on-finding -- ./sum stuck", {"info cuda threads", "print mine"}), 0);
  expect_lines({"kernel 'stuck' is deadlocked", "sum.cu:26",
                "0-9          waits for its warp (shfl, mask 0xffffffff) at sum.cu:24",
                "10-30        waits at a barrier at sum.cu:26", "$1 = 93"});
  EXPECT_EQ(debug("--on-finding ./sum"), 0) << output_;
  expect_lines({"nothing was found"});
}

TEST_F(Debug, CheckedProgramsOpenIt) {
#ifndef SIMT_TESTS_CHECKS
  GTEST_SKIP() << "--check needs g++";
#endif
  std::ofstream(folder_ / "past.cu") << "__global__ void past(int* p) {\n"
                                        "  const int i = threadIdx.x + 1;\n"
                                        "  p[i] = i;\n"
                                        "}\n"
                                        "int main() {\n"
                                        "  int* p;\n"
                                        "  cudaMalloc(&p, 32 * sizeof(int));\n"
                                        "  past<<<1, 32>>>(p);\n"
                                        "  cudaDeviceSynchronize();\n"
                                        "}\n";
  ASSERT_EQ(shell(SIMT_CC " --check --debug past.cu -o past"), 0) << output_;
  EXPECT_EQ(shell("timeout 100 ./past"), 1);
  expect_lines({"found: out of bounds", "[CUDA block (0,0,0), thread (31,0,0)]", "past.cu:3",
                "i = 32", "* 31           runs at past.cu:3"});
  EXPECT_EQ(shell("SIMT_DEBUG=0 ./past"), 1);
  EXPECT_EQ(output_.find("found:"), std::string::npos) << output_;
}

TEST_F(Debug, Refusals) {
  needs_gcc();
  expect_refusal("--block 9 ./sum", "there is no block (9,0,0)");
  expect_refusal("--thread 64 --kernel reduce ./sum",
                 "there is no thread (64,0,0): kernel 'reduce<int>' is launched with blocks of");
  expect_refusal("--kernel nope ./sum", "kernel 'nope' was never launched; there are: clear");
  expect_refusal("--kernel reduce --launch 3 ./sum", "was launched 2 times only");
  expect_refusal("--break none.cu:3 ./sum", "there is no place 'none.cu:3'");
  expect_refusal("--block x ./sum", "'x' is no index");
  expect_refusal("--blok 2 ./sum", "unknown option '--blok'");
  expect_refusal("--kernel reduce ./plain", "compile it with `warpath cc -G`");
  expect_refusal("/bin/ls", "was not built by warpath cc");
  expect_refusal("./nothing", "no such file: './nothing'");
  EXPECT_EQ(shell("PATH=/nowhere " SIMT_DEBUG " ./sum"), 2);
  EXPECT_NE(output_.find("gdb is missing; type: sudo apt-get install -y gdb"), std::string::npos);
}

}  // namespace
