#include "driver/options.h"

#include <gtest/gtest.h>

#include "messages/linker.h"

namespace simt::cc {
namespace {

TEST(Options, NvccHabits) {
  const Options o =
      parse_options({"-arch=sm_90", "-O3", "--expt-relaxed-constexpr", "-Xcompiler", "-fPIC,-Wall",
                     "-gencode", "arch=compute_90,code=sm_90", "a.cu", "-lcudart", "-lm", "-o", "a",
                     "-Iinc", "-D", "X=1", "-lineinfo", "-std=c++20"});
  EXPECT_EQ(o.inputs, (std::vector<std::string>{"a.cu", "-lm"}));
  EXPECT_EQ(o.output, "a");
  EXPECT_EQ(o.compile, (std::vector<std::string>{"-O3", "-fPIC", "-Wall"}));
  EXPECT_EQ(o.preprocess, (std::vector<std::string>{"-I", "inc", "-D", "X=1"}));
  EXPECT_EQ(o.standard, "c++20");
  EXPECT_TRUE(o.optimised);
  EXPECT_EQ(o.stage, Stage::link);
}

TEST(Options, CompileWithDependencies) {
  const Options o =
      parse_options({"-MD", "-MT", "x.o", "-MF", "x.o.d", "-x", "cu", "-c", "x.cu", "-o", "x.o"});
  EXPECT_EQ(o.stage, Stage::compile);
  EXPECT_TRUE(o.dependencies);
  EXPECT_EQ(o.dependency_file, "x.o.d");
  EXPECT_EQ(o.dependency_targets, (std::vector<std::string>{"x.o"}));
  EXPECT_TRUE(o.all_cuda);
}

TEST(Options, Split) {
  EXPECT_TRUE(parse_options({"a.cu"}).split);
  EXPECT_FALSE(parse_options({"--no-split", "a.cu"}).split);
}

TEST(Options, ValuesJoinedOrApart) {
  EXPECT_EQ(parse_options({"-O", "1", "a.cu"}).compile, (std::vector<std::string>{"-O1"}));
  EXPECT_EQ(parse_options({"-rdc=true", "a.cu"}).inputs.size(), 1u);
  EXPECT_EQ(parse_options({"-rdc", "true", "a.cu"}).inputs, (std::vector<std::string>{"a.cu"}));
  EXPECT_EQ(parse_options({"--threads", "4", "a.cu"}).inputs.size(), 1u);
}

TEST(Options, WhatMakefilesSay) {
  const Options o =
      parse_options({"-Xcompiler", "-O3 -Wall", "-O", "-Werror", "all-warnings", "-time", "t.csv",
                     "-clean", "-lcudart_static", "-lculibos", "-lcublas_static", "-lcusparse",
                     "-lnvToolsExt", "-lz", "-Xarch_host", "-g1", "-odir", "obj", "a.cu"});
  EXPECT_EQ(o.compile, (std::vector<std::string>{"-O3", "-Wall", "-O", "-g1"}));
  EXPECT_EQ(o.inputs, (std::vector<std::string>{"-lz", "a.cu"}));
  EXPECT_EQ(o.output_folder, "obj");
  EXPECT_TRUE(o.cublas);
  EXPECT_TRUE(parse_options({"--run", "a.cu"}).run);
  EXPECT_EQ(parse_options({"-lib", "a.o"}).stage, Stage::archive);
  EXPECT_EQ(parse_options({"-dlink", "a.o"}).stage, Stage::device_link);
  EXPECT_THROW(parse_options({"-ptx", "a.cu"}), UsageError);
}

TEST(Options, UnknownIsNamed) {
  try {
    parse_options({"--foo"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown option '--foo'; see --help");
  }
  EXPECT_THROW(parse_options({"-o"}), UsageError);
}

TEST(Options, MisspeltIsFound) {
  const auto said = [](const char* word) -> std::string {
    try {
      parse_options({word, "a.cu"});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("--chek"), "unknown option '--chek'; did you mean '--check'?");
  EXPECT_EQ(said("--timout=3"), "unknown option '--timout=3'; did you mean '--timeout'?");
  EXPECT_EQ(said("--check=rcae"), "there is no check 'rcae'; did you mean 'race'?");
}

// GNU ld about clang's line tables, in the middle of its own message.
TEST(LinkMessages, WithoutDwarfErrors) {
  const std::string noise =
      "/usr/bin/ld: DWARF error: mangled line number section (bad file number)\n";
  const std::string raw =
      noise +
      "/usr/bin/ld: /tmp/b.o: in function `twice(int)':\n/tmp/b.o:/home/two.cu:2: multiple "
      "definition of `twice(int)'; " +
      noise + "/tmp/a.o:/home/one.cu:1: first defined here\n" + noise;
  EXPECT_EQ(readable_link_messages(raw, {{"/tmp/a.o", "one.cu"}, {"/tmp/b.o", "two.cu"}}, "/home"),
            "two.cu:2: error: multiple definition of 'twice(int)'; one.cu:1: first defined here\n");
}

}  // namespace
}  // namespace simt::cc
