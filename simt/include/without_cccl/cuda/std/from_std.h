#pragma once

// cuda::std where CCCL is not installed: the host's standard library.

#include <simt/cccl_sides.inc>

namespace std {}
namespace cuda::std {
using namespace ::std;
}
