// main writes a device variable: nvcc warns.
__device__ float scale[2];
int main() {
  scale[1] = 2;  // warning: device variable 'scale' is written in host function 'main'
}
