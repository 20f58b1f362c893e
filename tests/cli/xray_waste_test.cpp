// The sentence of each kind of waste, word by word, and the line that it names; which roof arithmetic is under.
#include "cli/xray_waste.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
using namespace warpath::cli;

namespace {

constexpr const char* file = "/a/mine.cu";

// 512 warps' requests of 16 bytes per lane, at line 5.
XrayAccess float4s() {
  XrayAccess a;
  a.file = file;
  a.line = 5;
  a.space = "global";
  a.kind = "load";
  a.bytes = 16;
  a.requests = 512;
  a.lanes = 512 * 32;
  a.sectors = a.least_sectors = a.first_touches = 8192;
  a.has_stride = true;
  a.stride = 16;
  return a;
}

XrayAccess of_shared(int bytes, double wavefronts, double least) {
  XrayAccess a = float4s();
  a.space = "shared";
  a.bytes = bytes;
  a.sectors = a.least_sectors = a.first_touches = 0;
  a.wavefronts = 512 * wavefronts;
  a.least_wavefronts = 512 * least;
  a.has_stride = false;
  return a;
}

XrayAccess with_stride(XrayAccess a, std::int64_t stride) {
  a.has_stride = true;
  a.stride = stride;
  return a;
}

// 64 blocks of 256 threads; defined at line 3, launched at line 20.
XrayLaunch kernel(std::vector<XrayAccess> accesses = {float4s()}) {
  XrayLaunch l;
  l.kernel = "k<float>";
  l.defined = {file, 3};
  l.launched = {file, 20};
  l.grid[0] = 64;
  l.block[0] = 256;
  l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
  l.blocks = l.blocks_counted = 64;
  l.accesses = std::move(accesses);
  return l;
}

XrayNeeds timed(std::initializer_list<double> blocks) {
  XrayNeeds needs;
  needs.timed.test = "case 'big' in f32";
  needs.timed.grown = true;
  for (const double n : blocks) needs.timed.launches.push_back({n, 256, 0});
  return needs;
}

struct Told {
  const char* kind;
  int line;
  std::string sentence;
  std::vector<XrayLaunch> launches;
  XrayNeeds needs = {};
};

std::vector<Told> accesses_told() {
  XrayAccess strided = with_stride(float4s(), 128);
  strided.bytes = 4;
  strided.sectors = strided.first_touches = 16384;
  strided.least_sectors = 2048;
  XrayAccess narrow = with_stride(float4s(), 4);
  narrow.bytes = 4;
  narrow.sectors = narrow.least_sectors = narrow.first_touches = 2048;
  XrayAccess atomic = float4s();
  atomic.kind = "atomic";
  atomic.bytes = 4;
  atomic.on_one_address = 512 * 32;
  XrayAccess constant = of_shared(4, 0, 0);
  constant.space = "constant";
  constant.array = "table";
  constant.addresses = 512 * 32;
  XrayAccess local = of_shared(4, 0, 0);
  local.space = "local";
  local.array = "kept";
  local.sectors = 16384;
  XrayAccess twice = float4s();
  twice.first_touches = 4096;
  XrayAccess fills = of_shared(4, 1, 1), reads = of_shared(4, 8, 8);
  fills.kind = "store";
  fills.line = 4;
  reads.requests *= 8;
  return {
      {"coalescing",
       5,
       "mine.cu:5 reads with a stride of 128 bytes between neighbouring lanes: each request of a "
       "warp touches 32 sectors where 4 would do. Let consecutive threads take consecutive "
       "elements.",
       {kernel({strided})}},
      {"narrow accesses",
       5,
       "mine.cu:5 reads 4 bytes per thread: a warp asks for 128 bytes per instruction where 512 "
       "are possible. 16 bytes per thread (float4) would take 128 requests in place of 512.",
       {kernel({narrow})}},
      {"bank conflicts",
       5,
       "mine.cu:5 reads shared memory with 32-way bank conflicts: a request takes 32 wavefronts "
       "where 1 would do. A row of 33 words instead of 32 would put them in different banks: pad "
       "it by one.",
       {kernel({float4s(), with_stride(of_shared(4, 32, 1), 128)})}},
      {"bank conflicts",
       5,
       "mine.cu:5 reads shared memory with 2-way bank conflicts: a request takes 4 wavefronts "
       "where 2 would do. A row of 24 bytes instead of 16 would put them in different banks: pad "
       "it by 8 bytes, one access, so that all stay aligned.",
       {kernel({float4s(), with_stride(of_shared(8, 4, 2), 16)})}},
      {"bank conflicts",
       5,
       "mine.cu:5 reads shared memory with 2-way bank conflicts: a request takes 8 wavefronts "
       "where 4 would do. A row of 48 bytes instead of 32 would put them in different banks: pad "
       "it by 16 bytes, one access, so that all stay aligned.",
       {kernel({float4s(), with_stride(of_shared(16, 8, 4), -32)})}},
      {"bank conflicts",
       5,
       "mine.cu:5 reads shared memory with 4-way bank conflicts: a request takes 4 wavefronts "
       "where 1 would do. Pad each row by one element, or permute (swizzle) the columns.",
       {kernel({float4s(), of_shared(2, 4, 1)})}},
      {"bank conflicts",
       5,
       "mine.cu:5 reads shared memory with 2-way bank conflicts: a request takes 8 wavefronts "
       "where 4 would do. Pad each row by 16 bytes, one access, or permute (swizzle) the columns.",
       {kernel({float4s(), of_shared(16, 8, 4)})}},
      {"atomics",
       5,
       "mine.cu:5 has 32 lanes of a warp meet on one address: they are served one after the other. "
       "Add up inside the warp or the block first, then let one lane do the atomic.",
       {kernel({atomic})}},
      {"constant memory",
       5,
       "mine.cu:5 reads 32 addresses of 'table' per request: constant memory serves a warp one "
       "address at a time. Put a table that lanes index differently into shared or global memory.",
       {kernel({float4s(), constant})}},
      {"local memory",
       5,
       "mine.cu:5 indexes the local array 'kept' by a value that differs from lane to lane, so it "
       "lives in local memory: 32 sectors per request where a register needs none. Index it by "
       "constants (unroll the loop), or keep it in shared memory.",
       {kernel({float4s(), local})}},
      {"read again",
       5,
       "mine.cu:5 is the largest part of reading every sector 2 times: 256 KiB pass where 128 KiB "
       "are needed. Do it in one pass, or keep the values in registers or shared memory between "
       "passes.",
       {kernel({twice})}},
      {"shared memory traffic",
       5,
       "mine.cu:5 reads shared memory 8 times as often as it is filled, and each value that is "
       "read feeds few operations. Keep a small tile in registers and use each value several "
       "times.",
       {kernel({float4s(), fills, reads})}},
  };
}

std::vector<Told> others_told() {
  XrayLaunch partial = kernel();
  partial.block[0] = 40;
  XrayLaunch computes = kernel(), multiplies = kernel(), splits = kernel(), waits = kernel(),
             uneven = kernel();
  computes.code = {{file, 7, 1000, 32000, 0, 100000}};
  multiplies.code = computes.code;
  multiplies.accesses[0].requests = 5000;
  splits.code = {{file, 8, 1000, 16000, 500, 0}};
  waits.barriers = 640;
  waits.barrier_lines = {{file, 9, 640}};
  uneven.warps = 512;
  uneven.all_warps = 51200;
  uneven.busiest_warp = 64 * 300;
  XrayNeeds products;
  products.flops = 64 * 50000;
  products.tensor_cores = true;
  XrayNeeds half;
  half.least_bytes = 256 << 10;
  XrayNeeds spills;
  spills.ptxas["k"] = {.registers = 64, .stack = 40, .spill_stores = 16, .spill_loads = 24};
  return {
      {"arithmetic",
       7,
       "mine.cu:7 is the largest part of 100k instructions of arithmetic, which take 1.7 times as "
       "long as moving the bytes. Compute once what is the same for several elements, and take "
       "shorter functions.",
       {computes}},
      {"arithmetic",
       7,
       "mine.cu:7 is the largest part of 100k instructions of arithmetic, which take 1.7 times as "
       "long as moving the bytes. Products of matrices are for the tensor cores.",
       {multiplies},
       products},
      {"partial warps",
       20,
       "mine.cu:20 launches blocks of 40 threads: the last of their 2 warps has 8 of 32 lanes, and "
       "takes as long as a whole one. Let a block have a multiple of 32 threads, such as 256.",
       {partial}},
      {"divergence",
       8,
       "mine.cu:8 splits warps: on average 16 of 32 lanes take part in an instruction, and the "
       "others wait. Let whole warps take one side of the branch.",
       {splits}},
      {"barriers",
       9,
       "mine.cu:9 waits: a block passes 10 barriers. Where only the lanes of a warp exchange "
       "values, shuffles need none.",
       {waits}},
      {"uneven warps",
       3,
       "mine.cu:3: the busiest warp of a block executes 3 times as much as the average one, and "
       "the others wait for it. Spread the work.",
       {uneven}},
      {"between kernels",
       20,
       "mine.cu:20 is the largest of 2 launches, which touch 512 KiB of memory in all where the op "
       "must move 256 KiB: each reads again what the one before it wrote or read. Do more per "
       "launch, so that values stay in registers or shared memory.",
       {kernel(), kernel()},
       half},
      {"launches",
       20,
       "mine.cu:20 is one of 3 launches for case 'big' in f32: between two of them the GPU is idle "
       "for about 2 us, 4 us in all. Do the work in fewer launches; the last block to finish can "
       "do what the next would.",
       {kernel()},
       timed({132, 132, 132})},
      {"idle multiprocessors",
       20,
       "mine.cu:20 launches 66 blocks for case 'big' in f32: of the 132 multiprocessors of the "
       "H200 50% are idle on average. Split the work over more blocks, or into parts of equal "
       "size.",
       {kernel()},
       timed({66})},
      {"idle multiprocessors",
       20,
       "mine.cu:20 (launch 2 of 2) has 66 blocks for case 'big' in f32: of the 132 multiprocessors "
       "of the H200 50% are idle on average. Split the work over more blocks, or into parts of "
       "equal size.",
       {kernel(), kernel()},
       timed({132, 66})},
      {"spills",
       3,
       "mine.cu:3 spills registers: ptxas stores 16 bytes and loads 24 bytes of local memory per "
       "thread that its 64 registers cannot hold. Keep less per thread, or allow more registers "
       "(__launch_bounds__).",
       {kernel()},
       spills},
  };
}

}  // namespace

TEST(XrayWaste, EachKindSaysItsLineAndItsCure) {
  std::vector<Told> all = accesses_told();
  for (Told& t : others_told()) all.push_back(std::move(t));
  std::set<std::string> kinds;
  for (const Told& t : all) {
    kinds.insert(t.kind);
    const std::vector<XrayWaste> waste = find_all_waste(t.launches, t.needs);
    const auto w = std::find_if(waste.begin(), waste.end(),
                                [&](const XrayWaste& x) { return x.kind == t.kind; });
    ASSERT_NE(w, waste.end()) << t.kind;
    EXPECT_EQ(w->sentence, t.sentence);
    EXPECT_EQ(w->line, t.line) << t.kind;
    EXPECT_EQ(w->file, file) << t.kind;
    EXPECT_GT(w->share, 0) << t.kind;
    EXPECT_TRUE(fs::exists(fs::path(WARPATH_TREE) / w->page())) << w->page();
  }
  EXPECT_EQ(kinds.size(), 17u);
  EXPECT_TRUE(find_all_waste({kernel()}, {}).empty());
}

// What ptxas says is waste like any other: a kernel that spills much is not called free of it.
TEST(XrayWaste, SpillsAreAmongAllWaste) {
  XrayNeeds needs;
  needs.ptxas["k"] = {.registers = 64, .stack = 40, .spill_stores = 16, .spill_loads = 24};
  const std::vector<XrayWaste> all = find_all_waste({kernel()}, needs);
  ASSERT_EQ(all.size(), 1u);
  // 512 warps: 40 bytes of 32 lanes each, half a cycle per sector; beside that 512 requests and 8192 sectors.
  EXPECT_DOUBLE_EQ(all[0].weight, 512 * 40 * 0.5);
  EXPECT_NEAR(all[0].share, 0.41, 0.01);
  EXPECT_EQ(worth_saying(all).size(), 1u);
  EXPECT_EQ(what_is_left(all), "");
  EXPECT_TRUE(what_is_left({}).starts_with("Nothing"));
}

// Without the source a sentence names the kernel.
TEST(XrayWaste, UnknownLines) {
  XrayLaunch l = kernel();
  l.defined = l.launched = {};
  const std::vector<XrayWaste> all = find_all_waste({l}, timed({66}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].sentence.starts_with("k<float> launches 66 blocks")) << all[0].sentence;
  EXPECT_EQ(all[0].line, 0);
}

// The ridge is that of the tensor cores where they make the products.
TEST(XrayWaste, Roof) {
  XrayLaunch l = kernel();
  l.code = {{file, 7, 1000, 32000, 0, 1000}};
  l.warp_operations = 1;
  XrayNeeds needs;
  needs.flops = 64 * 100 * 1000;  // a hundred FMAs of a warp for each instruction
  needs.tensor_cores = true;
  const XrayRoof fast = roof_of({l}, needs);
  EXPECT_STREQ(fast.name(), "tensor cores");
  EXPECT_DOUBLE_EQ(fast.tflops, 990);
  EXPECT_NEAR(fast.ridge, 206.25, 0.01);
  EXPECT_STREQ(fast.bound_by(100), "memory");
  EXPECT_STREQ(fast.bound_by(300), "arithmetic");

  const auto is_fp32 = [](const XrayLaunch& launch, const XrayNeeds& n) {
    const XrayRoof roof = roof_of({launch}, n);
    EXPECT_STREQ(roof.name(), "fp32");
    EXPECT_NEAR(roof.ridge, 13.96, 0.01);
    EXPECT_STREQ(roof.bound_by(100), "arithmetic");
  };
  XrayNeeds of_32_bits = needs;
  of_32_bits.tensor_cores = false;
  is_fp32(l, of_32_bits);
  of_32_bits.tf32 = true;
  EXPECT_DOUBLE_EQ(roof_of({l}, of_32_bits).tflops, 495);
  XrayLaunch by_fma = l;  // an instruction for each FMA
  by_fma.code[0].arithmetic = 100 * 1000;
  is_fp32(by_fma, needs);
  XrayLaunch alone = l;  // no lanes work together
  alone.warp_operations = 0;
  is_fp32(alone, needs);
}

TEST(XrayWaste, PlacesOfKernels) {
  const fs::path source = fs::temp_directory_path() / fmt::format("warpath-places-{}.cu", getpid());
  std::ofstream(source) << R"(// __global__ void sum(float*) { is what this is about
__global__ void sum(float* x);
template <class T>
__global__ void
__launch_bounds__(256) sum_all(T* x) {}
__global__ void sum(float* x) { x[0] = 1; }
int main() {
  // sum<<<1, 1>>>
  float* x = nullptr;
  sum_all<float, 4>
      <<<1, 256>>>(x);
  if (x < x) sum(x);
  warpath::sum<<<1, 1>>>(x);
}
)";
  SourceFiles files;
  const std::vector<std::string> all = {"/not/there.cu", source.string()};
  EXPECT_EQ(files.definition(all, "sum").line, 6);
  EXPECT_EQ(files.definition(all, "sum").file, source.string());
  EXPECT_EQ(files.definition(all, "a::(anonymous namespace)::sum_all<float, 4>").line, 5);
  EXPECT_EQ(files.launch(all, "sum").line, 13);
  EXPECT_EQ(files.launch(all, "sum_all<float>").line, 10);
  EXPECT_EQ(files.launch(all, "other").line, 0);
  EXPECT_EQ(files.definition(all, "").line, 0);
  fs::remove(source);
}
