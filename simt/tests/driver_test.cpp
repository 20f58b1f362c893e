// The driver as a program: its files, its messages, its exit status.

#include "driver_fixture.h"

namespace {

using simt_test::Driver;
namespace fs = std::filesystem;

// Errors are told at the user's line and column, in the user's words.
TEST_F(Driver, CompileErrors) {
  write("e.cu",
        "#define SIZE 1024 + 1024\n"
        "#define TWICE(x) ((x) + (x))\n"
        "__global__ void k(float* a, int n) {\n"
        "  __shared__ float s[SIZE]; extern __shared__ int d[]; s[SIZE - 1] = lost;\n"
        "\td[0] = TWICE(SIZE) * gone;\n"
        "}\n"
        "template <class T>\n"
        "__global__ void t(T* p) { p->f(); }\n"
        "int main() {\n"
        "  k<<<1, SIZE>>>(nullptr);\n"
        "  k<<<1, SIZE, 0, 5>>>(nullptr, 1);\n"
        "  k<<<1, 1>>>(nullptr, \"x\");\n"
        "  t<<<1, 1>>>((float*)nullptr); q<<<1, 1>>>(3);\n"
        "}\n");
  EXPECT_NE(shell("$CC -c e.cu"), 0);
#ifdef __clang__
  for (const char* line : {
         "e.cu:4:70: error: use of undeclared identifier 'lost'",
             "e.cu:5:23: error: use of undeclared identifier 'gone'",
             "e.cu:8:28: error: member reference base type 'float' is not a structure",
             "e.cu:13:3: note: in instantiation of function template specialization 't<float>'",
             "e.cu:10:3: error: no matching function for call to 'k'",
             "e.cu:11:19: error: cannot initialize a parameter of type 'cudaStream_t'",
             "e.cu:12:3: error: the kernel takes (float *, int), but is launched with others",
             "e.cu:13:33: error: use of undeclared identifier 'q'",
#else
  for (const char* line :
       {"e.cu:4:70: error: ‘lost’ was not declared", "e.cu:5:23: error: ‘gone’ was not declared",
        "e.cu:8:30: error: request for member ‘f’", "e.cu:13:14:   required from here",
        "e.cu:10:3: error: too few arguments to function ‘void k(float*, int)’",
        "e.cu:11:19: error: invalid conversion from ‘int’ to ‘cudaStream_t’",
        "error: the kernel takes (float*, int), but is launched with (std::nullptr_t, const char "
        "[2])",
        "e.cu:12:24: error: invalid conversion from ‘const char*’ to ‘int’",
        "e.cu:13:33: error: ‘q’ was not declared",
#endif
             "    5 | \td[0] = TWICE(SIZE) * gone;\n      | \t                     ^\n",
             "   13 |   t<<<1, 1>>>((float*)nullptr); q<<<1, 1>>>(3);\n"
             "      |                                 ^\n"
       }) {
    EXPECT_NE(output_.find(line), std::string::npos) << line << "\nin\n" << output_;
  }
  EXPECT_EQ(output_.find("simt::"), std::string::npos) << output_;
  EXPECT_EQ(output_.find("lambda"), std::string::npos) << output_;

  write("p.cu", "__device__ void f() {\n  int i; asm(\"vote.all.pred p, q;\");\n}\n");
  EXPECT_NE(shell("$CC -c p.cu"), 0);
  EXPECT_NE(output_.find("p.cu:2:10: error: inline PTX"), std::string::npos) << output_;
  write("t.cu", "#include <cstdio>\nstatic texture<float, 2> image;\n");
  EXPECT_NE(shell("$CC -c t.cu"), 0);
  EXPECT_NE(output_.find("t.cu:2:8: error: texture references"), std::string::npos) << output_;
  write("l.cu", "#include <cstdio>\n#include <optix.h>\n");
  EXPECT_NE(shell("$CC -c l.cu"), 0);
  EXPECT_EQ(output_.rfind("l.cu:2:10: fatal error: optix.h: No such file", 0), 0u) << output_;
  EXPECT_NE(output_.find("; OptiX is not part of simt"), std::string::npos) << output_;
  write("i.cu", "#include \"nowhere.h\"\n");
  EXPECT_NE(shell("$CC -c i.cu"), 0);
  EXPECT_NE(output_.find("i.cu:1:10: fatal error: nowhere.h"), std::string::npos) << output_;
}

// What a program needs that launches kernels by name.
TEST_F(Driver, ListKernels) {
  write(
      "l.cu",
      "#include <cstdio>\n#include \"k.h\"\n"
      "__global__ void __launch_bounds__(64) plain(const float* __restrict__ a, int, float b[4]);\n"
      "__global__ void __launch_bounds__(64) plain(const float* __restrict__ a, int, float b[4]) "
      "{}\n"
      "namespace one::two { namespace {\n"
      "template <class T, int N>\n"
      "__global__ void sized(__grid_constant__ const T x, unsigned long n = 3) { struct S {}; }\n"
      "} }\n"
      "template __global__ void one::two::sized<int, 2>(int, unsigned long);\n"
      "struct Not { void a_kernel(); };\n"
      "extern \"C\" { __global__ void last(void) {} }\n");
  ASSERT_EQ(shell("$CC --list-kernels l.cu"), 0) << output_;
  for (const char* part :
       {R"({"name": "plain", "template": "", "parameters": [{"type": "const float* __restrict__", )"
        R"("name": "a"}, {"type": "int", "name": ""}, {"type": "float*", "name": "b"}], )"
        R"("file": "l.cu", "line": 4})",
        R"({"name": "one::two::sized", "template": "class T, int N", "parameters": )"
        R"([{"type": "const T", "name": "x"}, {"type": "unsigned long", "name": "n"}], )"
        R"("file": "l.cu", "line": 7})",
        R"({"name": "last", "template": "", "parameters": [], "file": "l.cu", "line": 11})",
        R"("files": ["k.h", "l.cu"])"}) {
    EXPECT_NE(output_.find(part), std::string::npos) << part << "\nin\n" << output_;
  }
  std::size_t kernels = 0;
  for (std::size_t at = 0; (at = output_.find("\"template\"", at)) != std::string::npos; ++at) {
    ++kernels;
  }
  EXPECT_EQ(kernels, 3u) << output_;
  EXPECT_FALSE(temporary_files_left());
}

TEST_F(Driver, SeparateCompilation) {
  ASSERT_EQ(shell("$CC -c k.cu && $CC -dc -o m.o main.cpp && $CC k.o m.o -lcudart"), 0) << output_;
  EXPECT_EQ(shell("./a.out"), 3);
  EXPECT_FALSE(temporary_files_left());
}

// As nvcc does: C that is no C++, names as C has them.
TEST_F(Driver, SourcesInC) {
  write("table.c",
        "#include <stdlib.h>\n"
        "#ifdef __cplusplus\n#error C++\n#endif\n"
        "int class = 3;\n"
        "int *make(int n) { int *new = malloc(n * sizeof *new); new[0] = class; return new; }\n");
  write("uses.cu",
        "extern \"C\" int* make(int n);\n"
        "__global__ void twice(int* p) { *p *= 2; }\n"
        "int main() { int* p; cudaMallocManaged(&p, 4); *p = make(4)[0]; twice<<<1, 1>>>(p);\n"
        "  cudaDeviceSynchronize(); return *p; }\n");
#ifdef __clang__
  const auto ways = {"", "-std=c++20 "};  // --check needs g++
#else
  const auto ways = {"", "-std=c++20 ", "--check "};
#endif
  for (const char* way : ways) {
    ASSERT_EQ(shell(std::string("$CC ") + way + "table.c uses.cu -o uses"), 0) << output_;
    EXPECT_EQ(output_, "");
    EXPECT_EQ(shell("./uses"), 6) << output_;
  }
  // Our headers are C++, and so is what includes one.
  write("calls.c",
        "#include <cuda_runtime.h>\n#include <stdlib.h>\n"
        "int main(void) { void* p = 0; return cudaMalloc(&p, 4) == cudaSuccess ? 5 : 6; }\n");
  ASSERT_EQ(shell("$CC calls.c -o calls"), 0) << output_;
  EXPECT_NE(output_.find("calls.c includes CUDA's headers, which are C++ here"), std::string::npos)
      << output_;
  EXPECT_EQ(shell("./calls"), 5);
  EXPECT_FALSE(temporary_files_left());
}

TEST_F(Driver, DependenciesForNinja) {
  ASSERT_EQ(shell("$CC -MD -MT sub/k.o -MF k.d -x cu -c k.cu -o k.o"), 0) << output_;
  const std::string text = read("k.d");
  EXPECT_EQ(text.rfind("sub/k.o:", 0), 0u) << text;
  EXPECT_NE(text.find("k.h"), std::string::npos);
  EXPECT_NE(text.find("k.cu"), std::string::npos);
  ASSERT_EQ(shell("$CC -MMD -c k.cu -o k2.o"), 0) << output_;
  EXPECT_NE(read("k2.d").find("k.h"), std::string::npos);
  EXPECT_EQ(read("k2.d").find("cuda_runtime.h"), std::string::npos);
  ASSERT_EQ(shell("$CC -MM k.cu"), 0);
  EXPECT_EQ(output_.rfind("k.o:", 0), 0u) << output_;
}

TEST_F(Driver, LibraryOpenedAtRunTime) {
  write("host.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main() {\n"
        "  void* l = dlopen(\"./libk.so\", RTLD_NOW | RTLD_LOCAL);\n"
        "  if (!l) { puts(dlerror()); return 9; }\n"
        "  int (*run)() = (int (*)())dlsym(l, \"run\");\n"
        "  int r = run(); dlclose(l); return r; }\n");
  ASSERT_EQ(
      shell("$CC -shared -Xcompiler -fPIC,-fvisibility=hidden -Xcompiler=-fvisibility=default "
            "k.cu -o libk.so && cc host.c -o host -ldl"),
      0)
      << output_;
  EXPECT_EQ(shell("./host"), 3) << output_;
}

TEST_F(Driver, Messages) {
  EXPECT_EQ(shell("$CC --foo k.cu"), 2);
  EXPECT_EQ(output_, "warpath cc: unknown option '--foo'; see --help\n");
  EXPECT_EQ(shell("$CC nothing.cu"), 2);
  EXPECT_EQ(output_, "warpath cc: no such file: 'nothing.cu'\n");
  EXPECT_EQ(shell("$CC"), 2);
  EXPECT_EQ(shell("$CC -ccbin no-such-compiler k.cu"), 127);
  EXPECT_NE(output_.find("cannot run the C++ compiler 'no-such-compiler'"), std::string::npos);
  EXPECT_EQ(shell("$CC --help"), 0);
  EXPECT_NE(output_.find("examples"), std::string::npos);
  EXPECT_EQ(shell("$CC --version"), 0);
  EXPECT_FALSE(temporary_files_left());
}

TEST_F(Driver, ChecksNeedGcc) {
  for (const char* chosen : {"CXX=clang++-16 $CC", "$CC -ccbin clang++-16"}) {
    EXPECT_EQ(shell(std::string(chosen) + " --check k.cu main.cpp -o k"), 2);
    EXPECT_EQ(output_,
              "warpath cc: --check needs g++, and the compiler is 'clang++-16': set CXX=g++, or "
              "-ccbin g++\n");
  }
}

// Line tables that GNU's addr2line reads; the level of debug information comes last, or clang would write all of it.
TEST_F(Driver, LineTablesByClang) {
  EXPECT_EQ(shell("$CC -ccbin clang++-16 --dryrun -c k.cu"), 0);
  EXPECT_NE(output_.find(" -gdwarf-4 -g1 "), std::string::npos) << output_;
}

#ifndef __clang__
// Under the checks -O1 is kept, and every other level becomes -O2.
TEST_F(Driver, LevelUnderTheChecks) {
  write("level.cu", "int main() {}\n");
  for (const auto& [asked, used] : {std::pair{"-O1", "-O1"}, {"-O3", "-O2"}, {"-O0", "-O2"}}) {
    EXPECT_EQ(shell("$CC --check --dryrun level.cu " + std::string(asked)), 0) << output_;
    const std::size_t at = output_.rfind(" -O", output_.find('\n'));
    ASSERT_NE(at, std::string::npos) << output_;
    EXPECT_EQ(output_.substr(at + 1, 3), used) << output_;
  }
}
#endif

TEST_F(Driver, Stages) {
  ASSERT_EQ(shell("$CC -E k.cu -o k.ii && $CC --translate k.cu -o k.cpp"), 0) << output_;
  EXPECT_NE(read("k.ii").find("k<<<1, 1>>>(p)"), std::string::npos);
  EXPECT_NE(read("k.cpp").find("::simt::launch("), std::string::npos);
  ASSERT_EQ(shell("$CC --dry-run k.cu main.cpp -o nothing"), 0) << output_;
  EXPECT_NE(output_.find("-lsimt"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
  ASSERT_EQ(shell("$CC --keep k.cu main.cpp -o kept && ./kept"), 3) << output_;
  EXPECT_TRUE(fs::exists(folder_ / "k.simt.ii"));
  EXPECT_FALSE(temporary_files_left());
}

TEST_F(Driver, InterruptLeavesNothing) {
  write("slow.cu",
        "#include <regex>\n#include <iostream>\n__global__ void k() {}\n"
        "int main() { std::regex r(\"a*\"); k<<<1, 1>>>(); }\n");
  // The shell that runs a command in the background ignores SIGINT for it; SIGTERM is the same
  // path.
  shell("$CC -O3 slow.cu -o slow & pid=$!; sleep 0.6; kill -TERM $pid; wait $pid");
  EXPECT_FALSE(temporary_files_left());
  EXPECT_FALSE(fs::exists(folder_ / "slow"));
}

// What cuda_runtime.h becomes is compiled once: made at the second compilation, used from the third on. An installation of its
// own begins without one.
// GCC's precompiled headers alone: clang's must be named in every command.
TEST_F(Driver, PrecompiledPrelude) {
#ifdef __clang__
  GTEST_SKIP() << "made with GCC only";
#endif
  ASSERT_EQ(
      shell("bin=$(dirname \"$CC\") && mkdir -p home/lib && cp $bin/../simt-headers.txt home &&"
            "ln -s $bin/../lib/libsimt.so home/lib && $CC --version"),
      0)
      << output_;
  const std::string compile = "export SIMT_HOME=$PWD/home; $CC -c k.cu -o k.o";
  const auto headers = [&] {
    int count = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "home/lib/prelude"))
      count += file.path().extension() == ".gch";
    return count;
  };
  ASSERT_EQ(shell(compile), 0) << output_;
  EXPECT_EQ(headers(), 0);
  ASSERT_EQ(shell(compile), 0) << output_;
  EXPECT_EQ(headers(), 1);
  EXPECT_EQ(shell(compile + " && $CC main.cpp k.o -o main && ./main"), 3) << output_;
  EXPECT_EQ(shell(compile + " -DOTHER"), 0) << output_;  // the same prelude
  EXPECT_EQ(output_, "");
  EXPECT_EQ(headers(), 1);
  // Lines are those of the source, with the prelude and without.
  write("k.cu", "__global__ void k(int* p) {\n  *p = missing;\n}\n");
  EXPECT_NE(shell(compile), 0);
  EXPECT_NE(output_.find("k.cu:2:8: error: "), output_.npos) << output_;
  // Files of -include are part of it: they see CUDA's words, and their lines are their own.
  write("first.cuh", "__device__ int three() { return 3; }\n");
  write("second.cuh", "__device__ int four() { return three() + 1; }\n");
  write("k.cu",
        "__global__ void k(int* p) {\n  *p = four();\n}\nextern \"C\" int run() {\n"
        "  int* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; "
        "}\n");
  const std::string included = compile + " -include first.cuh -include second.cuh";
  ASSERT_EQ(shell(included), 0) << output_;
  ASSERT_EQ(shell(included), 0) << output_;
  EXPECT_EQ(headers(), 2);
  EXPECT_EQ(shell(included + " && $CC main.cpp k.o -o main && ./main"), 4) << output_;
  write("k.cu", "__global__ void k(int* p) {\n  *p = missing;\n}\n");
  EXPECT_NE(shell(included), 0);
  EXPECT_NE(output_.find("k.cu:2:8: error: "), output_.npos) << output_;
  // One that is broken is not used and not kept.
  write("k.cu", "extern \"C\" int run() { return 4; }\n");
  ASSERT_EQ(shell("for f in home/lib/prelude/*.gch; do echo broken > $f; done"), 0);
  EXPECT_EQ(shell(compile + " && $CC main.cpp k.o -o main && ./main"), 4) << output_;
  EXPECT_EQ(headers(), 1);  // the other one, with -include, was not asked for
  EXPECT_FALSE(temporary_files_left());
}

TEST_F(Driver, OldStandardsAreRaised) {
  EXPECT_EQ(shell("$CC -std=c++14 -c k.cu && $CC -std=c++20 -c k.cu"), 0) << output_;
}

TEST_F(Driver, WithoutCccl) {
  write("t.cu", "#include <thrust/device_vector.h>\nint main() {}\n");
  EXPECT_NE(shell("CCCL_HOME=/nowhere $CC t.cu"), 0);
  EXPECT_NE(output_.find("warpath cc: <thrust/...> comes from NVIDIA's CCCL"), std::string::npos)
      << output_;
  write("p.cu", "#include <cuda/ptx>\nint main() {}\n");
  EXPECT_NE(shell("CCCL_HOME=/nowhere $CC p.cu"), 0);
  EXPECT_NE(output_.find("warpath cc: <cuda/ptx> comes from NVIDIA's CCCL"), std::string::npos)
      << output_;
  // The library's standard part is the host's then.
  write("s.cu",
        "#include <cuda/std/array>\n#include <cuda/std/limits>\n#include <cuda/std/atomic>\n"
        "__global__ void k(cuda::std::array<int, 2>* a, cuda::std::atomic<int>* n) {\n"
        "  (*a)[1] = cuda::std::numeric_limits<short>::max(); ++*n; }\n"
        "int main() { cuda::std::array<int, 2>* a; cudaMallocManaged(&a, sizeof *a);\n"
        "  cuda::std::atomic<int>* n; cudaMallocManaged(&n, sizeof *n); n->store(0);\n"
        "  k<<<1, 1>>>(a, n); cudaDeviceSynchronize(); return (*a)[1] == 32767 && *n == 1 ? 7 : 1; "
        "}\n");
  ASSERT_EQ(shell("CCCL_HOME=/nowhere $CC s.cu -o s"), 0) << output_;
  EXPECT_EQ(shell("./s"), 7) << output_;
}

// A toolkit's folder among -I must not hide simt's own headers.
TEST_F(Driver, ToolkitFolders) {
  fs::create_directories(folder_ / "toolkit");
  write("toolkit/cuda_runtime.h", "#error the toolkit's header\n");
  EXPECT_EQ(shell("$CC -Itoolkit -isystem toolkit -I toolkit -c k.cu"), 0) << output_;
}

}  // namespace
