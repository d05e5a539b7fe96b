#pragma once

// An #error alone, and thousands of others would follow it.
#if __cplusplus < 202002L
# include "Purview needs C++20: -std=c++20, or target_compile_features(app PRIVATE cxx_std_20)"
#endif

#include <purview/base/export.hpp>

#include <cassert>
#include <version>

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
# error "Purview reports every failure by an exception, so it cannot be used with -fno-exceptions"
#endif
// Purview's CMake target defines PURVIEW_GLIBCXX_DEBUG if the library was built with
// _GLIBCXX_DEBUG.
#if defined(_GLIBCXX_DEBUG) && !defined(PURVIEW_GLIBCXX_DEBUG)
# error "Purview was built without _GLIBCXX_DEBUG, another std::vector: use it for both or none"
#endif

/// Whether the standard library has time zones. libstdc++ 13 has, and does not say so yet, as it could not parse times.
#if defined(__cpp_lib_chrono) && __cpp_lib_chrono >= 201907L
# define PURVIEW_HAS_TIME_ZONES 1
#elif defined(_GLIBCXX_RELEASE) && defined(_GLIBCXX_USE_CXX11_ABI)
# define PURVIEW_HAS_TIME_ZONES (_GLIBCXX_RELEASE >= 13 && _GLIBCXX_USE_CXX11_ABI)
#else
# define PURVIEW_HAS_TIME_ZONES 0
#endif

/// A class whose elements end with it: clang warns of a span of a temporary one that is given a name.
#if defined(__clang__)
# define PURVIEW_OWNER [[gsl::Owner]]
#else
# define PURVIEW_OWNER
#endif

/// Checks a precondition of an inner loop. Active in builds without `NDEBUG`; public entry points
/// validate their arguments in every build and throw instead.
#define PURVIEW_ASSERT(condition) assert(condition)
