// What the driver says to input that is wrong: a line that tells, an exit status, nothing left behind.

#include "driver_fixture.h"

namespace {

namespace fs = std::filesystem;

class BadInput : public simt_test::Driver {
 protected:
  void expect(const std::string& command, int status, const std::string& text) {
    EXPECT_EQ(shell("timeout 60 " + command), status) << command << "\n" << output_;
    EXPECT_NE(output_.find(text), std::string::npos) << command << "\n" << output_;
    EXPECT_FALSE(temporary_files_left()) << command;
  }
};

TEST_F(BadInput, NoSource) {
  shell(
      "head -c 5000 /dev/zero > zeros.cu; printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\rIHDR' > p.cu;"
      "printf '\\377\\376i\\0n\\0t\\0' > wide.cu; : > empty.cu; mkdir dir");
  expect("$CC zeros.cu", 2, "warpath cc: 'zeros.cu' is no source: it holds binary data\n");
  expect("$CC p.cu", 2, "warpath cc: 'p.cu' is no source: it holds binary data\n");
  expect("$CC wide.cu", 2, "warpath cc: 'wide.cu' is UTF-16 text; save it as UTF-8\n");
  expect("$CC empty.cu", 1, "warpath cc: there is no main function; -c compiles without linking");
  expect("$CC dir", 2, "warpath cc: 'dir' is a folder\n");
  expect("$CC k.cu gone.o", 2, "warpath cc: no such file: 'gone.o'\n");
  write("prose.cu", "Dear reader, this is \"no program at all. It's (text {\n");
  expect("$CC prose.cu", 1, "prose.cu:1:");
  EXPECT_FALSE(fs::exists(folder_ / "a.out"));
}

TEST_F(BadInput, HugeTokensAndNesting) {
#ifdef __clang__
  constexpr int length =
      20000;  // clang looks for a similar name in time that grows with the square
#else
  constexpr int length = 400000;
#endif
  std::ofstream(folder_ / "long.cu")
      << "int main() { return " << std::string(length, 'a') << "; }\n";
  expect("$CC long.cu", 1, "long.cu:1:");
  std::ofstream(folder_ / "deep.cu")
      << "__global__ void k() { __shared__ int " << std::string(200000, '(') << "x"
      << std::string(200000, ')') << "; }\n";
  expect("$CC --translate deep.cu", 0, "simt_type_x");
}

TEST_F(BadInput, MissingInclude) {
  write("include.cu", "#include <cstdio>\n#include \"nowhere.h\"\nint main() {}\n");
  expect("$CC include.cu", 1, "include.cu:2:10: fatal error: nowhere.h: No such file");
}

TEST_F(BadInput, LinkErrorsNameTheSource) {
  write("undefined.cu",
        "namespace my { __device__ float twice(float); }\n"
        "__global__ void scale(float* p) { *p = my::twice(*p); }\n"
        "int main() { scale<<<1, 1>>>(nullptr); }\n");
  expect("$CC -rdc=true undefined.cu", 1,
         "undefined.cu:2: error: undefined reference to 'my::twice(float)'\n");
  EXPECT_EQ(output_.find("/simt-"), std::string::npos) << output_;
  EXPECT_EQ(output_.find("collect2"), std::string::npos) << output_;
  write("one.cu", "int twice(int i) { return 2 * i; }\nint main() {}\n");
  write("two.cu", "\nint twice(int i) { return i + i; }\n");
  expect("$CC one.cu two.cu", 1,
         "two.cu:2: error: multiple definition of 'twice(int)'; one.cu:1: first defined here\n");
  expect("$CC one.cu -lnowhere", 1, "cannot find -lnowhere");
}

// nvcc has only the device functions and variables of the file itself.
TEST_F(BadInput, OtherFilesNeedAnOption) {
  write("a.cu",
        "__device__ int twice(int);\n"
        "extern __device__ int count;\n"
        "__global__ void k(int* p) { *p = twice(*p) + count; }\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n");
  write("b.cu", "__device__ int twice(int i) { return 2 * i; }\n__device__ int count;\n");
  expect("$CC a.cu b.cu", 1,
         "a.cu:3:34: error: device function 'twice' is not defined in this file: another file's "
         "needs the option -rdc=true");
  expect("$CC a.cu b.cu", 1, "a.cu:2:23: warning: device variable 'count' is declared extern");
  EXPECT_EQ(shell("$CC -rdc=true a.cu b.cu -o both"), 0) << output_;
  EXPECT_EQ(shell("$CC -dc a.cu b.cu && $CC a.o b.o -o both"), 0) << output_;
  write("c.cu",
        "extern __device__ int count;\n"
        "__global__ void k(int* p) { *p = count; }\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n");
  expect("$CC c.cu b.cu", 1, "c.cu:2: error: undefined reference to 'count'\n");
  EXPECT_EQ(output_.find("relocation"), std::string::npos) << output_;
  EXPECT_EQ(output_.find("TEXTREL"), std::string::npos) << output_;
}

TEST_F(BadInput, Outputs) {
  shell("mkdir dir");
  expect("$CC k.cu main.cpp -o dir", 2, "warpath cc: cannot write 'dir': it is a folder\n");
  expect("$CC k.cu main.cpp -o none/a", 2,
         "warpath cc: cannot write 'none/a': there is no folder 'none'\n");
  expect("$CC -c k.cu main.cpp -o x.o", 2, "warpath cc: -o cannot name the results of 2 sources\n");
  expect("$CC k.cu -o", 2, "warpath cc: option '-o' needs a value\n");
  // A full disk.
  expect("$CC --translate k.cu -o /dev/full", 2, "warpath cc: cannot write '/dev/full'\n");
  expect("$CC k.cu main.cpp -o /dev/full", 1, "No space left on device\n");
  EXPECT_EQ(shell("TMPDIR=/none $CC k.cu"), 2);
  EXPECT_EQ(output_, "warpath cc: there is no folder for temporary files; set TMPDIR\n");
  expect("$CC --timeout soon k.cu", 2,
         "warpath cc: --timeout takes a number of seconds, not 'soon'");
}

TEST_F(BadInput, ProgramsKilledInTheMiddle) {
  write("endless.cu",
        "#include <cstdio>\n"
        "__global__ void endless(int* p) { for (volatile int i = 0;; i = i + 1) *p = i; }\n"
        "int main() {\n"
        "  int* p; cudaMalloc(&p, 4); puts(\"begun\"); fflush(stdout);\n"
        "  endless<<<64, 64>>>(p); return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(shell("$CC endless.cu -o endless"), 0) << output_;
  const std::string before = "ls /dev/shm > shm.before;", after = "ls /dev/shm | cmp - shm.before";
  for (const int signal : {2, 9, 15}) {
    // `timeout` ends with 137 after KILL, with 124 else.
    const std::string kill = "timeout -s " + std::to_string(signal) + " 0.3 ./endless; rc=$?;";
    EXPECT_EQ(shell(before + kill + after + " && exit $rc"), signal == 9 ? 137 : 124) << output_;
    EXPECT_EQ(output_.find("begun"), 0u) << output_;
    EXPECT_FALSE(temporary_files_left());
  }
  EXPECT_EQ(shell("SIMT_TIMEOUT=x timeout 0.3 ./endless"), 124);
  EXPECT_NE(output_.find("SIMT_TIMEOUT='x' is no number of seconds"), std::string::npos) << output_;
}

}  // namespace
