#pragma once

// CRoaring's functions for 32-bit bitmaps, whose interface is the same from version 0.2.66 on.
// Nothing else of CRoaring is used, so that any of these versions works.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <roaring/roaring.h>
#pragma GCC diagnostic pop
