#pragma once

// The part of cufftXt.h that plans by data types on one device: cufftXtMakePlanMany, cufftXtExec.
// Half precision is refused with CUFFT_NOT_SUPPORTED; several devices and callbacks are not there,
// and a callback is refused when the program is compiled.

#include <cufft.h>

typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX = 0,
  CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
  CUFFT_CB_LD_REAL = 2,
  CUFFT_CB_LD_REAL_DOUBLE = 3,
  CUFFT_CB_ST_COMPLEX = 4,
  CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
  CUFFT_CB_ST_REAL = 6,
  CUFFT_CB_ST_REAL_DOUBLE = 7,
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void*, size_t, void*, void*);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void*, size_t, void*, void*);
typedef cufftReal (*cufftCallbackLoadR)(void*, size_t, void*, void*);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void*, size_t, void*, void*);
typedef void (*cufftCallbackStoreC)(void*, size_t, cufftComplex, void*, void*);
typedef void (*cufftCallbackStoreZ)(void*, size_t, cufftDoubleComplex, void*, void*);
typedef void (*cufftCallbackStoreR)(void*, size_t, cufftReal, void*, void*);
typedef void (*cufftCallbackStoreD)(void*, size_t, cufftDoubleReal, void*, void*);

extern "C" {
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType input, long long int* onembed, long long int ostride,
                                long long int odist, cudaDataType output, long long int batch,
                                size_t* work, cudaDataType execution);
cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction);
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                long long int* onembed, long long int ostride, long long int odist,
                                cufftType type, long long int batch, size_t* work);
__attribute__((error("cuFFT callbacks are not part of simt: scale in a kernel of its own")))
cufftResult
cufftXtSetCallback(cufftHandle plan, void** callback, cufftXtCallbackType type, void** info);
}
