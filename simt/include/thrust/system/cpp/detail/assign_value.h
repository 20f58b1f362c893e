#pragma once

#include_next <thrust/system/cpp/detail/assign_value.h>

// What a program gets with this header when nvcc compiles it, and may do without including.

#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/transform.h>
#include <thrust/uninitialized_fill.h>
