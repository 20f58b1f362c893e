// __managed__ variables are both sides'.
__managed__ float scale[2];
__device__ __managed__ int n;
int main() {
  scale[1] = 2;
  n += 1;
  return n;
}
