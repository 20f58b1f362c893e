#error "NCCL is not part of simt: there is one device; use plain copies"
