#pragma once

// What the files of cuBLAS share.

#include <cublas_v2.h>
#include <simt/allocation.h>
#include <simt/capture.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

extern "C" {
#include <cblas.h>
}

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  // Kept for those who ask: nothing is emulated.
  cublasEmulationStrategy_t emulation = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa_control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int most_mantissa_bits = 0;
  int mantissa_offset = 0;
  int* mantissa_bits = nullptr;
};

namespace simt::cublas {

inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (stream != nullptr) cudaStreamIsCapturing(stream, &status);
  return status != cudaStreamCaptureStatusNone;
}

// Calls that a graph cannot keep.
inline bool refuse_capture(cudaStream_t stream) {
  if (!is_captured(stream)) return false;
  std::fputs("simt: this cuBLAS call cannot be captured into a graph\n", stderr);
  return true;
}

// A scalar of a call that is made later: its value, or the address of one in device memory.
template <class T>
class Scalar {
 public:
  Scalar(cublasHandle_t h, const T* from, std::size_t bytes) : from_(from) {
    here_ = from != nullptr && h != nullptr && h->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    if (here_) std::memcpy(bytes_, from, std::min(bytes, sizeof bytes_));
  }
  const T* get() const { return here_ ? reinterpret_cast<const T*>(bytes_) : from_; }

 private:
  const T* from_;
  bool here_;
  alignas(16) char bytes_[16];
};

// The call becomes a node of the graph, with the handle's settings of now.
template <class Call>
cublasStatus_t keep(cublasHandle_t h, Call call) {
  const auto later = [own = *h, call]() mutable {
    own.stream = nullptr;
    return call(&own) == CUBLAS_STATUS_SUCCESS;
  };
  return simt::capture_call(h->stream, later) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                             : CUBLAS_STATUS_EXECUTION_FAILED;
}

// At the head of a function that can be captured: CALL is the same call once more.
#define SIMT_CUBLAS_KEEP(CALL)                              \
  if (h != nullptr && simt::cublas::is_captured(h->stream)) \
  return simt::cublas::keep(h, [=](cublasHandle_t h) { return CALL; })
#define SIMT_CUBLAS_SCALAR(NAME) const simt::cublas::Scalar<T> NAME##_(h, NAME, sizeof(T))

// A parameter, which the BLAS counts from 1. A leading dimension is at least 1.
struct Size {
  int parameter;
  const char* name;
  int value, least;

  int needed() const { return name[0] == 'l' ? std::max(1, least) : least; }
};
template <std::size_t count>
const Size* first_wrong(const Size (&sizes)[count]) {
  for (const Size& size : sizes)
    if (size.value < size.needed()) return &size;
  return nullptr;
}
// What cuBLAS prints about a wrong parameter of `function` (cublasSgemm).
void tell_illegal(const char* function, const Size& wrong);
#define SIMT_STRING_OF(TEXT) #TEXT
#define SIMT_STRING(NAME) SIMT_STRING_OF(NAME)

// These answer with the status, and say why; `needed` is the condition in C++.
cublasStatus_t no_handle();
cublasStatus_t invalid(const char* needed);

// The first of these that holds is the answer to a call, before anything is computed.
inline cublasStatus_t check(cublasHandle_t handle, bool valid, const char* needed) {
  if (handle == nullptr) return no_handle();
  if (refuse_capture(handle->stream)) return CUBLAS_STATUS_NOT_SUPPORTED;
  library_writes();
  return valid ? CUBLAS_STATUS_SUCCESS : invalid(needed);
}

// The same for calls that compute nothing, captured or not.
#define SIMT_CUBLAS_SETTING(VALID)                    \
  if (h == nullptr) return simt::cublas::no_handle(); \
  if (!(VALID)) return simt::cublas::invalid(#VALID)

#define SIMT_CUBLAS_CHECK(VALID) \
  if (const cublasStatus_t status_ = simt::cublas::check(h, VALID, #VALID); status_) return status_

// A matrix of `rows` before any transposition needs this leading dimension.
inline bool leads(int ld, int rows) {
  return ld >= std::max(1, rows);
}
inline bool leads(int ld, cublasOperation_t t, int rows, int cols) {
  return leads(ld, t == CUBLAS_OP_N ? rows : cols);
}
inline CBLAS_TRANSPOSE op(cublasOperation_t t) {
  return t == CUBLAS_OP_N ? CblasNoTrans : t == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}
inline CBLAS_UPLO fill_of(cublasFillMode_t f) {
  return f == CUBLAS_FILL_MODE_UPPER ? CblasUpper : CblasLower;
}
inline CBLAS_DIAG diag_of(cublasDiagType_t d) {
  return d == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE side_of(cublasSideMode_t s) {
  return s == CUBLAS_SIDE_RIGHT ? CblasRight : CblasLeft;
}

// Arithmetic on elements, for what BLAS does not have.
inline float times(float a, float b) {
  return a * b;
}
inline double times(double a, double b) {
  return a * b;
}
inline cuComplex times(cuComplex a, cuComplex b) {
  return cuCmulf(a, b);
}
inline cuDoubleComplex times(cuDoubleComplex a, cuDoubleComplex b) {
  return cuCmul(a, b);
}
inline float plus(float a, float b) {
  return a + b;
}
inline double plus(double a, double b) {
  return a + b;
}
inline cuComplex plus(cuComplex a, cuComplex b) {
  return cuCaddf(a, b);
}
inline cuDoubleComplex plus(cuDoubleComplex a, cuDoubleComplex b) {
  return cuCadd(a, b);
}
inline bool is_zero(double a) {
  return a == 0;
}
inline bool is_zero(cuComplex a) {
  return a.x == 0 && a.y == 0;
}
inline bool is_zero(cuDoubleComplex a) {
  return a.x == 0 && a.y == 0;
}
inline float conjugate(float a) {
  return a;
}
inline double conjugate(double a) {
  return a;
}
inline cuComplex conjugate(cuComplex a) {
  return cuConjf(a);
}
inline cuDoubleComplex conjugate(cuDoubleComplex a) {
  return cuConj(a);
}
inline double size_of(double a) {
  return std::fabs(a);
}
inline double size_of(cuComplex a) {
  return std::fabs(a.x) + std::fabs(a.y);
}
inline double size_of(cuDoubleComplex a) {
  return std::fabs(a.x) + std::fabs(a.y);
}

inline cuComplex scaled(float by, cuComplex a) {
  return {by * a.x, by * a.y};
}
inline cuDoubleComplex scaled(double by, cuDoubleComplex a) {
  return {by * a.x, by * a.y};
}

// BLAS counts a vector with a negative step from its end.
template <class T>
T* first_of(T* x, long n, long step) {
  return step < 0 ? x - (n - 1) * step : x;
}

// Calls visit(i, j) for the elements of one half with the diagonal, column by column.
template <class Visit>
void for_half(cublasFillMode_t fill, int n, Visit visit) {
  for (int j = 0; j < n; ++j) {
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) visit(i, j);
  }
}

// Element (i, j) of op(a).
template <class T>
T element(const T* a, int lda, cublasOperation_t t, std::size_t i, std::size_t j) {
  const T value = t == CUBLAS_OP_N ? a[i + j * lda] : a[j + i * lda];
  return t == CUBLAS_OP_C ? conjugate(value) : value;
}

// The first element, counted from 1, whose size beats all before it; 0 if there is none.
template <class T, class Beats>
int extreme(int n, const T* x, int incx, Beats beats) {
  if (n < 1 || incx < 1) return 0;
  int best = 0;
  for (int i = 1; i < n; ++i) {
    if (beats(size_of(x[std::size_t(i) * incx]), size_of(x[std::size_t(best) * incx]))) best = i;
  }
  return best + 1;
}

}  // namespace simt::cublas
