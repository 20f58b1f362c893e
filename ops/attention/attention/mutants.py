"""What tests/mutants.py breaks: the last rung of the forward pass."""

RUNG = "11_persistent_sm90.cu"
OTHERS = []
HOST = ["reference.cpp"]
CALLS = [r"__syncwarp\(\)", r"release\(.*\)", r"Turns<[\w:]+>::\w+\(.*\)"]
UNUSED = ["reduce.cuh", "softmax_stat.cuh", "ring.cuh", "mainloop.cuh", "staging.cuh"]

ADDED = [
    # Lanes that only watch lane 0 work: they hang when they look at the barrier too late.
    (
        "all lanes of the producer's warp wait",
        "hopper_schedule.cuh",
        r"    if \(threadIdx.x == 0\) \{(?=\n.*queue.empty)",
        """\
    if (MUTANT) ptx::wait(queue.empty[state.stage], state.parity ^ 1);
    if (threadIdx.x == 0) {""",
    ),
]

EDITS = [
    # One small tile is enough, and compiles soon.
    ("11_persistent_sm90.cu", r"dispatch<__half, __nv_bfloat16>", "dispatch<__nv_bfloat16>"),
    (
        "11_persistent_sm90.cu",
        r"if \(is_general\(args\)\)(?:.|\n)*?<Tile<T, 256, 256, 64, 2, 2>>",
        "launch_tile<Tile<T, 64, 64, 64, 2, 2>>",
    ),
]

# Tensors in bf16 on the device, each with what the reference reads in float64. mutants_backward.py has them, too.
TENSORS = r"""
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using warpath::DType;
using warpath::Tensor;

struct Both {
  Tensor device, host, scale;  // scale: what errors are measured by
  std::vector<double> values, scales;
};

double random_value() {
  static unsigned seed = 1;
  return double(int((seed = seed * 1664525u + 1013904223u) >> 24) - 128) / 64;
}

Both tensor(std::vector<std::int64_t> shape, DType dtype = DType::bf16) {
  Both t;
  std::int64_t count = 1;
  t.device.rank = int(shape.size());
  t.device.dtype = dtype;
  for (int axis = t.device.rank - 1; axis >= 0; --axis) {
    t.device.shape[axis] = shape[axis];
    t.device.stride[axis] = count;
    count *= shape[axis];
  }
  cudaMalloc(&t.device.data, t.device.bytes());
  t.values.resize(count);
  t.scales.resize(count);
  for (double& x : t.values) x = random_value();
  t.host = t.scale = t.device;
  t.host.data = t.values.data();
  t.scale.data = t.scales.data();
  return t;
}

template <class T>
void put(Both& t, T (*rounded)(double)) {
  std::vector<T> bits(t.values.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = rounded(t.values[i]);
  cudaMemcpy(t.device.data, bits.data(), t.device.bytes(), cudaMemcpyHostToDevice);
}
void put_bf16(Both& t) {
  for (double& x : t.values) x = __bfloat162float(__float2bfloat16(float(x)));
  put<__nv_bfloat16>(t, [](double x) { return __float2bfloat16(float(x)); });
}
void put_f32(Both& t) {
  put<float>(t, [](double x) { return float(x); });
}

// Two sequences, the first with less than a tile of keys, and tokens before and behind them.
struct Offsets {
  std::array<int, 3> at[2];
  std::array<std::int64_t, 3> wide[2] = {};
  void* on_device[2] = {};

  Offsets(int queries, int keys)
      : at{{3, queries / 2, queries - 2}, {1, 45, keys - 5}} {}
  ~Offsets() {
    for (void* p : on_device) cudaFree(p);
  }
  template <class Args>
  void put(Args& device, Args& host) {
    for (int side = 0; side < 2; ++side) {
      Tensor& t = side == 0 ? device.q_offsets : device.k_offsets;
      t.rank = 1, t.dtype = DType::i32, t.shape = {3}, t.stride = {1};
      cudaMalloc(&on_device[side], t.bytes());
      std::copy(at[side].begin(), at[side].end(), wide[side].begin());
      (side == 0 ? host.q_offsets : host.k_offsets) = t;
      (side == 0 ? host.q_offsets : host.k_offsets).data = wide[side].data();
      t.data = on_device[side];
    }
    upload();
  }
  // What the host has may have changed.
  void upload() {
    for (int side = 0; side < 2; ++side) {
      std::copy(wide[side].begin(), wide[side].end(), at[side].begin());
      if (on_device[side])
        cudaMemcpy(on_device[side], at[side].data(), sizeof(at[side]), cudaMemcpyHostToDevice);
    }
  }
};

// How many elements are wrong: too far off, or infinite where the reference is not.
int wrong_in(const Both& t) {
  std::vector<std::uint32_t> words((t.device.bytes() + 3) / 4);
  cudaMemcpy(words.data(), t.device.data, t.device.bytes(), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    const double got = t.device.dtype == DType::f32
                           ? double(reinterpret_cast<const float*>(words.data())[i])
                           : double(__bfloat162float(
                                 reinterpret_cast<const __nv_bfloat16*>(words.data())[i]));
    const double want = t.values[i];
    if (std::isinf(want) ? got != want
                         : !(std::abs(got - want) <=
                             2 * 0x1p-23 * t.scales[i] + 0x1p-7 * std::abs(want) + 1e-6))
      ++wrong;
  }
  return wrong;
}

// Launches the rung and looks at its results.
template <class Args>
int launch_and_compare(Args& args, std::vector<Both*> results) {
  args.scratch.bytes = rung().scratch(&args);
  cudaMalloc(&args.scratch.data, args.scratch.bytes);
  cudaMemset(args.scratch.data, 0, args.scratch.bytes);
  for (Both* t : results) cudaMemset(t->device.data, 0xff, t->device.bytes());
  rung().launch(&args, nullptr);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("simt: %s\n", cudaGetErrorString(error));
    return 3;
  }
  int wrong = 0, all = 0;
  for (Both* t : results) wrong += wrong_in(*t), all += int(t->values.size());
  cudaFree(args.scratch.data);
  if (wrong) std::printf("simt: %d of %d elements are wrong\n", wrong, all);
  return wrong ? 3 : 0;
}
"""

PROGRAM = (
    TENSORS
    + r"""
namespace warpath::attention {
void forward_reference(const Forward& args, const Forward& scale);
}

int main(int, char** arguments) {
  choose_mutant(arguments[1]);
  using namespace warpath;
  const int queries = std::atoi(arguments[2]), keys = std::atoi(arguments[3]);
  const bool packed = std::atoi(arguments[4]) != 0;
  Both q = tensor({1, queries, 3, 64}), k = tensor({1, keys, 1, 64}), v = tensor({1, keys, 1, 64});
  Both o = tensor({1, queries, 3, 64}), lse = tensor({1, 3, queries}, DType::f32);
  for (Both* t : {&q, &k, &v}) put_bf16(*t);
  attention::Forward args, host, scale;
  args.causal = host.causal = scale.causal = true;
  args.q = q.device, args.k = k.device, args.v = v.device, args.o = o.device, args.lse = lse.device;
  host.q = q.host, host.k = k.host, host.v = v.host, host.o = o.host, host.lse = lse.host;
  scale = host;
  scale.o = o.scale, scale.lse = lse.scale;
  Offsets offsets(queries, keys);
  if (packed) offsets.put(args, host);
  scale.q_offsets = host.q_offsets, scale.k_offsets = host.k_offsets;
  attention::forward_reference(host, scale);
  const int status = launch_and_compare(args, {&o, &lse});
  for (Both* t : {&q, &k, &v, &o, &lse}) cudaFree(t->device.data);
  return status;
}
"""
)


def _run(
    multiprocessors: int, queries: int, keys: int, packed: bool = False
) -> tuple[dict[str, str], list[str]]:
    environment = {"SIMT_MULTIPROCESSORS": str(multiprocessors)}
    return environment, [str(queries), str(keys), str(int(packed))]


# One block that takes all tiles, of up to five tiles of keys each; two blocks that share packed sequences. The first has an
# odd number of turns: groups that do not wait for theirs are stopped by the last one.
RUNS = [_run(1, 200, 300), _run(2, 300, 400, packed=True)]
MORE_RUNS = []

# The last turn of a block: an arrival that nobody waits for, at a barrier that ends with the block.
# The __syncwarp of the queue's reader orders nothing: the compiler makes faster code behind it.
KNOWN = [
    "11_persistent_sm90.cu: without Turns<Tile::groups>::close(consumer.group)",
    "hopper_schedule.cuh: without __syncwarp()",
]
