#error \
    "cuSPARSE is not part of simt: its calls have no counterpart on this CPU; build this file without cusparse_v2.h"
