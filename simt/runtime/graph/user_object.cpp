// User objects: objects of the program that live as long as the graphs that use them, by reference
// counts, and are destroyed by the program's own function.

#include <mutex>

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

struct CUuserObject_st {
  void* pointer;
  cudaHostFn_t destroy;
  unsigned references;
};

namespace {

std::mutex lock;

cudaError_t release(cudaUserObject_t object, unsigned count) {
  {
    const std::lock_guard guard(lock);
    if (count > object->references) return cudaErrorInvalidValue;
    object->references -= count;
    if (object->references != 0) return cudaSuccess;
  }
  object->destroy(object->pointer);
  delete object;
  return cudaSuccess;
}

}  // namespace

graph::Hold::~Hold() {
  release(object, count);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned int references, unsigned int flags) {
  if (!object || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync)
    return record(cudaErrorInvalidValue);
  *object = new CUuserObject_st{pointer, destroy, references};
  return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  if (!object || count == 0) return record(cudaErrorInvalidValue);
  const std::lock_guard guard(lock);
  object->references += count;
  return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  if (!object || count == 0) return record(cudaErrorInvalidValue);
  return record(release(object, count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  if (!graph || !object || count == 0 || (flags & ~cudaGraphUserObjectMove) != 0)
    return record(cudaErrorInvalidValue);
  // Moved references are the caller's; others are new.
  if ((flags & cudaGraphUserObjectMove) == 0) cudaUserObjectRetain(object, count);
  graph->objects.push_back(std::make_shared<graph::Hold>(object, count));
  return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
  if (!graph || !object || count == 0) return record(cudaErrorInvalidValue);
  for (auto it = graph->objects.begin(); it != graph->objects.end(); ++it) {
    if ((*it)->object != object || (*it)->count != count) continue;
    graph->objects.erase(it);
    return cudaSuccess;
  }
  return record(cudaErrorInvalidValue);
}
