// What `check` says of a plain kernel.
#include "plain_kernel.h"

using warpath::testing::add;
using warpath::testing::has;
using warpath::testing::PlainKernel;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

TEST_F(PlainKernel, IsMatchedByNames) {
  const Said s = check(add, {"vector_add"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "mine.cu: add(a, b, c, n) as vector_add")) << s.out;
  EXPECT_TRUE(has(s.out, "mine.cu skipped")) << s.out;
  EXPECT_TRUE(has(s.out, "only a in f32")) << s.out;
}

// A right result is no proof; and a launch that no GPU takes is told once, at the kernel's line.
TEST_F(PlainKernel, WhatToDoNextFitsTheVerdict) {
  const Said passed = check(add, {"vector_add"});
  EXPECT_TRUE(has(passed.out,
                  "next: ./warpath check vector_add mine.cu --sanitize finds what right "
                  "results do not show"))
      << passed.out;
  const Said watched = check(add, {"vector_add", "--sanitize", "--case", "prime"});
  EXPECT_TRUE(has(watched.out, "next: ./warpath xray vector_add mine.cu shows line by line"))
      << watched.out;
  const Said refused = check(add, {"vector_add", "--block", "2048"});
  EXPECT_EQ(refused.status, 1) << refused.err;
  EXPECT_TRUE(has(refused.out,
                  "a block of 2048 threads, (2048, 1, 1); the limit is 1024 [the "
                  "launch of add at mine.cu:1]\n"))
      << refused.out;
  EXPECT_FALSE(has(refused.out, "cannot run")) << refused.out;
  EXPECT_TRUE(has(refused.out, "next: another launch: --grid, --block")) << refused.out;
}

TEST_F(PlainKernel, ABlockHasTheAxesThatTheKernelUses) {
  const std::string text =
      "__global__ void other(int* p) { p[threadIdx.x] = 0; }\n"
      "__global__ void transpose(const float* in, float* out, int rows, int cols) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
      "threadIdx.y;\n"
      "  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];\n"
      "}\n"
      "__global__ void last(int* p) { p[threadIdx.y] = 0; }\n";
  const Said s = check(text, {"transpose", "--kernel", "transpose"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "dim3(16, 16)>>>")) << s.out;
  const Said asked = check(text, {"transpose", "--kernel", "transpose", "--block", "32,4"});
  EXPECT_EQ(asked.status, 0) << asked.out << asked.err;
  EXPECT_TRUE(has(asked.out, "dim3(32,4)>>>")) << asked.out;
}

// One thread per element of the result: a product's long axis would make blocks by the thousand, each walking all of it.
// A kernel that adds to its output gets threads for its inputs.
TEST_F(PlainKernel, TheDefaultGridIsThatOfTheResult) {
  const std::string product =
      R"(__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (gridDim.x != (n + 15) / 16 || gridDim.y != (m + 15) / 16 || x >= n || y >= m) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[y * k + i] * b[i * n + x];
  c[y * n + x] = sum;
}
)";
  const Said s = check(product, {"matmul", "--case", "long k"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  const std::string columns = R"(// warpath: reduce(x, y=0, rows, cols)
__global__ void row_sums(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) atomicAdd(&y[r], x[r * cols + c]);
}
)";
  const Said added = check(columns, {"--case", "sum rows"});
  EXPECT_EQ(added.status, 0) << added.out << added.err;
}

// Every write is seen in a second run under the checks.
TEST_F(PlainKernel, AWrongElementIsSaidWithItsWriter) {
  std::string wrong = add;
  wrong.replace(wrong.find("b[i];"), 5, "b[i] + (i == 300 ? 1 : 0);");
  const Said s = check(wrong, {"vector_add"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "c[300] is ")) << s.out;
  EXPECT_TRUE(has(s.out, "written last by thread (44, 0, 0) of block (1, 0, 0), mine.cu:3"))
      << s.out;
}

// Past the end a sum of what lies behind the inputs is written: it must not be what lies behind the output.
TEST_F(PlainKernel, AForgottenBoundIsSeen) {
  std::string wrong = add;
  wrong.replace(wrong.find("if (i < n) "), 11, "");
  const Said s = check(wrong, {"vector_add"});
  EXPECT_EQ(s.status, 1) << s.out;
  EXPECT_TRUE(has(s.out, "wrote past the end of c")) << s.out;
  EXPECT_TRUE(has(
      s.out, "the first access out of bounds is by thread (1, 0, 0) of block (0, 0, 0), mine.cu:3"))
      << s.out;
}

// The reason once, with the number that is wrong, for all cases together; and no advice to watch a kernel that never ran.
TEST_F(PlainKernel, ARefusedLaunchIsToldOnce) {
  const Said s = check(add, {"vector_add", "--block", "2048"});
  EXPECT_EQ(s.status, 1) << s.err;
  const std::string why = "a block of 2048 threads, (2048, 1, 1); the limit is 1024";
  EXPECT_TRUE(has(s.out, why)) << s.out;
  EXPECT_EQ(s.out.find(why), s.out.rfind(why)) << s.out;
  EXPECT_TRUE(has(s.out, "mine.cu on one f32 and 9 more: ")) << s.out;
  EXPECT_FALSE(has(s.out, "--sanitize")) << s.out;  // no kernel ran that could be watched
}

TEST_F(PlainKernel, ALaunchThatCannotBeIsRefusedByItsOption) {
  expect_refused(check(add, {"vector_add", "--block", "0"}), {"--block 0", "the least is 1"});
  expect_refused(check(add, {"vector_add", "--block", "16,-2"}), {"--block 16,-2 has -2"});
  expect_refused(check(add, {"vector_add", "--grid", "0"}), {"--grid 0", "the least is 1"});
  expect_refused(check(add, {"vector_add", "--shared", "-5"}),
                 {"--shared -5", "less than 0 bytes"});
  expect_refused(check(add, {"vector_add", "--shared", "1,2"}), {"more than one number of bytes"});
  expect_refused(check(add, {"vector_add", "--block", "many"}),
                 {"--block many is no number", "'many' is no size or scalar of vector_add"});
  expect_refused(check(add, {"vector_add", "--block", "1,1,1,1"}), {"more than three axes"});
  expect_refused(check(std::string("// warpath: vector_add(a, b, c, n) <<<many, 0>>>\n") + add, {}),
                 {"mine.cu:2", "'many' in the launch"});
}

// A block that only a size makes empty: the launch is refused, nothing crashes.
TEST_F(PlainKernel, ABlockOfNoThreadsIsRefusedByTheLaunch) {
  const Said s = check(add, {"vector_add", "--block", "n/1000000", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_FALSE(has(s.out, "crashed")) << s.out;
  EXPECT_TRUE(has(s.out, "cudaErrorInvalid")) << s.out;
}

// The lesson of vector_add speaks of no barrier: it is no help with a race.
TEST_F(PlainKernel, ARaceNamesALessonThatHasBarriers) {
  const std::string racing =
      R"(__global__ void race(const float* a, const float* b, float* c, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 0 * s[255 - threadIdx.x];
}
)";
  const Said s = check(racing, {"vector_add", "--sanitize", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "race: two threads")) << s.out;
  EXPECT_FALSE(has(s.out, "the lesson says")) << s.out;
}

// The lesson that is named is there.
TEST_F(PlainKernel, ARaceInAnOpWithBarriersNamesItsLesson) {
  const std::string racing =
      R"(__global__ void sum(const float* x, float* y, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < 256; ++i) total += s[i];
    *y = total;
  }
}
)";
  const Said s = check(racing, {"reduce", "--sanitize", "--case", "sum block-1"});
  EXPECT_EQ(s.status, 1) << s.err;
  const std::size_t at = s.out.find("next: ");
  const std::size_t end = s.out.find(": the lesson says", at);
  ASSERT_NE(end, s.out.npos) << s.out;
  EXPECT_TRUE(fs::exists(lab.home() / s.out.substr(at + 6, end - at - 6))) << s.out;
}

// Five findings: each is there, and the last to its last line.
TEST_F(PlainKernel, EveryFindingIsShownWhole) {
  const std::string wrong =
      R"(__global__ void softmax(const float* x, float* y, int rows, int cols) {
  __shared__ float s[64], t[64], u[2];
  const float* row = x + (long)blockIdx.x * cols;
  s[threadIdx.x] = threadIdx.x < cols ? row[threadIdx.x] : 0;
  float v = s[(threadIdx.x + 1) % 64];
  t[threadIdx.x] = v;
  v += t[(threadIdx.x + 3) % 64];
  u[0] = threadIdx.x;
  v += u[1];
  if (threadIdx.x < 16) __syncthreads();
  if (threadIdx.x < cols) y[(long)blockIdx.x * cols + threadIdx.x] = v;
}
)";
  const Said s =
      check(wrong, {"softmax", "--sanitize", "--grid", "rows", "--block", "64", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.err;
  std::size_t found = 0;
  for (const char* line : {"mine.cu:5: float v = s[", "mine.cu:7: v += t[", "mine.cu:8: u[0] = ",
                           "mine.cu:9: v += u[1]", "mine.cu:10: if (threadIdx.x < 16)"})
    found += has(s.out, line);
  EXPECT_EQ(found, 5u) << s.out;
  EXPECT_FALSE(has(s.out, "more findings")) << s.out;
  const std::size_t last = s.out.rfind("mine.cu:");
  EXPECT_TRUE(has(s.out.substr(last), "in kernel 'softmax'")) << s.out;
  EXPECT_TRUE(has(s.out, "memory  race        init        sync\n")) << s.out;
}

// What no check is for, an assert that failed or the time limit, has a column of its own.
TEST_F(PlainKernel, AFailedAssertHasItsColumn) {
  const std::string asserts =
      "#include <cassert>\n" +
      std::string(add).replace(std::string(add).find("  if"), 0, "  assert(n < 2);\n");
  const Said s = check(asserts, {"vector_add", "--sanitize", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "memory  race   init   sync   fault\n")) << s.out;
  EXPECT_TRUE(has(s.out, "Assertion `n < 2` failed")) << s.out;
  const Said j = check(asserts, {"vector_add", "--sanitize", "--case", "prime", "--json"});
  const auto finding = j.json()["ops"][0]["rungs"][0]["findings"][0];
  EXPECT_EQ(finding["check"], "fault");
  EXPECT_EQ(finding["kind"], "failed assert");
  EXPECT_EQ(finding["line"], 4);
}

// Two of the cases are waited for, and the others are said to be left out; the line is where it was.
TEST_F(PlainKernel, AnEndlessKernelIsWaitedForTwice) {
  const std::string endless =
      R"(__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    while (a[i] == a[i]) c[i] = b[i];
  }
}
)";
  for (const bool checked : {false, true}) {
    std::vector<std::string> words = {"vector_add", "--timeout", "0.5"};
    if (checked) words.emplace_back("--sanitize");
    const Said s = check(endless, words);
    EXPECT_EQ(s.status, 1) << s.err;
    EXPECT_TRUE(has(s.out, "was at mine.cu:4")) << s.out;
    EXPECT_TRUE(has(s.out, "2 failed")) << s.out;
    EXPECT_TRUE(has(s.out, "cases: it did not end on ")) << s.out;
    EXPECT_TRUE(has(s.out, "--timeout S gives it longer")) << s.out;
  }
}

// Threads that wait for each other are known at once: it is no matter of time.
TEST_F(PlainKernel, ADeadlockIsNoTimeout) {
  const std::string stuck =
      R"(__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) __syncwarp(); else __syncthreads();
  if (i < n) c[i] = a[i] + b[i];
}
)";
  const Said s = check(stuck, {"vector_add"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "a deadlock: threads of the kernel wait for each other")) << s.out;
  EXPECT_TRUE(has(s.out, "mine.cu:3 for __syncwarp")) << s.out;
  EXPECT_FALSE(has(s.out, "no answer")) << s.out;
  EXPECT_FALSE(has(s.out, "--timeout")) << s.out;
}

TEST_F(PlainKernel, WhatItPrintsIsShownWithItsCase) {
  const std::string prints =
      "#include <cstdio>\n" +
      std::string(add).replace(std::string(add).find("  if"), 0,
                               "  if (i < n) printf(\"element %d\\n\", i);\n");
  const Said s = check(prints, {"vector_add", "--case", "prime"});
  EXPECT_EQ(s.status, 0) << s.err;
  EXPECT_TRUE(has(s.out, "mine.cu printed on prime f32:\n        element 0\n")) << s.out;
  EXPECT_TRUE(has(s.out, " more lines (-v shows more)")) << s.out;
}

// The line of the learner's file, not that of our header in which the access is.
TEST_F(PlainKernel, AMisalignedAccessIsNamedByItsCaller) {
  const std::string misaligned =
      R"(#include "core/thread/vector.cuh"
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 5 > n) return;
  auto v = warpath::load<4>(a + i + 1);
  c[i] = v.at[0] + b[i];
}
)";
  const Said plain = check(misaligned, {"vector_add", "--case", "prime"});
  EXPECT_TRUE(has(plain.out, "at mine.cu:5 (inside vector.cuh:")) << plain.out;
  const Said s = check(misaligned, {"vector_add", "--case", "prime", "--sanitize", "--json"});
  const auto finding = s.json()["ops"][0]["rungs"][0]["findings"][0];
  EXPECT_EQ(finding["kind"], "misaligned");
  EXPECT_EQ(finding["line"], 5) << finding;
  EXPECT_TRUE(has(finding["file"], "mine.cu")) << finding;
}

TEST_F(PlainKernel, AHundredOpsAreNotListedInOneLine) {
  const Said s = lab.run({"check", "xylophone"});
  EXPECT_EQ(s.err, "warpath: no op or family 'xylophone'; ./warpath ops lists them\n");
}

// What is suggested can be typed: with the op, the options of the launch, and a name that has a space.
TEST_F(PlainKernel, TheNextStepIsACommand) {
  lab.write("my sum.cu", R"(__global__ void sum(const float* x, float* y, int n) {
  if (threadIdx.x == 0) *y = x[0];
}
)");
  const Said s = lab.run({"check", "reduce", "my sum.cu", "--block", "64", "--backend", "simt"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "next: ./warpath check reduce 'my sum.cu' --block 64 --sanitize --case"))
      << s.out;
}

// "registered with .deterministic = false" is for rungs.
TEST_F(PlainKernel, IsNotToldHowRungsAreRegistered) {
  const char* changing = R"(__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + (clock64() & 4095);  // the low bits: no two runs have the same
}
)";
  const Said s = check(changing, {"vector_add", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "differs from run to run: a race")) << s.out;
  EXPECT_FALSE(has(s.out, "registered")) << s.out;
}

// A kernel that adds to its output is right, once somebody sets it to zero: the comment can.
TEST_F(PlainKernel, ASumIntoAnOutputIsToldHowToBeginWithZeros) {
  const std::string sum = R"(__global__ void sum(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}
)";
  const Said s = check(sum, {"reduce", "--case", "sum block-1"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(
      s.out,
      "next: write above the kernel that y begins with zeros: // warpath: reduce(x, y=0, cols);"))
      << s.out;
  const Said watched = check(sum, {"reduce", "--case", "sum block-1", "--sanitize"});
  EXPECT_TRUE(has(watched.out, "next: write above the kernel that y begins with zeros"))
      << watched.out;
  std::string whole = sum;  // integers: the pattern is a number, and the sum another one
  whole.replace(whole.find("const float* x, float* y"), 24, "const int* x, int* y");
  const Said i32 = check(whole, {"reduce", "--case", "sum block-1"});
  EXPECT_TRUE(has(i32.out, "y[0] depends on what the output")) << i32.out;
  // An output that is only assigned depends on old contents by a wrong read: zeros would not help.
  std::string beyond = add;
  beyond.replace(beyond.find("b[i];"), 5, "b[i * 1000];");
  const Said outside = check(beyond, {"vector_add", "--case", "warp-1"});
  EXPECT_EQ(outside.status, 1) << outside.err;
  EXPECT_TRUE(has(outside.out, "next: ./warpath check vector_add mine.cu --sanitize"))
      << outside.out;
  const Said mended = check("// warpath: reduce(x, y=0, cols)\n" + sum, {"--case", "sum block-1"});
  EXPECT_EQ(mended.status, 0) << mended.out << mended.err;
}

// A kernel for tiles of 32 by 32 leaves most elements out in blocks of 16 by 16, and one for one thread takes forever in all
// of them: that is not for --sanitize to find.
TEST_F(PlainKernel, OneForAnotherLaunchIsToldOfTheDefault) {
  const std::string tiles =
      R"(__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
)";
  const std::vector<std::string> one_case = {"transpose", "--case", "tile-1", "--dtype", "f32"};
  const Said s = check(tiles, one_case);
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_TRUE(has(s.out, "next: it was launched as <<<enough for every element, dim3(16, 16)>>>"))
      << s.out;
  std::vector<std::string> asked = one_case;
  asked.insert(asked.end(), {"--block", "32,32"});
  EXPECT_EQ(check(tiles, asked).status, 0);
  const Said alone = check(R"(__global__ void sum(const float* x, float* y, int n) {
  while (threadIdx.x > 0) y[0] = x[0];
  y[0] = x[0];
}
)",
                           {"reduce", "--case", "sum one", "--timeout", "1"});
  EXPECT_EQ(alone.status, 1) << alone.err;
  EXPECT_TRUE(has(alone.out, "meant for one thread: --grid 1 --block 1")) << alone.out;
}

// The launch has to give it, or a GPU refuses what goes well here.
TEST_F(PlainKernel, SharedMemoryOfAnySizeNeedsOne) {
  const std::string kernel =
      R"(__global__ void add(const float* a, const float* b, float* c, int n) {
  extern __shared__ float mine[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = i < n ? a[i] : 0;
  if (i < n) c[i] = mine[threadIdx.x] + b[i];
}
)";
  expect_refused(check(kernel, {"vector_add"}), {"mine.cu:1: 'add'", "--shared BYTES"});
  EXPECT_EQ(check(kernel, {"vector_add", "--case", "prime", "--shared", "1024"}).status, 0);
}

TEST_F(PlainKernel, OneElementIsNotCalledAProof) {
  const Said s = check(std::string("// warpath: vector_add(a, b, c, n, n=1)\n") + add, {});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "next: one element proves little")) << s.out;
  std::string wrong = R"(__global__ void matmul(const float* A, const float* B, float* C, int N) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= N || j >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[i * N + k] * B[k * N + j];
  C[j * N + i] = sum;
}
)";
  EXPECT_EQ(check(wrong, {"matmul", "--dtype", "f32"}).status, 1);
}

TEST_F(PlainKernel, AloneHasALaunchToChoose) {
  const Said s = lab.run({"check", "vector_add", "--block", "64", "--backend", "simt"});
  expect_refused(s, {"--block", "a rung has its own launcher"});
}

TEST_F(PlainKernel, IsHeldToTheReference) {
  std::string wrong = add;
  wrong.replace(wrong.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  const Said s = check(wrong, {"vector_add", "--case", "prime"});
  EXPECT_EQ(s.status, 1) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "mine.cu on prime f32: ")) << s.out;
}

TEST_F(PlainKernel, ThatDoesNotCompileIsShownItsOwnLine) {
  const Said s = check(
      "__global__ void add(const float* a, const float* b, float* c, int n) {\n  c[0] = "
      "nonsense;\n}\n",
      {"vector_add"});
  EXPECT_EQ(s.status, 2);
  EXPECT_TRUE(has(s.err, "mine.cu:2:")) << s.err;
  EXPECT_TRUE(has(s.err, "nonsense")) << s.err;
}

TEST_F(PlainKernel, OutOfBoundsIsFoundAtItsOwnLine) {
  std::string wrong = add;
  wrong.replace(wrong.find("i < n"), 5, "i <= n");
  wrong.replace(wrong.find("add("), 4, "vector_add(");
  const Said s = check(wrong, {"--sanitize", "--case", "one"});
  EXPECT_EQ(s.status, 1) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "mine.cu:3")) << s.out;
}

TEST_F(PlainKernel, ThatTakesNoCaseIsNotCalledRight) {
  const Said s = check(
      "// warpath: vector_add(a, b, c, n=12345)\n"
      "__global__ void add(const float* a, const float* b, float* c) {}\n",
      {});
  EXPECT_EQ(s.status, 2) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "only n = 12345")) << s.out;
  EXPECT_TRUE(has(s.err, "mine.cu was not run")) << s.err;
}

// The examples of docs/your-kernel.md, by what they begin with.
TEST_F(PlainKernel, OfThePageIsRight) {
  std::ifstream file(fs::path(WARPATH_TREE) / "docs/your-kernel.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const auto block = [&](const std::string& begin) {
    const auto at = page.find("```cuda\n" + begin);
    return at == std::string::npos ? "" : page.substr(at + 8, page.find("\n```", at) - at - 7);
  };
  Said s = check(block("__global__ void add"), {"vector_add", "--case", "prime"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  s = check(block("#include"), {"--case", "prime"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "3/3")) << s.out;
}

TEST_F(PlainKernel, IsOpenedInGdb) {
  if (std::system("command -v gdb >/dev/null") != 0) GTEST_SKIP() << "no gdb";
  lab.write("mine.cu", add);
  Said s = lab.run({"debug", "vector_add", "mine.cu", "--thread", "5", "--batch", "-ex", "next",
                    "-ex", "print i"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "mine.cu:2")) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "$1 = 5")) << s.out << s.err;
  s = lab.run({"debug", "vector_add/01", "--batch", "-ex", "print n"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "01_naive.cu")) << s.out << s.err;
  s = lab.run({"debug", "vector_add/99"});
  EXPECT_EQ(s.status, 2) << s.out << s.err;
  EXPECT_TRUE(has(s.err, "no rung '99' of vector_add")) << s.err;
}

// Counts are 64 bits wide in the op and ints in people's kernels; its edges are 0, 1, 2 … where there are 128 bins.
TEST_F(PlainKernel, CountsInThirtyTwoBits) {
  const std::string head = "// warpath: histogram(x, y=0, n, edges=none, bins=128)\n";
  const std::string kernel = R"(__global__ void count(const int* x, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
)";
  const Said right = check(head + kernel, {});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_TRUE(has(right.out, "bins = y in 32 bits")) << right.out;
  EXPECT_TRUE(has(right.out, "1 check passed")) << right.out;
  std::string unset = head;
  unset.replace(unset.find("y=0"), 3, "y");
  EXPECT_EQ(check(unset + kernel, {}).status, 1);
  expect_refused(check(kernel, {"histogram"}), {"takes no edges", "edges=none in the comment"});
  expect_refused(check("// warpath: histogram(x, y=none, n, bins=128)\n" + kernel, {}),
                 {"only an input can be left out"});
}

}  // namespace
