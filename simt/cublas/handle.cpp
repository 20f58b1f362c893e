// Handles, their modes, the names of status codes, and copies of vectors and matrices.

#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "internal.h"

namespace {

struct Name {
  cublasStatus_t status;
  const char* name;
  const char* text;
};
constexpr Name names[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a license error was detected"},
};

// Columns of `rows` elements; a vector is a matrix with one row, its increment the leading
// dimension.
cublasStatus_t copy(int rows, int cols, int size, const void* from, int ld_from, void* to,
                    int ld_to) {
  if (rows < 0 || cols < 0 || size <= 0 || ld_from < rows || ld_to < rows || ld_from < 1 ||
      ld_to < 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (rows == 0 || cols == 0) return CUBLAS_STATUS_SUCCESS;
  const std::size_t bytes = std::size_t(size);
  const cudaError_t error =
      cudaMemcpy2D(to, ld_to * bytes, from, ld_from * bytes, rows * bytes, cols, cudaMemcpyDefault);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

namespace simt::cublas {
namespace {

// "lda >= m" of "leads(lda, m)", which is how conditions are written here.
std::string in_words(std::string text) {
  for (std::size_t at; (at = text.find("leads(")) != text.npos;) {
    const std::size_t begin = at + 6;
    std::vector<std::string> parts(1);
    std::size_t end = begin;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ')'); ++end) {
      const char c = text[end];
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.emplace_back();
      } else if (c != ' ' || !parts.back().empty()) {
        parts.back() += c;
      }
    }
    const bool transposed = parts.size() == 4;
    text.replace(
        at, end + 1 - at,
        parts[0] + " >= " +
            (transposed ? "(" + parts[1] + " == CUBLAS_OP_N ? " + parts[2] + " : " + parts[3] + ")"
             : parts.size() > 1 ? parts[1]
                                : ""));
  }
  return text;
}

}  // namespace

cublasStatus_t no_handle() {
  give_reason("the handle is null: cublasCreate makes one");
  return CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t invalid(const char* needed) {
  const std::string_view condition = needed;
  // Then the reason has been given.
  if (condition != "wrong == nullptr")
    give_reason(("the arguments must be so that " + in_words(needed)).c_str());
  return CUBLAS_STATUS_INVALID_VALUE;
}

void tell_illegal(const char* function, const Size& wrong) {
  const std::string reason = std::string(wrong.name) + " is " + std::to_string(wrong.value) +
                             "; it must be at least " + std::to_string(wrong.needed());
  give_reason(reason.c_str());
  std::string name = function + std::strlen("cublas");
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::printf(" ** On entry to %-6s parameter number %d had an illegal value\n", name.c_str(),
              wrong.parameter);
}
}  // namespace simt::cublas

namespace simt {
void operator,(const Lost& lost, cublasStatus_t result) {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  note_lost_status(lost, cublasGetStatusName(result), cublasGetStatusString(result));
}
}  // namespace simt

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t h) {
  SIMT_CUBLAS_SETTING(true);
  delete h;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t stream) {
  SIMT_CUBLAS_SETTING(true);
  h->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream(cublasHandle_t h, cudaStream_t* stream) {
  SIMT_CUBLAS_SETTING(stream != nullptr);
  *stream = h->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void*, size_t) {
  SIMT_CUBLAS_SETTING(true);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t h, cublasPointerMode_t mode) {
  SIMT_CUBLAS_SETTING(true);
  h->pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t h, cublasPointerMode_t* mode) {
  SIMT_CUBLAS_SETTING(mode != nullptr);
  *mode = h->pointer_mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode) {
  SIMT_CUBLAS_SETTING(true);
  h->math_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t* mode) {
  SIMT_CUBLAS_SETTING(mode != nullptr);
  *mode = h->math_mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t mode) {
  SIMT_CUBLAS_SETTING(true);
  h->atomics_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t* mode) {
  SIMT_CUBLAS_SETTING(mode != nullptr);
  *mode = h->atomics_mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL)
    return CUBLAS_STATUS_INVALID_VALUE;
  const int parts[] = {CUBLAS_VERSION / 10000, CUBLAS_VERSION / 100 % 100, CUBLAS_VERSION % 100};
  *value = parts[type];
  return CUBLAS_STATUS_SUCCESS;
}

// Each setting of emulation and the one who asks for it.
#define SIMT_CUBLAS_KEPT(name, type, member)                      \
  cublasStatus_t cublasSet##name(cublasHandle_t h, type value) {  \
    SIMT_CUBLAS_SETTING(true);                                    \
    h->member = value;                                            \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }                                                               \
  cublasStatus_t cublasGet##name(cublasHandle_t h, type* value) { \
    SIMT_CUBLAS_SETTING(value != nullptr);                        \
    *value = h->member;                                           \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }
SIMT_CUBLAS_KEPT(EmulationStrategy, cublasEmulationStrategy_t, emulation)
SIMT_CUBLAS_KEPT(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special_values)
SIMT_CUBLAS_KEPT(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissa_control)
SIMT_CUBLAS_KEPT(FixedPointEmulationMaxMantissaBitCount, int, most_mantissa_bits)
SIMT_CUBLAS_KEPT(FixedPointEmulationMantissaBitOffset, int, mantissa_offset)
SIMT_CUBLAS_KEPT(FixedPointEmulationMantissaBitCountPointer, int*, mantissa_bits)
#undef SIMT_CUBLAS_KEPT

const char* cublasGetStatusName(cublasStatus_t status) {
  for (const Name& n : names) {
    if (n.status == status) return n.name;
  }
  return "unrecognized error code";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  for (const Name& n : names) {
    if (n.status == status) return n.text;
  }
  return "unrecognized error code";
}

cublasStatus_t cublasSetVector(int n, int size, const void* from, int incx, void* to, int incy) {
  return copy(1, n, size, from, incx, to, incy);
}
cublasStatus_t cublasGetVector(int n, int size, const void* from, int incx, void* to, int incy) {
  return copy(1, n, size, from, incx, to, incy);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void* a, int lda, void* b,
                               int ldb) {
  return copy(rows, cols, size, a, lda, b, ldb);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void* a, int lda, void* b,
                               int ldb) {
  return copy(rows, cols, size, a, lda, b, ldb);
}
cublasStatus_t cublasSetVectorAsync(int n, int size, const void* from, int incx, void* to, int incy,
                                    cudaStream_t) {
  return copy(1, n, size, from, incx, to, incy);
}
cublasStatus_t cublasGetVectorAsync(int n, int size, const void* from, int incx, void* to, int incy,
                                    cudaStream_t) {
  return copy(1, n, size, from, incx, to, incy);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int size, const void* a, int lda, void* b,
                                    int ldb, cudaStream_t) {
  return copy(rows, cols, size, a, lda, b, ldb);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int size, const void* a, int lda, void* b,
                                    int ldb, cudaStream_t) {
  return copy(rows, cols, size, a, lda, b, ldb);
}
}
