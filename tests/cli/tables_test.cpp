// tables: the generated sections of pages, from result files and sources.
#include <gtest/gtest.h>

#include "command.h"

using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

// Two cases, two types, a rung that was refused, a peer that wins once.
constexpr const char* results = R"({
  "device": "NVIDIA FAKE100", "date": "2026-01-02T03:04:05Z", "commit": "abc123", "method": "a clock",
  "copy_tbs": 2.5, "copy_by": "a copy kernel",
  "records": [
    {"op": "toy", "name": "01_slow", "kind": "rung", "case": "big", "dtype": "f32", "status": "passed",
     "passed": true, "time_us": {"median": 200.0}, "of_roofline": 0.25, "vs_best_peer": 0.5},
    {"op": "toy", "name": "02_fast", "kind": "rung", "case": "big", "dtype": "f32", "status": "passed",
     "passed": true, "time_us": {"median": 50.0}, "of_roofline": 0.987, "vs_best_peer": 2.0,
     "scratch_bytes": 2101000000},
    {"op": "toy", "name": "vendor", "kind": "peer", "case": "big", "dtype": "f32", "status": "passed",
     "passed": true, "time_us": {"median": 100.0}, "of_roofline": 0.49, "vs_best_peer": 1.0},
    {"op": "toy", "name": "01_slow", "kind": "rung", "case": "odd", "dtype": "bf16", "status": "passed",
     "passed": true, "time_us": {"median": 2000.0}, "of_roofline": 0.0004, "vs_best_peer": 0.8},
    {"op": "toy", "name": "02_fast", "kind": "rung", "case": "odd", "dtype": "bf16", "status": "skipped",
     "passed": false, "reason": "needs an even number"},
    {"op": "toy", "name": "vendor", "kind": "peer", "case": "odd", "dtype": "bf16", "status": "passed",
     "passed": true, "time_us": {"median": 1600.0}, "of_roofline": 0.0005, "vs_best_peer": 1.0}
  ]
})";

constexpr const char* rung = R"(// A head comment that says twice (the name of twice) is in here.
#include "toy.h"

namespace warpath::toy {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    twice(const T* x, T* y) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    y[k] = 2 * x[k];
  }
}

struct Pair {
  int a, b;
};

void launch(const Args& args, cudaStream_t stream) {
  twice<float><<<1, threads>>>(nullptr, nullptr);
}

}  // namespace
}  // namespace warpath::toy
)";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Tables, AResultFileBecomesATable) {
  const Lab lab;
  lab.write("ops/toys/toy/results/fake100.json", results);
  lab.write("ops/toys/toy/README.md",
            "# Toy\n<!-- results:BEGIN toy -->\nwhat stood here\n<!-- results:END -->\nafter\n");
  const Said s = lab.run({"tables"});
  ASSERT_EQ(s.status, 0) << s.err;
  const std::string page = lab.read("ops/toys/toy/README.md");
  EXPECT_TRUE(page.starts_with("# Toy\n<!-- results:BEGIN toy -->\n| percent")) << page;
  EXPECT_TRUE(page.ends_with("</sub>\n<!-- results:END -->\nafter\n")) << page;
  EXPECT_TRUE(holds(page, "| big<br>f32 | odd<br>bf16 |")) << page;
  EXPECT_TRUE(holds(page, "| 01_slow | 25.0 | **<0.1** |")) << page;
  EXPECT_TRUE(holds(page, "| 02_fast | **98.7** | – |")) << page;
  EXPECT_TRUE(holds(page, "| vendor (peer) | 49.0 | <0.1 |")) << page;
  EXPECT_TRUE(holds(page, "| 50.0 us | 2.00 ms |")) << page;
  EXPECT_TRUE(holds(page, "| 2.00× | 0.80× |")) << page;
  EXPECT_TRUE(holds(page, "| *scratch memory of the best* | 2101 MB | – |")) << page;
  EXPECT_TRUE(holds(
      page, "NVIDIA FAKE100, 2026-01-02, commit abc123: [fake100.json](results/fake100.json)"))
      << page;
  EXPECT_TRUE(holds(page, "(../../../docs/measuring.md#the-tables)")) << page;
  EXPECT_TRUE(holds(page, "2.500 TB/s by a copy kernel")) << page;
  EXPECT_TRUE(holds(page, "Method: a clock")) << page;
  EXPECT_FALSE(holds(page, "what stood here")) << page;
}

TEST(Tables, ProgramsSayWhatTheyShowAndMeasurementsAreQuoted) {
  const Lab lab;
  lab.write("tests/programs/b.cu", "// Shows b | more\n// of it. Not this.\nint main() {}\n");
  lab.write("tests/programs/a.cu", "// Shows a\n");
  lab.write(
      "tests/speed.json",
      R"({"columns": ["kernel", "times"], "rows": [["sum", 7.318], ["max", 220.4]], "note": "here"})");
  lab.write("docs/page.md",
            "<!-- programs:BEGIN ../tests/programs -->\n<!-- programs:END -->\n"
            "<!-- measured:BEGIN ../tests/speed.json -->\n<!-- measured:END -->\n");
  const Said s = lab.run({"tables"});
  ASSERT_EQ(s.status, 0) << s.err;
  const std::string page = lab.read("docs/page.md");
  EXPECT_TRUE(holds(page,
                    "| [a](../tests/programs/a.cu) | Shows a |\n"
                    "| [b](../tests/programs/b.cu) | Shows b \\| more of it. |\n"))
      << page;
  EXPECT_TRUE(holds(page, "| sum | 7.32 |\n| max | 220 |\n\n<sub>here</sub>\n")) << page;

  lab.write("tests/programs/c.cu", "int main() {}\n");
  const Said silent = lab.run({"tables"});
  EXPECT_EQ(silent.status, 2);
  EXPECT_TRUE(holds(silent.err, "docs/page.md:1: c.cu does not begin with a comment"))
      << silent.err;
}

TEST(Tables, TheBestOfEachOpOnThePageOfItsFamily) {
  const Lab lab;
  lab.write("ops/toys/toy/results/fake100.json", results);
  lab.write("ops/toys/README.md", "<!-- results:BEGIN family -->\n<!-- results:END -->\n");
  ASSERT_EQ(lab.run({"tables"}).status, 0);
  const std::string page = lab.read("ops/toys/README.md");
  EXPECT_TRUE(holds(page,
                    "| [toy](toy/README.md) | 01_slow, 02_fast | <0.1% (odd bf16) to 98.7% | "
                    "vendor: 0.80× (odd bf16) to 2.00× | NVIDIA FAKE100, "
                    "[2026-01-02](toy/results/fake100.json) |"))
      << page;
}

TEST(Tables, OneRowPerFamilyOnTheFrontPage) {
  const Lab lab;
  lab.write("ops/toys/toy/results/fake100.json", results);
  lab.write("README.md",
            "<!-- results:BEGIN families -->\n<!-- results:END -->\n"
            "<!-- order:BEGIN -->\n<!-- order:END -->\n");
  ASSERT_EQ(lab.run({"tables"}).status, 0);
  const std::string page = lab.read("README.md");
  EXPECT_TRUE(holds(page,
                    "| [toys](ops/toys/README.md) | 2 | <0.1% (toy, odd bf16) to 98.7% | "
                    "0.80× (toy, odd bf16) to 2.00× | NVIDIA FAKE100 |"))
      << page;
  EXPECT_TRUE(holds(page, "1. [toys](ops/toys/README.md): [toy](ops/toys/toy/README.md)\n"))
      << page;
}

TEST(Tables, WithoutAResultFileThePageSaysHowToGetOne) {
  const Lab lab;
  lab.write("ops/toys/toy/README.md", "<!-- results:BEGIN toy_gather -->\n<!-- results:END -->\n");
  lab.write("ops/toys/README.md", "<!-- results:BEGIN family -->\n<!-- results:END -->\n");
  ASSERT_EQ(lab.run({"tables"}).status, 0);
  EXPECT_TRUE(holds(lab.read("ops/toys/toy/README.md"),
                    "no result file yet: run `./warpath bench toy --save` on a GPU\n"));
  EXPECT_TRUE(holds(lab.read("ops/toys/README.md"), "`./warpath bench toys/ --save`"));
}

TEST(Tables, CheckSaysWhatIsStaleAndWritesNothing) {
  const Lab lab;
  lab.write("ops/toys/toy/README.md", "<!-- results:BEGIN toy -->\n<!-- results:END -->\n");
  const Said stale = lab.run({"tables", "--check"});
  EXPECT_EQ(stale.status, 1);
  EXPECT_TRUE(holds(stale.out, "stale ops/toys/toy/README.md")) << stale.out;
  EXPECT_FALSE(holds(lab.read("ops/toys/toy/README.md"), "no result file yet"));
  ASSERT_EQ(lab.run({"tables"}).status, 0);
  EXPECT_EQ(lab.run({"tables", "--check"}).status, 0);
  const Said said = lab.run({"tables", "--check", "--json"});
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.json()["pages"][0]["file"], "ops/toys/toy/README.md");
  EXPECT_EQ(said.json()["pages"][0]["stale"], false);
}

TEST(Tables, CodeIsQuotedByTheNameOfItsFunction) {
  const Lab lab;
  lab.write("ops/toys/toy/01_twice.cu", rung);
  lab.write("ops/toys/toy/special.cu",
            "template <>\nstruct warpath::toy::Packed<int> {\n  int words;\n};\n");
  lab.write("ops/toys/toy/README.md",
            "<!-- code:BEGIN 01_twice.cu twice -->\n<!-- code:END -->\n"
            "<!-- code:BEGIN 01_twice.cu twice | for ( | y[k] -->\n<!-- code:END -->\n"
            "<!-- code:BEGIN 01_twice.cu Pair -->\n<!-- code:END -->\n"
            "<!-- code:BEGIN special.cu Packed -->\n<!-- code:END -->\n"
            "    <!-- code:BEGIN nowhere.cu shown in a text -->\n");
  const Said s = lab.run({"tables", "toy"});
  ASSERT_EQ(s.status, 0) << s.err;
  const std::string page = lab.read("ops/toys/toy/README.md");
  EXPECT_TRUE(holds(page,
                    "```cuda\ntemplate <class T>\n__global__ void __launch_bounds__(threads)\n"
                    "    twice(const T* x, T* y) {\n#pragma unroll\n"))
      << page;
  EXPECT_TRUE(holds(page, "    y[k] = 2 * x[k];\n  }\n}\n```\n")) << page;
  EXPECT_TRUE(holds(page, "```cuda\nfor (int k = 0; k < 4; ++k) {\n  y[k] = 2 * x[k];\n```\n"))
      << page;
  EXPECT_TRUE(holds(page, "```cuda\nstruct Pair {\n  int a, b;\n};\n```\n")) << page;
  EXPECT_TRUE(holds(page, "struct warpath::toy::Packed<int> {\n  int words;\n};\n```\n")) << page;

  std::string changed = rung;
  changed.replace(changed.find("2 * x"), 5, "3 * x");
  lab.write("ops/toys/toy/01_twice.cu", changed);
  EXPECT_EQ(lab.run({"tables", "--check"}).status, 1) << "the quoted code has changed";
}

TEST(Tables, AWrongPageIsNamedWithItsLine) {
  const Lab lab;
  lab.write("ops/toys/toy/01_twice.cu", rung);
  const auto refused = [&](const std::string& page, const std::string& why) {
    lab.write("ops/toys/toy/README.md", page);
    const Said s = lab.run({"tables"});
    EXPECT_EQ(s.status, 2);
    EXPECT_TRUE(holds(s.err, why)) << s.err;
    EXPECT_EQ(lab.read("ops/toys/toy/README.md"), page) << "left alone";
  };
  refused("\n<!-- results:BEGIN toy -->\n", "ops/toys/toy/README.md:2: the block has no");
  refused(
      "<!-- code:BEGIN 01_twice.cu twice -->\n<!-- results:BEGIN toy -->\n<!-- results:END -->\n",
      "ops/toys/toy/README.md:1: the block has no '<!-- code:END -->'");
  refused("<!-- code:BEGIN 01_twice.cu thrice -->\n<!-- code:END -->\n", "no such function");
  refused("<!-- code:BEGIN 02_gone.cu twice -->\n<!-- code:END -->\n", "cannot be read");
  refused("<!-- code:BEGIN 01_twice.cu -->\n<!-- code:END -->\n", "'FILE NAME'");
  refused("<!-- code:BEGIN 01_twice.cu twice | while | x -->\n<!-- code:END -->\n",
          "no line holds 'while'");
}

TEST(Tables, AnUnknownOpGetsTheNearest) {
  const Said s = Lab().run({"tables", "tpy"});
  EXPECT_EQ(s.status, 2);
  EXPECT_TRUE(holds(s.err, "did you mean 'toy'?")) << s.err;
}

TEST(Tables, ABrokenResultFileIsNamed) {
  const Lab lab;
  lab.write("ops/toys/toy/results/fake100.json", "{");
  lab.write("ops/toys/toy/README.md", "<!-- results:BEGIN toy -->\n<!-- results:END -->\n");
  const Said s = lab.run({"tables"});
  EXPECT_EQ(s.status, 2);
  EXPECT_TRUE(holds(s.err, "fake100.json: not valid JSON")) << s.err;
}

TEST(Tables, BenchSaveRefreshesThem) {
  const Lab lab("gpu");
  lab.write("ops/toys/toy/README.md", "<!-- results:BEGIN toy -->\n<!-- results:END -->\n");
  const Said s = lab.run({"bench", "toy", "--save"});
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  EXPECT_TRUE(holds(s.out, "ops/toys/toy/README.md")) << s.out;
  EXPECT_TRUE(holds(lab.read("ops/toys/toy/README.md"), "vendor (peer)"));
  EXPECT_EQ(lab.run({"tables", "--check"}).status, 0);
}

TEST(Tables, ABrokenPageDoesNotCostTheMeasurement) {
  const Lab lab("gpu");
  lab.write("ops/toys/toy/README.md", "<!-- results:BEGIN toy -->\n");
  const Said s = lab.run({"bench", "toy", "--save"});
  EXPECT_EQ(s.status, 0) << s.err;
  EXPECT_TRUE(holds(s.err, "ops/toys/toy/README.md:1")) << s.err;
  EXPECT_TRUE(holds(lab.read("ops/toys/toy/results/fake100.json"), "\"records\""));
}

}  // namespace
