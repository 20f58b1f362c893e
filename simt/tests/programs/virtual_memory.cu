// The driver API's virtual memory: a vector that grows in place, one memory at two addresses, descriptors, and
// what is refused.
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const CUresult error = (call);                                                       \
    if (error != CUDA_SUCCESS) printf("line %d: %s gives %d\n", __LINE__, #call, error); \
  } while (0)

__global__ void fill(int* to, int first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = first + i;
}

int main() {
  CHECK(cuInit(0));
  int supported = 0;
  CHECK(
      cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t unit = 0;
  CHECK(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("supported %d, unit %zu\n", supported, unit);
  CUmemAccessDesc access = {};
  access.location = prop.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

  // Grows from one unit to two; what was there stays where it is.
  CUdeviceptr base = 0, alias = 0, other = 0;
  CUmemGenericAllocationHandle first, second;
  CHECK(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
  CHECK(cuMemCreate(&first, unit, &prop, 0));
  CHECK(cuMemMap(base, unit, 0, first, 0));
  CHECK(cuMemSetAccess(base, unit, &access, 1));
  int* const vector = reinterpret_cast<int*>(base);
  const int n = static_cast<int>(unit / sizeof(int));
  fill<<<(n + 255) / 256, 256>>>(vector, 0, n);
  CHECK(cuMemCreate(&second, unit, &prop, 0));
  CHECK(cuMemMap(base + unit, unit, 0, second, 0));
  CHECK(cuMemSetAccess(base + unit, unit, &access, 1));
  fill<<<(n + 255) / 256, 256>>>(vector + n, n, n);
  int last[2];
  CHECK(cuMemcpyDtoH(last, base + unit - 4, 8));
  printf("across the seam %d %d\n", last[0] - n, last[1] - n);

  // The same memory a second time, by way of a descriptor.
  int descriptor = -1;
  CUmemGenericAllocationHandle imported;
  CHECK(cuMemExportToShareableHandle(&descriptor, first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                     0));
  CHECK(cuMemImportFromShareableHandle(&imported,
                                       reinterpret_cast<void*>(std::uintptr_t(descriptor)),
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  CHECK(cuMemAddressReserve(&alias, unit, 0, 0, 0));
  CHECK(cuMemMap(alias, unit, 0, imported, 0));
  CHECK(cuMemSetAccess(alias, unit, &access, 1));
  fill<<<1, 32>>>(reinterpret_cast<int*>(alias), 1000, 32);
  CHECK(cuMemcpyDtoH(last, base + 31 * 4, 8));
  printf("by the other address %d, beside it %d\n", last[0], last[1]);
  unsigned long long flags = 0;
  CHECK(cuMemGetAccess(&flags, &access.location, alias));
  printf("access %llu\n", flags);

  printf("refused: half a unit %d, mapped twice %d, too much unmapped %d, reserved and mapped %d\n",
         cuMemAddressReserve(&other, unit / 2, 0, 0, 0), cuMemMap(base, unit, 0, first, 0),
         cuMemUnmap(base, 3 * unit), cuMemAddressFree(base, 4 * unit));
  // A handle may go before its mapping does.
  CHECK(cuMemRelease(first));
  CHECK(cuMemRelease(second));
  CHECK(cuMemRelease(imported));
  CHECK(cuMemUnmap(base, 2 * unit));
  CHECK(cuMemAddressFree(base, 4 * unit));
  printf("released twice %d\n", cuMemRelease(first));
}
