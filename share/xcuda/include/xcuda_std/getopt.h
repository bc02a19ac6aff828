// <getopt.h> is for host code: cells have no arguments
