// Transforms of many lengths against the sum that defines them, and layouts against each other.
#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Z = std::complex<double>;

std::vector<Z> noise(int n) {
  std::vector<Z> x(n);
  unsigned s = 1;
  for (Z& z : x) {
    s = s * 1664525u + 1013904223u;
    z = {(s >> 8) / 16777216.0 - 0.5, (s >> 4 & 0xffff) / 65536.0 - 0.5};
  }
  return x;
}

double error(const std::vector<Z>& x, const std::vector<Z>& y, int sign) {
  const int n = static_cast<int>(x.size());
  double worst = 0;
  for (int k = 0; k < n; ++k) {
    Z sum = 0;
    for (int j = 0; j < n; ++j)
      sum += x[j] * std::polar(1.0, sign * 2 * M_PI * (1ll * j * k % n) / n);
    worst = std::fmax(worst, std::abs(sum - y[k]));
  }
  return worst;
}

template <class T>
T* device(size_t count) {
  T* p;
  cudaMallocManaged(&p, count * sizeof(T));
  return p;
}

int main() {
  bool good = true;
  for (int n : {1,  2,  3,  4,  5,   6,   7,   8,   12,  16,  30,  49,
                61, 64, 67, 97, 100, 128, 134, 256, 331, 360, 1009}) {
    const std::vector<Z> x = noise(n);
    auto* data = device<cufftDoubleComplex>(n);
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_Z2Z, 1);
    for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      for (int i = 0; i < n; ++i) data[i] = {x[i].real(), x[i].imag()};
      cufftExecZ2Z(plan, data, data, sign);
      std::vector<Z> y(n);
      for (int i = 0; i < n; ++i) y[i] = {data[i].x, data[i].y};
      const double off = error(x, y, sign);
      if (!(off < 1e-11)) {
        printf("length %d sign %d: off by %g\n", n, sign, off);
        good = false;
      }
    }
    cufftDestroy(plan);
    cudaFree(data);
  }
  printf("lengths %s\n", good ? "agree" : "differ");

  // Real there and back, out of place and in place, in two dimensions, odd and even.
  for (int cols : {6, 7}) {
    const int rows = 5, half = cols / 2 + 1;
    auto* real = device<float>(rows * cols);
    auto* padded = device<float>(rows * 2 * half);
    auto* spectrum = device<cufftComplex>(rows * half);
    auto* back = device<float>(rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
      real[i] = padded[i / cols * 2 * half + i % cols] = static_cast<float>(i * i % 11);
    }
    cufftHandle forward, inverse;
    cufftPlan2d(&forward, rows, cols, CUFFT_R2C);
    cufftPlan2d(&inverse, rows, cols, CUFFT_C2R);
    cufftExecR2C(forward, real, spectrum);
    cufftExecR2C(forward, padded, reinterpret_cast<cufftComplex*>(padded));
    float apart = 0, off = 0;
    for (int i = 0; i < rows * half; ++i) {
      apart = std::fmax(apart, std::fabs(padded[2 * i] - spectrum[i].x));
      apart = std::fmax(apart, std::fabs(padded[2 * i + 1] - spectrum[i].y));
    }
    cufftExecC2R(inverse, spectrum, back);
    cufftExecC2R(inverse, reinterpret_cast<cufftComplex*>(padded), padded);
    for (int i = 0; i < rows * cols; ++i) {
      off = std::fmax(off, std::fabs(back[i] / (rows * cols) - real[i]));
      off = std::fmax(off,
                      std::fabs(padded[i / cols * 2 * half + i % cols] / (rows * cols) - real[i]));
    }
    printf("%d columns: sum %g, in place %s, back %s\n", cols, spectrum[0].x,
           apart == 0 ? "the same" : "different", off < 1e-5f ? "agrees" : "differs");
    cufftDestroy(forward);
    cufftDestroy(inverse);
  }

  // Three transforms that lie interleaved.
  const int n = 8, batch = 3;
  auto* mixed = device<cufftComplex>(n * batch);
  for (int i = 0; i < n * batch; ++i) mixed[i] = {static_cast<float>(i % batch == 1), 0};
  int length = n, embed = n;
  cufftHandle many;
  cufftPlanMany(&many, 1, &length, &embed, batch, 1, &embed, batch, 1, CUFFT_C2C, batch);
  cufftExecC2C(many, mixed, mixed, CUFFT_FORWARD);
  printf("interleaved %g %g %g, %g\n", mixed[0].x, mixed[1].x, mixed[2].x, mixed[4].x);
  cufftDestroy(many);

  cufftHandle wrong = -1;
  printf("wrong calls %d %d %d\n", cufftPlan1d(&wrong, 0, CUFFT_C2C, 1),
         cufftExecC2C(12345, mixed, mixed, CUFFT_FORWARD), cufftDestroy(many));
}
