// Copies to, from and between arrays, at once and in streams, captured too; what texture objects were made of.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t e = (call);                                         \
    if (e != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorName(e)); \
  } while (0)

constexpr int width = 8, height = 4;
constexpr size_t row = width * sizeof(float);

__global__ void fetch(cudaTextureObject_t texture, float* out) {
  out[threadIdx.y * width + threadIdx.x] = tex2D<float>(texture, threadIdx.x, threadIdx.y);
}

void show(const char* what, const std::vector<float>& values) {
  float sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += static_cast<float>(i + 1) * values[i];
  printf("%s: %g .. %g, %g\n", what, values.front(), values.back(), sum);
}

int main() {
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = static_cast<float>(i * i % 17);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t a, b;
  CHECK(cudaMallocArray(&a, &format, width, height));
  CHECK(cudaMallocArray(&b, &format, width, height));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  CHECK(cudaMemcpy2DToArrayAsync(a, 0, 0, in.data(), row, row, height, cudaMemcpyHostToDevice,
                                 stream));
  CHECK(cudaMemcpy2DFromArrayAsync(out.data(), row, a, 0, 0, row, height, cudaMemcpyDeviceToHost,
                                   stream));
  CHECK(cudaStreamSynchronize(stream));
  show("there and back", out);

  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, row, height));
  // The lower half of `a` over the upper half of `b`.
  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, height / 2, row, height / 2));
  CHECK(cudaMemcpy2DFromArray(out.data(), row, b, 0, 0, row, height, cudaMemcpyDeviceToHost));
  show("between arrays", out);
  printf("outside: %s %s\n",
         cudaGetErrorName(cudaMemcpy2DArrayToArray(b, 0, 1, a, 0, 0, row, height)),
         cudaGetErrorName(cudaMemcpy2DToArrayAsync(b, 4, 0, in.data(), row, row, height,
                                                   cudaMemcpyHostToDevice, stream)));
  cudaGetLastError();

  // What is captured happens when the graph is launched.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpy2DToArrayAsync(b, 0, 0, in.data(), row, row, height, cudaMemcpyHostToDevice,
                                 stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (float& value : in) value += 1;
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy2DFromArray(out.data(), row, b, 0, 0, row, height, cudaMemcpyDeviceToHost));
  show("captured", out);

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = b;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaResourceDesc told = {};
  CHECK(cudaGetTextureObjectResourceDesc(&told, texture));
  cudaResourceViewDesc view;
  const cudaError_t no_view = cudaGetTextureObjectResourceViewDesc(&view, texture);
  cudaGetLastError();
  printf("made of the array: %d, no view: %s\n",
         told.resType == cudaResourceTypeArray && told.res.array.array == b,
         cudaGetErrorName(no_view));
  float* fetched;
  CHECK(cudaMallocManaged(&fetched, width * height * sizeof(float)));
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemAdvise(fetched, row * height, cudaMemAdviseSetPreferredLocation, here));
  CHECK(cudaMemPrefetchAsync(fetched, row * height, here, 0, stream));
  fetch<<<1, dim3(width, height)>>>(texture, fetched);
  CHECK(cudaDeviceSynchronize());
  show("fetched", {fetched, fetched + width * height});

  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFree(fetched));
  CHECK(cudaStreamDestroy(stream));
}
