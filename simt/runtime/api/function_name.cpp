// The name of a kernel, found by its address.

#include <dlfcn.h>

#include "api/internal.h"

using namespace simt;
using namespace simt::api;

cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  if (!name) return record(cudaErrorInvalidValue);
  Dl_info info{};
  if (!kernel || !dladdr(kernel, &info) || !info.dli_sname || info.dli_saddr != kernel)
    return record(cudaErrorInvalidDeviceFunction);
  *name = info.dli_sname;
  return cudaSuccess;
}
