// What the runtime API answers to right and wrong calls. The expected output was recorded on an
// H200: every line is what a GPU answers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__device__ int counters[16];
__constant__ float weights[8];

__global__ void nothing() {}
__global__ void write(int* p) {
  *p = 1;
}

static void show(const char* what, cudaError_t answer) {
  const cudaError_t last = cudaGetLastError();
  std::printf("%-44s %3d last %3d\n", what, static_cast<int>(answer), static_cast<int>(last));
}
#define SHOW(call) show(#call, call)

static void memory() {
  char *a = nullptr, *b = nullptr;
  int on_stack[256];
  std::vector<char> host(4096);
  void* none = nullptr;
  SHOW(cudaMalloc(&a, 1024));
  SHOW(cudaMalloc(&b, 1024));
  SHOW(cudaMalloc((void**)nullptr, 16));
  SHOW(cudaMalloc(&none, 0));
  std::printf("malloc of 0 bytes gives null: %d\n", none == nullptr);
  SHOW(cudaMalloc(&none, size_t{1} << 60));
  SHOW(cudaMemcpy(a, host.data(), 1024, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(a + 512, host.data(), 512, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(host.data(), a, 1024, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(b, a, 1024, cudaMemcpyDeviceToDevice));
  SHOW(cudaMemcpy(host.data() + 2048, host.data(), 1024, cudaMemcpyHostToHost));
  SHOW(cudaMemcpy(a, host.data(), 1024, cudaMemcpyDefault));
  SHOW(cudaMemcpy(a, nullptr, 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(nullptr, a, 16, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(a, host.data(), 16, (cudaMemcpyKind)7));
  SHOW(cudaMemcpy(a, host.data(), 16, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(host.data(), a, 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(on_stack, host.data(), 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(a, b, 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(a, b, 16, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(a, b, 16, cudaMemcpyHostToHost));
  SHOW(cudaMemcpyAsync(a, host.data(), 16, cudaMemcpyHostToDevice, 0));
  SHOW(cudaMemset(a, 1, 1024));
  SHOW(cudaMemset(nullptr, 1, 16));
  SHOW(cudaMemset(nullptr, 1, 0));
  SHOW(cudaMemset(on_stack, 1, 16));
  SHOW(cudaMemset2D(a, 64, 1, 32, 16));
  SHOW(cudaMemset2D(a, 16, 1, 32, 16));
  SHOW(cudaMemcpy2D(a, 64, host.data(), 32, 32, 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy2D(a, 16, host.data(), 32, 32, 16, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy2D(a, 64, host.data(), 16, 32, 16, cudaMemcpyHostToDevice));
  SHOW(cudaFree(nullptr));
  SHOW(cudaFree(a + 8));
  SHOW(cudaFree(on_stack));
  SHOW(cudaFree(host.data()));
  SHOW(cudaFree(a));
  SHOW(cudaFree(a));
  SHOW(cudaFree(b));
}

static void host_memory() {
  char *pinned = nullptr, *managed = nullptr, *device = nullptr;
  static char plain[8192];
  void* view = nullptr;
  SHOW(cudaMallocHost(&pinned, 4096));
  SHOW(cudaMallocManaged(&managed, 4096));
  SHOW(cudaMalloc(&device, 4096));
  SHOW(cudaHostGetDevicePointer(&view, pinned, 0));
  std::printf("same address: %d\n", view == pinned);
  SHOW(cudaHostGetDevicePointer(&view, plain, 0));
  SHOW(cudaMemcpy(device, pinned, 4096, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(device, managed, 4096, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(managed, device, 4096, cudaMemcpyDeviceToDevice));
  SHOW(cudaMemcpy(pinned, managed, 4096, cudaMemcpyDefault));
  SHOW(cudaMemset(managed, 3, 4096));
  SHOW(cudaMemset(pinned, 3, 4096));
  std::printf("managed is plain memory to the host: %d\n", managed[4095]);
  cudaPointerAttributes attributes;
  const struct {
    const char* name;
    const void* pointer;
  } kinds[] = {{"device", device + 8}, {"pinned", pinned}, {"managed", managed}, {"plain", plain}};
  for (const auto& kind : kinds) {
    std::memset(&attributes, 0, sizeof attributes);
    const cudaError_t error = cudaPointerGetAttributes(&attributes, kind.pointer);
    std::printf("attributes of %-8s %d: type %d device %d devicePointer %d hostPointer %d\n",
                kind.name, error, attributes.type, attributes.device,
                attributes.devicePointer == kind.pointer, attributes.hostPointer == kind.pointer);
  }
  SHOW(cudaPointerGetAttributes(&attributes, nullptr));
  SHOW(cudaPointerGetAttributes(nullptr, device));
  SHOW(cudaHostRegister(plain, 8192, cudaHostRegisterDefault));
  SHOW(cudaHostRegister(plain, 8192, cudaHostRegisterDefault));
  SHOW(cudaHostGetDevicePointer(&view, plain, 0));
  SHOW(cudaHostUnregister(plain));
  SHOW(cudaHostUnregister(plain));
  SHOW(cudaHostRegister(nullptr, 16, 0));
  SHOW(cudaFreeHost(nullptr));
  SHOW(cudaFreeHost(plain));
  SHOW(cudaFreeHost(device));
  SHOW(cudaFree(pinned));
  SHOW(cudaFreeHost(managed));
  SHOW(cudaFreeHost(pinned));
  SHOW(cudaFreeHost(pinned));
  SHOW(cudaFree(managed));
  SHOW(cudaFree(device));
}

static void managed_and_pools() {
  char *managed = nullptr, *device = nullptr, *pinned = nullptr;
  void* none = nullptr;
  size_t pitch = 0, free = 0;
  cudaMallocManaged(&managed, 1 << 16);
  cudaMalloc(&device, 1 << 16);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  SHOW(cudaMallocManaged(&none, 0));
  SHOW(cudaMallocManaged(&none, 16, 77));
  SHOW(cudaMemPrefetchAsync(managed, 1 << 16, here, 0, 0));
  SHOW(cudaMemPrefetchAsync(managed, 1 << 16, host, 0, 0));
  SHOW(cudaMemPrefetchAsync(device, 1 << 16, here, 0, 0));
  SHOW(cudaMemAdvise(managed, 1 << 16, cudaMemAdviseSetReadMostly, here));
  SHOW(cudaMemAdvise(managed, 1 << 16, (cudaMemoryAdvise)77, here));
  SHOW(cudaMemAdvise(device, 1 << 16, cudaMemAdviseSetReadMostly, here));
  SHOW(cudaFreeAsync(nullptr, 0));
  SHOW(cudaMallocAsync(&none, 4096, 0));
  SHOW(cudaFreeAsync(none, 0));
  SHOW(cudaMallocAsync(&none, 4096, 0));
  SHOW(cudaFree(none));
  SHOW(cudaMemGetInfo(nullptr, &free));
  SHOW(cudaMallocPitch(&none, &pitch, 0, 16));
  SHOW(cudaMallocPitch(&none, nullptr, 16, 16));
  SHOW(cudaHostAlloc(&pinned, 16, 77));
  SHOW(cudaMallocHost(&none, 0));
  SHOW(cudaMemcpy3D(nullptr));
  SHOW(cudaMemcpyPeer(device, 0, managed, 0, 16));
  SHOW(cudaMemcpyPeer(device, 1000, managed, 0, 16));
  SHOW(cudaFree(managed));
  SHOW(cudaFree(device));
}

static void symbols() {
  int ints[16];
  for (int i = 0; i < 16; ++i) ints[i] = i * i;
  SHOW(cudaMemcpyToSymbol(counters, ints, sizeof ints));
  SHOW(cudaMemcpyToSymbol(counters, ints, sizeof ints, 4));
  SHOW(cudaMemcpyToSymbol(counters, ints, 8, 56));
  SHOW(cudaMemcpyToSymbol(counters, nullptr, 8));
  SHOW(cudaMemcpyToSymbol(counters, ints, 8, 0, cudaMemcpyDeviceToHost));
  int back[16] = {};
  SHOW(cudaMemcpyFromSymbol(back, counters, sizeof back));
  std::printf("%d %d %d %d\n", back[3], back[13], back[14], back[15]);
  SHOW(cudaMemcpyFromSymbol(back, counters, 4, 20));
  std::printf("%d\n", back[0]);
  SHOW(cudaMemcpyFromSymbol(back, counters, 8, 60));
  const float w[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  SHOW(cudaMemcpyToSymbol(weights, w, sizeof w));
  void* address = nullptr;
  size_t size = 0;
  SHOW(cudaGetSymbolAddress(&address, weights));
  SHOW(cudaGetSymbolSize(&size, weights));
  float two = 0;
  SHOW(cudaMemcpy(&two, static_cast<float*>(address) + 2, 4, cudaMemcpyDeviceToHost));
  std::printf("size %zu, weights[2] = %g\n", size, two);
}

static void devices() {
  int n = 0;
  SHOW(cudaGetDevice(&n));
  SHOW(cudaSetDevice(0));
  SHOW(cudaSetDevice(1000));
  SHOW(cudaSetDevice(-1));
  SHOW(cudaGetDevice(nullptr));
  SHOW(cudaGetDeviceCount(nullptr));
  cudaDeviceProp prop;
  SHOW(cudaGetDeviceProperties(&prop, 0));
  SHOW(cudaGetDeviceProperties(&prop, 1000));
  SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  SHOW(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)5000, 0));
  SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1000));
  SHOW(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  SHOW(cudaDeviceCanAccessPeer(&n, 0, 0));
  std::printf("itself: %d\n", n);
  SHOW(cudaDeviceCanAccessPeer(&n, 0, 1000));
  SHOW(cudaDeviceEnablePeerAccess(0, 0));
  SHOW(cudaDeviceDisablePeerAccess(0));
  size_t value = 0;
  SHOW(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  std::printf("stack %zu\n", value);
  SHOW(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  std::printf("printf %zu\n", value);
  SHOW(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  std::printf("heap %zu\n", value);
  SHOW(cudaDeviceGetLimit(&value, (cudaLimit)77));
  SHOW(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 22));
  SHOW(cudaDeviceSetLimit((cudaLimit)77, 1));
  SHOW(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  SHOW(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  std::printf("stack %zu\n", value);
  int least = 9, greatest = 9;
  SHOW(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  std::printf("priorities %d to %d\n", least, greatest);
}

static void streams_and_events() {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr, untimed = nullptr;
  float ms = -1;
  unsigned flags = 9;
  int priority = 9;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaStreamCreate(nullptr));
  SHOW(cudaStreamGetFlags(stream, &flags));
  std::printf("flags %u\n", flags);
  SHOW(cudaStreamGetPriority(stream, &priority));
  std::printf("priority %d\n", priority);
  SHOW(cudaStreamSynchronize(stream));
  SHOW(cudaStreamQuery(stream));
  SHOW(cudaStreamQuery(0));
  SHOW(cudaStreamQuery(cudaStreamPerThread));
  SHOW(cudaStreamQuery(cudaStreamLegacy));
  SHOW(cudaStreamDestroy(stream));
  SHOW(cudaStreamDestroy(0));
  SHOW(cudaStreamCreateWithFlags(&stream, 77));
  SHOW(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
  SHOW(cudaStreamGetPriority(stream, &priority));
  std::printf("priority %d\n", priority);
  SHOW(cudaEventCreate(&start));
  SHOW(cudaEventCreate(&stop));
  SHOW(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  SHOW(cudaEventCreate(nullptr));
  SHOW(cudaEventCreateWithFlags(&untimed, 1 << 20));
  SHOW(cudaEventElapsedTime(&ms, start, stop));
  SHOW(cudaEventQuery(start));
  SHOW(cudaEventSynchronize(start));
  SHOW(cudaEventRecord(start));
  nothing<<<1, 1>>>();
  SHOW(cudaEventRecord(stop));
  SHOW(cudaEventSynchronize(stop));
  SHOW(cudaEventElapsedTime(&ms, start, stop));
  std::printf("time passed: %d\n", ms >= 0);
  SHOW(cudaEventElapsedTime(nullptr, start, stop));
  SHOW(cudaEventRecord(untimed));
  SHOW(cudaEventSynchronize(untimed));
  SHOW(cudaEventElapsedTime(&ms, start, untimed));
  SHOW(cudaStreamWaitEvent(stream, stop, 0));
  SHOW(cudaEventRecord(nullptr));
  SHOW(cudaEventSynchronize(nullptr));
  SHOW(cudaEventDestroy(nullptr));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  cudaGraph_t graph = nullptr;
  SHOW(cudaStreamIsCapturing(stream, &status));
  std::printf("capturing: %d\n", status);
  SHOW(cudaStreamEndCapture(stream, &graph));
  SHOW(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
  SHOW(cudaLaunchHostFunc(stream, nullptr, nullptr));
  SHOW(cudaEventDestroy(start));
  SHOW(cudaEventDestroy(stop));
  SHOW(cudaStreamDestroy(stream));
}

// Last, because nothing works after it.
static void fault() {
  int* p = nullptr;
  cudaMalloc(&p, 4);
  write<<<1, 1>>>(nullptr);
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaSuccess);
  std::printf("peek %d, get %d, get %d\n", cudaPeekAtLastError(), cudaGetLastError(),
              cudaGetLastError());
  void* q = nullptr;
  SHOW(cudaMalloc(&q, 16));
  SHOW(cudaFree(p));
  SHOW(cudaStreamSynchronize(0));
  SHOW(cudaMemset(p, 0, 4));
  SHOW(cudaSetDevice(0));
  int n = 0;
  SHOW(cudaGetDevice(&n));
  SHOW(cudaGetDeviceCount(&n));
  SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  write<<<1, 1>>>(p);
  SHOW(cudaSuccess);
  nothing<<<1, 1025>>>();
  SHOW(cudaSuccess);
  SHOW(cudaMalloc((void**)nullptr, 1));
}

int main() {
  memory();
  host_memory();
  managed_and_pools();
  symbols();
  devices();
  streams_and_events();
  fault();
}
