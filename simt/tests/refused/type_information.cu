// dynamic_cast in a kernel.
struct Shape {
  __device__ virtual float area() const { return 0; }
};
struct Circle : Shape {
  float r;
};
__global__ void k(Shape* s, float* out) {
  *out = dynamic_cast<Circle*>(s)->r;  // error: device code has no run-time type information
}
