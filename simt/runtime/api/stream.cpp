// Streams and events. Work is done inside the call that starts it, so every stream is always empty:
// what remains is to validate handles and to keep time.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <unordered_set>

#include "api/internal.h"
#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

namespace {

constexpr int greatest_priority = -5;  // as on an H200

// Handles that exist. Never destroyed: see heap().
template <class Handle>
class Handles {
 public:
  void add(Handle handle) {
    const std::lock_guard lock(mutex_);
    alive_.insert(handle);
  }
  bool remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    return alive_.erase(handle) != 0;
  }
  bool contains(Handle handle) {
    const std::lock_guard lock(mutex_);
    return alive_.count(handle) != 0;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    for (Handle handle : alive_) delete handle;
    alive_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Handle> alive_;
};

Handles<cudaStream_t>& streams() {
  static auto* const all = new Handles<cudaStream_t>;
  return *all;
}
Handles<cudaEvent_t>& events() {
  static auto* const all = new Handles<cudaEvent_t>;
  return *all;
}

bool is_built_in(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         stream == cudaStreamTailLaunch || stream == cudaStreamFireAndForget;
}

// The device's state, then the stream: what most calls here check first.
cudaError_t check(cudaStream_t stream) {
  if (const cudaError_t error = device_state()) return error;
  return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t wait(bool valid) {
  if (!valid) return record(cudaErrorInvalidResourceHandle);
  return record(synchronise());
}

template <class T>
cudaError_t answer(cudaStream_t stream, T* out, T value) {
  if (!out) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check(stream)) return record(error);
  *out = value;
  return cudaSuccess;
}

}  // namespace

bool simt::api::is_stream(cudaStream_t stream) {
  return is_built_in(stream) || streams().contains(stream);
}

void simt::api::forget_streams() {
  streams().clear();
  events().clear();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (!stream || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)))
    return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  static std::atomic<unsigned long long> next_id{16};
  *stream = new CUstream_st{flags, std::clamp(priority, greatest_priority, 0), next_id++};
  streams().add(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const cudaError_t error = device_state()) return record(error);
  if (!streams().remove(stream)) return record(cudaErrorInvalidResourceHandle);
  graph::forget(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  return answer(stream, priority, is_built_in(stream) ? 0 : stream->priority);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  return answer(stream, flags, is_built_in(stream) ? 0u : stream->flags);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  return answer(stream, id,
                is_built_in(stream) ? reinterpret_cast<unsigned long long>(stream) : stream->id);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return answer(stream, device, 0);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = graph::refuse_wait(stream)) return record(error);
  return wait(is_stream(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (const cudaError_t error = check(stream)) return record(error);
  if (!events().contains(event)) return record(cudaErrorInvalidResourceHandle);
  if (flags > cudaEventWaitExternal) return record(cudaErrorInvalidValue);
  return record(graph::take_wait(stream, event).value_or(cudaSuccess));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags) {
  if (!callback || flags != 0) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check(stream)) return record(error);
  if (const cudaError_t error = graph::refuse_wait(stream)) return record(error);
  callback(stream, synchronise(), user_data);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (!function) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check(stream)) return record(error);
  const auto call = [=] {
    if (!is_poisoned()) function(user_data);  // a host function does not run after a fault
    return cudaSuccess;
  };
  cudaGraphNode_t node = nullptr;
  const auto taken = graph::take(stream, cudaGraphNodeTypeHost, call, &node);
  if (node) node->host = {function, user_data};
  return record(taken ? *taken : call());
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   cudaStreamAttrValue* value) {
  if (!value) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check(stream)) return record(error);
  *value = {};
  if (attr == cudaLaunchAttributePriority && !is_built_in(stream))
    value->priority = stream->priority;
  if (attr == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
  return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue* value) {
  if (!value) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check(stream)) return record(error);
  if (attr == cudaLaunchAttributePriority && !is_built_in(stream))
    stream->priority = std::clamp(value->priority, greatest_priority, 0);
  return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  if (const cudaError_t error = check(dst)) return record(error);
  if (const cudaError_t error = check(src)) return record(error);
  if (!is_built_in(dst)) dst->priority = is_built_in(src) ? 0 : src->priority;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  // An event for other processes cannot keep time: CUDA wants both flags.
  const bool interprocess_timed =
      (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
  if (!event || (flags & ~known) || interprocess_timed) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  *event = new CUevent_st;
  (*event)->flags = flags;
  events().add(*event);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (const cudaError_t error = device_state()) return record(error);
  if (!events().remove(event)) return record(cudaErrorInvalidResourceHandle);
  graph::forget(event);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = check(stream)) return record(error);
  if (!events().contains(event)) return record(cudaErrorInvalidResourceHandle);
  if (const auto taken = graph::take_record(stream, event)) return record(*taken);
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (flags > cudaEventRecordExternal) return record(cudaErrorInvalidValue);
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (graph::is_captured(event)) return record(cudaErrorCapturedEvent);
  return wait(events().contains(event));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cudaEventQuery(event);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  if (!ms) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  for (const cudaEvent_t event : {start, end})
    if (!events().contains(event) || !event->recorded || (event->flags & cudaEventDisableTiming))
      return record(cudaErrorInvalidResourceHandle);
  *ms = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
