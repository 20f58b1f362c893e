// A member called main is another function.
struct Program {
  __device__ int main() { return 0; }
};
int main() {
  return 0;
}
