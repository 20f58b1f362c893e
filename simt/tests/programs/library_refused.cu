// Libraries that simt does not have are refused by name.
#include <cudnn.h>

int main() {}
