#pragma once

#include_next <thrust/system/cpp/detail/merge.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/distance.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/memory.h>
