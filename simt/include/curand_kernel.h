#pragma once

// cuRAND's device functions, for the generators XORWOW, Philox4x32-10 and MRG32k3a. MTGP32 and the
// Sobol sequences are not there.

#include <simt/curand_distribution.h>
