// A static member of the host.
struct Config {
  static int width() { return 32; }
};
__global__ void k(int* out) {
  *out = Config::width();  // error: host function 'width' is called from kernel 'k'
}
