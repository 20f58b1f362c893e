#error \
    "CUPTI is not part of simt: GPU counters have no counterpart on this CPU; build this file without cupti.h"
