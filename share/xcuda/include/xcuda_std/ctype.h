#pragma once
#include "cctype"
