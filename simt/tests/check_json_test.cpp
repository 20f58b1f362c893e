// What a checked program writes with --json: the whole document, for one program.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "shell.h"

namespace {

namespace fs = std::filesystem;

using simt_test::read;
using simt_test::shell;

class CheckJson : public testing::Test {
 protected:
  CheckJson() : folder_(fs::temp_directory_path() / ("simt-json-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~CheckJson() override { fs::remove_all(folder_); }

  int compile(const std::string& text, const std::string& flags) {
    std::ofstream(folder_ / "p.cu") << text;
    return shell("cd '" + folder_.string() + "' && '" SIMT_CC "' --check " + flags +
                 " p.cu -o p 2> err");
  }
  int run(const std::string& environment = "") {
    return shell("cd '" + folder_.string() + "' && " + environment + " ./p > out 2> err");
  }

  fs::path folder_;
};

constexpr const char* program = R"(
__global__ void store(int* a, int n) {
  a[n] = threadIdx.x;
}
int main() {
  int* a;
  cudaMalloc(&a, 2 * sizeof(int));  // "two"
  cudaMemset(a, 0, 2 * sizeof(int));
  store<<<1, 2>>>(a, 1);
  cudaFree(a);
  cudaFree(a);
}
)";

TEST_F(CheckJson, HasEveryFinding) {
  ASSERT_EQ(compile(program, "--json=found.json"), 0) << read(folder_ / "err");
  EXPECT_EQ(run(), 1);
  std::string document = read(folder_ / "found.json");
  const std::string folder = fs::canonical(folder_).string() + "/";
  for (auto at = document.find(folder); at != document.npos; at = document.find(folder)) {
    document.erase(at, folder.size());
  }
  EXPECT_EQ(
      document,
      R"({
  "version": 1,
  "findings": [
    {"kind": "race", "check": "race", "message": "two threads, one element: element 1 of the 8-byte allocation", )"
      R"("file": "p.cu", "line": 3, "text": "a[n] = threadIdx.x;", )"
      R"("count": 1, "warning": false, "kernel": "store", "block": [0, 0, 0], )"
      R"("thread": [1, 0, 0], "other": {"block": [0, 0, 0], "thread": [0, 0, 0], )"
      R"("file": "p.cu", "line": 3, "text": "a[n] = threadIdx.x;"}, )"
      R"("allocation": {"bytes": 8, "file": "p.cu", "line": 7, )"
      R"("text": "cudaMalloc(&a, 2 * sizeof(int));  // \"two\"", "name": "a", )"
      R"("offset": 4, "element_bytes": 4}, )"
      R"("report": "race: two threads, one element: element 1 of the 8-byte allocation made )"
      R"(at p.cu:7 (a[1])\n  at p.cu:3: a[n] = threadIdx.x;\n    written by thread (1,0,0) of )"
      R"(block (0,0,0)\n  and p.cu:3: a[n] = threadIdx.x;\n    written by thread (0,0,0) of )"
      R"(block (0,0,0)\n  each thread writes another value, and which one stays is a matter of )"
      R"(luck: let one thread write, order them by a barrier, or use an atomic operation\n  in )"
      R"(kernel 'store'\n"},
    {"kind": "double free", "check": "memory", "message": "cudaFree of the 8-byte allocation", "file": "p.cu", "line": 11, )"
      R"("text": "cudaFree(a);", "count": 1, "warning": false, )"
      R"("allocation": {"bytes": 8, "file": "p.cu", "line": 7, )"
      R"("text": "cudaMalloc(&a, 2 * sizeof(int));  // \"two\"", "name": "a", )"
      R"("freed": {"file": "p.cu", "line": 10, "text": "cudaFree(a);"}}, )"
      R"("report": "double free: cudaFree of the 8-byte allocation made at p.cu:7, freed at )"
      R"(p.cu:10\n  at p.cu:11: cudaFree(a);\n"}
  ]
}
)");
}

// What the runtime itself reports: each has a kind and a check, and the line that it names.
TEST_F(CheckJson, FaultsHaveAKindAndALine) {
  ASSERT_EQ(compile(R"(
#include <cassert>
#include <cooperative_groups.h>
#include <cstdlib>
__global__ void fault(int which, int* p) {
  if (which == 0) assert(p == nullptr);
  if (which == 1) __trap();
  if (which == 2) while (*(volatile int*)p == 0) {}
  if (which == 3) { if (threadIdx.x == 0) __syncthreads(); else __syncwarp(1); }
  if (which == 4) cooperative_groups::this_grid().sync();
}
int main(int, char** argv) {
  int* p;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  fault<<<1, 32>>>(std::atoi(argv[1]), p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
)",
                    "--json=found.json"),
            0)
      << read(folder_ / "err");
  const std::pair<const char*, unsigned> expected[] = {
      {R"("kind": "failed assert", "check": "fault")", 6},
      {R"("kind": "trap", "check": "fault")", 7},
      {R"("kind": "time limit", "check": "fault")", 8},
      {R"("kind": "wrong operation", "check": "sync")", 0},
      {R"("kind": "wrong operation", "check": "sync")", 10}};
  for (int which = 0; which < 5; ++which) {
    EXPECT_NE(shell("cd '" + folder_.string() + "' && SIMT_TIMEOUT=0.5 ./p " +
                    std::to_string(which) + " > out 2> err"),
              0);
    const std::string document = read(folder_ / "found.json");
    const auto& [kind, line] = expected[which];
    EXPECT_NE(document.find(kind), document.npos) << which << ": " << document;
    if (line == 0) continue;
    EXPECT_NE(document.find("\"line\": " + std::to_string(line) + ","), document.npos)
        << which << ": " << document;
  }
}

TEST_F(CheckJson, IsAskedForAtRunTimeToo) {
  ASSERT_EQ(compile("int main() { void* p; cudaMalloc(&p, 16); }\n", ""), 0);
  EXPECT_EQ(run("SIMT_CHECK_JSON=found.json"), 0);  // a leak is a warning
  EXPECT_NE(read(folder_ / "found.json").find(R"("kind": "leak")"), std::string::npos);
  EXPECT_NE(read(folder_ / "found.json").find(R"("warning": true)"), std::string::npos);
  EXPECT_NE(read(folder_ / "err").find("1 allocation, about 16 bytes"), std::string::npos);
  EXPECT_EQ(run("SIMT_CHECK=all,leak"), 1);  // unless it is asked for
  EXPECT_NE(read(folder_ / "err").find("p.cu:1: int main()"), std::string::npos);
}

}  // namespace
