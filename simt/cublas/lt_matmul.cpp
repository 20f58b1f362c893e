// cublasLt's product and its epilogues.

#include <vector>

#include "element.h"
#include "lt.h"

using namespace simt::cublas;

namespace {

// GELU as cuBLAS has it: with tanh.
constexpr double root = 0.7978845608028654;  // sqrt(2 / pi)
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}
double gelu_slope(double x) {
  const double t = std::tanh(root * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
}

// One product of a batch.
class Product {
 public:
  Product(const cublasLtMatmulDescOpaque& desc, const cublasLtMatrixLayoutOpaque& d_layout,
          int batch)
      : d_(desc), out_(d_layout), m_(d_layout.rows), n_(d_layout.cols), batch_(batch) {}

  template <class T>
  void run(double alpha, const void* a, const cublasLtMatrixLayoutOpaque& al, const void* b,
           const cublasLtMatrixLayoutOpaque& bl, double beta, const void* c,
           const cublasLtMatrixLayoutOpaque& cl, void* d) {
    const std::size_t k = d_.ta == CUBLAS_OP_N ? al.cols : al.rows;
    const std::vector<T> x = dense<T>(a, al), y = dense<T>(b, bl);
    std::vector<T> z(m_ * n_);
    if (beta != 0) z = dense<T>(c, cl);
    const auto lead = [](const cublasLtMatrixLayoutOpaque& l) {
      return static_cast<int>(std::max<std::uint64_t>(1, l.rows));
    };
    multiply(op(d_.ta), op(d_.tb), static_cast<int>(m_), static_cast<int>(n_), static_cast<int>(k),
             alpha, x.data(), lead(al), y.data(), lead(bl), beta, z.data());
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < m_; ++i) {
        const double value = finish(i, j, z[i + j * m_]);
        z[i + j * m_] = static_cast<T>(value);
        store(d, out_.type, out_.at(i, j) + offset(out_), value);
      }
    }
    if (has(16)) sum_rows(z, m_, n_, m_, 1);
    if (d_.epilogue == CUBLASLT_EPILOGUE_BGRADA) {
      const bool plain = d_.ta == CUBLAS_OP_N;
      sum_rows(x, m_, k, plain ? al.rows : 1, plain ? 1 : al.rows);
    }
    if (d_.epilogue == CUBLASLT_EPILOGUE_BGRADB) {
      const bool plain = d_.tb == CUBLAS_OP_N;
      sum_rows(y, n_, k, plain ? 1 : bl.rows, plain ? bl.rows : 1);
    }
  }

 private:
  bool has(int bit) const { return (d_.epilogue & bit) != 0; }
  std::size_t offset(const cublasLtMatrixLayoutOpaque& l) const {
    return static_cast<std::size_t>(l.stride) * batch_;
  }
  cudaDataType bias_type() const {
    return static_cast<int>(d_.bias_type) < 0 ? out_.type : d_.bias_type;
  }
  cudaDataType aux_type() const {
    return static_cast<int>(d_.aux_type) < 0 ? out_.type : d_.aux_type;
  }
  std::size_t bias_at(std::size_t i) const {
    return i + static_cast<std::size_t>(d_.bias_stride) * batch_;
  }
  std::size_t aux_at(std::size_t i, std::size_t j) const {
    return i + j * static_cast<std::size_t>(d_.aux_ld) +
           static_cast<std::size_t>(d_.aux_stride) * batch_;
  }

  template <class T>
  std::vector<T> dense(const void* from, const cublasLtMatrixLayoutOpaque& l) const {
    std::vector<T> to(l.rows * l.cols);
    for (std::size_t j = 0; j < l.cols; ++j) {
      for (std::size_t i = 0; i < l.rows; ++i) {
        to[i + j * l.rows] = static_cast<T>(load(from, l.type, l.at(i, j) + offset(l)));
      }
    }
    return to;
  }

  // What ReLU lets through is kept as one bit per element.
  void keep_bit(std::size_t i, std::size_t j, bool passes) const {
    const std::size_t at = aux_at(i, j);
    auto& byte = static_cast<unsigned char*>(d_.aux)[at / 8];
    byte = static_cast<unsigned char>((byte & ~(1u << at % 8)) | unsigned(passes) << at % 8);
  }

  double finish(std::size_t i, std::size_t j, double value) const {
    if (has(4)) value += load(d_.bias, bias_type(), bias_at(i));
    if (has(2)) {
      if (has(128)) keep_bit(i, j, value > 0);
      return value > 0 ? value : 0;
    }
    if (has(32)) {
      if (has(128)) store(d_.aux, aux_type(), aux_at(i, j), value);
      return gelu(value);
    }
    if (has(64)) return value * gelu_slope(load(d_.aux, aux_type(), aux_at(i, j)));
    if (has(8)) {
      const std::size_t at = aux_at(i, j);
      return (static_cast<const unsigned char*>(d_.aux)[at / 8] >> at % 8 & 1) != 0 ? value : 0;
    }
    return value;
  }

  // The bias' gradient: sums over `across` elements.
  template <class T>
  void sum_rows(const std::vector<T>& from, std::size_t along, std::size_t across,
                std::size_t across_step, std::size_t along_step) const {
    for (std::size_t i = 0; i < along; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < across; ++j) sum += from[i * along_step + j * across_step];
      store(d_.bias, bias_type(), bias_at(i), sum);
    }
  }

  const cublasLtMatmulDescOpaque& d_;
  const cublasLtMatrixLayoutOpaque& out_;
  std::size_t m_, n_;
  int batch_;
};

bool fits(const cublasLtMatmulDescOpaque& desc, const cublasLtMatrixLayoutOpaque& a,
          const cublasLtMatrixLayoutOpaque& b, const cublasLtMatrixLayoutOpaque& d) {
  const bool an = desc.ta == CUBLAS_OP_N, bn = desc.tb == CUBLAS_OP_N;
  return a.valid() && b.valid() && d.valid() && (an ? a.rows : a.cols) == d.rows &&
         (bn ? b.cols : b.rows) == d.cols && (an ? a.cols : a.rows) == (bn ? b.rows : b.cols);
}

// Whether the epilogue is one of those and has what it needs.
bool complete(const cublasLtMatmulDescOpaque& desc) {
  constexpr int bias = 4 | 16 | 256 | 512, all = 1 | 2 | 8 | 32 | 64 | 128 | bias;
  return (desc.epilogue & ~all) == 0 && ((desc.epilogue & bias) == 0 || desc.bias != nullptr) &&
         ((desc.epilogue & 128) == 0 || (desc.aux != nullptr && desc.aux_ld > 0));
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !a || !b || !d || !results || !found || wanted < 1 || !fits(*desc, *a, *b, *d)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *found = 1;  // there is one way to compute it
  results[0] = {};
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !alpha || !beta || !a || !b || !d || !a_layout || !b_layout || !c_layout ||
      !d_layout || !fits(*desc, *a_layout, *b_layout, *d_layout) || !complete(*desc)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!known(a_layout->type) || !known(b_layout->type) || !known(c_layout->type) ||
      !known(d_layout->type) || !known(desc->scale) || desc->tc != CUBLAS_OP_N ||
      desc->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (is_captured(stream)) {
    // The descriptions may be gone when the graph is launched.
    cublasContext modes;
    modes.stream = stream;
    if (desc->pointer_mode != CUBLASLT_POINTER_MODE_HOST)
      modes.pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
    const std::size_t size = bytes_of(desc->scale);
    const Scalar<void> by(&modes, alpha, size), kept(&modes, beta, size);
    return keep(&modes, [=, how = *desc, la = *a_layout, lb = *b_layout, lc = *c_layout,
                         ld = *d_layout](cublasHandle_t) mutable {
      return cublasLtMatmul(handle, &how, by.get(), a, &la, b, &lb, kept.get(), c, &lc, d, &ld,
                            nullptr, nullptr, 0, nullptr);
    });
  }
  simt::library_writes();
  const double by = load(alpha, desc->scale, 0), keep = load(beta, desc->scale, 0);
  const bool wide = desc->scale == CUDA_R_64F || a_layout->type == CUDA_R_8I;
  for (int i = 0; i < d_layout->batch; ++i) {
    Product product(*desc, *d_layout, i);
    if (wide) {
      product.run<double>(by, a, *a_layout, b, *b_layout, keep, c, *c_layout, d);
    } else {
      product.run<float>(by, a, *a_layout, b, *b_layout, keep, c, *c_layout, d);
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}
}
