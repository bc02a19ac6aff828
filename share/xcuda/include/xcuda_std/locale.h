// <locale.h> is for host code: device code has the "C" locale and char
