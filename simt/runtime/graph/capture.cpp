// Capture: what is put into a stream becomes nodes of a graph and does not happen. An event carries
// the capture into other streams.

#include <simt/capture.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;
using graph::Work;

std::atomic<int> graph::open_captures{0};

namespace {

using Nodes = std::vector<cudaGraphNode_t>;

struct Capture {
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  unsigned long long id;
  CUgraph_st* target;
  bool owns_target;
  bool valid = true;
};

// Where a stream or an event stands in a capture: the nodes that what comes next depends on.
struct Place {
  std::shared_ptr<Capture> capture;
  Nodes last;
};

struct State {
  std::mutex mutex;
  std::map<cudaStream_t, Place> streams;
  std::map<cudaEvent_t, Place> events;
};

// Never destroyed: see heap().
State& state() {
  static State* const it = new State;
  return *it;
}

bool is_legacy(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

bool is_blocking(cudaStream_t stream) {
  unsigned flags = 0;
  return cudaStreamGetFlags(stream, &flags) == cudaSuccess && (flags & cudaStreamNonBlocking) == 0;
}

// The legacy stream waits for all blocking streams, also for one that is being captured.
bool spoils_captures(State& all) {
  bool spoiled = false;
  for (auto& [stream, place] : all.streams) {
    if (!is_blocking(stream)) continue;
    place.capture->valid = false;
    spoiled = true;
  }
  return spoiled;
}

void merge(Nodes& into, const Nodes& more) {
  for (const cudaGraphNode_t node : more) {
    if (std::find(into.begin(), into.end(), node) == into.end()) into.push_back(node);
  }
}

// The nodes that no other node waits for.
Nodes ends_of(const CUgraph_st& graph) {
  std::set<cudaGraphNode_t> waited_for;
  for (const auto& node : graph.nodes) waited_for.insert(node->after.begin(), node->after.end());
  Nodes ends;
  for (const auto& node : graph.nodes) {
    if (waited_for.count(node.get()) == 0) ends.push_back(node.get());
  }
  return ends;
}

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode, CUgraph_st* target,
                  const Nodes& after) {
  if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (const cudaError_t error = device_state()) return error;
  if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (is_legacy(stream)) return cudaErrorStreamCaptureUnsupported;
  static std::atomic<unsigned long long> next_id{1};
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.streams.count(stream) != 0) return cudaErrorIllegalState;
  const bool own = target == nullptr;
  all.streams[stream] = {std::make_shared<Capture>(
                             Capture{stream, mode, next_id++, own ? new CUgraph_st : target, own}),
                         after};
  ++graph::open_captures;
  return cudaSuccess;
}

}  // namespace

std::optional<cudaError_t> graph::take(cudaStream_t stream, cudaGraphNodeType type,
                                       const Work& work, cudaGraphNode_t* made) {
  if (open_captures == 0) return {};
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) {
    if (is_legacy(stream) && spoils_captures(all)) return cudaErrorStreamCaptureImplicit;
    return {};
  }
  Place& place = found->second;
  if (!place.capture->valid) return cudaErrorStreamCaptureInvalidated;
  const cudaGraphNode_t node = place.capture->target->add(type, place.last, work);
  place.last = {node};
  if (made != nullptr) *made = node;
  return cudaSuccess;
}

cudaError_t simt::capture_call(cudaStream_t stream, std::function<bool()> work) {
  const auto taken = graph::take(stream, cudaGraphNodeTypeKernel, [work = std::move(work)] {
    return work() ? cudaSuccess : cudaErrorLaunchFailure;
  });
  return taken.value_or(cudaErrorIllegalState);
}

cudaError_t graph::refuse_wait(cudaStream_t stream) {
  if (open_captures == 0) return cudaSuccess;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) {
    return is_legacy(stream) && spoils_captures(all) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  }
  found->second.capture->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t graph::refuse_wait() {
  if (open_captures == 0) return cudaSuccess;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  for (auto& [stream, place] : all.streams) place.capture->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

std::optional<cudaError_t> graph::take_record(cudaStream_t stream, cudaEvent_t event) {
  if (open_captures == 0) return {};
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) {
    all.events.erase(event);
    return {};
  }
  if (!found->second.capture->valid) return cudaErrorStreamCaptureInvalidated;
  all.events[event] = found->second;
  return cudaSuccess;
}

std::optional<cudaError_t> graph::take_wait(cudaStream_t stream, cudaEvent_t event) {
  if (open_captures == 0) return {};
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto marked = all.events.find(event);
  const auto waiting = all.streams.find(stream);
  if (marked == all.events.end()) {
    if (waiting == all.streams.end()) return {};
    waiting->second.capture->valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  if (waiting == all.streams.end()) {
    if (is_legacy(stream)) return cudaErrorStreamCaptureImplicit;
    all.streams[stream] = marked->second;
    return cudaSuccess;
  }
  if (waiting->second.capture != marked->second.capture) return cudaErrorStreamCaptureMerge;
  merge(waiting->second.last, marked->second.last);
  return cudaSuccess;
}

bool graph::is_captured(cudaEvent_t event) {
  if (open_captures == 0) return false;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  return all.events.count(event) != 0;
}

void graph::forget(cudaStream_t stream) {
  if (open_captures == 0) return;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) return;
  // A stream that joined may go before the capture ends; what it did stays in the graph.
  if (found->second.capture->origin == stream) {
    found->second.capture->valid = false;
    --open_captures;
  }
  all.streams.erase(found);
}

void graph::forget(cudaEvent_t event) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.events.erase(event);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return record(begin(stream, mode, nullptr, {}));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode mode) {
  if (!graph || (count != 0 && !dependencies)) return record(cudaErrorInvalidValue);
  return record(begin(stream, mode, graph, Nodes(dependencies, dependencies + count)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph) *graph = nullptr;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) return record(cudaErrorIllegalState);
  const std::shared_ptr<Capture> capture = found->second.capture;
  if (capture->origin != stream) return record(cudaErrorStreamCaptureUnmatched);
  // A capture into a graph that the program has need not tell it.
  if (!graph && capture->owns_target) return record(cudaErrorInvalidValue);
  // All that the capture went through must have come back to where it began.
  Nodes joined = found->second.last;
  const Nodes ends = ends_of(*capture->target);
  const bool whole = std::all_of(ends.begin(), ends.end(), [&](cudaGraphNode_t node) {
    return !capture->owns_target || std::find(joined.begin(), joined.end(), node) != joined.end();
  });
  const auto belongs = [&](const auto& entry) { return entry.second.capture == capture; };
  std::erase_if(all.streams, belongs);
  std::erase_if(all.events, belongs);
  --graph::open_captures;
  if (capture->valid && whole) {
    if (graph) *graph = capture->target;
    return cudaSuccess;
  }
  if (capture->owns_target) delete capture->target;
  return record(capture->valid ? cudaErrorStreamCaptureUnjoined
                               : cudaErrorStreamCaptureInvalidated);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* dependency_count) {
  if (!status) return record(cudaErrorInvalidValue);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  *status = cudaStreamCaptureStatusNone;
  if (found == all.streams.end()) return cudaSuccess;
  const Place& place = found->second;
  *status =
      place.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
  if (!place.capture->valid) return cudaSuccess;
  if (id) *id = place.capture->id;
  if (graph) *graph = place.capture->target;
  if (dependencies) *dependencies = place.last.data();
  if (edges) *edges = nullptr;
  if (dependency_count) *dependency_count = place.last.size();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned int flags) {
  if ((count != 0 && !dependencies) || flags > cudaStreamSetCaptureDependencies)
    return record(cudaErrorInvalidValue);
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.streams.find(stream);
  if (found == all.streams.end()) return record(cudaErrorIllegalState);
  Nodes& last = found->second.last;
  if (flags == cudaStreamSetCaptureDependencies) last.clear();
  merge(last, Nodes(dependencies, dependencies + count));
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  if (!mode) return record(cudaErrorInvalidValue);
  std::swap(current, *mode);
  return cudaSuccess;
}
