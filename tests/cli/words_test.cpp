// Wrong words get one helpful line and exit status 2; right ones the promised status.
#include <gtest/gtest.h>

#include "command.h"

using warpath::testing::expect_refusal;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

TEST(Words, AWrongOpSuggestsTheNearest) {
  const Lab lab;
  for (const char* command : {"run", "check", "ops"})
    expect_refusal(lab.run({command, "toyy"}), "no op or family 'toyy'; did you mean 'toy'?");
  expect_refusal(lab.run({"check", "toy_gathr"}), "did you mean 'toy_gather'?");
  expect_refusal(lab.run({"check", "xylophone"}), "there are: toy, toy_gather, toys, unruly");
}

TEST(Words, WhatSharesNoLetterIsNotSuggested) {
  const Lab lab;
  expect_refusal(lab.run({"check", ""}), "no op or family ''; there are: ");
  expect_refusal(lab.run({"check", "if"}), "no op or family 'if'; there are: ");
}

TEST(Words, AFileThatIsNoKernelIsNoMisspeltOp) {
  const Lab lab;
  lab.write("notes.md", "");
  expect_refusal(lab.run({"check", "notes.md"}), "'notes.md' is no op, and no file with kernels");
}

// The launcher asks so before it builds the kernels: what is wrong with the words is said, and nothing is run.
TEST(Words, ALookRefusesAndRunsNothing) {
  Lab lab;
  lab.set("WARPATH_LOOK", "1");
  expect_refusal(lab.run({"check", "toy", "--sanitise"}), "did you mean '--sanitize'?");
  expect_refusal(lab.run({"check", "toy", "kernel.cu"}), "no file 'kernel.cu'");
  expect_refusal(lab.run({"run", "kernel.cu"}), "no file 'kernel.cu'");
  expect_refusal(lab.run({"train", "--steps", "0"}), "whole number from 1 on");
  expect_refusal(lab.run({"generate", "--adapter", "lora"}),
                 "--adapter lora needs the model that it was trained beside");
  expect_refusal(lab.run({"generate", "--model", "none"}), "none: no config.json there");
  expect_refusal(lab.run({"generate", "--top-p", "3"}), "--top-p: more than 0, at most 1");
  expect_refusal(lab.run({"train", "--resume"}), "--resume needs the --out");
  expect_refusal(lab.run({"train", "--data", "none.txt"}), "none.txt: no such file or folder");
  for (const char* command : {"check", "run"}) {
    const Said s = lab.run({command, "toy"});
    EXPECT_EQ(s.status, 0) << s.err;
    EXPECT_EQ(s.out + s.err, "") << command;
  }
}

TEST(Words, AnOpThatIsNotBuiltIsSaidToBe) {
  const Lab lab;
  lab.write("ops/stencils/conv/conv.h", "");
  expect_refusal(lab.run({"check", "conv"}), "op 'conv' is not built for simt");
  expect_refusal(lab.run({"ops", "conv"}), "op 'conv' is not built");
}

TEST(Words, ANumberOutsideItsRangeIsToldTheRange) {
  const Lab lab;
  expect_refusal(lab.run({"check", "toy", "--launches", "-1"}),
                 "--launches: '-1' is no whole number from 0 on");
  expect_refusal(lab.run({"check", "toy", "--launches", "2.5"}), "'2.5' is no whole number");
  for (const char* flag : {"--steps", "--batch", "--sequence", "--accumulate", "--rank"})
    expect_refusal(lab.run({"train", flag, "0"}),
                   std::string(flag) + ": '0' is no whole number from 1 on");
  expect_refusal(lab.run({"train", "--rate", "-1"}), "--rate: '-1' is no number from 0 on");
  for (const char* seed : {"-1", "abc", "1.5", "99999999999999999999"})
    expect_refusal(lab.run({"check", "toy", "--seed", seed}),
                   "--seed: '" + std::string(seed) + "' is no whole number from 0 on");
}

TEST(Words, XrayOfAWrongOpSuggestsTheNearest) {
  const Lab lab;
  expect_refusal(lab.run({"xray", "toyy"}), "no op 'toyy'; did you mean 'toy'?");
  expect_refusal(lab.run({"xray", "toy"}), "which rung of toy?");
}

TEST(Words, AFamilyIsTakenWhereAnOpIs) {
  const Lab lab;
  const auto ops_of = [&](const Said& s) {
    std::vector<std::string> ops;
    const auto told = s.json();
    for (const auto& op : told["ops"]) ops.push_back(op["op"]);
    return ops;
  };
  using Names = std::vector<std::string>;
  for (const char* family : {"toys", "toys/"})
    EXPECT_EQ(ops_of(lab.run({"check", family, "--json"})), (Names{"toy", "toy_gather"})) << family;
  EXPECT_EQ(ops_of(lab.run({"check", "toys/toy_gather", "--json"})), Names{"toy_gather"});
  // Where an op has the name of its family, the bare word means the op, and with a slash the
  // family.
  const Lab both;
  both.write("ops/toy/unruly/unruly.h", "op = \"unruly\"");
  EXPECT_EQ(ops_of(both.run({"check", "toy", "--rung", "01_good", "--json"})), Names{"toy"});
  EXPECT_EQ(ops_of(both.run({"check", "toy/", "--rung", "honest", "--json"})), Names{"unruly"});
  expect_refusal(lab.run({"check", "toyz/toy"}), "no op or family 'toyz/toy'");
}

TEST(Words, WhyARungIsChosen) {
  const Lab lab;
  const Said even = lab.run({"ops", "toy", "--why", "5x8", "--dtype", "f32", "--json"});
  ASSERT_EQ(even.status, 0) << even.err;
  EXPECT_EQ(even.json()["ops"][0]["chosen"], "04_cluster_sm90");
  const auto odd = lab.run({"ops", "toy", "--why", "rows=5,cols=7", "--json"}).json()["ops"][0];
  for (const auto& r : odd["rungs"])
    if (r["name"] == "03_even") {
      EXPECT_EQ(r["verdict"], "cannot");
      EXPECT_EQ(r["reason"], "needs an even number of columns");
    }
  EXPECT_NE(lab.run({"ops", "toy", "--why", "5x8"}).out.find("chosen"), std::string::npos);
  expect_refusal(lab.run({"ops", "toy", "--why", "5x8x9"}), "toy takes rowsxcols");
  expect_refusal(lab.run({"ops", "toy", "--why", "rows=5"}), "no size for 'cols'");
  expect_refusal(lab.run({"ops", "toy", "--why", "5x8,colums=3"}), "did you mean 'cols'?");
  expect_refusal(lab.run({"ops", "--why", "5x8"}), "about one op");
}

TEST(Words, ListsOfTensors) {
  const Lab lab("lists");
  lab.write("ops/toys/toy_lists/toy_lists.h", "op = \"toy_lists\"");
  const auto op = lab.run({"ops", "toy_lists", "--json"}).json()["ops"][0];
  EXPECT_EQ(op["args"][0]["shape"], "list of tensors");
  EXPECT_EQ(op["cases"][2]["lists"]["tensors"], (std::vector<int>{3, 0, 100, 17}));
  EXPECT_EQ(op["cases"][2]["what"], "4 tensors of 0 to 100, offset 1");
  const Said s = lab.run({"ops", "toy_lists", "--why", "tensors=5+8,without=extra", "--json"});
  ASSERT_EQ(s.status, 0) << s.err;
  EXPECT_EQ(s.json()["ops"][0]["call"], "2 tensors of 5 to 8, no extra");
  expect_refusal(lab.run({"ops", "toy_lists", "--why", "5"}), "takes tensors=768+2304+768");
  expect_refusal(lab.run({"ops", "toy_lists", "--why", "without=extra"}),
                 "no sizes for the list 'tensors'");
}

TEST(Words, EveryCommandIsInTheHelp) {
  const Lab lab;
  const Said s = lab.run({"--help"});
  EXPECT_EQ(s.status, 0);
  for (const char* command : {"doctor", "days", "day", "done", "ops", "run", "check", "bench",
                              "tables", "cc", "debug", "test", "python", "compare", "format"})
    EXPECT_NE(s.out.find(std::string("  ") + command + " "), std::string::npos) << command;
  expect_refusal(lab.run({"tset"}), "did you mean 'test'?");
  expect_refusal(lab.run({"test", "softmax"}), "type ./warpath test");
}

TEST(Words, AnUnknownDtypeListsThoseThereAre) {
  const Lab lab;
  expect_refusal(lab.run({"check", "toy", "--dtype", "f8"}),
                 "no dtype 'f8' here; there are: f32, i32");
  expect_refusal(lab.run({"run", "toy", "--dtype", "bf16"}), "there are: f32, i32");
}

TEST(Words, UnknownRungsAndCases) {
  const Lab lab;
  expect_refusal(lab.run({"check", "toy", "--rung", "01_god"}), "did you mean '01_good'?");
  expect_refusal(lab.run({"check", "toy", "--rung", "0"}),
                 "rung '0' may be any of: 01_good, 02_scratch");
  expect_refusal(lab.run({"check", "toy", "--case", "oddd"}), "did you mean 'odd'?");
  expect_refusal(lab.run({"check", "toy", "--case", "zzz"}), "there are: one, empty, odd");
}

TEST(Words, UnknownBackendsAndMissingOnes) {
  const Lab lab;
  expect_refusal(lab.run({"check", "toy", "--backend", "metal"}), "no backend 'metal'");
  expect_refusal(lab.run({"check", "toy", "--backend", "cuda"}), "device_cuda.so is not built");
}

TEST(Words, WrongCommandsAndFlags) {
  const Lab lab;
  expect_refusal(lab.run({"chekc"}), "no command 'chekc'; did you mean 'check'?");
  expect_refusal(lab.run({"check"}), "needs ops, families");
  expect_refusal(lab.run({"check", "toy", "--frobnicate"}), "see --help");
  expect_refusal(lab.run({"check", "toy", "--timeout", "-3"}), "see --help");
  expect_refusal(lab.run({"check", "no_such_file.cu"}), "no file 'no_such_file.cu'");
  expect_refusal(lab.run({"check", "toy", "--sanitise"}),
                 "no option '--sanitise'; did you mean '--sanitize'?");
  expect_refusal(lab.run({"debug", "tooy/01"}), "no op 'tooy'; did you mean 'toy'?");
  expect_refusal(lab.run({"debug", "nothing"}), "no op, file or program 'nothing'");
  expect_refusal(lab.run({"check", "foo"}),
                 "no op or family 'foo'; there are: ");  // near 'toy' by one letter
  lab.write("kernel.cu", "");
  expect_refusal(lab.run({"check", "toy", "kernal.cu"}),
                 "no file 'kernal.cu'; did you mean 'kernel.cu'?");
}

// The commands of exercises, given a file that is none of theirs.
TEST(Words, AFileThatIsNoExerciseIsSaidToBeNone) {
  const Lab lab;
  lab.write("mine.cu", "");
  for (const char* command : {"start", "watch", "hint", "solution", "grade"}) {
    expect_refusal(lab.run({command, "no_such.cu"}), "no file 'no_such.cu'");
    expect_refusal(lab.run({command, "mine.cu"}), "'mine.cu' is no file of an exercise");
  }
}

TEST(Words, TimesNeedAGpu) {
  const Lab lab;
  expect_refusal(lab.run({"bench", "toy"}), "times need an NVIDIA GPU");
}

TEST(Words, TheStartOfANameIsEnough) {
  const Lab lab;
  const Said s = lab.run({"check", "toy", "--rung", "01", "--case", "tri", "--dtype", "f32"});
  EXPECT_EQ(s.status, 0) << s.err;
  EXPECT_NE(s.out.find("01_good"), std::string::npos);
  EXPECT_EQ(s.out.find("02_scratch"), std::string::npos);
  EXPECT_NE(s.out.find("1/1"), std::string::npos);
}

TEST(Words, ExitStatusSaysWhetherAllPassed) {
  const Lab lab;
  EXPECT_EQ(lab.run({"check", "toy"}).status, 0);
  const Said s = lab.run({"check", "unruly", "--timeout", "0.3"});
  EXPECT_EQ(s.status, 1);
  EXPECT_NE(s.out.find("crashed: segmentation fault"), std::string::npos);
  EXPECT_NE(s.out.find("about to crash"), std::string::npos);
  EXPECT_NE(s.out.find("no answer within 0.3 s"), std::string::npos);
  EXPECT_EQ(lab.run({"run", "unruly", "--rung", "honest"}).status, 0);
}

TEST(Words, AFailureIsFollowedByTheCommandThatShowsIt) {
  const Lab lab;
  const Said s = lab.run({"run", "unruly", "--rung", "zero"});
  EXPECT_EQ(s.status, 1);
  EXPECT_NE(s.out.find("next: ./warpath check unruly --rung zero --case 'small' --dtype f32 -v"),
            std::string::npos)
      << s.out;
  const Said checked = lab.run({"check", "unruly", "--rung", "zero"});
  EXPECT_NE(checked.out.find(
                "next: ./warpath check unruly --rung zero --sanitize --case 'small' watches"),
            std::string::npos)
      << checked.out;
  const Said endless = lab.run({"check", "unruly", "--rung", "hang", "--timeout", "0.2"});
  EXPECT_EQ(endless.out.find("next:"), std::string::npos) << endless.out;
}

// The lesson names a file that a reader can change; without one it is the first rung.
TEST(Words, ARunEndsWithARungToChange) {
  const Lab lab;
  EXPECT_NE(lab.run({"run", "toy"}).out.find("next: copy ops/toys/toy/01_good.cu to mine.cu"),
            std::string::npos);
  lab.write("ops/toys/toy/README.md", "Try:\n\n    cp ops/toys/toy/03_even.cu mine.cu\n");
  EXPECT_NE(lab.run({"run", "toy"}).out.find("next: copy ops/toys/toy/03_even.cu to mine.cu"),
            std::string::npos);
}

TEST(Words, WrongKernelsMustBeRejected) {
  const Lab strict("cpu"), lax("lax");
  const Said good = strict.run({"check", "toy", "--wrong"});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("did not write y[0,0]"), std::string::npos);
  const Said bad = lax.run({"check", "toy", "--wrong"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.out.find("wrong/right ACCEPTED"), std::string::npos) << bad.out;
}

TEST(Words, WithoutForkTheVerdictsAreTheSame) {
  const Lab lab;
  EXPECT_EQ(lab.run({"check", "toy", "--no-fork"}).status, 0);
  const Said s = lab.run({"check", "unruly", "--no-fork", "--rung", "past_end"});
  EXPECT_EQ(s.status, 1) << s.err;
  EXPECT_NE(s.out.find("wrote past the end of y"), std::string::npos) << s.out;
  EXPECT_EQ(lab.run({"check", "unruly", "--no-fork", "--rung", "exit"}).status, 3)
      << "it is this process";
}

TEST(Words, HelpHasExamples) {
  const Lab lab;
  for (const char* command : {"doctor", "days", "day", "done", "ops", "run", "check", "bench"}) {
    const Said s = lab.run({command, "--help"});
    EXPECT_EQ(s.status, 0);
    EXPECT_NE(s.out.find("Examples:"), std::string::npos) << command;
    EXPECT_EQ(s.out.find("{false}"), std::string::npos) << s.out;
  }
  EXPECT_NE(lab.run({"check", "--help"}).out.find("default 60 on a CPU, 30 on a GPU"),
            std::string::npos);
  EXPECT_EQ(lab.run({"--help"}).status, 0);
}

// CLI11 from 2.4 on takes an argument `x` and an option `--x` for one and the same, and no command would start.
TEST(Words, NoArgumentHasTheNameOfAnOption) {
  const Lab lab;
  for (const char* command :
       {"doctor", "days", "day", "start", "watch", "hint", "solution", "grade", "done", "ops",
        "run", "check", "bench", "xray", "profile", "tables"}) {
    const Said s = lab.run({command, "--help"});
    ASSERT_EQ(s.status, 0) << command;
    std::istringstream lines(s.out);
    bool arguments = false;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ")) arguments = line.starts_with("Positionals");
      if (!arguments || !line.starts_with("  ")) continue;
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_EQ(s.out.find("  --" + name + " "), std::string::npos) << command << " " << name;
    }
  }
}

// A page of libraries that are all in order says nothing.
TEST(Words, TheDoctorCountsTheLibrariesThatOpen) {
  const Lab lab;
  const Said s = lab.run({"doctor"});
  EXPECT_NE(s.out.find("OP_simt.so"), std::string::npos) << s.out;
  EXPECT_EQ(s.out.find("toy_simt.so"), std::string::npos) << s.out;
}

TEST(Words, SanitizeSaysWhatItNeeds) {
  const Lab lab;
  lab.write("ops/toys/toy/toy.h", "");
  const Said gpu = lab.run({"check", "toy", "--sanitize", "--backend", "cuda"});
  EXPECT_EQ(gpu.status, 2);
  EXPECT_NE(gpu.err.find("on a GPU: compute-sanitizer"), std::string::npos) << gpu.err;
  const Said not_built = lab.run({"check", "toy", "--sanitize"});
  EXPECT_EQ(not_built.status, 2);
  EXPECT_NE(not_built.err.find("`./warpath check toy --sanitize` builds it"), std::string::npos)
      << not_built.err;
}

TEST(Words, NoColourOutsideATerminal) {
  const Lab lab;
  EXPECT_EQ(lab.run({"check", "toy"}).out.find('\033'), std::string::npos);
}

TEST(Words, TheTourShowsALadderAndWhatToTry) {
  const Lab lab;
  const Said s = lab.run({});
  EXPECT_TRUE(s.status == 0 || s.status == 1) << s.err;
  EXPECT_NE(s.out.find("Try next:"), std::string::npos);
  // It ends where a learner begins.
  EXPECT_NE(s.out.find("./warpath days\n", s.out.find("Try next:")), std::string::npos) << s.out;
  EXPECT_NE(s.out.find("./warpath day A1\n", s.out.find("./warpath days\n")), std::string::npos);
}

}  // namespace
