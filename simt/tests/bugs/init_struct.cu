// Of each particle the place is set, the speed is not.
struct Particle {
  float x, y, vx, vy;
};

__global__ void make(Particle* p) {
  Particle& own = p[threadIdx.x];
  own.x = threadIdx.x;
  own.y = 0;
}
__global__ void move(Particle* p, float dt) {
  Particle& own = p[threadIdx.x];
  own.x += own.vx * dt;
  own.y += own.vy * dt;
}

int main() {
  Particle* p;
  cudaMalloc(&p, 64 * sizeof(Particle));
  make<<<1, 64>>>(p);
  move<<<1, 64>>>(p, 0.1f);
  cudaDeviceSynchronize();
  cudaFree(p);
}
