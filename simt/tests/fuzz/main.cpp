// Feeds changed programs to the translator, which is built with the address and undefined-behaviour
// sanitizers: no crash, no endless loop. The same numbers give the same inputs.
//   simt_fuzz ITERATIONS SEED FOLDER...    FOLDERs: whose .cu files to begin with
//   simt_fuzz --replay FILE

#include <sanitizer/common_interface_defs.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "coverage.h"
#include "mutate.h"
#include "target.h"

namespace {

namespace fs = std::filesystem;

constexpr unsigned seconds_an_input = 10;
constexpr const char* last_input = "simt-fuzz-input.cu";
std::string input;

void keep_input() {
  if (std::FILE* file = std::fopen(last_input, "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "simt_fuzz: the input is in %s\n", last_input);
}

void on_alarm(int) {
  std::fprintf(stderr, "simt_fuzz: an input takes longer than %u s of CPU time\n",
               seconds_an_input);
  keep_input();
  _exit(1);
}

// Of the process's own time: on a busy machine a harmless input may take long.
void limit_time(unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void try_input() {
  limit_time(seconds_an_input);
  try_translate(input);
  limit_time(0);
}

std::vector<std::string> read_seeds(char** first, char** last) {
  std::vector<fs::path> paths;
  for (; first != last; ++first) {
    for (const auto& entry : fs::recursive_directory_iterator(*first)) {
      if (entry.path().extension() == ".cu") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) seeds.push_back(read(path));
  return seeds;
}

int fuzz(long iterations, unsigned seed, const std::vector<std::string>& seeds) {
  Random random(seed);
  std::vector<std::string> corpus = seeds;
  for (const std::string& text : seeds) {
    input = text;
    try_input();
  }
  std::size_t kept = 0;
  for (long i = 0; i < iterations; ++i) {
    input = mutate(corpus[random() % corpus.size()], corpus, random);
    start_coverage();
    try_input();
    if (new_edges() == 0) continue;
    corpus.push_back(input);
    ++kept;
  }
  std::printf("%zu seeds, %ld inputs, %zu of them took a new way\n", seeds.size(), iterations,
              kept);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPROF, &on_alarm);
  __sanitizer_set_death_callback(&keep_input);
  if (argc == 3 && std::strcmp(argv[1], "--replay") == 0) {
    input = read(argv[2]);
    try_input();
    return 0;
  }
  const auto seeds = argc > 3 ? read_seeds(argv + 3, argv + argc) : std::vector<std::string>();
  if (seeds.empty()) {
    std::fprintf(stderr, "usage: simt_fuzz ITERATIONS SEED FOLDER... | --replay FILE\n");
    return 2;
  }
  return fuzz(std::atol(argv[1]), static_cast<unsigned>(std::atol(argv[2])), seeds);
}
