#pragma once

// NVTX marks ranges for a profiler. There is none here, so each call does nothing.

#include <cstdint>

typedef std::uint64_t nvtxRangeId_t;
typedef struct nvtxDomainHandle* nvtxDomainHandle_t;

#define NVTX_VERSION 3
enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
};

struct nvtxEventAttributes_t {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t colorType;
  std::uint32_t color;
  std::int32_t payloadType;
  std::int32_t reserved0;
  union {
    std::uint64_t ullValue;
    std::int64_t llValue;
    double dValue;
  } payload;
  std::int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
  } message;
};
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((std::uint16_t)sizeof(nvtxEventAttributes_t))

inline int nvtxRangePushA(const char*) {
  return 0;
}
inline int nvtxRangePushEx(const nvtxEventAttributes_t*) {
  return 0;
}
inline int nvtxRangePop() {
  return 0;
}
inline nvtxRangeId_t nvtxRangeStartA(const char*) {
  return 0;
}
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) {
  return 0;
}
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char*) {
  return nullptr;
}
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline void nvtxNameOsThreadA(std::uint32_t, const char*) {}
inline void nvtxNameCategoryA(std::uint32_t, const char*) {}

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
