// A kernel of one's own: compiled, loaded, checked beside the others; each way it can go wrong is
// told.
#include <gtest/gtest.h>

#include "command.h"

using warpath::testing::Lab;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

// g++ takes nvcc's place: it drops the flags it does not know and reads a .cu file as C++.
constexpr const char* compiler = R"(#!/bin/bash
args=()
while [ $# -gt 0 ]; do
  case $1 in
    -Xcompiler) shift; IFS=, read -ra more <<<"$1"; args+=("${more[@]}") ;;
    -gencode=* | --expt-*) ;;
    *.cu) args+=(-x c++ "$1") ;;
    *.a) args+=(-x none "$1") ;;
    *) args+=("$1") ;;
  esac
  shift
done
exec g++ "${args[@]}"
)";

class Learner : public testing::Test {
 protected:
  Learner() : lab("gpu") {
    lab.write("nvcc", compiler);
    fs::permissions(lab.home() / "nvcc", fs::perms::owner_all);
    setenv("NVCC", (lab.home() / "nvcc").c_str(), 1);
    fs::remove_all(lab.home() / "ops");
    const fs::path tree = WARPATH_TREE;
    fs::create_directory_symlink(tree / "core", lab.home() / "core");
    lab.write("ops/toy/toy.h",
              "#include \"" + (tree / "tests/harness/fakes/toy.h").string() + "\"\n");
  }
  ~Learner() override { unsetenv("NVCC"); }

  void kernel(const std::string& body,
              const std::string& end = "WARPATH_RUNG(Args, launch);") const {
    lab.write("mine.cu", "#include \"ops/toy/toy.h\"\nnamespace warpath::toy {\n" + body + "\n" +
                             end + "\n}\n");
  }

  Lab lab;
};

TEST_F(Learner, IsCheckedAlone) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); }");
  const Said s = lab.run({"check", "mine.cu"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_NE(s.out.find("mine.cu"), std::string::npos);
  EXPECT_EQ(s.out.find("01_good"), std::string::npos);
}

TEST_F(Learner, IsCheckedBesideTheLadder) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [](double x) { return 2 * "
      "x; }); }");
  const Said s = lab.run({"check", "toy", "mine.cu"});
  EXPECT_EQ(s.status, 1) << "ignores the factor: " << s.out << s.err;
  EXPECT_NE(s.out.find("01_good"), std::string::npos);
  EXPECT_NE(s.out.find("mine.cu on tripled"), std::string::npos) << s.out;
}

TEST_F(Learner, ThatDoesNotCompileIsShownTheCompilersWords) {
  kernel("static void launch(const Args& a, cudaStream_t) { return a.nonsense; }");
  const Said s = lab.run({"check", "mine.cu"});
  EXPECT_EQ(s.status, 2);
  EXPECT_NE(s.err.find("mine.cu does not compile"), std::string::npos);
  EXPECT_NE(s.err.find("nonsense"), std::string::npos);
}

TEST_F(Learner, ThatRegistersNothingIsToldHow) {
  kernel("", "");
  const Said s = lab.run({"check", "mine.cu"});
  EXPECT_EQ(s.status, 2);
  EXPECT_NE(s.err.find("WARPATH_RUNG"), std::string::npos) << s.err;
}

TEST_F(Learner, ThatCrashesWhileLoadingIsReported) {
  kernel(
      "static void launch(const Args&, cudaStream_t) {}\nstatic const int boom = "
      "(__builtin_trap(), 1);");
  const Said s = lab.run({"check", "mine.cu"});
  EXPECT_EQ(s.status, 2);
  EXPECT_NE(s.err.find("crashed"), std::string::npos) << s.err;
}

TEST_F(Learner, LeavesNoFileBehind) {
  kernel("static void launch(const Args&, cudaStream_t) {}");
  lab.run({"check", "mine.cu"});
  for (const auto& e : fs::directory_iterator(lab.home()))
    EXPECT_FALSE(e.path().filename().string().starts_with("warpath-")) << e.path();
}

}  // namespace
