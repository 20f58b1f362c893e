// Calls whose result is dropped, __launch_bounds__, and the two sides of __CUDA_ARCH__, in the translator.

#include <gtest/gtest.h>

#include "translate/translate.h"
#include "translate/two_sides.h"

namespace simt::cc {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string checked(std::string_view text) {
  return translate(text, false, true).text;
}

TEST(LostCalls, Statements) {
  const std::string lost = "::simt::Lost{\"cudaFree\", __builtin_FILE(), __builtin_LINE()}, ";
  for (const char* text :
       {"void f() { cudaFree(p); }", "void f() { if (p) cudaFree(p); else g(); }",
        "void f() { if (p) g(); else cudaFree(p); }", "void f() { g(); ::cudaFree(p); }",
        "struct A { ~A() { cudaFree(p); } };", "void f() { end: cudaFree(p); }",
        "void f() { switch (x) { case a::b: cudaFree(p); default: g(); } }",
        "void f() { switch (x) { case 1: g(); default: cudaFree(p); } }"}) {
    EXPECT_TRUE(contains(checked(text), lost)) << checked(text);
    EXPECT_FALSE(contains(translate(text).text, "Lost"));
  }
}

TEST(LostCalls, OfEveryApi) {
  for (const char* name : {"cudaMemcpy", "cuMemcpyHtoD", "cublasSgemm", "cublasLtMatmul",
                           "curandCreateGenerator", "cufftExecC2C"}) {
    const std::string text = "void f() { " + std::string(name) + "(p); }";
    EXPECT_TRUE(contains(checked(text), "Lost{\"" + std::string(name) + "\"")) << checked(text);
  }
  for (const char* name : {"cudaish", "cuda", "custom", "cublas_gemm", "curand", "curious"}) {
    const std::string text = "void f() { " + std::string(name) + "(p); }";
    EXPECT_FALSE(contains(checked(text), "Lost")) << checked(text);
  }
}

TEST(LostCalls, NameTheSymbol) {
  const auto symbol = [](const std::string& call) {
    const std::string text = checked("void f() { " + call + "; }");
    const std::size_t at = text.find("__builtin_LINE()") + 16;
    return text.substr(at, text.find('}', at) - at);
  };
  EXPECT_EQ(symbol("cudaMemcpyToSymbol(table, &x, 4)"), ", \"table\"");
  EXPECT_EQ(symbol("cudaMemcpyFromSymbol(f(a, b), n::table, 4)"), ", \"n::table\"");
  EXPECT_EQ(symbol("cudaGetSymbolSize(&size, table)"), ", \"table\"");
  EXPECT_EQ(symbol("cudaMemcpyToSymbol(*p, &x, 4)"), "");
  EXPECT_EQ(symbol("cudaMemcpy(table, x, 4)"), "");
}

TEST(LostCalls, ResultsThatAreTaken) {
  for (const char* text :
       {"void f() { if (cudaFree(p)) g(); }", "void f() { auto e = cudaFree(p); }",
        "int f() { return cudaFree(p); }", "void f() { CHECK(cudaFree(p)); }",
        "void f() { (void)cudaFree(p); }", "void f() { cudaGetLastError(); }",
        "void f() { a.cudaFree(p); }", "void f() { cudaError_t cudaFree(p); }",
        "__simt_device__ void f() { cudaFree(p); }", "void f() { x = y ? 0 : cudaFree(p); }"}) {
    EXPECT_FALSE(contains(checked(text), "Lost")) << checked(text);
  }
}

TEST(Kernels, LaunchBounds) {
  const std::string plain =
      translate("__simt_global__ void __simt_launch_bounds__(64, 2) k(int* p) { *p = 1; }").text;
  EXPECT_TRUE(contains(plain, "{::simt::launch_bound(64, 2), nullptr}")) << plain;
  EXPECT_FALSE(contains(plain, "in_launch_bounds")) << plain;
  const std::string cluster =
      translate("__simt_global__ void __simt_cluster_dims__(2, 1) k(int* p) { *p = 1; }").text;
  EXPECT_TRUE(contains(cluster, "{0, nullptr, {2, 1}}")) << cluster;
  const std::string of_template =
      translate("template <int N> __simt_global__ void __simt_launch_bounds__(N) k(int* p) { }")
          .text;
  EXPECT_TRUE(contains(of_template, "::simt::in_launch_bounds(N);")) << of_template;
}

constexpr const char* both = "__simt_host__ __simt_device__ ";

TEST(Sides, FunctionOfBoth) {
  const std::string head = std::string("# 1 \"a.cu\"\n") + both + "int f() ";
  const std::string joined = join_sides(head + "{ return 1; }\n", head + "{ return 2; }\n");
  EXPECT_TRUE(contains(joined, "::simt::in_kernel()) { return 1; } else ")) << joined;
  EXPECT_TRUE(contains(joined, "# 1 \"a.cu\"\n{ return 2; } }")) << joined;
}

TEST(Sides, FunctionsOfOne) {
  const std::string host = "# 1 \"a.cu\"\nint main() ";
  EXPECT_EQ(join_sides(host + "{ return 1; }\n", host + "{ return 2; }\n"),
            host + "{ return 2; }\n");
  for (const char* space : {"__simt_device__ ", "__simt_global__ "}) {
    const std::string head = std::string("# 1 \"a.cu\"\n") + space + "void f() ";
    EXPECT_EQ(join_sides(head + "{ a(); }\n", head + "{ b(); }\n"), head + "{ a(); }\n");
  }
  // A system's header is the device's.
  const std::string system = std::string("# 1 \"a.h\" 1 3\n") + both + "int f() ";
  EXPECT_EQ(join_sides(system + "{ return 1; }\n", system + "{ return 2; }\n"),
            system + "{ return 1; }\n");
}

TEST(Sides, FunctionThatOnlyTheHostHas) {
  const std::string user = std::string(both) + "int f() ";
  const std::string joined =
      join_sides("# 1 \"a.cu\"\n\n" + user + "{ return 1; }\n",
                 "# 1 \"a.cu\"\nint g() { return 3; }\n" + user + "{ return g(); }\n");
  const std::size_t added = joined.find("int g() { return 3; }");
  EXPECT_NE(added, std::string::npos) << joined;
  EXPECT_LT(added, joined.find("int f()")) << joined;
}

TEST(Sides, Members) {
  const std::string head =
      std::string("# 1 \"a.cu\"\nnamespace n { struct A { int x; ") + both + "int f() const ";
  const std::string joined =
      join_sides(head + "{ return 1; } }; }\n", head + "{ return 2; } }; }\n");
  EXPECT_TRUE(contains(joined, "return 1")) << joined;
  EXPECT_TRUE(contains(joined, "return 2")) << joined;
}

}  // namespace
}  // namespace simt::cc
