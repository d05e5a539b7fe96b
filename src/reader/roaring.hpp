#pragma once

// CRoaring's functions for 32-bit bitmaps, which are called the same from 0.2.66 on. Nothing else of
// it is used, so that no version matters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <roaring/roaring.h>
#pragma GCC diagnostic pop
