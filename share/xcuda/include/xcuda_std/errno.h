// <errno.h> is for host code: device code has no system calls
