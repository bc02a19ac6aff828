// <omp.h> is for host code: the threads of a kernel are its grid and blocks
