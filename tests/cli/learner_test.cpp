// A learner's own kernel: compiled, loaded, checked beside the others. Each way it can fail is
// reported.
#include <gtest/gtest.h>

#include "command.h"

using warpath::testing::Lab;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

// g++ stands in for nvcc: the script drops the flags g++ does not know and compiles the .cu file as
// C++.
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
    lab.write("ops/toys/toy/toy.h", "#include \"" + (tree / "tests/harness/fakes/toy.h").string() +
                                        "\"  // op = \"toy\", op = \"toy_gather\"\n");
  }
  ~Learner() override { unsetenv("NVCC"); }

  void kernel(const std::string& body,
              const std::string& end = "WARPATH_RUNG(Args, launch);") const {
    lab.write("mine.cu", "#include \"ops/toys/toy/toy.h\"\nnamespace warpath::toy {\n" + body +
                             "\n" + end + "\n}\n");
  }

  Lab lab;
};

TEST_F(Learner, IsCheckedAlone) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); }");
  const Said s = lab.run({"check", "toy", "mine.cu"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_NE(s.out.find("mine.cu"), std::string::npos);
  EXPECT_EQ(s.out.find("01_good"), std::string::npos);
}

TEST_F(Learner, IsCheckedBesideTheLadder) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [](double x) { return 2 * "
      "x; }); }");
  const Said s = lab.run({"check", "toy", "mine.cu", "--ladder"});
  EXPECT_EQ(s.status, 1) << "ignores the factor: " << s.out << s.err;
  EXPECT_LT(s.out.find("mine.cu"), s.out.find("01_good")) << "its verdict comes first: " << s.out;
  EXPECT_NE(s.out.find("mine.cu on tripled"), std::string::npos) << s.out;
  const Said one = lab.run({"check", "toy", "mine.cu", "--rung", "02"});
  EXPECT_NE(one.out.find("02_scratch"), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("01_good"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("mine.cu"), std::string::npos) << one.out;
}

// A green line about other kernels would be taken for one about the file.
TEST_F(Learner, ThatDoesNotRunIsNoPass) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); }");
  const Said other = lab.run({"check", "toy_gather", "mine.cu"});
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_NE(other.err.find("mine.cu was not run: it is a rung of toy, not of toy_gather"),
            std::string::npos)
      << other.err;
  const Said typed = lab.run({"check", "mine.cu", "--case", "special", "--dtype", "i32"});
  EXPECT_EQ(typed.status, 2) << typed.out;
  EXPECT_NE(typed.err.find("mine.cu was not run"), std::string::npos) << typed.err;
  kernel("static void launch(const Args&, cudaStream_t) {}",
         "WARPATH_RUNG(Args, launch, .supports = [](const Args&) -> std::string { return \"not "
         "today\"; });");
  const Said skipped = lab.run({"check", "mine.cu", "--json"});
  EXPECT_EQ(skipped.status, 2) << skipped.out;
  EXPECT_NE(skipped.err.find("mine.cu was not run: not today"), std::string::npos) << skipped.err;
  EXPECT_FALSE(skipped.json()["passed"]);
}

TEST_F(Learner, IsShownWhatItPrints) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); std::printf(\"%d rows\\n\", int(a.x.shape[0])); }");
  const Said s = lab.run({"check", "mine.cu", "--dtype", "f32"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_NE(s.out.find("mine.cu printed on one f32:\n        1 rows\n    … and on 5 more cases"),
            std::string::npos)
      << s.out;
}

// So does watch, for which printf is the first help.
TEST_F(Learner, IsShownWhatItPrintsByWatch) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { std::printf(\"%d rows\\n\", "
      "int(a.x.shape[0])); }");
  fs::create_directories(lab.home() / "my/toy");
  fs::copy(lab.home() / "mine.cu", lab.home() / "my/toy/01_good.cu");
  fs::copy(lab.home() / "mine.cu", lab.home() / "ops/toys/toy/01_good.cu");
  const Said s = lab.run({"watch", "toy/01", "--once"});
  EXPECT_EQ(s.status, 1) << s.out << s.err;
  EXPECT_NE(s.out.find(" rows\n"), std::string::npos) << s.out << s.err;
  EXPECT_NE(s.out.find("  printed on "), std::string::npos) << s.out << s.err;
}

// A kernel that never ends is told soon, and how it gets longer.
TEST_F(Learner, HasALimitOnEachCase) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); }");
  fs::copy(lab.home() / "mine.cu", lab.home() / "ops/toys/toy/01_good.cu");
  kernel("static void launch(const Args&, cudaStream_t) { for (volatile bool on = true; on;) {} }");
  fs::create_directories(lab.home() / "my/toy");
  fs::copy(lab.home() / "mine.cu", lab.home() / "my/toy/01_good.cu");
  const Said usual = lab.run({"watch", "toy/01", "--once"});
  EXPECT_EQ(usual.status, 1) << usual.out << usual.err;
  EXPECT_NE(usual.out.find("no answer within 10 s"), std::string::npos) << usual.out;
  EXPECT_NE(usual.out.find("(--timeout S gives it longer)"), std::string::npos) << usual.out;
  const Said chosen = lab.run({"watch", "toy/01", "--once", "--timeout", "0.5"});
  EXPECT_NE(chosen.out.find("no answer within 0.5 s"), std::string::npos) << chosen.out;
  const Said graded = lab.run({"grade", "toy/01", "--case-timeout", "0.5"});
  EXPECT_EQ(graded.status, 1) << graded.out << graded.err;
  EXPECT_NE(graded.out.find("no answer within 0.5 s (--case-timeout S gives it longer)"),
            std::string::npos)
      << graded.out << graded.err;
  EXPECT_NE(lab.run({"watch", "--help"}).out.find("(default 10,"), std::string::npos);
  EXPECT_NE(lab.run({"grade", "--help"}).out.find("(default 10,"), std::string::npos);
}

// Like a copy of a rung that launches a kernel of another rung, whose object file registers a rung
// too.
TEST_F(Learner, LinksWhatItCallsOfItsOpsOtherFiles) {
  lab.write("ops/family/parted/parted.h",
            "#include \"ops/toys/toy/toy.h\"\nnamespace warpath::toy { double part(double x); }\n");
  lab.write("02_other.cu", R"(#include "ops/family/parted/parted.h"
namespace warpath::toy {
double part(double x) { return 3 * x; }
static void launch(const Args&, cudaStream_t) {}
WARPATH_RUNG(Args, launch);
}
)");
  const fs::path archive = fs::path(WARPATH_FAKES) / "gpu" / "libparted_parts_cuda.a";
  const std::string home = lab.home().string();
  ASSERT_EQ(std::system(("cd " + home + " && ./nvcc -std=c++20 -fPIC -I" + home +
                         " -c 02_other.cu -o other.o && ar rc " + archive.string() + " other.o")
                            .c_str()),
            0);
  lab.write("mine.cu", R"(#include "ops/family/parted/parted.h"
namespace warpath::toy {
static void launch(const Args& a, cudaStream_t) {
  each(a.x, a.y, [&](double x) { return a.factor * part(x) / 3; });
}
WARPATH_RUNG(Args, launch);
}
)");
  const Said s = lab.run({"check", "mine.cu"});
  fs::remove(archive);
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_NE(s.out.find("mine.cu"), std::string::npos) << s.out;
  EXPECT_EQ(s.out.find("02_other"), std::string::npos) << s.out;
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

// On a GPU the grader times what is right, beside the ladder.
TEST_F(Learner, IsGradedForItsSpeedOnAGpu) {
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [&](double x) { return "
      "a.factor * x; }); }");
  fs::copy(lab.home() / "mine.cu", lab.home() / "ops/toys/toy/01_good.cu");
  const Said s = lab.run({"grade", "toy/01", "mine.cu", "--json"});
  const auto grade = s.json()["grades"][0];
  const auto part = [&](const char* what) {
    for (const auto& p : grade["parts"])
      if (p["what"] == what) return p;
    return nlohmann::json();
  };
  EXPECT_EQ(part("right on every case")["points"], 50) << s.out << s.err;
  for (const char* what : {"share of the roofline", "place on the ladder"}) {
    ASSERT_FALSE(part(what).is_null()) << s.out << s.err;
    EXPECT_EQ(part(what)["of"], 20);
    EXPECT_FALSE(part(what)["needed"]);
    EXPECT_NE(part(what)["note"].get<std::string>().find("timed cases"), std::string::npos)
        << s.out;
  }
  EXPECT_EQ(grade["of"], 140);
  // Nothing is timed that is not right.
  kernel(
      "static void launch(const Args& a, cudaStream_t) { each(a.x, a.y, [](double x) { return 2 * "
      "x; }); }");
  const Said wrong = lab.run({"grade", "toy/01", "mine.cu", "--json"});
  EXPECT_EQ(wrong.json()["grades"][0]["of"], 100) << wrong.out;
}

TEST_F(Learner, LeavesNoFileBehind) {
  kernel("static void launch(const Args&, cudaStream_t) {}");
  lab.run({"check", "mine.cu"});
  for (const auto& e : fs::directory_iterator(lab.home()))
    EXPECT_FALSE(e.path().filename().string().starts_with("warpath-")) << e.path();
}

}  // namespace
