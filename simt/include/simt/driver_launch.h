#pragma once

// Kernels in the driver API: a function handle is a kernel's address. Modules have no place here,
// for there is no device code to load: their calls say so. Part of cuda.h.

#include <simt/kernel.h>

typedef cudaFuncAttribute CUfunction_attribute;
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES cudaFuncAttributeMaxDynamicSharedMemorySize

inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  if (!function || !symbol) return cudaErrorInvalidValue;
  *function = reinterpret_cast<cudaFunction_t>(const_cast<void*>(symbol));
  return cudaSuccess;
}
template <class... P>
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void (*kernel)(P...)) {
  return cudaGetFuncBySymbol(function, static_cast<const void*>(simt::kernel_handle(kernel)));
}

inline CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared, CUstream stream,
                               void** args, void** extra) {
  if (extra != nullptr)
    return simt::refused(CUDA_ERROR_NOT_SUPPORTED,
                         "arguments in `extra`; pass an array of their addresses in `args`");
  return simt::driver(cudaLaunchKernel(static_cast<const void*>(function),
                                       dim3(grid_x, grid_y, grid_z),
                                       dim3(block_x, block_y, block_z), args, shared, stream));
}
inline CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x,
                                          unsigned int grid_y, unsigned int grid_z,
                                          unsigned int block_x, unsigned int block_y,
                                          unsigned int block_z, unsigned int shared,
                                          CUstream stream, void** args) {
  return simt::driver(
      cudaLaunchCooperativeKernel(static_cast<const void*>(function), dim3(grid_x, grid_y, grid_z),
                                  dim3(block_x, block_y, block_z), args, shared, stream));
}
inline CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return simt::driver(cudaFuncSetAttribute(static_cast<const void*>(function), attribute, value));
}
inline CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                            int block_size, size_t shared) {
  return simt::driver(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, static_cast<const void*>(function), block_size, shared));
}

typedef enum { CU_JIT_MAX_REGISTERS = 0, CU_JIT_OPTIMIZATION_LEVEL = 7 } CUjit_option;

namespace simt {

inline CUresult no_modules(const char* call) {
  std::fprintf(
      stderr,
      "simt: %s: there is no PTX or cubin to load on this CPU; compile the kernels into the "
      "program\n",
      call);
  return refused(CUDA_ERROR_NOT_SUPPORTED, "there is no PTX or cubin to load on this CPU");
}

}  // namespace simt

inline CUresult cuModuleLoad(CUmodule*, const char*) {
  return simt::no_modules("cuModuleLoad");
}
inline CUresult cuModuleLoadData(CUmodule*, const void*) {
  return simt::no_modules("cuModuleLoadData");
}
inline CUresult cuModuleLoadDataEx(CUmodule*, const void*, unsigned int, CUjit_option*, void**) {
  return simt::no_modules("cuModuleLoadDataEx");
}
inline CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*) {
  return simt::no_modules("cuModuleGetFunction");
}
inline CUresult cuModuleGetGlobal(CUdeviceptr*, size_t*, CUmodule, const char*) {
  return simt::no_modules("cuModuleGetGlobal");
}
inline CUresult cuModuleUnload(CUmodule) {
  return CUDA_SUCCESS;
}
