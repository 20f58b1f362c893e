// warpath-image: what `./warpath image` runs.
#include "cli/image/image.h"

int main(int argc, char** argv) {
  return warpath::cli::run_alone(warpath::cli::image_command, argc, argv);
}
