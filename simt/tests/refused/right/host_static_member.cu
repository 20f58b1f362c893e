// Constants.
struct Settings {
  static constexpr float ratio = 1.5f;
  static const int height = 4;
  __device__ float area() const { return ratio * height; }
};
__global__ void k(float* out) {
  *out = Settings::height * Settings::ratio + Settings{}.area();
}
