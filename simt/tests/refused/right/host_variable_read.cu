// Constants whose value the compiler knows, sizes, and other things of that name.
#define LIMIT 10
const int scale = 3;
static const float factor = 2.5f / 2;
constexpr double pi = 3.14;
const auto count = 4u;
enum { rows = 3, cols };
int table[5];
struct P {
  int scale;
};
struct Origin {
  int x, y;
};
const Origin origin = {1, 2};
__global__ void k(float* out, P p, int table_length) {
  int table_index = sizeof(table) / sizeof(table[0]);
  *out = scale + factor + pi + count + rows * cols + p.scale + table_index + table_length + LIMIT +
         origin.x;
}
