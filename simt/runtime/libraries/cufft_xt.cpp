// cuFFT's plans by data types, over those of cufft.cpp.

#include <cufftXt.h>

#include <climits>
#include <map>
#include <mutex>
#include <vector>

namespace {

// The type of each plan; handles are never given twice.
std::mutex lock;
std::map<cufftHandle, cufftType> types;

cufftResult type_of(cudaDataType input, cudaDataType output, cudaDataType execution,
                    cufftType& type) {
  static constexpr struct {
    cudaDataType input, output, execution;
    cufftType type;
  } known[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
               {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
               {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
               {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
               {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
               {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
  for (const auto& k : known) {
    if (k.input != input || k.output != output || k.execution != execution) continue;
    type = k.type;
    return CUFFT_SUCCESS;
  }
  const bool half = execution == CUDA_C_16F || execution == CUDA_C_16BF;
  return half ? CUFFT_NOT_SUPPORTED : CUFFT_INVALID_TYPE;
}

bool narrow(const long long* from, int count, std::vector<int>& to) {
  for (int i = 0; i < count; ++i) {
    if (from[i] < 0 || from[i] > INT_MAX) return false;
    to.push_back(static_cast<int>(from[i]));
  }
  return true;
}

}  // namespace

extern "C" {
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                long long int* onembed, long long int ostride, long long int odist,
                                cufftType type, long long int batch, size_t* work) {
  if (rank < 1 || rank > 3 || n == nullptr) return CUFFT_INVALID_VALUE;
  std::vector<int> lengths, in, out, rest;
  const long long numbers[] = {istride, idist, ostride, odist, batch};
  const bool fits = narrow(n, rank, lengths) && narrow(numbers, 5, rest) &&
                    (inembed == nullptr || narrow(inembed, rank, in)) &&
                    (onembed == nullptr || narrow(onembed, rank, out));
  if (!fits) return CUFFT_INVALID_SIZE;
  const cufftResult result = cufftMakePlanMany(
      plan, rank, lengths.data(), inembed != nullptr ? in.data() : nullptr, rest[0], rest[1],
      onembed != nullptr ? out.data() : nullptr, rest[2], rest[3], type, rest[4], work);
  if (result != CUFFT_SUCCESS) return result;
  const std::lock_guard guard(lock);
  types[plan] = type;
  return result;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType input, long long int* onembed, long long int ostride,
                                long long int odist, cudaDataType output, long long int batch,
                                size_t* work, cudaDataType execution) {
  cufftType type{};
  if (const cufftResult result = type_of(input, output, execution, type)) return result;
  return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                             batch, work);
}

cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction) {
  cufftType type{};
  {
    const std::lock_guard guard(lock);
    const auto found = types.find(plan);
    if (found == types.end()) return CUFFT_INVALID_PLAN;
    type = found->second;
  }
  switch (type) {
    case CUFFT_C2C:
      return cufftExecC2C(plan, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out),
                          direction);
    case CUFFT_R2C:
      return cufftExecR2C(plan, static_cast<cufftReal*>(in), static_cast<cufftComplex*>(out));
    case CUFFT_C2R:
      return cufftExecC2R(plan, static_cast<cufftComplex*>(in), static_cast<cufftReal*>(out));
    case CUFFT_Z2Z:
      return cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(in),
                          static_cast<cufftDoubleComplex*>(out), direction);
    case CUFFT_D2Z:
      return cufftExecD2Z(plan, static_cast<cufftDoubleReal*>(in),
                          static_cast<cufftDoubleComplex*>(out));
    case CUFFT_Z2D:
      return cufftExecZ2D(plan, static_cast<cufftDoubleComplex*>(in),
                          static_cast<cufftDoubleReal*>(out));
  }
  return CUFFT_INVALID_PLAN;
}
}
