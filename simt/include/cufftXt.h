#pragma once

// What cufftXt.h adds (several GPUs, half precision) is not there; it is often included for cufft.h.

#include <cufft.h>
