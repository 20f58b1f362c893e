// Which argument of an op each parameter of a plain kernel is.
#include "plain_kernel.h"

using warpath::testing::add;
using warpath::testing::has;
using warpath::testing::PlainKernel;
using warpath::testing::row_sums;
using warpath::testing::Said;

namespace {

TEST_F(PlainKernel, IsMatchedByOrderAndByOtherNamesOfSizes) {
  const Said s =
      check(row_sums, {"reduce", "--case", "sum rows", "--case", "max rows", "--dtype", "f32"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "row_sums(data = x, out = y, h = rows, w = cols)")) << s.out;
  EXPECT_TRUE(has(s.out, "only kind = sum: the kernel takes no kind")) << s.out;
}

// An op that may work in place has kernels with one pointer.
TEST_F(PlainKernel, InPlaceBeginsWithACopyOfTheInput) {
  const std::string head =
      "__global__ void relu_kernel(float* data, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const Said s = check(
      head + "  if (i < n && !(data[i] > 0 || data[i] != data[i])) data[i] = 0;\n}\n", {"relu"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "data = y beginning as x, n")) << s.out;
  const Said wrong =
      check(head + "  if (i < n) data[i] = fabsf(data[i]);\n}\n", {"relu", "--case", "prime"});
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
}

// `out` before `in`, as textbooks have it; and an int* is no tensor of floats.
TEST_F(PlainKernel, NamesOfResultsAndTypesGoBeforeTheOrder) {
  const Said s = check(R"(__global__ void turn(float* Pout, float* Pin, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) Pout[i % cols * rows + i / cols] = Pin[i];
}
)",
                       {"transpose", "--case", "prime"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "Pout = y, Pin = x")) << s.out;
  expect_refused(check("__global__ void histogram(int* input, int* bins, int n, int num_bins) {}\n",
                       {"histogram"}),
                 {"takes no edges", "edges=none in the comment"});
}

// The mean that a gradient needs is no part of what most people write: every case is run without it.
TEST_F(PlainKernel, WithoutOptionalResultsTakesTheCasesWithoutThem) {
  const Said s = check(
      R"(__global__ void norm(const float* x, const float* gamma, const float* beta, float* out, int rows, int cols, float eps) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + (long long)r * cols;
  double mean = 0, variance = 0;
  for (int i = 0; i < cols; ++i) mean += row[i];
  mean /= cols;
  for (int i = 0; i < cols; ++i) variance += (row[i] - mean) * (row[i] - mean);
  const double scale = 1 / sqrt(variance / cols + eps);
  for (int i = 0; i < cols; ++i) out[(long long)r * cols + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
)",
      {"layer_norm", "--dtype", "f32", "--json"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_GT(s.json()["ops"][0]["rungs"][0]["passed"], 8) << s.out;
}

TEST_F(PlainKernel, WithoutAParameterForRowsTakesOneRow) {
  const Said s = check(R"(template <typename T>
__global__ void reduce(T* x, T* y, int n) {
  if (threadIdx.x + blockIdx.x > 0) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  *y = sum;
}
)",
                       {"--case", "sum warp+1", "--case", "sum short rows"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "reduce<float>(x, y, n = cols)")) << s.out;
  EXPECT_TRUE(has(s.out, "1/1")) << s.out;
  EXPECT_TRUE(has(s.out, "only rows = 1: the kernel takes no rows")) << s.out;
}

TEST_F(PlainKernel, IsMatchedByAComment) {
  const std::string kernel = R"(
// warpath: reduce(cols, y=0, x, rows*cols) <<<rows, 64>>>
__global__ void sums(int len, float* to, const float* from, int total) {
  for (int i = threadIdx.x; i < len; i += blockDim.x)
    if (blockIdx.x * len + i < total) atomicAdd(&to[blockIdx.x], from[blockIdx.x * len + i]);
}
)";
  Said s = check(kernel, {"--case", "sum rows", "--case", "sum one", "--case", "sum no rows"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "len = cols, to = y, from = x, total = rows*cols")) << s.out;
  EXPECT_TRUE(has(s.out, "<<<rows, 64>>>")) << s.out;
  s = check(kernel, {"softmax"});
  expect_refused(s, {"mine.cu:2", "about 'reduce'", "softmax"});
}

TEST_F(PlainKernel, OfOneSizeTakesSquareMatricesInTwoAxes) {
  const Said s = check(R"(
__global__ void matmul(float* C, const float* A, const float* B, int N) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= N || j >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[i * N + k] * B[k * N + j];
  C[i * N + j] = sum;
}
)",
                       {"--block", "8,8", "--dtype", "f32", "--json"});
  EXPECT_EQ(s.status, 0) << s.out << s.err;
  const auto rung = s.json()["ops"][0]["rungs"][0];
  EXPECT_GT(rung["passed"], 0) << s.out;
  EXPECT_GT(rung["skipped"], 0) << s.out;
  EXPECT_TRUE(has(s.json()["matched"][0], "C = d, A = a, B = b, N = m = k = n")) << s.out;
}

TEST_F(PlainKernel, ThatDoesNotFitIsToldWhichParameter) {
  const std::string body = " {}\n";
  expect_refused(
      check("__global__ void add(const float* a, const float* b, float* c, float* d, int n)" + body,
            {"vector_add"}),
      {"mine.cu:1", "'d' (float*)", "in a, in b, out c, size n"});
  expect_refused(
      check("__global__ void add(const float* a, float* c, int n)" + body, {"vector_add"}),
      {"'add' takes no b"});
  expect_refused(
      check("__global__ void add(const double* a, const double* b, double* c, int n)" + body,
            {"vector_add"}),
      {"'a' (const double*)", "f32, f16, bf16"});
  expect_refused(
      check("__global__ void add(const float* a, const float* b, float* c, int n, int m)" + body,
            {"vector_add"}),
      {"'m' (int)"});
  expect_refused(check("__global__ void t(const float* x, float* y)" + body, {"transpose"}),
                 {"takes no size rows"});
  expect_refused(check("__global__ void t(const float* a, const float* b, float* c, int n)" + body,
                       {"matrix_add"}),
                 {"may be rows, cols or rows * cols"});
  expect_refused(check("// warpath: vector_add(a, b, c)\n"
                       "__global__ void t(const float* x, const float* y, float* z, int n)" +
                           body,
                       {"vector_add"}),
                 {"mine.cu:1", "fewer than the 4 parameters"});
  expect_refused(check("// warpath: vector_add(a, b, c, m)\n"
                       "__global__ void t(const float* x, const float* y, float* z, int n)" +
                           body,
                       {"vector_add"}),
                 {"'m' is no size or scalar of vector_add"});
  expect_refused(check(add, {"vector_add", "--grid", "rows"}), {"'rows' is no size"});
  expect_refused(check(std::string("// warpath: vector_add(d_a, b, c, n)\n") + add, {}),
                 {"mine.cu:2", "'d_a' in the comment is no tensor of vector_add"});
}

TEST_F(PlainKernel, IsChosenAmongSeveral) {
  expect_refused(check("int f() { return 1; }\n", {"vector_add"}),
                 {"mine.cu has no kernel", "docs/your-kernel.md"});
  const std::string two =
      std::string(add) +
      "__global__ void other(const float* a, const float* b, float* c, int n) {}\n";
  expect_refused(check(two, {"vector_add"}), {"add, other", "--kernel add"});
  expect_refused(check(two, {"vector_add", "--kernel", "adder"}), {"did you mean 'add'"});
  expect_refused(check(add, {}), {"which op is 'add'"});
  const Said s = check(two, {"vector_add", "--kernel", "other", "--case", "one"});
  EXPECT_EQ(s.status, 1) << s.out << s.err;
  EXPECT_TRUE(has(s.out, "did not write c[0]")) << s.out;
}

}  // namespace
