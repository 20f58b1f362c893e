// The same through a pointer.
struct Particle {
  float x, v;
  void step(float dt) { x += v * dt; }
};
__global__ void k(Particle* p, float dt) {
  p[threadIdx.x].step(dt);  // error: host function 'step' is called from kernel 'k'
}
