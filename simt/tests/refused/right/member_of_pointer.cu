// Marked for both sides.
struct Particle {
  float x, v;
  __host__ __device__ void step(float dt) { x += v * dt; }
};
__global__ void k(Particle* p, float dt) {
  p[threadIdx.x].step(dt);
  p->step(dt);
}
int main() {
  Particle p{0, 1};
  p.step(1);
}
