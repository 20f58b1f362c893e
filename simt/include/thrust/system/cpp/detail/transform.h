#pragma once

#include_next <thrust/system/cpp/detail/transform.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/distance.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/swap.h>
#include <thrust/zip_function.h>
