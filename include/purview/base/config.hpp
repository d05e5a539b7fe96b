#pragma once

#include <purview/base/export.hpp>

#include <cassert>

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
# error "Purview reports every failure by an exception, so it cannot be used with -fno-exceptions"
#endif
// Purview's CMake target defines PURVIEW_GLIBCXX_DEBUG if the library was built with
// _GLIBCXX_DEBUG.
#if defined(_GLIBCXX_DEBUG) && !defined(PURVIEW_GLIBCXX_DEBUG)
# error "Purview was built without _GLIBCXX_DEBUG, another std::vector: use it for both or none"
#endif

/// Checks a precondition of an inner loop. Active in builds without `NDEBUG`; public entry points
/// validate their arguments in every build and throw instead.
#define PURVIEW_ASSERT(condition) assert(condition)
