// Libraries that simt does not have: __has_include says so, and including one tells why it is missing.
#if __has_include(<cusparse.h>) || __has_include(<nccl.h>)
#error "the header is there"
#endif
#include <cudnn.h>

int main() {}
