// The functions of each element type over OpenBLAS.

#include <cmath>
#include <functional>
#include <vector>

#include "internal.h"
#include "lu.h"

using namespace simt::cublas;

extern "C" {

#define T float
#define R float
#define CU(name) cublasS##name
#define BLAS(name) cblas_s##name
#define REAL_RESULT(name) cublasS##name
#define BLAS_REAL_RESULT(name) cblas_s##name
#define INDEX(name) cublasIs##name
#define BY(p) *p
#include "level2.inc"
#include "level2_real.inc"
#include "level3.inc"
#include "typed.inc"
#include "typed_real.inc"
#include "typed_undef.inc"

#define T double
#define R double
#define CU(name) cublasD##name
#define BLAS(name) cblas_d##name
#define REAL_RESULT(name) cublasD##name
#define BLAS_REAL_RESULT(name) cblas_d##name
#define INDEX(name) cublasId##name
#define BY(p) *p
#include "level2.inc"
#include "level2_real.inc"
#include "level3.inc"
#include "typed.inc"
#include "typed_real.inc"
#include "typed_undef.inc"

#define T cuComplex
#define R float
#define CU(name) cublasC##name
#define BLAS(name) cblas_c##name
#define REAL_RESULT(name) cublasSc##name
#define BLAS_REAL_RESULT(name) cblas_sc##name
#define INDEX(name) cublasIc##name
#define REAL_SCALE(name) cublasCs##name
#define BLAS_REAL_SCALE(name) cblas_cs##name
#define BY(p) p
#include "level2.inc"
#include "level2_complex.inc"
#include "level3.inc"
#include "level3_complex.inc"
#include "typed.inc"
#include "typed_complex.inc"
#include "typed_undef.inc"

#define T cuDoubleComplex
#define R double
#define CU(name) cublasZ##name
#define BLAS(name) cblas_z##name
#define REAL_RESULT(name) cublasDz##name
#define BLAS_REAL_RESULT(name) cblas_dz##name
#define INDEX(name) cublasIz##name
#define REAL_SCALE(name) cublasZd##name
#define BLAS_REAL_SCALE(name) cblas_zd##name
#define BY(p) p
#include "level2.inc"
#include "level2_complex.inc"
#include "level3.inc"
#include "level3_complex.inc"
#include "typed.inc"
#include "typed_complex.inc"
#include "typed_undef.inc"

}  // extern "C"
