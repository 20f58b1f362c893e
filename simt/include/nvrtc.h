#error \
    "NVRTC is not part of simt: kernels are compiled into the program; put the source into the file"
