// Graphs and capture: see simt/api_graph.h for why they answer "not supported".

#include "api_internal.h"

using namespace simt;
using namespace simt::api;

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return record(cudaErrorNotSupported);
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  if (graph) *graph = nullptr;
  return record(cudaErrorIllegalState);  // what CUDA answers for a stream that is not capturing
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (!status) return record(cudaErrorInvalidValue);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**,
                                     const cudaGraphEdgeData**, size_t*) {
  return cudaStreamIsCapturing(stream, status);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  if (!mode) return record(cudaErrorInvalidValue);
  const cudaStreamCaptureMode before = current;
  current = *mode;
  *mode = before;
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned int) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, cudaGraphNode_t*, char*, size_t) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo*) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, size_t*) {
  return record(cudaErrorInvalidValue);
}
