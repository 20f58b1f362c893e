#pragma once

#include_next <thrust/system/cpp/detail/partition.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/distance.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>
