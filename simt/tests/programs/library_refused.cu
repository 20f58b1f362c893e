// Libraries that simt does not have: __has_include says so, and including one tells why it is missing.
#if __has_include(<cutensor.h>) || __has_include(<nvshmem.h>)
#error "the header is there"
#endif
#include <optix.h>

int main() {}
