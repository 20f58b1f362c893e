#pragma once

#include_next <thrust/system/cpp/detail/reduce.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/memory.h>
#if __has_include(<thrust/iterator/tabulate_output_iterator.h>)  // since CCCL 3
#include <thrust/iterator/tabulate_output_iterator.h>
#endif
