// Sizes and alignments that programs rely on, and the answers to questions about a device that
// depend on its architecture alone.
#include "facts.h"

#define LAYOUT(type)                                                          \
  printf(#type ": %d bytes, aligned to %d\n", static_cast<int>(sizeof(type)), \
         static_cast<int>(alignof(type)))

struct Mixed {
  char c;
  double d;
  short s;
};
struct __align__(16) Aligned {
  float x, y, z;
};
struct Bits {
  unsigned a : 3, b : 7;
  unsigned long long c : 40;
};

__global__ void on_the_device() {
  LAYOUT(Mixed);
  LAYOUT(Aligned);
  LAYOUT(Bits);
  LAYOUT(long);
  LAYOUT(void*);
  LAYOUT(wchar_t);
  LAYOUT(float4);
  LAYOUT(double2);
}

void vectors() {
  LAYOUT(char1);
  LAYOUT(char2);
  LAYOUT(char3);
  LAYOUT(char4);
  LAYOUT(uchar4);
  LAYOUT(short2);
  LAYOUT(short3);
  LAYOUT(short4);
  LAYOUT(int1);
  LAYOUT(int2);
  LAYOUT(int3);
  LAYOUT(int4);
  LAYOUT(uint3);
  LAYOUT(uint4);
  LAYOUT(long2);
  LAYOUT(longlong2);
  LAYOUT(longlong3);
  LAYOUT(float1);
  LAYOUT(float2);
  LAYOUT(float3);
  LAYOUT(float4);
  LAYOUT(double1);
  LAYOUT(double2);
  LAYOUT(double3);
  LAYOUT(dim3);
  LAYOUT(cudaExtent);
  LAYOUT(cudaPitchedPtr);
  const dim3 one, two(5), three(2, 3);
  printf("dim3: %u %u %u, %u %u %u, %u %u %u\n", one.x, one.y, one.z, two.x, two.y, two.z, three.x,
         three.y, three.z);
}

#define ATTRIBUTE(name)                                                \
  {                                                                    \
    int value = -1;                                                    \
    const cudaError_t error = cudaDeviceGetAttribute(&value, name, 0); \
    printf(#name ": %d, error %d\n", value, static_cast<int>(error));  \
  }
#define PROPERTY(name) printf(#name ": %lld\n", static_cast<long long>(properties.name))

void device() {
  ATTRIBUTE(cudaDevAttrMaxThreadsPerBlock)
  ATTRIBUTE(cudaDevAttrMaxBlockDimX)
  ATTRIBUTE(cudaDevAttrMaxBlockDimY)
  ATTRIBUTE(cudaDevAttrMaxBlockDimZ)
  ATTRIBUTE(cudaDevAttrMaxGridDimX)
  ATTRIBUTE(cudaDevAttrMaxGridDimY)
  ATTRIBUTE(cudaDevAttrMaxGridDimZ)
  ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlock)
  ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlockOptin)
  ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerMultiprocessor)
  ATTRIBUTE(cudaDevAttrReservedSharedMemoryPerBlock)
  ATTRIBUTE(cudaDevAttrTotalConstantMemory)
  ATTRIBUTE(cudaDevAttrWarpSize)
  ATTRIBUTE(cudaDevAttrMaxRegistersPerBlock)
  ATTRIBUTE(cudaDevAttrMaxRegistersPerMultiprocessor)
  ATTRIBUTE(cudaDevAttrMaxThreadsPerMultiProcessor)
  ATTRIBUTE(cudaDevAttrMaxBlocksPerMultiprocessor)
  ATTRIBUTE(cudaDevAttrComputeCapabilityMajor)
  ATTRIBUTE(cudaDevAttrComputeCapabilityMinor)
  ATTRIBUTE(cudaDevAttrUnifiedAddressing)
  ATTRIBUTE(cudaDevAttrManagedMemory)
  ATTRIBUTE(cudaDevAttrConcurrentKernels)
  ATTRIBUTE(cudaDevAttrConcurrentManagedAccess)
  ATTRIBUTE(cudaDevAttrCooperativeLaunch)
  ATTRIBUTE(cudaDevAttrCanMapHostMemory)
  ATTRIBUTE(cudaDevAttrStreamPrioritiesSupported)
  ATTRIBUTE(cudaDevAttrMemoryPoolsSupported)
  ATTRIBUTE(cudaDevAttrTextureAlignment)
  ATTRIBUTE(cudaDevAttrTexturePitchAlignment)
  ATTRIBUTE(cudaDevAttrMaxPitch)
  ATTRIBUTE(cudaDevAttrMaxTexture1DWidth)
  ATTRIBUTE(cudaDevAttrMaxTexture2DWidth)
  ATTRIBUTE(cudaDevAttrMaxTexture2DHeight)
  ATTRIBUTE(cudaDevAttrMaxTexture3DDepth)
  ATTRIBUTE(static_cast<cudaDeviceAttr>(99999))
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  PROPERTY(major);
  PROPERTY(minor);
  PROPERTY(warpSize);
  PROPERTY(maxThreadsPerBlock);
  PROPERTY(maxThreadsDim[2]);
  PROPERTY(maxGridSize[0]);
  PROPERTY(maxGridSize[1]);
  PROPERTY(sharedMemPerBlock);
  PROPERTY(sharedMemPerBlockOptin);
  PROPERTY(sharedMemPerMultiprocessor);
  PROPERTY(regsPerBlock);
  PROPERTY(maxThreadsPerMultiProcessor);
  PROPERTY(maxBlocksPerMultiProcessor);
  PROPERTY(totalConstMem);
  PROPERTY(unifiedAddressing);
  PROPERTY(managedMemory);
  PROPERTY(cooperativeLaunch);
  PROPERTY(clusterLaunch);
  PROPERTY(textureAlignment);
  size_t limit = 0;
  INT(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  LONG(limit);
  INT(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
  LONG(limit);
  INT(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  LONG(limit);
  int least = 0, greatest = 0;
  INT(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  INT(least);
  INT(greatest);
}

void memory() {
  for (size_t width : {1, 100, 511, 512, 513, 3000}) {
    void* at;
    size_t pitch;
    cudaMallocPitch(&at, &pitch, width, 4);
    printf("pitch of %d bytes: %d\n", static_cast<int>(width), static_cast<int>(pitch));
    cudaFree(at);
  }
  void *device, *pinned, *managed;
  int local = 0;
  cudaMalloc(&device, 100);
  cudaMallocHost(&pinned, 100);
  cudaMallocManaged(&managed, 100);
  INT(reinterpret_cast<size_t>(device) % 256);
  for (void* pointer : {device, pinned, managed, static_cast<void*>(&local)}) {
    cudaPointerAttributes a;
    const cudaError_t error = cudaPointerGetAttributes(&a, pointer);
    printf("pointer: error %d, type %d, device %d, host %d, same %d\n", static_cast<int>(error),
           static_cast<int>(a.type), a.devicePointer != nullptr, a.hostPointer != nullptr,
           a.devicePointer == a.hostPointer);
  }
  cudaFree(device);
  cudaFreeHost(pinned);
  cudaFree(managed);
}

int main() {
  on_the_device<<<1, 1>>>();
  cudaDeviceSynchronize();
  fflush(stdout);
  vectors();
  device();
  memory();
  return finished();
}
