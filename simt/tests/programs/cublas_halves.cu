// Bands, packed triangles, symmetric and Hermitian matrices, LU factors of batches and vectors of
// types chosen at run time, each against the plain sum.
#include <cublas_v2.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Z = std::complex<double>;
constexpr int n = 5, k = 3;
cublasHandle_t h;

template <class T>
struct Device {
  explicit Device(const std::vector<T>& from) : size(from.size()) {
    cudaMallocManaged(&data, size * sizeof(T));
    for (size_t i = 0; i < size; ++i) data[i] = from[i];
  }
  ~Device() { cudaFree(data); }
  cuDoubleComplex* z() { return reinterpret_cast<cuDoubleComplex*>(data); }
  T* data;
  size_t size;
};

double value(int i) {
  return (i * 37 % 19) / 4.0 - 2;
}
std::vector<double> numbers(int count, int seed) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(value(i + seed));
  return out;
}
std::vector<Z> complexes(int count, int seed) {
  std::vector<Z> out;
  for (int i = 0; i < count; ++i) out.emplace_back(value(i + seed), value(3 * i + seed));
  return out;
}

void tell(const char* what, cublasStatus_t status, double error) {
  printf("%s: %s\n", what, status == 0 && error < 1e-9 ? "right" : "WRONG");
}

// The upper triangle of a, packed.
void packed() {
  const auto a = numbers(n * n, 1), x = numbers(n, 2);
  Device<double> full(a), ap(numbers(n * (n + 1) / 2, 3)), y(x), back(numbers(n * n, 4));
  const auto to = cublasDtrttp(h, CUBLAS_FILL_MODE_UPPER, n, full.data, n, ap.data);
  const auto from = cublasDtpttr(h, CUBLAS_FILL_MODE_UPPER, n, ap.data, back.data, n);
  double error = to + from;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) error += std::fabs(back.data[i + j * n] - a[i + j * n]);
  }
  tell("trttp, tpttr", to, error);
  const auto status = cublasDtpmv(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                                  ap.data, y.data, 1);
  error = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = i; j < n; ++j) sum += a[i + j * n] * x[j];
    error += std::fabs(sum - y.data[i]);
  }
  tell("tpmv", status, error);
}

// A band with one diagonal below and one above the main one.
void banded() {
  const auto a = numbers(3 * n, 5), x = numbers(n, 6);
  Device<double> band(a), from(x), y(std::vector<double>(n, 0));
  const double one = 1, none = 0;
  const auto status =
      cublasDgbmv(h, CUBLAS_OP_N, n, n, 1, 1, &one, band.data, 3, from.data, 1, &none, y.data, 1);
  double error = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      sum += a[1 + i - j + j * 3] * x[j];
    }
    error += std::fabs(sum - y.data[i]);
  }
  tell("gbmv", status, error);
}

// c = alpha a b^H + beta c and its relatives, lower half.
void halves() {
  const auto a = complexes(n * k, 7), b = complexes(n * k, 8), c = complexes(n * n, 9);
  const Z alpha(1.5, -0.5);
  const double beta = 2;
  Device<Z> da(a), db(b), dc(c), ds(c);
  const auto her = cublasZherkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k,
                                reinterpret_cast<const cuDoubleComplex*>(&alpha), da.z(), n, db.z(),
                                n, &beta, dc.z(), n);
  const Z wide_beta = beta;
  const auto sym = cublasZsyrkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k,
                                reinterpret_cast<const cuDoubleComplex*>(&alpha), da.z(), n, db.z(),
                                n, reinterpret_cast<const cuDoubleComplex*>(&wide_beta), ds.z(), n);
  double her_error = 0, sym_error = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      Z her_sum = c[i + j * n], sym_sum = her_sum;
      if (i >= j) {
        her_sum *= beta;
        sym_sum *= beta;
        for (int p = 0; p < k; ++p) {
          her_sum += alpha * a[i + p * n] * std::conj(b[j + p * n]);
          sym_sum += alpha * a[i + p * n] * b[j + p * n];
        }
      }
      her_error += std::abs(her_sum - dc.data[i + j * n]);
      sym_error += std::abs(sym_sum - ds.data[i + j * n]);
    }
  }
  tell("herkx", her, her_error);
  tell("syrkx", sym, sym_error);
  const auto x = complexes(n, 10), y = complexes(n, 11);
  Device<Z> dx(x), dy(y), dm(c);
  const auto status = cublasZsymv(
      h, CUBLAS_FILL_MODE_UPPER, n, reinterpret_cast<const cuDoubleComplex*>(&alpha), dm.z(), n,
      dx.z(), 1, reinterpret_cast<const cuDoubleComplex*>(&wide_beta), dy.z(), -1);
  double error = 0;
  for (int i = 0; i < n; ++i) {
    Z sum = beta * y[n - 1 - i];
    for (int j = 0; j < n; ++j) sum += alpha * c[std::min(i, j) + std::max(i, j) * n] * x[j];
    error += std::abs(sum - dy.data[n - 1 - i]);
  }
  tell("complex symv", status, error);
}

void triangle_product() {
  const auto a = numbers(n * n, 12), b = numbers(n * k, 13);
  Device<double> da(a), db(b), dc(numbers(n * k, 14));
  const double alpha = 0.5;
  const auto status =
      cublasDtrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, k,
                  &alpha, da.data, n, db.data, n, dc.data, n);
  double error = 0;
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < n; ++i) {
      double sum = b[i + j * n];
      for (int p = i + 1; p < n; ++p) sum += a[p + i * n] * b[p + j * n];
      error += std::fabs(alpha * sum - dc.data[i + j * n]) +
               std::fabs(b[i + j * n] - db.data[i + j * n]);
    }
  }
  tell("trmm", status, error);
}

// The second matrix has no inverse: its second column is zero.
void factors() {
  auto first = complexes(n * n, 15), second = first;
  for (int i = 0; i < n; ++i) second[i + n] = 0;
  const auto x = complexes(n, 16);
  for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
    Device<Z> a(first), b(second), right(std::vector<Z>(n, 0)), inverse(first);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Z e = op == CUBLAS_OP_N ? first[i + j * n] : first[j + i * n];
        right.data[i] += (op == CUBLAS_OP_C ? std::conj(e) : e) * x[j];
      }
    }
    Device<cuDoubleComplex*> both({a.z(), b.z()}), rights({right.z()}), inverses({inverse.z()});
    Device<int> pivots(std::vector<int>(2 * n)), info({-1, -1});
    const auto status = cublasZgetrfBatched(h, n, both.data, n, pivots.data, info.data, 2);
    printf("getrf: %d, info %d and %d\n", status, info.data[0], info.data[1]);
    int solved = -1;
    const auto answer =
        cublasZgetrsBatched(h, op, n, 1, both.data, n, pivots.data, rights.data, n, &solved, 1);
    double error = std::abs(solved);
    for (int i = 0; i < n; ++i) error += std::abs(right.data[i] - x[i]);
    tell("getrs", answer, error);
    cublasZgetriBatched(h, n, both.data, n, pivots.data, inverses.data, n, info.data, 1);
    error = info.data[0];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        Z sum = i == j ? -1 : 0;
        for (int p = 0; p < n; ++p) sum += first[i + p * n] * inverse.data[p + j * n];
        error += std::abs(sum);
      }
    }
    tell("getri", CUBLAS_STATUS_SUCCESS, error);
  }
}

void chosen_types() {
  Device<float> x({1, 2, 3}), y({10, 20, 30});
  const float by = 2;
  float norm = 0;
  cublasAxpyEx(h, 3, &by, CUDA_R_32F, x.data, CUDA_R_32F, 1, y.data, CUDA_R_32F, -1, CUDA_R_32F);
  cublasScalEx(h, 3, &by, CUDA_R_32F, x.data, CUDA_R_32F, 1, CUDA_R_32F);
  cublasNrm2Ex(h, 2, y.data, CUDA_R_32F, 1, &norm, CUDA_R_32F, CUDA_R_32F);
  printf("%g %g %g, %g %g %g, %.4f\n", x.data[0], x.data[1], x.data[2], y.data[0], y.data[1],
         y.data[2], norm);
  const int lowest = INT_MIN;  // CUDA's headers bring <limits.h>
  printf("%d\n", lowest);
}

int main() {
  cublasCreate(&h);
  packed();
  banded();
  halves();
  triangle_product();
  factors();
  chosen_types();
  cublasDestroy(h);
}
