// Which kernels are split, and why not.

#include "split/split.h"

#include <gtest/gtest.h>

#include <string>

#include "translate/translate.h"

namespace {

// As the preprocessor leaves it: what simt's headers say of barriers, then the text.
std::string with_headers(const std::string& text) {
  return "# 1 \"sync.h\" 1 3\n"
         "inline void __syncthreads() { simt::block_barrier(); }\n"
         "inline void __syncwarp(unsigned mask = 0) { simt::warp_rendezvous(mask); }\n"
         "inline int __shfl_down_sync(unsigned m, int v, int d) { simt::warp_rendezvous(m); }\n"
         "struct thread_block { void sync() { simt::block_barrier(); } };\n"
         "# 1 \"user.cu\"\n" +
         text;
}

std::string why_not(const std::string& text) {
  const simt::cc::SplitText split = simt::cc::split_kernels(with_headers(text));
  return split.kernels.size() == 1 ? split.kernels[0].why_not : "not one kernel";
}

std::string kernel(const std::string& body) {
  return "__simt_global__ void k(int* p, int n) {\n" + body + "\n}\n";
}

TEST(Split, StraightLoopsAndBranches) {
  EXPECT_EQ(why_not(kernel("p[0] = 1; __syncthreads(); p[1] = 2;")), "");
  EXPECT_EQ(why_not(kernel("for (int i = 0; i < n; ++i) __syncthreads();")), "");
  EXPECT_EQ(why_not(kernel("int s = n; while (s > 0) { __syncthreads(); s /= 2; }")), "");
  EXPECT_EQ(why_not(kernel("do { __syncthreads(); } while (p[0]);")), "");
  EXPECT_EQ(why_not(kernel("if (n) { __syncthreads(); } else __syncthreads();")), "");
  EXPECT_EQ(why_not(kernel("if (p[threadIdx.x]) return; __syncthreads();")), "");
  EXPECT_EQ(why_not("template <class T> __simt_global__ void k(T* p) { __syncthreads(); }"), "");
  EXPECT_EQ(why_not(kernel("thread_block b = g(); b.sync();")), "");
}

// What would hide something from the checks keeps its fibers in a checked program.
TEST(Split, CheckedProgramsWantToSeeMore) {
  const auto why = [](const std::string& body) {
    const simt::cc::SplitText split = simt::cc::split_kernels(with_headers(kernel(body)), true);
    return split.kernels.size() == 1 ? split.kernels[0].why_not : "not one kernel";
  };
  EXPECT_EQ(why("p[threadIdx.x] = 1; __syncthreads(); p[1] = 2;"), "");
  EXPECT_EQ(why("for (int i = 0; i < n; ++i) { __syncthreads(); p[threadIdx.x] += i; }"), "");
  EXPECT_EQ(why("f(&p[threadIdx.x]); __syncthreads(); f(&p[n]);"), "");
  EXPECT_NE(why("f(&p); __syncthreads(); f(&p[n]);"), "");
  EXPECT_NE(why("if (p[threadIdx.x]) return; __syncthreads();"), "");
  EXPECT_NE(why("if (threadIdx.x < n) __syncthreads();"), "");
  EXPECT_NE(why("p[threadIdx.x] = 1; __syncwarp(); p[0] = 2;"), "");
  EXPECT_NE(why("int mine = 1; p[0] = f(&mine); __syncthreads(); p[1] = mine;"), "");
  EXPECT_NE(why("int mine[4]; mine[n] = 1; __syncthreads(); p[1] = mine[n];"), "");
}

TEST(Split, BarriersTellTheChecks) {
  const std::string text = with_headers(
      kernel("p[threadIdx.x] = 1; for (int i = 0; i < n; ++i) { __syncthreads(); p[i] = 2; }"));
  EXPECT_EQ(simt::cc::split_kernels(text).text.find("split_barrier"), std::string::npos);
  EXPECT_NE(simt::cc::split_kernels(text, true).text.find("::simt::split_barrier()"),
            std::string::npos);
}

TEST(Split, KernelsWithoutBarriersAreLeftAlone) {
  const simt::cc::SplitText split = simt::cc::split_kernels(with_headers(kernel("p[0] = n;")));
  EXPECT_FALSE(split.changed);
  EXPECT_TRUE(split.kernels.empty());
}

TEST(Split, FunctionsThatWait) {
  EXPECT_EQ(
      why_not("__simt_device__ void f() { __syncthreads(); }" + kernel("__syncthreads(); f();")),
      "calls f, which waits");
  EXPECT_EQ(
      why_not("__simt_device__ void g() { __syncthreads(); } __simt_device__ void f() { g(); }" +
              kernel("__syncthreads(); f();")),
      "calls f, which waits");
  EXPECT_EQ(why_not("namespace inner { __simt_device__ void f() { __syncthreads(); } }"
                    "namespace other = inner;" +
                    kernel("__syncthreads(); other::f();")),
            "calls f, which waits");
  EXPECT_EQ(why_not("__simt_device__ int f(int x) { return x + 1; }" +
                    kernel("__syncthreads(); p[0] = f(n);")),
            "");
  EXPECT_EQ(why_not(kernel("__syncthreads(); p[0] = __shfl_down_sync(~0u, n, 1);")),
            "calls __shfl_down_sync, which waits");
  EXPECT_EQ(why_not(kernel("__syncthreads(); asm volatile(\"bar.sync 1, 32;\");")),
            "asm that concerns others");
}

// Lambdas and objects that wait somewhere: a call through a parameter may be one of them.
TEST(Split, ObjectsThatWait) {
  const std::string call =
      "template <class F> __simt_global__ void k(F f) { __syncthreads(); f(); }";
  EXPECT_EQ(why_not(call), "");
  EXPECT_EQ(why_not(call + "void g() { auto f = [] __simt_device__ () { __syncthreads(); }; }"),
            "calls an object that may wait");
  EXPECT_EQ(why_not(call + "struct S { void operator()() { __syncthreads(); } };"),
            "calls an object that may wait");
}

TEST(Split, WhatIsNotUnderstood) {
  EXPECT_EQ(why_not(kernel("switch (n) { case 1: __syncthreads(); }")),
            "a barrier inside an expression");
  EXPECT_EQ(why_not(kernel("auto f = [&] { __syncthreads(); }; f();")),
            "a barrier inside an expression");
  EXPECT_EQ(why_not(kernel("again: __syncthreads(); if (p[0]) goto again;")), "uses goto");
  EXPECT_EQ(why_not(kernel("for (int i : list) __syncthreads();")),
            "a barrier in a loop over a range");
  EXPECT_EQ(why_not(kernel("volatile int* q = p; __syncthreads(); q[0] = 1;")), "volatile");
  EXPECT_EQ(why_not("volatile int flag;" + kernel("while (!flag) ; __syncthreads();")), "volatile");
  EXPECT_EQ(why_not("__simt_global__ void k(volatile int* p) { __syncthreads(); p[0] = 1; }"),
            "volatile");
  EXPECT_EQ(
      why_not(kernel("int i = 1; __syncthreads(); { int i = 2; __syncthreads(); p[i] = i; }")),
      "'i' is hidden by another");
  EXPECT_EQ(why_not(kernel("const int& x = p[0]; __syncthreads(); p[1] = x;")),
            "the reference 'x' crosses a barrier");
  EXPECT_EQ(why_not(kernel("if (threadIdx.x < 7) { __syncwarp(); } __syncthreads();")),
            "a __syncwarp that only some threads may reach");
  EXPECT_EQ(why_not(kernel("while (atomicAdd(p, 0) < n) ; __syncthreads();")), "waits in a loop");
}

// What only looks like the declaration of a type is each thread's own.
TEST(Split, StructsOfC) {
  const std::string body = "struct pair x = p[threadIdx.x]; __syncthreads(); p[1] = x;";
  const simt::cc::SplitText split = simt::cc::split_kernels(with_headers(kernel(body)));
  EXPECT_TRUE(split.changed);
  EXPECT_NE(split.text.find("typedef struct pair"), std::string::npos) << split.text;
  EXPECT_EQ(why_not(kernel("struct { int a; } x = {n}; __syncthreads(); p[1] = x.a;")),
            "a declaration that is not understood");
  EXPECT_EQ(why_not(kernel("struct own { int a; }; own x = {n}; __syncthreads(); p[1] = x.a;")),
            "");
}

// The kernel's own lines stay where they were, and the second body has the lines it was made of.
TEST(Split, LinesStay) {
  const std::string text = with_headers(kernel("  p[0] = 1;\n  __syncthreads();\n  p[1] = 2;"));
  const simt::cc::SplitText split = simt::cc::split_kernels(text);
  ASSERT_TRUE(split.changed);
  const std::size_t second = split.text.find("p[1] = 2;"), own = split.text.rfind("p[1] = 2;");
  ASSERT_NE(second, own);
  EXPECT_EQ(simt::cc::position_of(split.text, second).line, 4u);
  EXPECT_EQ(simt::cc::position_of(split.text, own).line, 4u);
  EXPECT_EQ(simt::cc::position_of(split.text, own).file, "user.cu");
}

// Text that ends anywhere is taken as it comes.
TEST(Split, AnyPrefix) {
  const std::string text = with_headers(kernel(
      "int s = n, a[3] = {1, 2}; for (int i = 0; i < s; ++i) { if (i & 1) { __syncthreads(); "
      "continue; } auto f = [&](int x) { return x; }; do { p[i] += f(a[i]); } while (0); } "
      "__syncthreads(); return;"));
  for (std::size_t size = 0; size <= text.size(); ++size) {
    simt::cc::split_kernels(std::string_view(text).substr(0, size));
  }
}

}  // namespace
