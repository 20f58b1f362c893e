// Results of the driver API, cuRAND and cuFFT that the program drops, in words: see simt/lost_error.h.

#include <cuda.h>
#include <cufft.h>
#include <curand.h>

#include <string>

namespace simt {
namespace {

struct Status {
  int value;
  const char* name;
  const char* meaning;
};
#define SIMT_STATUS(name) name, #name

constexpr Status curand_statuses[] = {
    {SIMT_STATUS(CURAND_STATUS_VERSION_MISMATCH), "the header and the library differ"},
    {SIMT_STATUS(CURAND_STATUS_NOT_INITIALIZED),
     "the generator is null: curandCreateGenerator makes one"},
    {SIMT_STATUS(CURAND_STATUS_ALLOCATION_FAILED), "there is no memory for it"},
    {SIMT_STATUS(CURAND_STATUS_TYPE_ERROR), "the generator's type does not do this"},
    {SIMT_STATUS(CURAND_STATUS_OUT_OF_RANGE), "an argument is out of range"},
    {SIMT_STATUS(CURAND_STATUS_LENGTH_NOT_MULTIPLE),
     "the length is no multiple of 2, which normal distributions need, or of the dimensions of a "
     "Sobol sequence"},
    {SIMT_STATUS(CURAND_STATUS_DOUBLE_PRECISION_REQUIRED), "the device has no double precision"},
    {SIMT_STATUS(CURAND_STATUS_LAUNCH_FAILURE), "a kernel could not be launched"},
    {SIMT_STATUS(CURAND_STATUS_PREEXISTING_FAILURE), "an earlier kernel has failed"},
    {SIMT_STATUS(CURAND_STATUS_INITIALIZATION_FAILED), "CUDA could not be initialised"},
    {SIMT_STATUS(CURAND_STATUS_ARCH_MISMATCH), "the device does not have what this needs"},
    {SIMT_STATUS(CURAND_STATUS_INTERNAL_ERROR), "an error inside the library"},
};

constexpr Status cufft_statuses[] = {
    {SIMT_STATUS(CUFFT_INVALID_PLAN), "the handle is of no plan, or of one that is not made"},
    {SIMT_STATUS(CUFFT_ALLOC_FAILED), "there is no memory for it"},
    {SIMT_STATUS(CUFFT_INVALID_TYPE), "the plan was made for another type of transform"},
    {SIMT_STATUS(CUFFT_INVALID_VALUE), "a pointer or an argument is not valid"},
    {SIMT_STATUS(CUFFT_INTERNAL_ERROR), "an error inside the library"},
    {SIMT_STATUS(CUFFT_EXEC_FAILED), "the transform could not run"},
    {SIMT_STATUS(CUFFT_SETUP_FAILED), "the library could not be set up"},
    {SIMT_STATUS(CUFFT_INVALID_SIZE), "a length or the batch is not valid"},
    {SIMT_STATUS(CUFFT_UNALIGNED_DATA), "the data is not aligned"},
    {SIMT_STATUS(CUFFT_INVALID_DEVICE), "the plan belongs to another device"},
    {SIMT_STATUS(CUFFT_NO_WORKSPACE), "the plan has no work area"},
    {SIMT_STATUS(CUFFT_NOT_IMPLEMENTED), "this is not implemented"},
    {SIMT_STATUS(CUFFT_NOT_SUPPORTED), "this is not supported"},
};
#undef SIMT_STATUS

template <std::size_t count>
void note(const Lost& lost, const Status (&statuses)[count], int value) {
  if (value == 0) return;
  for (const Status& status : statuses)
    if (status.value == value) return note_lost_status(lost, status.name, status.meaning);
  note_lost_status(lost, "an unknown result", "it says no more");
}

}  // namespace

const char* name_of(CUresult result) {
  switch (static_cast<int>(result)) {
#define SIMT_CASE(name, value) \
  case value:                  \
    return #name;
    SIMT_DRIVER_RESULTS(SIMT_CASE)
#undef SIMT_CASE
  }
  return nullptr;
}

CUresult no_such_device(int device) {
  const std::string reason = "device " + std::to_string(device) + "; there is 1, device 0";
  return refused(CUDA_ERROR_INVALID_DEVICE, reason.c_str());
}

void operator,(const Lost& lost, CUresult result) {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) return;
  const char* const name = name_of(result);
  note_lost_status(lost, name != nullptr ? name : "an unknown result",
                   cudaGetErrorString(static_cast<cudaError_t>(result)));
}

void operator,(const Lost& lost, curandStatus_t result) {
  note(lost, curand_statuses, result);
}
void operator,(const Lost& lost, cufftResult result) {
  note(lost, cufft_statuses, result);
}

}  // namespace simt
