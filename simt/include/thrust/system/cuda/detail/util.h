#pragma once

// In place of Thrust's own, which needs a GPU's compiler.

#include <thrust/system/cuda/detail/run.h>
