#pragma once

// The command-line functions of the CUDA samples' helper headers, for programs that came without
// them: options read "-name" or "--name=value".

#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

namespace simt {

// What follows "name=" among the arguments, or the empty text for "name" alone; null if it is not
// there.
inline const char* option_value(int argc, const char** argv, const char* name) {
  const std::size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i) {
    const char* at = argv[i] + std::strspn(argv[i], "-");
    if (at == argv[i] || std::strncmp(at, name, length) != 0) continue;
    if (at[length] == '=') return at + length + 1;
    if (at[length] == '\0') return "";
  }
  return nullptr;
}

}  // namespace simt

inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) {
  return simt::option_value(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
  const char* value = simt::option_value(argc, argv, name);
  return value != nullptr ? std::atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
  const char* value = simt::option_value(argc, argv, name);
  return value != nullptr ? static_cast<float>(std::atof(value)) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** out) {
  const char* value = simt::option_value(argc, argv, name);
  *out = const_cast<char*>(value);
  return value != nullptr && *value != '\0';
}
// Files are looked for here and in the folder "data".
inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"", "data/", "../data/"}) {
    const std::string path = std::string(folder) + name;
    if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
      std::fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
