// Shared memory in a host function.
int main() {
  __shared__ int tile[32];  // error: shared variable 'tile' is declared in host function 'main'
}
