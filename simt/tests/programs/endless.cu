// A kernel that never ends, without a time limit: a line says after a while which kernel runs and where it is, and on Ctrl-C
// another. A kernel that ended before is not spoken of.
#include <csignal>
#include <cstdlib>
#include <thread>

__global__ void ends() {}

__global__ void spins(volatile int* flag) {
  while (*flag == 0) __nanosleep(1000);
}

int main() {
  setenv("SIMT_SLOW", "0.5", 0);
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  ends<<<1, 1>>>();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    raise(SIGINT);
  }).detach();
  spins<<<4, 64>>>(flag);
  cudaDeviceSynchronize();
}
