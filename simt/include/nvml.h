#error \
    "NVML is not part of simt: GPU monitoring have no counterpart on this CPU; build this file without nvml.h"
