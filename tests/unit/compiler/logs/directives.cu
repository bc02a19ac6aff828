static_assert(sizeof(int) == 3, "odd");
#warning careful
#error "stop here"
