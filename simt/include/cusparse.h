#error \
    "cuSPARSE is not part of simt: sparse matrices have no counterpart on this CPU; build this file without cusparse.h"
