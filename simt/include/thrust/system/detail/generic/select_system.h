#pragma once

// Every algorithm and every reference includes this to find its system: so simt's algorithms for
// the device come with it.

#include_next <thrust/system/detail/generic/select_system.h>

#include <thrust/system/cuda/detail/algorithms.h>
#include <thrust/system/cuda/detail/copy.h>
#include <thrust/system/cuda/detail/get_value.h>
