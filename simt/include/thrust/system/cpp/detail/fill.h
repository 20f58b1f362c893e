#pragma once

#include_next <thrust/system/cpp/detail/fill.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/advance.h>
#include <thrust/distance.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
