#include "libraries/fft.h"

#include <algorithm>
#include <cmath>

namespace simt {
namespace {

// Above this a prime factor p, which costs p operations per element, is slower than Bluestein's
// algorithm.
constexpr std::size_t largest_radix = 61;

std::size_t smallest_factor(std::size_t n) {
  if (n % 4 == 0) return 4;
  for (std::size_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

std::size_t largest_prime(std::size_t n) {
  std::size_t largest = 1;
  for (std::size_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) largest = p;
  }
  return std::max(largest, n);
}

// exp(-2 pi i j / n), from the first eighth of the circle so that symmetric roots are exact
// mirrors.
Fft::Complex root(std::size_t j, std::size_t n) {
  j %= n;
  if (j * 2 > n) return std::conj(root(n - j, n));
  if (j * 4 > n) {
    const Fft::Complex mirror = std::polar(1.0, -M_PI * static_cast<double>(n - 2 * j) / n);
    return {-mirror.real(), mirror.imag()};
  }
  if (j * 8 > n) {
    const double angle = M_PI / 2 * (static_cast<double>(n) - 4.0 * static_cast<double>(j)) / n;
    return {std::sin(angle), -std::cos(angle)};
  }
  return std::polar(1.0, -2 * M_PI * static_cast<double>(j) / n);
}

}  // namespace

Fft::Fft(std::size_t length) : length_(length), scratch_(length) {
  if (largest_prime(length) <= largest_radix) {
    for (std::size_t j = 0; j < length; ++j) roots_.push_back(root(j, length));
    return;
  }
  // With jk = (j^2 + k^2 - (k - j)^2) / 2 the transform becomes a convolution with a chirp, and
  // that is done by transforms of a power of two that is long enough not to wrap.
  std::size_t padded = 1;
  while (padded < 2 * length) padded *= 2;
  longer_ = std::make_unique<Fft>(padded);
  scratch_.resize(padded);
  chirp_transform_.assign(padded, 0);
  for (std::size_t j = 0; j < length; ++j) {
    chirp_.push_back(root(j * j % (2 * length), 2 * length));
    chirp_transform_[j] = chirp_transform_[(padded - j) % padded] = std::conj(chirp_[j]);
  }
  longer_->run(chirp_transform_.data(), -1);
}

void Fft::run(Complex* data, int sign) {
  if (longer_) return bluestein(data, sign);
  std::copy(data, data + length_, scratch_.begin());
  mixed_radix(scratch_.data(), data, length_, 1, sign);
}

// Decimation in time: the r interleaved parts are transformed one after the other into `out`, then
// joined by transforms of length r.
void Fft::mixed_radix(const Complex* in, Complex* out, std::size_t n, std::size_t stride,
                      int sign) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const std::size_t r = smallest_factor(n), part = n / r;
  for (std::size_t q = 0; q < r; ++q) {
    mixed_radix(in + q * stride, out + q * part, part, stride * r, sign);
  }
  const auto turn = [&](std::size_t j) {
    const Complex w = roots_[j];
    return sign < 0 ? w : std::conj(w);
  };
  const auto times = [](Complex a, Complex b) {  // without C++'s care for infinities
    return Complex(a.real() * b.real() - a.imag() * b.imag(),
                   a.real() * b.imag() + a.imag() * b.real());
  };
  Complex x[largest_radix];
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t q = 0; q < r; ++q) x[q] = times(out[q * part + k], turn(q * k * stride));
    if (r == 2) {
      out[k] = x[0] + x[1];
      out[k + part] = x[0] - x[1];
    } else if (r == 4) {
      const Complex a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
      const Complex e = sign < 0 ? Complex(d.imag(), -d.real()) : Complex(-d.imag(), d.real());
      out[k] = a + c;
      out[k + part] = b + e;
      out[k + 2 * part] = a - c;
      out[k + 3 * part] = b - e;
    } else {
      for (std::size_t m = 0; m < r; ++m) {
        Complex sum = x[0];
        for (std::size_t q = 1; q < r; ++q) sum += times(x[q], turn(m * q % r * (part * stride)));
        out[k + m * part] = sum;
      }
    }
  }
}

void Fft::bluestein(Complex* data, int sign) {
  // The inverse is the forward transform of the conjugate, conjugated.
  const auto turned = [sign](Complex z) { return sign < 0 ? z : std::conj(z); };
  std::fill(scratch_.begin(), scratch_.end(), 0);
  for (std::size_t j = 0; j < length_; ++j) scratch_[j] = turned(data[j]) * chirp_[j];
  longer_->run(scratch_.data(), -1);
  for (std::size_t j = 0; j < scratch_.size(); ++j) scratch_[j] *= chirp_transform_[j];
  longer_->run(scratch_.data(), 1);
  const double scale = 1.0 / static_cast<double>(scratch_.size());
  for (std::size_t j = 0; j < length_; ++j) data[j] = turned(scratch_[j] * chirp_[j] * scale);
}

}  // namespace simt
