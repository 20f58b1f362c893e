// A learner's file that is just a kernel: matched with an op, launched, checked by the real backend of this CPU.
#pragma once
#include <gtest/gtest.h>

#include "command.h"

namespace warpath::testing {

namespace fs = std::filesystem;

class PlainKernel : public ::testing::Test {
 protected:
  PlainKernel() : lab(WARPATH_LIBRARIES) {
    fs::remove_all(lab.home() / "ops");
    for (const char* part : {"core", "ops"})
      fs::create_directory_symlink(fs::path(WARPATH_TREE) / part, lab.home() / part);
  }

  Said check(const std::string& text, std::vector<std::string> words) const {
    lab.write("mine.cu", text);
    words.insert(words.begin(), "check");
    for (const char* word : {"mine.cu", "--backend", "simt"}) words.emplace_back(word);
    return lab.run(words);
  }

  // One line that says all of these, and no kernel is compiled.
  void expect_refused(const Said& s, const std::vector<std::string>& parts) const {
    EXPECT_EQ(s.status, 2) << s.out;
    EXPECT_EQ(std::count(s.err.begin(), s.err.end(), '\n'), 1) << s.err;
    for (const std::string& part : parts) EXPECT_NE(s.err.find(part), std::string::npos) << s.err;
  }

  Lab lab;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline constexpr const char* add =
    R"(__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

inline constexpr const char* row_sums = R"(#define N 4
__global__ void row_sums(const float* data, float* out, int h, int w) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= h) return;
  double sum = 0;
  for (int i = 0; i < w; ++i) sum += data[r * w + i];
  out[r] = sum;
}
int main() { row_sums<<<1, N>>>(nullptr, nullptr, 0, 0); }
)";

}  // namespace warpath::testing
