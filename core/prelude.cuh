// What every rung includes. The build for this CPU includes it in front of each of them, so that it is compiled once; a rung
// still names what it needs, for nvcc.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/error.h"
#include "core/host/launch.h"
#include "core/host/rung.h"
#include "core/thread/convert.cuh"
