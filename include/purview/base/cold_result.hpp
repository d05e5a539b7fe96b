#pragma once

#include <purview/base/config.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// Keeps the exception that is being handled, for this thread.
[[gnu::cold]] PURVIEW_EXPORT void keep_exception() noexcept;
[[noreturn]] PURVIEW_EXPORT void throw_kept_exception();

/// What a call gives that keeps exceptions, to be thrown by `get`. For calls that a loop hardly ever makes: gcc holds nothing
/// in a register across a call that throws into a function with something to destroy, so that a sum would lie in memory.
template <typename T>
struct ColdResult {
    T value{};
    bool thrown = false;

    [[gnu::always_inline]] T get() && {
        if (thrown) throw_kept_exception();
        return std::move(value);
    }
};
template <typename F>
auto cold_result(F&& f) noexcept -> ColdResult<decltype(f())> {
    try {
        return {f()};
    } catch (...) {
        keep_exception();
        return {{}, true};
    }
}

} // namespace purview
