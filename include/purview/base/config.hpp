#pragma once

#include <purview/base/export.hpp>

#include <cassert>

/// Checks a precondition of an inner loop. Active in builds without `NDEBUG`; public entry points
/// validate their arguments in every build and throw instead.
#define PURVIEW_ASSERT(condition) assert(condition)
