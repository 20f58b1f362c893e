// The device reports what an H200 reports (read from one), except for what does not exist here: a
// bus, error correction, sharing between processes. Programs size their grids and tiles by these
// numbers, so they must be a GPU's and not this CPU's; the name says what the device really is.

#include "api/device_properties.h"

#include <simt/special.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/internal.h"

namespace simt::api {
namespace {

struct Fact {
  cudaDeviceAttr attr;
  int value;
};

// In the order of the enum.
constexpr Fact facts[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, 132},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6016},
    {cudaDevAttrL2CacheSize, 62914560},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrMultiGpuBoardGroupID, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    // The driver API's alone: virtual memory, file descriptors of it, two kinds of Windows'
    // handles.
    {static_cast<cudaDeviceAttr>(102), 1},
    {static_cast<cudaDeviceAttr>(103), 1},
    {static_cast<cudaDeviceAttr>(104), 0},
    {static_cast<cudaDeviceAttr>(105), 0},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {static_cast<cudaDeviceAttr>(107), 0},  // compressible memory
    {cudaDevAttrMaxPersistingL2CacheSize, 39321600},
    {cudaDevAttrMaxAccessPolicyWindowSize, 134217728},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrSparseCudaArraySupported, 0},
    {cudaDevAttrHostRegisterReadOnlySupported, 1},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrGPUDirectRDMASupported, 0},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
    {cudaDevAttrClusterLaunch, 1},
    {cudaDevAttrDeferredMappingCudaArraySupported, 0},
    {cudaDevAttrIpcEventSupport, 0},
    {cudaDevAttrMemSyncDomainCount, 4},
    {cudaDevAttrNumaConfig, 0},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrMpsEnabled, 0},
    {cudaDevAttrHostNumaId, 0},
    {cudaDevAttrD3D12CigSupported, 0},
    {cudaDevAttrVulkanCigSupported, 0},
    {cudaDevAttrGpuPciDeviceId, 0},
    {cudaDevAttrGpuPciSubsystemId, 0},
    {cudaDevAttrHostNumaMemoryPoolsSupported, 1},
    {cudaDevAttrHostNumaMultinodeIpcSupported, 0},
    {cudaDevAttrHostMemoryPoolsSupported, 1},
    {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
};

int fact(cudaDeviceAttr attr) {
  return device_attribute(attr).value();
}

void fill_textures(cudaDeviceProp& p) {
  p.maxTexture1D = fact(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = fact(cudaDevAttrMaxTexture1DMipmappedWidth);
  p.maxTexture1DLinear = fact(cudaDevAttrMaxTexture1DLinearWidth);
  p.maxTexture2D[0] = fact(cudaDevAttrMaxTexture2DWidth);
  p.maxTexture2D[1] = fact(cudaDevAttrMaxTexture2DHeight);
  p.maxTexture2DMipmap[0] = fact(cudaDevAttrMaxTexture2DMipmappedWidth);
  p.maxTexture2DMipmap[1] = fact(cudaDevAttrMaxTexture2DMipmappedHeight);
  p.maxTexture2DLinear[0] = fact(cudaDevAttrMaxTexture2DLinearWidth);
  p.maxTexture2DLinear[1] = fact(cudaDevAttrMaxTexture2DLinearHeight);
  p.maxTexture2DLinear[2] = fact(cudaDevAttrMaxTexture2DLinearPitch);
  p.maxTexture2DGather[0] = fact(cudaDevAttrMaxTexture2DGatherWidth);
  p.maxTexture2DGather[1] = fact(cudaDevAttrMaxTexture2DGatherHeight);
  p.maxTexture3D[0] = fact(cudaDevAttrMaxTexture3DWidth);
  p.maxTexture3D[1] = fact(cudaDevAttrMaxTexture3DHeight);
  p.maxTexture3D[2] = fact(cudaDevAttrMaxTexture3DDepth);
  p.maxTexture3DAlt[0] = fact(cudaDevAttrMaxTexture3DWidthAlt);
  p.maxTexture3DAlt[1] = fact(cudaDevAttrMaxTexture3DHeightAlt);
  p.maxTexture3DAlt[2] = fact(cudaDevAttrMaxTexture3DDepthAlt);
  p.maxTextureCubemap = fact(cudaDevAttrMaxTextureCubemapWidth);
  p.maxTexture1DLayered[0] = fact(cudaDevAttrMaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = fact(cudaDevAttrMaxTexture1DLayeredLayers);
  p.maxTexture2DLayered[0] = fact(cudaDevAttrMaxTexture2DLayeredWidth);
  p.maxTexture2DLayered[1] = fact(cudaDevAttrMaxTexture2DLayeredHeight);
  p.maxTexture2DLayered[2] = fact(cudaDevAttrMaxTexture2DLayeredLayers);
  p.maxTextureCubemapLayered[0] = fact(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p.maxTextureCubemapLayered[1] = fact(cudaDevAttrMaxTextureCubemapLayeredLayers);
  p.maxSurface1D = fact(cudaDevAttrMaxSurface1DWidth);
  p.maxSurface2D[0] = fact(cudaDevAttrMaxSurface2DWidth);
  p.maxSurface2D[1] = fact(cudaDevAttrMaxSurface2DHeight);
  p.maxSurface3D[0] = fact(cudaDevAttrMaxSurface3DWidth);
  p.maxSurface3D[1] = fact(cudaDevAttrMaxSurface3DHeight);
  p.maxSurface3D[2] = fact(cudaDevAttrMaxSurface3DDepth);
  p.maxSurface1DLayered[0] = fact(cudaDevAttrMaxSurface1DLayeredWidth);
  p.maxSurface1DLayered[1] = fact(cudaDevAttrMaxSurface1DLayeredLayers);
  p.maxSurface2DLayered[0] = fact(cudaDevAttrMaxSurface2DLayeredWidth);
  p.maxSurface2DLayered[1] = fact(cudaDevAttrMaxSurface2DLayeredHeight);
  p.maxSurface2DLayered[2] = fact(cudaDevAttrMaxSurface2DLayeredLayers);
  p.maxSurfaceCubemap = fact(cudaDevAttrMaxSurfaceCubemapWidth);
  p.maxSurfaceCubemapLayered[0] = fact(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p.maxSurfaceCubemapLayered[1] = fact(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
}

size_t size_fact(cudaDeviceAttr attr) {
  return static_cast<size_t>(fact(attr));
}

void fill_machine(cudaDeviceProp& p) {
  p.sharedMemPerBlock = size_fact(cudaDevAttrMaxSharedMemoryPerBlock);
  p.sharedMemPerBlockOptin = size_fact(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p.sharedMemPerMultiprocessor = size_fact(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p.reservedSharedMemPerBlock = size_fact(cudaDevAttrReservedSharedMemoryPerBlock);
  p.regsPerBlock = fact(cudaDevAttrMaxRegistersPerBlock);
  p.regsPerMultiprocessor = fact(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.warpSize = fact(cudaDevAttrWarpSize);
  p.memPitch = size_fact(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = fact(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsDim[0] = fact(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = fact(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = fact(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = fact(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = fact(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = fact(cudaDevAttrMaxGridDimZ);
  p.totalConstMem = size_fact(cudaDevAttrTotalConstantMemory);
  p.major = fact(cudaDevAttrComputeCapabilityMajor);
  p.minor = fact(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = size_fact(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = size_fact(cudaDevAttrTexturePitchAlignment);
  p.surfaceAlignment = size_fact(cudaDevAttrSurfaceAlignment);
  p.multiProcessorCount = fact(cudaDevAttrMultiProcessorCount);
  p.maxThreadsPerMultiProcessor = fact(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.maxBlocksPerMultiProcessor = fact(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.clockRate = fact(cudaDevAttrClockRate);
  p.memoryClockRate = fact(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = fact(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = fact(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = fact(cudaDevAttrMaxPersistingL2CacheSize);
  p.accessPolicyMaxWindowSize = fact(cudaDevAttrMaxAccessPolicyWindowSize);
  p.singleToDoublePrecisionPerfRatio = fact(cudaDevAttrSingleToDoublePrecisionPerfRatio);
}

void fill_abilities(cudaDeviceProp& p) {
  p.integrated = fact(cudaDevAttrIntegrated);
  p.canMapHostMemory = fact(cudaDevAttrCanMapHostMemory);
  p.concurrentKernels = fact(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = fact(cudaDevAttrEccEnabled);
  p.pciBusID = fact(cudaDevAttrPciBusId);
  p.pciDeviceID = fact(cudaDevAttrPciDeviceId);
  p.pciDomainID = fact(cudaDevAttrPciDomainId);
  p.tccDriver = fact(cudaDevAttrTccDriver);
  p.asyncEngineCount = fact(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = fact(cudaDevAttrUnifiedAddressing);
  p.streamPrioritiesSupported = fact(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = fact(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = fact(cudaDevAttrLocalL1CacheSupported);
  p.managedMemory = fact(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = fact(cudaDevAttrIsMultiGpuBoard);
  p.multiGpuBoardGroupID = fact(cudaDevAttrMultiGpuBoardGroupID);
  p.hostNativeAtomicSupported = fact(cudaDevAttrHostNativeAtomicSupported);
  p.pageableMemoryAccess = fact(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = fact(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = fact(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = fact(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = fact(cudaDevAttrCooperativeLaunch);
  p.hostRegisterSupported = fact(cudaDevAttrHostRegisterSupported);
  p.hostRegisterReadOnlySupported = fact(cudaDevAttrHostRegisterReadOnlySupported);
  p.memoryPoolsSupported = fact(cudaDevAttrMemoryPoolsSupported);
  p.clusterLaunch = fact(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = 1;
  p.deviceNumaConfig = fact(cudaDevAttrNumaConfig);
  p.deviceNumaId = fact(cudaDevAttrNumaId);
  p.hostNumaId = fact(cudaDevAttrHostNumaId);
  p.deviceOverlap = fact(cudaDevAttrGpuOverlap);
  p.kernelExecTimeoutEnabled = fact(cudaDevAttrKernelExecTimeout);
  p.computeMode = fact(cudaDevAttrComputeMode);
}

}  // namespace

std::optional<int> device_attribute(cudaDeviceAttr attr) {
  const auto found = std::lower_bound(std::begin(facts), std::end(facts), attr,
                                      [](const Fact& f, cudaDeviceAttr a) { return f.attr < a; });
  if (found == std::end(facts) || found->attr != attr) return std::nullopt;
  if (attr == cudaDevAttrMultiProcessorCount) return static_cast<int>(special::multiprocessors());
  return found->value;
}

void fill_properties(cudaDeviceProp& p) {
  p = {};
  std::snprintf(p.name, sizeof p.name, "simt (CUDA on this CPU)");
  std::memcpy(p.uuid.bytes, "simt-on-this-cpu", sizeof p.uuid.bytes);
  p.totalGlobalMem = heap_total();
  fill_machine(p);
  fill_abilities(p);
  fill_textures(p);
}

}  // namespace simt::api

unsigned simt::special::multiprocessors() {
  static const unsigned count = [] {
    const char* const text = std::getenv("SIMT_MULTIPROCESSORS");
    const long wanted = text != nullptr ? std::atol(text) : 0;
    return wanted > 0 ? static_cast<unsigned>(std::min(wanted, 1024L)) : 132u;
  }();
  return count;
}
