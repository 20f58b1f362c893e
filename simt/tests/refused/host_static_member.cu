// A static member variable of the host.
struct Settings {
  static int width;
  static const int height = 4;
};
int Settings::width = 3;
__global__ void k(int* out) {
  // error: host variable 'width' is used in kernel 'k'
  *out = Settings::height + Settings::width;
}
