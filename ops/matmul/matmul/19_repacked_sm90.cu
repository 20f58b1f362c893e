// Rows that TMA cannot take are copied to rows that it can.
//
// What changed: where rows do not start at multiples of 16 bytes (any odd size will do), the rungs
// before rung 13 load single elements in the mainloop, each once for every tile that needs it, and
// those after it cannot take the call. Here a first kernel copies such an operand once, to scratch
// memory with rows at multiples of 128 bytes; the product is rung 18's. The copy moves 2 * (m + n)
// * k elements and the product makes m * n * k multiplications: the larger the matrices, the less
// it costs. The copy can also transpose: so an operand may have any strides, and tf32, which wants
// k contiguous, any form.
// Limit: a second launch, and the product starts when the last copy is made.
#include "ops/matmul/matmul/hopper_call.cuh"
#include "ops/matmul/matmul/hopper_products.h"
#include "ops/matmul/matmul/repack.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

// `kept` is the axis of the operand that d keeps, as in laid().
bool needs_copy(const Tensor& t, int kept) {
  return !copies(t, kept) || (t.dtype == DType::f32 && laid(t, kept).mn_major);
}
int inner_of_copy(const Tensor& t, int kept) {
  return t.dtype != DType::f32 && laid(t, kept).mn_major ? kept : 3 - kept;
}

// The operand as the product sees it: itself, or its copy, which is not placed yet.
Tensor as_taken(Tensor t, int kept) {
  if (!needs_copy(t, kept)) return t;
  const int inner = inner_of_copy(t, kept), rows = 3 - inner;
  const std::int64_t lanes = repack_pitch_bytes / std::int64_t(size_of(t.dtype));
  t.data = nullptr;
  t.stride[inner] = 1;
  t.stride[rows] = ceil_div(t.shape[inner], lanes) * lanes;
  if (t.stride[0] != 0) t.stride[0] = t.shape[rows] * t.stride[rows];
  return t;
}
std::int64_t copy_bytes(const Tensor& t, int kept) {
  if (!needs_copy(t, kept)) return 0;
  const Tensor copy = as_taken(t, kept);
  const int rows = 3 - inner_of_copy(t, kept);
  const std::int64_t batches = t.stride[0] == 0 ? 1 : t.shape[0];
  return batches * t.shape[rows] * copy.stride[rows] * std::int64_t(size_of(t.dtype));
}

Args product_of(const Args& args) {
  Args product = args;
  product.a = as_taken(args.a, 1);
  product.b = as_taken(args.b, 2);
  return product;
}

// Scratch: the flags and sums of the product, then the copies. No copy ever lies where the flags of
// another shape are.
std::int64_t product_bytes(const Args& args) {
  const std::int64_t flags = most_flags * sizeof(unsigned);
  return ceil_div(std::max(stream_scratch(product_of(args)), flags), repack_pitch_bytes) *
         repack_pitch_bytes;
}

std::string fits(const Args& args) {
  if (const std::string why = any(args); !why.empty()) return why;
  if (args.d.size() == 0) return {};
  if (args.k() == 0) return "needs at least one product: k is 0";
  if (const std::string why = supports(product_of(args)); !why.empty()) return why;
  // A copy's pieces of 16 bytes are counted in 32 bits.
  if (std::max(copy_bytes(args.a, 1), copy_bytes(args.b, 2)) >> 36 != 0)
    return "copies at most 64 GiB of an operand";
  return {};
}

std::string has_copies(const Args& args) {
  if (!needs_copy(args.a, 1) && !needs_copy(args.b, 2))
    return "TMA can load a and b as they are: nothing to copy";
  return enough_tiles(args);
}

std::int64_t scratch_bytes(const Args& args) {
  if (args.d.size() == 0 || !fits(args).empty()) return 0;
  return product_bytes(args) + copy_bytes(args.a, 1) + copy_bytes(args.b, 2);
}

std::int64_t zeroed_bytes(const Args& args) {
  if (args.d.size() == 0 || !fits(args).empty()) return 0;
  return stream_zeroed(product_of(args));
}

// An operand that needs no copy gets no blocks.
template <class T>
Repack<T> repack_of(const Tensor& t, const Tensor& copy, int kept) {
  Repack<T> r{};
  if (!needs_copy(t, kept)) return r;
  const int inner = inner_of_copy(t, kept), rows = 3 - inner;
  r.from = t.as<T>();
  r.to = copy.as<T>();
  r.inner = int(t.shape[inner]);
  r.rows = int(t.shape[rows]);
  r.inner_stride = r.inner == 1 ? 1 : t.stride[inner];
  r.row_stride = t.stride[rows];
  r.batch_stride = t.stride[0];
  r.pitch = copy.stride[rows];
  r.share_out(t.stride[0] == 0 ? 1 : unsigned(t.shape[0]));
  return r;
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  Args product = product_of(args);
  auto* free = static_cast<unsigned char*>(args.scratch.data) + product_bytes(args);
  if (needs_copy(args.a, 1)) product.a.data = free, free += copy_bytes(args.a, 1);
  if (needs_copy(args.b, 2)) product.b.data = free;
  dispatch_float(args.a.dtype, [&]<class T>(Tag<T>) {
    const Repack<T> a = repack_of<T>(args.a, product.a, 1), b = repack_of<T>(args.b, product.b, 2);
    if (const unsigned blocks = a.blocks + b.blocks; blocks > 0)
      repack<T><<<blocks, repack_threads, 0, stream>>>(a, b);
  });
  CUDA_CHECK(cudaGetLastError());
  stream_launch(product, stream);
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = has_copies, .scratch = scratch_bytes,
             .zeroed = zeroed_bytes);

}  // namespace
}  // namespace warpath::matmul
