#error \
    "MTGP32 is not part of simt: its calls have no counterpart on this CPU; build this file without curand_mtgp32_host.h"
