// The runtime API from host code. What a GPU answers to wrong calls is in conformance/errors.cu;
// here is what needs more than one call.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <simt/allocation.h>
#include <simt/api_templates.h>
#include <simt/errors.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

int table[32];

class Runtime : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    cudaGetLastError();
  }
};

TEST_F(Runtime, MemoryIsZeroAlignedAndGivenBack) {
  size_t before = 0, during = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  std::vector<char*> blocks;
  for (const size_t size : {1u, 100u, 4096u, 100000u, 5000000u}) {
    char* block = nullptr;
    ASSERT_EQ(cudaMalloc(&block, size), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 256, 0u);
    EXPECT_EQ(block[0], 0);
    EXPECT_EQ(block[size - 1], 0);
    std::memset(block, 1, size);
    const auto found = simt::find_allocation(block + size - 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size, size);
    EXPECT_FALSE(simt::find_allocation(block + size));
    EXPECT_TRUE(simt::is_device_range(block));
    blocks.push_back(block);
  }
  cudaMemGetInfo(&during, &total);
  EXPECT_LT(during, before);
  for (char* block : blocks) EXPECT_EQ(cudaFree(block), cudaSuccess);
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(after, before);
  EXPECT_LE(after, total);
}

TEST_F(Runtime, FreedMemoryIsUsedAgain) {
  void *first = nullptr, *second = nullptr;
  cudaMalloc(&first, 1 << 20);
  cudaFree(first);
  cudaMalloc(&second, 1 << 20);
  EXPECT_EQ(first, second);
  EXPECT_EQ(static_cast<char*>(second)[77], 0);
}

TEST_F(Runtime, ManyAllocationsOfEverySize) {
  std::vector<std::pair<unsigned char*, size_t>> live;
  unsigned state = 1;
  for (int i = 0; i < 4000; ++i) {
    state = state * 1664525u + 1013904223u;
    if (live.size() > 100 && state >> 31) {
      const size_t victim = (state >> 8) % live.size();
      EXPECT_EQ(live[victim].first[0], static_cast<unsigned char>(live[victim].second));
      ASSERT_EQ(cudaFree(live[victim].first), cudaSuccess);
      live[victim] = live.back();
      live.pop_back();
      continue;
    }
    const size_t size = 1 + ((state >> 4) & ((1u << (state >> 8) % 18) - 1));
    unsigned char* block = nullptr;
    ASSERT_EQ(cudaMalloc(&block, size), cudaSuccess);
    std::memset(block, static_cast<unsigned char>(size), size);
    live.emplace_back(block, size);
  }
}

TEST_F(Runtime, TooMuchMemoryIsRefusedAndForgotten) {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  void* block = nullptr;
  EXPECT_EQ(cudaMalloc(&block, total + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(block, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&block, 16), cudaSuccess);
}

TEST_F(Runtime, CopiesMustStayInsideTheirAllocation) {
  char *device = nullptr, host[2048] = {};
  cudaMalloc(&device, 1000);
  EXPECT_EQ(cudaMemcpy(device, host, 1000, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host, 1001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 999, host, 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device + 500, 501, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device, 1, 1001), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device, 100, 1, 50, 10), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(device, 100, 1, 50, 11), cudaErrorInvalidValue);
  cudaFree(device);
  EXPECT_EQ(cudaMemcpy(device, host, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host, 10, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(Runtime, PitchedCopies) {
  constexpr size_t width = 37, height = 9;
  unsigned char host[height][width], back[height][width] = {};
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) host[y][x] = static_cast<unsigned char>(y * 31 + x);
  unsigned char* device = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, width, height), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  ASSERT_EQ(cudaMemcpy2D(device, pitch, host, width, width, height, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(device[3 * pitch + 5], host[3][5]);
  EXPECT_EQ(device[width], 0);
  ASSERT_EQ(cudaMemcpy2DAsync(back, width, device, pitch, width, height, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(std::memcmp(host, back, sizeof host), 0);
}

TEST_F(Runtime, BoxCopies) {
  const cudaExtent extent = make_cudaExtent(4 * sizeof(int), 3, 2);
  int host[2][3][4];
  std::iota(&host[0][0][0], &host[0][0][0] + 24, 0);
  cudaPitchedPtr device{};
  ASSERT_EQ(cudaMalloc3D(&device, extent), cudaSuccess);
  cudaMemcpy3DParms parms{};
  parms.srcPtr = make_cudaPitchedPtr(host, 4 * sizeof(int), 4, 3);
  parms.dstPtr = device;
  parms.extent = extent;
  parms.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&parms), cudaSuccess);
  // The corner of two by two by one at (1, 1, 1).
  int corner[2][2] = {};
  cudaMemcpy3DParms part{};
  part.srcPtr = device;
  part.srcPos = make_cudaPos(1 * sizeof(int), 1, 1);
  part.dstPtr = make_cudaPitchedPtr(corner, 2 * sizeof(int), 2, 2);
  part.extent = make_cudaExtent(2 * sizeof(int), 2, 1);
  part.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&part), cudaSuccess);
  EXPECT_EQ(corner[0][0], host[1][1][1]);
  EXPECT_EQ(corner[1][1], host[1][2][2]);
  ASSERT_EQ(cudaMemset3D(device, 0xFF, extent), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&part), cudaSuccess);
  EXPECT_EQ(corner[0][1], -1);
}

TEST_F(Runtime, Symbols) {
  int values[32];
  std::iota(values, values + 32, 100);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values), cudaSuccess);
  EXPECT_EQ(table[31], 131);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, 4, 8), cudaSuccess);
  EXPECT_EQ(table[2], 100);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, 4, 1000), cudaErrorInvalidValue);
  int* address = nullptr;
  size_t size = 0;
  EXPECT_EQ(cudaGetSymbolAddress(&address, table), cudaSuccess);
  EXPECT_EQ(address, table);
  EXPECT_EQ(cudaGetSymbolSize(&size, table), cudaSuccess);
  EXPECT_EQ(size, sizeof table);
  EXPECT_EQ(cudaMemset(address, 0, size), cudaSuccess);
  EXPECT_EQ(table[7], 0);
}

TEST_F(Runtime, LastErrorBelongsToTheThread) {
  cudaFree(&table);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Runtime, RefusedLaunchIsSeenOnce) {
  simt::launch_failed(cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Runtime, FaultAppearsWhenTheHostWaitsAndThenStays) {
  void* block = nullptr;
  cudaEvent_t event = nullptr;
  cudaMalloc(&block, 16);
  cudaEventCreate(&event);
  simt::kernel_faulted(cudaErrorIllegalAddress, "");
  simt::kernel_faulted(cudaErrorAssert, "");
  EXPECT_TRUE(simt::is_poisoned());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaEventRecord(event), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(block), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMalloc(&block, 16), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  simt::launch_failed(cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  std::thread([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); }).join();
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_FALSE(simt::is_poisoned());
  EXPECT_EQ(cudaMalloc(&block, 16), cudaSuccess);
}

TEST_F(Runtime, NamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST_F(Runtime, PropertiesAgreeWithAttributes) {
  cudaDeviceProp prop;
  int value = 0;
  ASSERT_EQ(cudaGetDeviceProperties(&prop, 0), cudaSuccess);
  EXPECT_STREQ(prop.name, "simt (CUDA on this CPU)");
  EXPECT_EQ(prop.major, 9);
  EXPECT_EQ(prop.multiProcessorCount, 132);
  EXPECT_EQ(prop.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(prop.l2CacheSize, 62914560);
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  EXPECT_EQ(value, prop.maxThreadsPerMultiProcessor);
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  EXPECT_EQ(prop.totalGlobalMem, total);
}

TEST_F(Runtime, PoolsAndStreamOrderedMemory) {
  cudaMemPool_t pool = nullptr;
  cudaStream_t stream = nullptr;
  int* block = nullptr;
  unsigned long long threshold = 1 << 20, read = 0, used = 0;
  cudaStreamCreate(&stream);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read), cudaSuccess);
  EXPECT_EQ(read, threshold);
  EXPECT_EQ(cudaMallocAsync(&block, 1 << 16, stream), cudaSuccess);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  EXPECT_GE(used, 1u << 16);
  EXPECT_EQ(cudaFreeAsync(block, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(Runtime, HostFunctionsRunInOrder) {
  std::string order;
  cudaLaunchHostFunc(
      nullptr, [](void* s) { *static_cast<std::string*>(s) += 'a'; }, &order);
  cudaStreamAddCallback(
      nullptr,
      [](cudaStream_t, cudaError_t status, void* s) {
        if (status == cudaSuccess) *static_cast<std::string*>(s) += 'b';
      },
      &order, 0);
  EXPECT_EQ(order, "ab");
}

TEST_F(Runtime, DriverApiSharesTheDevice) {
  CUdevice device = -1;
  CUdeviceptr address = 0;
  unsigned words[4] = {};
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(address, 0x01020304, 4), CUDA_SUCCESS);
  EXPECT_EQ(cudaMemcpy(words, reinterpret_cast<void*>(address), 16, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(words[3], 0x01020304u);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
