#error \
    "cuSOLVER is not part of simt: its calls have no counterpart on this CPU; build this file without cusolverMg.h"
