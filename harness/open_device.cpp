#include "harness/open_device.h"

#include <dlfcn.h>

#include <string>

#include "core/host/error.h"

namespace warpath::harness {

const Device& open_device(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    throw Error(why ? why : "cannot open " + library.string());
  }
  const auto entry = reinterpret_cast<DeviceEntry>(dlsym(handle, device_symbol));
  if (!entry) throw Error(library.string() + ": not a device library");
  const Device* device = entry();
  if (device->version != device_version)
    throw Error(library.string() + ": built for another version of the harness");
  return *device;
}

}  // namespace warpath::harness
