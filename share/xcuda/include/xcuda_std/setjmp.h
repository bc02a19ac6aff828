// <setjmp.h> is for host code: statements do not need it
