// From constants, of a template's parameter, and from the size of what a variable is.
template <int radius>
__global__ void k(float* data, int extra) {
  constexpr int taps = 2;
  float window[taps * radius + 1], bytes[sizeof(extra) * 2];
  window[0] = bytes[0] = data[extra];
  data[1] = window[0] + bytes[0];
}
int main() {
  k<3><<<1, 1>>>(nullptr, 1);
}
