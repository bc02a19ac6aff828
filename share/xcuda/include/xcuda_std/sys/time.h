// <sys/time.h> is for host code: launches are timed with %%launch
