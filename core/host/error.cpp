#include "core/host/error.h"

// A runtime may know more about an error than CUDA's text says. NVIDIA's has no such function.
extern "C" [[gnu::weak]] const char* cuda_error_reason(const char* name);

namespace warpath::detail {

void throw_check(const std::string& message, const char* condition, const char* place) {
  throw Error(message + " [" + condition + " at " + place + "]");
}

void throw_cuda(const char* name, const char* what, const char* call, const char* place) {
  const std::string reason = cuda_error_reason != nullptr ? cuda_error_reason(name) : "";
  throw Error(std::string(name) + ": " + what + (reason.empty() ? "" : ": " + reason) + " [" +
              call + " at " + place + "]");
}

}  // namespace warpath::detail
