#include <cuda_fp8.h>
#include <simt/ptx_memory.h>

namespace simt::ptx {

unsigned short narrow_bytes(float high, float low, bool e4m3) {
  const auto kind = e4m3 ? __NV_E4M3 : __NV_E5M2;
  const unsigned upper = __nv_cvt_float_to_fp8(high, __NV_SATFINITE, kind);
  return static_cast<unsigned short>(upper << 8 | __nv_cvt_float_to_fp8(low, __NV_SATFINITE, kind));
}

}  // namespace simt::ptx
