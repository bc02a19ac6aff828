#include <no/such.h>
