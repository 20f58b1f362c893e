#pragma once

// cuda::std where CCCL is not installed: the host's standard library.

namespace std {}
namespace cuda::std {
using namespace ::std;
}
