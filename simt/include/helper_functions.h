#pragma once

// The helper headers of the CUDA samples together.

#include <helper_string.h>
#include <helper_timer.h>
