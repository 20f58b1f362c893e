#pragma once

// CUDA's math functions and intrinsics, grouped by topic. All of them work on the host too.

#include <simt/math_convert.h>
#include <simt/math_fast.h>
#include <simt/math_integer.h>
#include <simt/math_rounding.h>
#include <simt/math_simd.h>
#include <simt/math_special.h>
#include <simt/math_standard.h>
