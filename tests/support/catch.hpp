#pragma once

// An exception ends a test case, not an assertion: a sixth less to compile.
#define CATCH_CONFIG_FAST_COMPILE

/// Catch2, whichever version the system has: Debian 12 ships v2, everybody else v3.
#if __has_include(<catch2/catch_all.hpp>)
# include <catch2/catch_all.hpp>
#else
# include <catch2/catch.hpp>
/// v3's names for what both versions have.
namespace Catch {
using Detail::Approx;
inline auto getSeed() { return rngSeed(); }
namespace Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
} // namespace Matchers
} // namespace Catch
#endif
