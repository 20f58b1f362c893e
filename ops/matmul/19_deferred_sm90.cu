// A tile is stored while the products of the next one run.
//
// What changed: when its sums are there, a warp group applies the epilogue and rounds them to 16 bits:
// they take half as many registers now, and the products of the next tile may overwrite the sums. Two
// steps of these are started, and only then the rounded ones go to shared memory and, by the copy engine,
// to d. The tensor cores wait for the rounding alone.
#include "hopper_stream.cuh"

namespace warpath::matmul {
namespace {

WARPATH_RUNG(Args, hopper::stream_launch<hopper::Storing::later>, .supports = hopper::supports,
             .scratch = hopper::stream_scratch, .zeroed_scratch = true);

}  // namespace
}  // namespace warpath::matmul
