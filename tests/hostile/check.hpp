#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

/// These programs are run to see how they end: a check that fails ends them at once, whatever they are in the middle
/// of, with the line.
namespace hostile {

inline void check(bool holds, const char* what,
                  std::source_location where = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
                 what);
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
}

/// Calls `f` and checks that it throws an `E`.
template <typename E, typename F>
void check_throws(F&& f, const char* what,
                  std::source_location where = std::source_location::current()) {
    try {
        f();
    } catch (const E&) {
        return;
    } catch (...) {
        check(false, "another exception than expected", where);
    }
    check(false, what, where);
}

} // namespace hostile
