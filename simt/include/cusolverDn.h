#error \
    "cuSOLVER is not part of simt: solvers have no counterpart on this CPU; build this file without cusolverDn.h"
