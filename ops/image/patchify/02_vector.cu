// Sixteen bytes per access, and divisions by multiplication.
//
// What changed: a thread moves four vectors, where a patch's rows are whole vectors. The divisors are known
// before the launch, so a quotient is one multiplication and one shift.
// Limit: the reads come in pieces of a patch's width: 32 bytes for 16 pixels of bf16. Every piece is a sector
// of its own, and the rest of its cache line is read by another block. Patches whose rows are no vectors
// are left to rung 01.
#include "core/host/error.h"
#include "ops/image/patchify/vector.cuh"

namespace warpath::patchify {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  run_vectors<true>(args.x, args.x, args.y, stream);
}

std::string fits(const Forward& args) {
  return fits_vectors(args.x, args.y);
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::patchify
