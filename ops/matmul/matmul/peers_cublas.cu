// cuBLASLt with the best of all algorithms it offers for a call, and its own epilogues.
//
// The first call with new sizes times every algorithm that its heuristic names, and keeps the
// fastest for this process. cuBLASLt counts by columns: it is asked for the transpose of d, which
// is b^T a^T and lies in memory as d does.
#include <cublasLt.h>

#include <map>
#include <mutex>
#include <string>

#include "ops/matmul/matmul/layout.cuh"

namespace warpath::matmul {
namespace {

constexpr std::size_t workspace_bytes = 64 << 20;
constexpr int most_algorithms = 64;

void check(cublasStatus_t status) {
  WARPATH_CHECK(status == CUBLAS_STATUS_SUCCESS,
                std::string("cuBLASLt: ") + cublasLtGetStatusString(status));
}

cudaDataType type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasLtHandle_t handle() {
  static cublasLtHandle_t created = [] {
    cublasLtHandle_t h;
    check(cublasLtCreate(&h));
    return h;
  }();
  return created;
}

cublasLtEpilogue_t epilogue_of(const Args& args) {
  switch (args.activation) {
    case Activation::relu:
      return args.has_bias() ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu:
      return args.has_bias() ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default:
      return args.has_bias() ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }
}

// A matrix as cuBLASLt counts: `rows` are neighbours in memory.
struct Matrix {
  cublasLtMatrixLayout_t layout = nullptr;

  Matrix(DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t pitch, std::int64_t batch,
         std::int64_t step) {
    check(cublasLtMatrixLayoutCreate(&layout, type_of(dtype), static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(cols), std::max(pitch, rows)));
    const int count = static_cast<int>(batch);
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof count));
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &step, sizeof step));
  }
  ~Matrix() { cublasLtMatrixLayoutDestroy(layout); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
};

struct Description {
  cublasLtMatmulDesc_t desc = nullptr;

  explicit Description(const Args& args) {
    const auto compute = args.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(cublasLtMatmulDescCreate(&desc, compute, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, b_along_k(args) ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, a_along_k(args) ? CUBLAS_OP_N : CUBLAS_OP_T);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(args));
    if (!args.has_bias()) return;
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(args.bias.data));
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<int>(type_of(args.bias.dtype)));
  }
  ~Description() { cublasLtMatmulDescDestroy(desc); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  template <class V>
  void set(cublasLtMatmulDescAttributes_t what, V value) {
    check(cublasLtMatmulDescSetAttribute(desc, what, &value, sizeof value));
  }
};

// One call; its operands are a and b in cuBLASLt's order.
struct Call {
  const Args& args;
  Description how;
  Matrix b, a, c, d;
  float alpha, beta;

  explicit Call(const Args& x)
      : args(x),
        how(x),
        b(x.b.dtype, b_along_k(x) ? x.k() : x.n(), b_along_k(x) ? x.n() : x.k(),
          x.b.stride[b_along_k(x) ? 2 : 1], x.batch(), x.b.stride[0]),
        a(x.a.dtype, a_along_k(x) ? x.k() : x.m(), a_along_k(x) ? x.m() : x.k(),
          x.a.stride[a_along_k(x) ? 1 : 2], x.batch(), x.a.stride[0]),
        c(x.d.dtype, x.n(), x.m(), x.has_c() ? x.c.stride[1] : x.n(), x.batch(),
          x.has_c() ? x.c.stride[0] : x.m() * x.n()),
        d(x.d.dtype, x.n(), x.m(), x.n(), x.batch(), x.m() * x.n()),
        alpha(static_cast<float>(x.alpha)),
        beta(x.has_c() ? static_cast<float>(x.beta) : 0.0f) {}

  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
    const void* const add = args.has_c() ? args.c.data : args.d.data;
    return cublasLtMatmul(handle(), how.desc, &alpha, args.b.data, b.layout, args.a.data, a.layout,
                          &beta, add, c.layout, args.d.data, d.layout, &algorithm,
                          args.scratch.data, static_cast<std::size_t>(args.scratch.bytes), stream);
  }
};

// Of an address, up to the 256 bytes that an allocation has.
std::uint32_t alignment(const void* p) {
  std::uint32_t bytes = 256;
  while (reinterpret_cast<std::uintptr_t>(p) % bytes != 0) bytes /= 2;
  return bytes;
}

struct Offers {
  cublasLtMatmulHeuristicResult_t at[most_algorithms];
  int count = 0;

  explicit Offers(const Call& call) {
    cublasLtMatmulPreference_t limits;
    check(cublasLtMatmulPreferenceCreate(&limits));
    const auto limit = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      check(cublasLtMatmulPreferenceSetAttribute(limits, what, &value, sizeof value));
    };
    limit(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace_bytes));
    // Parts of a sum are added in f32, as we do: rounded to 16 bits they err too much.
    limit(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
          std::uint32_t(CUBLASLT_REDUCTION_SCHEME_MASK & ~CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE));
    limit(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(call.args.b.data));
    limit(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(call.args.a.data));
    limit(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(call.args.d.data));
    limit(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
          alignment(call.args.has_c() ? call.args.c.data : call.args.d.data));
    const cublasStatus_t found = cublasLtMatmulAlgoGetHeuristic(
        handle(), call.how.desc, call.b.layout, call.a.layout, call.c.layout, call.d.layout, limits,
        most_algorithms, at, &count);
    cublasLtMatmulPreferenceDestroy(limits);
    if (found != CUBLAS_STATUS_SUCCESS) count = 0;
  }
};

struct Clock {
  cudaEvent_t begin = nullptr, end = nullptr;
  Clock() {
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
  }
  ~Clock() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
};

struct Algorithm {
  cublasLtMatmulAlgo_t algo;
};

// The least of five runs after one to warm up. The workspace, as large as an L2 cache, is filled
// before each: what is fastest with its operands in the cache need not be so without.
Algorithm fastest(const Call& call, cudaStream_t stream) {
  const Offers offers(call);
  const Clock clock;
  float best = -1;
  Algorithm chosen{};
  for (int i = 0; i < offers.count; ++i) {
    if (call.run(offers.at[i].algo, stream) != CUBLAS_STATUS_SUCCESS) continue;
    for (int run = 0; run < 5; ++run) {
      CUDA_CHECK(cudaMemsetAsync(call.args.scratch.data, 0,
                                 static_cast<std::size_t>(call.args.scratch.bytes), stream));
      CUDA_CHECK(cudaEventRecord(clock.begin, stream));
      check(call.run(offers.at[i].algo, stream));
      CUDA_CHECK(cudaEventRecord(clock.end, stream));
      CUDA_CHECK(cudaEventSynchronize(clock.end));
      float ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&ms, clock.begin, clock.end));
      if (best >= 0 && ms >= best) continue;
      best = ms;
      chosen.algo = offers.at[i].algo;
    }
  }
  WARPATH_CHECK(best >= 0, "cuBLASLt has no algorithm for this call");
  return chosen;
}

std::string key_of(const Args& args) {
  std::string key;
  for (const Tensor* t : {&args.a, &args.b, &args.c, &args.d}) {
    key += std::string(name(t->dtype)) + (t->data ? "" : "-");
    for (std::size_t i = 0; i < 3; ++i)
      key += ' ' + std::to_string(t->shape[i]) + '/' + std::to_string(t->stride[i]);
    key += reinterpret_cast<std::uintptr_t>(t->data) % 16 ? " odd;" : ";";
  }
  return key + std::to_string(static_cast<int>(epilogue_of(args))) + (args.tf32 ? "t" : "") +
         (args.has_c() ? "c" : "");
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  static std::mutex lock;
  static std::map<std::string, Algorithm> known;
  const Call call(args);
  const std::string key = key_of(args);
  const std::lock_guard hold(lock);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, fastest(call, stream)).first;
  check(call.run(found->second.algo, stream));
}

std::string fits(const Args& args) {
  if (std::string why = contiguous_axis(args); !why.empty()) return why;
  if (args.activation == Activation::silu) return "cuBLASLt has no SiLU";
  if (args.k() == 0) return "cuBLASLt takes no product of nothing";
  if (args.has_c() && !is_unit(args.c, 2)) return "cuBLASLt takes c in rows only";
  if (args.d.size() == 0) return {};
  const Call call(args);
  return Offers(call).count > 0 ? "" : "cuBLASLt has no algorithm for these types and strides";
}

std::int64_t scratch_bytes(const Args&) {
  return workspace_bytes;
}

WARPATH_PEER(Args, "cuBLASLt", launch, .supports = fits, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::matmul
