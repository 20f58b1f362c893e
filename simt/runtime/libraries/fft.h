#pragma once

// The discrete Fourier transform of any length, in double.

#include <complex>
#include <memory>
#include <vector>

namespace simt {

class Fft {
 public:
  using Complex = std::complex<double>;

  explicit Fft(std::size_t length);

  // data[k] becomes the sum over j of data[j] * exp(sign * 2 pi i j k / length).
  void run(Complex* data, int sign);

 private:
  void mixed_radix(const Complex* in, Complex* out, std::size_t n, std::size_t stride, int sign);
  void bluestein(Complex* data, int sign);

  std::size_t length_;
  std::vector<Complex> roots_;  // exp(-2 pi i j / length)
  std::vector<Complex> scratch_;
  std::unique_ptr<Fft> longer_;  // for Bluestein: a power of two
  std::vector<Complex> chirp_, chirp_transform_;
};

}  // namespace simt
