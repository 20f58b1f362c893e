#error \
    "cuDNN is not part of simt: deep-learning calls have no counterpart on this CPU; build this file without cudnn.h"
