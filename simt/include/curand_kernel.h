#pragma once

// cuRAND's device functions, for the generators XORWOW, Philox4x32-10, MRG32k3a and the Sobol
// sequences with the program's own direction vectors. MTGP32 and Poisson numbers of Sobol sequences
// are not there.

#include <curand.h>
#include <simt/curand_distribution.h>
#include <simt/curand_sobol.h>
