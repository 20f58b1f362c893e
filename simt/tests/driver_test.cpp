// The driver as a program: its files, its messages, its exit status.

#include "driver_fixture.h"

namespace {

using simt_test::Driver;
namespace fs = std::filesystem;

TEST_F(Driver, SeparateCompilation) {
  ASSERT_EQ(shell("$CC -c k.cu && $CC -dc -o m.o main.cpp && $CC k.o m.o -lcudart"), 0) << output_;
  EXPECT_EQ(shell("./a.out"), 3);
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

TEST_F(Driver, OldStandardsAreRaised) {
  EXPECT_EQ(shell("$CC -std=c++14 -c k.cu && $CC -std=c++20 -c k.cu"), 0) << output_;
}

}  // namespace
