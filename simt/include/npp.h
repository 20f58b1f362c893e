#error \
    "NPP is not part of simt: image functions have no counterpart on this CPU; build this file without npp.h"
