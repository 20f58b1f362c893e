#pragma once

#include <driver_types.h>
#include <library_types.h>
#include <texture_types.h>
#include <vector_types.h>
