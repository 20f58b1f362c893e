#include "translate/translate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "translate/lexer.h"

namespace simt::cc {
namespace {

std::string translated(std::string_view text) {
  const Translation result = translate(text);
  EXPECT_TRUE(result.errors.empty()) << result.errors.front().what;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            std::count(result.text.begin(), result.text.end(), '\n'))
      << "lines moved:\n"
      << result.text;
  return result.text;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The kernel expression that a launch was understood to have.
std::string kernel_of(std::string_view text) {
  const std::string out = translated(text);
  const std::string mark = "-> decltype(simt_id(";
  const std::size_t begin = out.find(mark);
  if (begin == std::string::npos) return "(no launch)";
  const std::size_t from = begin + mark.size();
  return out.substr(from, out.find(")) { return", from) - from);
}

// In a checked program a kernel reads constants where it reads threadIdx.x and the like, so that these
// are no accesses to watch.
TEST(Checked, IndicesAreConstants) {
  const auto checked = [](std::string_view text) { return translate(text, false, true).text; };
  const std::string plain = "__simt_global__ void k(int* p) { p[threadIdx.x] = blockDim.y; }";
  EXPECT_TRUE(contains(checked(plain), "p[::simt_threadIdx.x] = ::simt_blockDim.y;"));
  EXPECT_FALSE(contains(translated(plain), "simt_threadIdx"));
  // Where threads run as loops, and outside of kernels, they may change.
  EXPECT_FALSE(contains(checked("__simt_global__ void k(int* p) { simt_s(); p[threadIdx.x] = 1; }"),
                        "simt_threadIdx"));
  EXPECT_FALSE(
      contains(checked("__simt_device__ int f() { return threadIdx.x; }"), "simt_threadIdx"));
  EXPECT_FALSE(
      contains(checked("__simt_global__ void k(S s) { s.threadIdx.x = 1; uint3 i = threadIdx; }"),
               "simt_threadIdx"));
}

// In C++20 the body of a lambda asks what a name with template arguments stands for.
// For the counts: arrays that threads may index differently are told of, others stay where they are.
TEST(Counted, IndexedArraysAreTold) {
  const auto counted = [](const std::string& body) {
    return translate("__simt_global__ void k(P p, int n) { " + body + " }", false, true, false,
                     nullptr, false, true)
        .text;
  };
  const std::string told = "::simt_xray_array(\"a\", &a, sizeof(a), false);";
  EXPECT_TRUE(contains(counted("float a[4]; p.y[n] = a[threadIdx.x];"), told));
  EXPECT_TRUE(contains(counted("float a[4]; int i = p.x[0]; p.y[n] = a[i + 1];"), told));
  EXPECT_TRUE(contains(counted("float a[2][4], b[3]; b[0] = a[1][n];"), told));
  EXPECT_FALSE(contains(counted("float a[4]; for (int i = 0; i < 4; ++i) a[i] = 0;"), told));
  EXPECT_FALSE(contains(counted("struct S { float a[4]; }; S s; s.a[n] = 1;"), told));
  EXPECT_FALSE(contains(counted("constexpr float a[4] = {}; p.y[0] = a[n];"), told));
  EXPECT_TRUE(contains(counted("p.y[0] = p.of[n];"),
                       "if constexpr (::simt_is_array<decltype(p.of)>) { "
                       "::simt_xray_array(\"p.of\", &p.of, sizeof(p.of), false); }"));
  // Compilers do not report reads of constant objects.
  EXPECT_TRUE(contains(translate("__simt_global__ void k(int n, const __simt_grid_constant__ P p) "
                                 "{ p.y[0] = p.of[n]; }",
                                 false, true, false, nullptr, false, true)
                           .text,
                       "::simt_xray_array(\"p.of\", &p.of, sizeof(p.of), true); }"));
  EXPECT_FALSE(contains(translate("__simt_global__ void k(int n) { int a[2]; a[n] = 1; }").text,
                        "simt_xray"));
  EXPECT_TRUE(contains(translate("__simt_constant__ __simt_device__ int c[4];", false, true, false,
                                 nullptr, false, true)
                           .text,
                       "::simt_xray_constant(\"c\", &c, sizeof(c))"));
}

TEST(Launch, TemplateArgumentsInCpp20) {
  const auto cpp20 = [](std::string_view text) { return translate(text, false, false, true).text; };
  const std::string text = cpp20("void f() { k<a.value><<<1, 2>>>(p); }");
  EXPECT_TRUE(contains(text, "if constexpr (requires { simt_id(k<a.value>); }) return")) << text;
  EXPECT_FALSE(contains(text, "-> decltype")) << text;
  EXPECT_EQ(cpp20("void f() { k<<<1, 2>>>(p); }"), translated("void f() { k<<<1, 2>>>(p); }"));
}

TEST(Lexer, LiteralsHideTheirContent) {
  const char* const text =
      "auto a = \"k<<<1,1>>>(\\\"\"; auto b = R\"x(__shared__ \" )\" )x\"; auto c = '\"'; "
      "int d = 1'000'000; auto e = u8\"asm(\"; double f = 1e+5;";
  EXPECT_EQ(translated(text), text);
}

TEST(Lexer, PositionsFollowMarkers) {
  const std::string text = "# 1 \"a.cu\"\nint x;\n# 40 \"b.h\" 1\nint y;\nint z;\n";
  EXPECT_EQ(position_of(text, text.find("x;")).line, 1u);
  EXPECT_EQ(position_of(text, text.find("z;")).line, 41u);
  EXPECT_EQ(position_of(text, text.find("z;")).file, "b.h");
}

TEST(Launch, Callees) {
  EXPECT_EQ(kernel_of("void f() { k<<<1, 2>>>(3); }"), "k");
  EXPECT_EQ(kernel_of("void f() { ns::k<T, 2><<<g, b, s, q>>>(3); }"), "ns::k<T, 2>");
  EXPECT_EQ(kernel_of("void f() { ::ns::k<<<g, b>>>(); }"), "::ns::k");
  EXPECT_EQ(kernel_of("void f() { A<B<int>>::k<<<g, b>>>(); }"), "A<B<int>>::k");
  EXPECT_EQ(kernel_of("void f() { T::template k<4><<<g, b>>>(); }"), "T::template k<4>");
  EXPECT_EQ(kernel_of("void f() { if (x) (*table[3])<<<g, b>>>(); }"), "(*table[3])");
  EXPECT_EQ(kernel_of("void f() { this->p<<<g, b>>>(); }"), "this->p");
  EXPECT_EQ(kernel_of("void f() { o.table[i]<<<g, b>>>(); }"), "o.table[i]");
  EXPECT_EQ(kernel_of("void f() { return k<(a > b)><<<g, b>>>(); }"), "k<(a > b)>");
  EXPECT_EQ(kernel_of("void f() { pick<int>(2)<<<g, b>>>(); }"), "pick<int>(2)");
  EXPECT_EQ(kernel_of("void f() { else k<<<g, b>>>(); }"), "k");
}

TEST(Launch, ConfigurationKeepsItsText) {
  const std::string out =
      translated("void f() {\n  k<<<dim3((n + 1) >> 3, m), v<T>>>>\n      (a,\n b);\n}\n");
  EXPECT_TRUE(contains(out, "::simt::config(dim3((n + 1) >> 3, m), v<T>), \"k\"")) << out;
}

TEST(Launch, NotALaunch) {
  for (const char* text : {"auto p = &operator<< <char>;", "int x = a << 3 >> 2;",
                           "std::vector<std::vector<std::vector<int>>> v(3);"}) {
    EXPECT_EQ(translated(text), text);
  }
}

TEST(Launch, Errors) {
  const Translation r = translate("# 7 \"x.cu\"\nvoid f() { k<<<1, 2; }\n");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].what.rfind("'<<<'", 0), 0u) << r.errors[0].what;
}

TEST(Shared, Declarators) {
  const std::string out = translated(
      "void k() { __shared__ A<B, C> x, y[2][N], *z, (*w)[4]; static __shared__ struct { int a, b; "
      "} s;"
      " volatile __shared__ float v[8]; float __shared__ u; }");
  EXPECT_TRUE(contains(out,
                       "typedef  A<B, C> simt_type_x, simt_type_y[2][N], *simt_type_z, "
                       "(*simt_type_w)[4];"))
      << out;
  for (const char* name : {"x", "y", "z", "w", "s", "v", "u"}) {
    EXPECT_TRUE(contains(out, "auto& " + std::string(name) + " = *static_cast<simt_type_" + name +
                                  "*>(simt_var_" + name + ".address());"))
        << name << "\n"
        << out;
  }
}

TEST(Shared, AlignmentAndDynamic) {
  const std::string out = translated(
      "template <class T> void k() { alignas(128) __shared__ T a[4];\n"
      "extern __shared__ __attribute__((aligned(16))) char d[]; }");
  EXPECT_TRUE(contains(out, "struct alignas(128) simt_align_a {};")) << out;
  EXPECT_TRUE(contains(out, "auto& d = *static_cast<simt_type_d*>(::simt::dynamic_shared());"))
      << out;
}

TEST(Shared, FileScope) {
  EXPECT_TRUE(contains(translated("namespace n { extern __shared__ float s[]; }"),
                       "static thread_local simt_type_s& s = "));
  EXPECT_TRUE(contains(translated("__shared__ int x[4];"), "static __thread  int x[4];"));
}

TEST(Shared, FileScopeChecked) {
  const std::string out = translate("__shared__ int x[4];", false, true).text;
  EXPECT_TRUE(contains(out, "*static_cast<simt_type_x*>(::simt::thread_file_shared(simt_var_x));"))
      << out;
}

TEST(Shared, FileScopeTwice) {
  const std::string out = translated("extern __shared__ int s[];\nextern __shared__ int s[];\n");
  EXPECT_EQ(out.find("static thread_local"), out.rfind("static thread_local")) << out;
}

TEST(Shared, LambdasCaptureByReference) {
  const char* const kernel =
      "__simt_global__ void k() { __shared__ int s[4]; int n = 0; auto f = %s(int i) { return "
      "s[i]; "
      "}; }";
  const auto with = [&](const char* captures) {
    std::string text = kernel;
    text.replace(text.find("%s"), 2, captures);
    return translated(text);
  };
  EXPECT_TRUE(contains(with("[=]"), "[=, &s](int i)"));
  EXPECT_TRUE(contains(with("[]"), "[&s](int i)"));
  EXPECT_TRUE(contains(with("[n]"), "[n, &s](int i)"));
  EXPECT_TRUE(contains(with("[&]"), "[&](int i)"));
  EXPECT_TRUE(contains(with("[&, n]"), "[&, n](int i)"));
}

TEST(Kernels, RegisteredAndCast) {
  const std::string out = translated(
      "namespace n { extern \"C\" __simt_global__ void k(int* p) { *p = 1; } }\n"
      "template <class T> __simt_global__ void t(T x) {}\n"
      "void f() { g((void*)n::k, (const void*)&t<int>, reinterpret_cast<void*>(t<float>)); }");
  EXPECT_TRUE(contains(out, "::simt::KernelRegistrar simt_kernel_k_")) << out;
  EXPECT_FALSE(contains(out, "simt_kernel_t_")) << out;
  EXPECT_TRUE(contains(out,
                       "g(::simt::kernel_handle(n::k), ::simt::kernel_handle(t<int>), "
                       "::simt::kernel_handle(t<float>))"))
      << out;
}

TEST(Device, FunctionsInHeadersMayRepeat) {
  EXPECT_TRUE(contains(translated("__simt_device__ int f(int x) { return x; }"),
                       "inline __attribute__((used)) int f"));
  EXPECT_EQ(translated("__simt_device__ int f(int x);"), " int f(int x);");
  EXPECT_FALSE(contains(translated("__simt_host__ __simt_device__ int f() { return 1; }"), "used"));
  EXPECT_EQ(translated("__simt_device__ int x = 3;"),
            " static __attribute__((unused))  int x = 3;");
  EXPECT_EQ(translate("__simt_device__ int x = 3;", true).text, " int x = 3;");
}

TEST(Device, TemplatesOfVariablesAreWatched) {
  const auto watched = [](std::string_view text) {
    return contains(translate(text, false, true).text, "simt_check_variable_template");
  };
  EXPECT_TRUE(watched("template <class T> __simt_device__ Box<T> slot{};"));
  EXPECT_TRUE(watched("template <class T> __simt_device__ alignas(16) T slot = T(1);"));
  EXPECT_FALSE(
      watched("template <class T> __simt_device__ inline Box<T> f(const T* p) { return *p; }"));
  EXPECT_FALSE(watched("template <class T> __simt_device__ Box<T> f(const T* p);"));
}

TEST(Device, CallsOfCFunctions) {
  const std::string out = translated(
      "__simt_global__ void k() { printf(\"x\"); std::printf(\"y\"); o.printf(); clock(); }\n"
      "void h() { printf(\"z\"); }");
  EXPECT_TRUE(contains(
      out,
      "; ::simt::PrintfAt{__builtin_LINE()}(\"x\"); ::simt::PrintfAt{__builtin_LINE()}(\"y\"); "
      "o.printf(); ::simt::device_clock(); }"))
      << out;
  EXPECT_TRUE(contains(out, "{ printf(\"z\"); }")) << out;
}

TEST(Host, MainReturnsNothing) {
  EXPECT_EQ(translated("int main() { if (f()) return; return 2; }"),
            "int main() { if (f()) return 0; return 2; }");
  const std::string inner =
      "int main(int c, char** v) { auto f = [&](int i) { if (i) return; };\n"
      "struct A { void g() { return; } }; v[c](f); }";
  EXPECT_EQ(translated(inner), inner);
  EXPECT_EQ(translated("void other() { return; }"), "void other() { return; }");
}

TEST(Device, OperatorsAndConstructors) {
  const std::string out = translated(
      "struct A { __simt_device__ A& operator=(const A& a) { printf(\"1\"); return *this; }\n"
      "__simt_device__ A() : x{1}, y(2) { printf(\"2\"); }\n"
      "__simt_device__ int operator()(int i) const { printf(\"3\"); return i; } int x, y; };");
  EXPECT_FALSE(contains(out, " printf(")) << out;
}

TEST(Device, NoinlineOutsideAttributes) {
  EXPECT_EQ(translated("__noinline__ void f(); __attribute__((__noinline__)) void g();"),
            "__attribute__((noinline)) void f(); __attribute__((__noinline__)) void g();");
}

TEST(Kernels, ClusterSize) {
  for (const char* head : {"__simt_global__ void __simt_cluster_dims__(N, 2) k(int* p)",
                           "__simt_cluster_dims__(N, 2) __simt_global__ void k(int* p)"}) {
    const std::string out = translated("template <int N> " + std::string(head) + " { *p = 1; }");
    EXPECT_TRUE(contains(out, "; ::simt::in_clusters_of(N, 2); *p = 1; }")) << out;
    EXPECT_FALSE(contains(out, "__simt_cluster_dims__")) << out;
  }
}

// No program, but what somebody may have typed so far.
TEST(Kernels, WithoutAName) {
  for (const char* text :
       {"__simt_global__", "__simt_global__ void (int x) {}", "__simt_global__ void {}",
        "__simt_global__ void {", "__simt_global__ void k() {",
        "struct S { __simt_global__ void (int); };", "__simt_global__ void <<<1, 1>>>();",
        "void f() { <<<1, 1>>>(); }"}) {
    EXPECT_FALSE(contains(translate(text).text, "__simt_global__")) << text;
    EXPECT_FALSE(contains(translate(text, false, true).text, "__simt_global__")) << text;
  }
}

TEST(Asm, Instructions) {
  const auto body = [](const std::string& statement) {
    return translated("__simt_device__ void f() { " + statement + " }");
  };
  EXPECT_TRUE(
      contains(body("asm(\"fma.rn.f32 %0, %1, %2, %0;\" : \"+f\"(c) : \"f\"(a), \"f\"(b[1]));"),
               "::simt::ptx::ffma<float, ::simt::ptx::flag_rn>(::simt::ptx::as<float>((a)), "
               "::simt::ptx::as<float>((b[1])), ::simt::ptx::as<float>((c)))"));
  EXPECT_TRUE(contains(body("asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\\n\" :: "
                            "\"r\"(to), \"l\"(from) : \"memory\");"),
                       "::simt::ptx::cp_async((to), ::simt::ptx::wide(from), 16);"));
  EXPECT_TRUE(contains(body("asm volatile(\"cp.async.wait_all;\");"), "::simt::async_wait_all();"));
  EXPECT_TRUE(
      contains(body("asm(\"ex2.approx.f32 %0, %1; neg.f32 %0, %0;\" : \"=f\"(y) : \"f\"(x));"),
               "::simt::ptx::put((y), ::simt::ptx::fneg<float, 0>(::simt::ptx::as<float>((y))));"));
  for (const char* refused :
       {"bra done;", "ex2.approx.f32 %0, %2;", "cp.async.wait_group %0 + 1;",
        "mov.u32 %0, %%nothing;", "add.u32 %0, undeclared, 1;", "@p trap;", "add.q32 %0, %1, 1;",
        "sqrt.rn.f16 %0, %1;", "add.rz.bf16 %0, %1, %1;", "fma.rn.oob.f16x2 %0, %1, %1, %1;",
        "mul.e4m3x2 %0, %1, %1;"}) {
    const Translation r = translate("__simt_device__ void f() { asm(\"" + std::string(refused) +
                                    "\" : \"=f\"(a) : \"f\"(b)); }");
    ASSERT_EQ(r.errors.size(), 1u) << refused;
    EXPECT_TRUE(contains(r.errors[0].what, refused)) << r.errors[0].what;
  }
}

TEST(Asm, SeveralStatements) {
  const std::string out = translated(
      "__simt_device__ void f() { asm(\"{ .reg .pred p; // why\\n setp.lt.s32 p, %1, 3;\\n\\t\" "
      "\"@!p add.s32 %0, %1, -2; }\" : \"=r\"(a) : \"r\"(b)); }");
  EXPECT_TRUE(contains(out, "simt_ptx_first = ::simt::ptx::compare<::simt::ptx::Compare::lt, 0>("))
      << out;
  EXPECT_TRUE(contains(out, "if (!simt_ptx_p) { ::simt::ptx::put((a), ::simt::ptx::add<int, 0>("))
      << out;
  const Translation r = translate(
      "__simt_device__ void f() { asm(\"ex2.approx.f32 %0, %1; nonsense.f32 %0, %0;\" : "
      "\"=f\"(a) : \"f\"(b)); }");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_TRUE(contains(r.errors[0].what, "yet: nonsense.f32 %0, %0;")) << r.errors[0].what;
}

TEST(Asm, SpecialRegistersAndRefusals) {
  const std::string out = translated(
      "__simt_device__ unsigned f() { unsigned r; asm volatile(\"mov.u32 %0, %%laneid;\" : "
      "\"=r\"(r)); "
      "asm volatile(\"\" ::: \"memory\"); return r; }");
  EXPECT_TRUE(contains(out, "(r) = ::simt::special::laneid();")) << out;
  EXPECT_TRUE(contains(out, "__asm__ __volatile__(\"\" ::: \"memory\");")) << out;
  const Translation refused = translate(
      "# 5 \"p.cu\"\n__simt_device__ void f() {\n  asm(\"vadd4.u32 \"\n      \"0;\\n\");\n}\n");
  ASSERT_EQ(refused.errors.size(), 1u);
  EXPECT_EQ(refused.errors[0].what, "inline PTX is not supported yet: vadd4.u32 0;");
  const char* const host = "void f() { asm(\"nop\"); }";
  EXPECT_EQ(translated(host), host);
}

}  // namespace
}  // namespace simt::cc
