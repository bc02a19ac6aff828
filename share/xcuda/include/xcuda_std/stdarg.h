// <stdarg.h> is for host code: device code has no va_list
