#pragma once

// Types of the driver's functions, for programs that ask for them by name.

#include <cuda.h>

typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled;
typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000;
typedef decltype(&cuTensorMapEncodeIm2col) PFN_cuTensorMapEncodeIm2col;
typedef decltype(&cuTensorMapEncodeIm2col) PFN_cuTensorMapEncodeIm2col_v12000;
typedef decltype(&cuTensorMapReplaceAddress) PFN_cuTensorMapReplaceAddress;
typedef decltype(&cuTensorMapReplaceAddress) PFN_cuTensorMapReplaceAddress_v12000;
typedef decltype(&cuGetErrorString) PFN_cuGetErrorString;
typedef decltype(&cuGetErrorString) PFN_cuGetErrorString_v6000;
typedef decltype(&cuGetErrorName) PFN_cuGetErrorName;
typedef decltype(&cuGetErrorName) PFN_cuGetErrorName_v6000;
typedef decltype(&cuDeviceGetAttribute) PFN_cuDeviceGetAttribute;
typedef decltype(&cuDeviceGetAttribute) PFN_cuDeviceGetAttribute_v2000;
