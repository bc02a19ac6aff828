#pragma once
#include "cstdio"
