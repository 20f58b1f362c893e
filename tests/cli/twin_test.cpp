// Exercises in Triton and WGSL: what a stub leaves out, and how the Python package's answer becomes a verdict and points. A
// script stands in for Python: what it judges is tested in python/tests/test_exercises.py.
#include <gtest/gtest.h>

#include "command.h"

using warpath::testing::expect_refusal;
using warpath::testing::Lab;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

constexpr const char* triton = R"("""The toy in Triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return 2 * x


@triton.jit
def toy_kernel(
    x, y, n,
    TILE: tl.constexpr,
):  # fmt: skip
    """One tile."""
    at = tl.arange(0, TILE)
    tl.store(y + at, helper(tl.load(x + at)))


@triton.jit
def other_kernel(x):
    tl.store(x, 1)


def _launch(x, y):
    toy_kernel[(1,)](x, y, 3, TILE=4)


def toy(x):
    y = torch.empty_like(x)
    _launch(x, y)
    return y


def toy_gather(x):
    other_kernel[(1,)](x)
)";

constexpr const char* wgsl = R"(//! toy: groups n / 64
fn twice(v: f32) -> f32 {
  return 2.0 * v;  // isn't it
}

@compute @workgroup_size(64)
fn toy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    y[id.x] = twice(x[id.x]);
  }
}
)";

constexpr const char* all_right = R"({
 "op": "toy", "file": "f", "refused": [],
 "right": {"passed": 5, "failed": 0, "trouble": ""},
 "fresh": {"passed": 3, "failed": 0, "trouble": ""},
 "clean": {"passed": 5, "failed": 0, "trouble": ""}
})";

class Twin : public testing::Test {
 protected:
  Twin() {
    lab.write("ops/toys/toy/toy.py", triton);
    lab.write("ops/toys/toy/toy.wgsl", wgsl);
    lab.write("ops/toys/toy/01_good.cu", "__global__ void k() { }\n");
    lab.write("ops/toys/toy/hints.md", "## toy.py\n\n1. Tile.\n2. Load.\n3. Store.\n");
  }

  // What the stand-in for Python does with its arguments.
  void python(const std::string& script) {
    lab.write("python", "#!/bin/bash\n" + script + "\n");
    fs::permissions(lab.home() / "python", fs::perms::owner_all);
    lab.set("WARPATH_PYTHON", (lab.home() / "python").string());
  }
  void answers(const std::string& json) { python("cat <<'END'\n" + json + "\nEND"); }

  Lab lab;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Twin, StubLeavesOutTheKernelsOfTheOp) {
  const Said s = lab.run({"start", "toy.py", "--print"});
  ASSERT_EQ(s.status, 0) << s.err;
  EXPECT_TRUE(holds(s.out, "# Your turn: toy/toy.py"));
  EXPECT_TRUE(holds(s.out, "    \"\"\"One tile.\"\"\"\n    # Your code here.\n    pass\n"))
      << s.out;
  EXPECT_FALSE(holds(s.out, "helper(tl.load"));
  EXPECT_TRUE(holds(s.out, "    return 2 * x\n")) << "what the kernel calls stays: " << s.out;
  EXPECT_TRUE(holds(s.out, "    tl.store(x, 1)\n")) << "another op's kernel stays: " << s.out;
  EXPECT_TRUE(holds(s.out, "toy_kernel[(1,)](x, y, 3, TILE=4)")) << s.out;
  const Said other = lab.run({"start", "toy/toy_gather.py", "--print"});
  EXPECT_TRUE(holds(other.out, "def other_kernel(x):\n    # Your code here.\n    pass\n"));
  EXPECT_TRUE(holds(other.out, "helper(tl.load"));
}

TEST_F(Twin, StubOfWgslLeavesOutTheEntryPoint) {
  const Said s = lab.run({"start", "toy.wgsl", "--print"});
  ASSERT_EQ(s.status, 0) << s.err;
  EXPECT_TRUE(holds(s.out, "id: vec3<u32>) {\n  // Your code here.\n}\n")) << s.out;
  EXPECT_TRUE(holds(s.out, "return 2.0 * v;")) << s.out;
  EXPECT_FALSE(holds(s.out, "y[id.x]")) << s.out;
}

TEST_F(Twin, RefusalsSayWhatIsMissing) {
  expect_refusal(lab.run({"start", "toi.py"}), "did you mean 'toy'");
  expect_refusal(lab.run({"start", "toy_gather.wgsl"}), "toy.wgsl has no kernel of toy_gather");
  expect_refusal(lab.run({"grade", "toy.py"}), "no file my/toy/toy.py; ./warpath start toy/toy.py");
  ASSERT_EQ(lab.run({"start", "toy.py"}).status, 0);
  lab.set("WARPATH_PYTHON", "/nowhere/python");
  for (const char* command : {"grade", "watch"})
    expect_refusal(lab.run({command, "toy.py"}),
                   "the Python parts are not there; ./warpath python");
  python("echo \"No module named warpath\"; exit 1");
  expect_refusal(lab.run({"grade", "toy.py"}), "not built; ./warpath python builds it");
  python("echo 'warpath: no WebGPU adapter' >&2; exit 2");
  expect_refusal(lab.run({"grade", "toy.py"}), "no WebGPU adapter");
}

TEST_F(Twin, PointsFollowTheAnswer) {
  ASSERT_EQ(lab.run({"start", "toy.py"}).status, 0);
  answers(all_right);
  const Said good = lab.run({"grade", "toy.py", "--json"});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_EQ(good.json()["grades"][0]["points"], 100);
  EXPECT_EQ(good.json()["exercise"], "toy/toy.py");
  EXPECT_TRUE(holds(lab.run({"grade"}).out, "100 of 100")) << "the file that was changed last";

  answers(R"({
 "op": "toy", "file": "f", "refused": [],
 "right": {"passed": 4, "failed": 1, "trouble": "case one f32: y[0] is 1, expected 2"},
 "fresh": {"passed": 3, "failed": 0, "trouble": ""},
 "clean": {"passed": 0, "failed": 1, "trouble": "line 9: writes past the end"}
})");
  const Said bad = lab.run({"grade", "toy.py", "--json"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_EQ(bad.json()["grades"][0]["points"], 20);
  const Said watched = lab.run({"watch", "toy.py", "--once"});
  EXPECT_EQ(watched.status, 1);
  EXPECT_TRUE(holds(watched.out, "not safe: line 9: writes past the end")) << watched.out;

  // Without a part for accesses, as for WGSL, the other two are worth all points.
  answers(R"({
 "op": "toy", "file": "f", "refused": [],
 "right": {"passed": 5, "failed": 0, "trouble": ""},
 "fresh": {"passed": 3, "failed": 0, "trouble": ""}
})");
  ASSERT_EQ(lab.run({"start", "toy.wgsl"}).status, 0);
  const Said shader = lab.run({"grade", "toy.wgsl", "--json"});
  EXPECT_EQ(shader.json()["grades"][0]["points"], 100) << shader.out << shader.err;

  answers(R"({
 "op": "toy", "file": "f", "refused": ["line 3: torch.softmax does the work"],
 "right": {}, "fresh": {}, "clean": {}
})");
  const Said refused = lab.run({"grade", "toy.py", "--json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.json()["grades"][0]["refused"][0], "line 3: torch.softmax does the work");
  EXPECT_EQ(refused.json()["grades"][0]["points"], 0);
}

TEST_F(Twin, OneBadSubmissionDoesNotStopTheOthers) {
  lab.write("class/ada.py", "good");
  lab.write("class/bob.py", "endless");
  lab.write("class/eve.py", "crash");
  python(
      std::string(
          "case $(cat \"$5\") in endless) sleep 60 ;; crash) kill -SEGV $$ ;; *) cat <<'END'\n") +
      all_right + "\nEND\n;; esac");
  const Said s = lab.run({"grade", "toy.py", "--folder", "class", "--timeout", "1", "--json"});
  EXPECT_EQ(s.status, 1) << s.err;
  ASSERT_EQ(s.json()["grades"].size(), 3u) << s.out;
  EXPECT_EQ(s.json()["grades"][0]["points"], 100);
  EXPECT_TRUE(holds(s.json()["grades"][1].dump(), "took longer than 1 s"));
  EXPECT_EQ(s.json()["grades"][2]["points"], 0);
}

TEST_F(Twin, HintsAndSolutionAreItsOwn) {
  const Said hint = lab.run({"hint", "toy.py"});
  EXPECT_TRUE(holds(hint.out, "hint 1 of 3") && holds(hint.out, "Tile.")) << hint.out << hint.err;
  ASSERT_EQ(lab.run({"start", "toy.py"}).status, 0);
  lab.write("my/notes.py", "print(1)\n");  // no exercise
  const Said ours = lab.run({"solution"});
  EXPECT_TRUE(holds(ours.out, "ops/toys/toy/toy.py")) << ours.out << ours.err;
  EXPECT_TRUE(holds(ours.out, "+    tl.store(y + at, helper(tl.load(x + at)))")) << ours.out;
}

}  // namespace
