// What refused/ cannot show: which files are the user's, and what their headers' names mean.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "spaces/spaces.h"
#include "translate/translate.h"

namespace {

using namespace simt::cc;

std::string first_error(std::string_view text) {
  const spaces::Options options;
  const Translation result = translate(text, false, false, false, &options);
  return result.errors.empty() ? "" : result.errors.front().what;
}

const std::string header = "# 1 \"/usr/include/a.h\" 1 3\n";
const std::string own = "# 1 \"x.cu\" 2\n";
const std::string call =
    "int f(int x) { return x; }\n__simt_global__ void k(int* p) { *p = f(1); }\n";

TEST(Spaces, NothingIsSaidWithoutOptions) {
  EXPECT_TRUE(translate(call).errors.empty());
}

TEST(Spaces, TheUsersFilesAreJudged) {
  EXPECT_NE(first_error(own + call), "");
  EXPECT_EQ(first_error(header + call), "");
  // A header that says so of itself: #pragma GCC system_header.
  EXPECT_EQ(first_error("# 1 \"lib.h\" 1\n# 3 \"lib.h\" 3\n" + call), "");
  // A macro of a system header in the user's file.
  EXPECT_NE(
      first_error("# 1 \"x.cu\"\nint f(int x) { return x; }\n# 2 \"x.cu\" 3\n__simt_global__\n"
                  "# 2 \"x.cu\"\nvoid k(int* p) { *p = f(1); }\n"),
      "");
}

TEST(Spaces, AFunctionOfAHeaderMayBeMeant) {
  EXPECT_EQ(first_error(header + "float f(float x);\n" + own + call), "");
  EXPECT_EQ(first_error(header + "namespace lib { float f(float x); }\n" + own + call), "");
  // Not members, nor what std has without a using.
  EXPECT_NE(first_error(header + "struct S { float f(float x); };\n" + own + call), "");
  EXPECT_NE(first_error(header + "namespace std { float f(float x); }\n" + own + call), "");
  EXPECT_EQ(first_error(header + "namespace std { float f(float x); }\n" + own +
                        "using namespace std;\n" + call),
            "");
}

TEST(Spaces, ATemplateAndAFunctionOfOneNameAreTwo) {
  EXPECT_EQ(
      first_error("template <int n> __simt_global__ void run(int* p) { *p = n; }\n"
                  "void run(int* p) { run<3><<<1, 1>>>(p); }\nint main() { run(nullptr); }\n"),
      "");
}

TEST(Spaces, ClassesOfCudaStdAreForBothSides) {
  const std::string uses = " a, int* p) { *p = a[0] + a.size(); }\n";
  EXPECT_NE(first_error("__simt_global__ void k(std::array<int, 3>" + uses), "");
  EXPECT_NE(first_error("__simt_global__ void k(const ::std::array<int, 3>" + uses), "");
  EXPECT_EQ(first_error("__simt_global__ void k(cuda::std::array<int, 3>" + uses), "");
  EXPECT_EQ(first_error("__simt_global__ void k(const ::cuda::std::tuple<int>" + uses), "");
  const std::string k = "__simt_global__ void k(int* p) { ";
  EXPECT_NE(first_error(k + "std::array<int, 3> a; *p = a[0]; }\n"), "");
  EXPECT_EQ(first_error(k + "cuda::std::array<int, 3> a; *p = a[0]; }\n"), "");
  EXPECT_EQ(first_error(k + "const cuda::std::array<int, 3>& a = *q; *p = a.size(); }\n"), "");
}

TEST(Spaces, ShufflesWithoutAMaskAreSaidToBeOld) {
  const auto warnings = [](const std::string& text) {
    const spaces::Options options;
    return translate(text, false, false, false, &options).warnings.size();
  };
  const std::string kernel = "__simt_global__ void k(int* p) { *p = ";
  EXPECT_EQ(warnings(kernel + "__shfl_down(*p, 1); }\n"), 1u);
  EXPECT_EQ(warnings(kernel + "__any(*p); }\n"), 1u);
  EXPECT_EQ(warnings(kernel + "__shfl_down_sync(~0u, *p, 1); }\n"), 0u);
  // The program's own function of that name.
  EXPECT_EQ(warnings("__simt_device__ int __shfl_down(int v, int) { return v; }\n" + kernel +
                     "__shfl_down(*p, 1); }\n"),
            0u);
}

TEST(Spaces, OwnFilesAreListed) {
  std::vector<std::string> files = spaces::own_files(
      "# 0 \"<built-in>\"\n# 1 \"x.cu\"\n# 1 \"/usr/include/a.h\" 1 3\n# 1 \"b.h\" 1\n# 2 \"x.cu\" "
      "2\n");
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{"b.h", "x.cu"}));
}

}  // namespace
