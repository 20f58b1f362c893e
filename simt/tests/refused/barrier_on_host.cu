// main waits for threads.
int main() {
  __syncthreads();  // error: device function '__syncthreads' is called from host function 'main'
}
