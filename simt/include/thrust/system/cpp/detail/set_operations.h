#pragma once

#include_next <thrust/system/cpp/detail/set_operations.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/copy.h>
#include <thrust/distance.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/transform_reduce.h>
