#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/base/index.hpp>

#include <concepts>
#include <memory>
#include <type_traits>

namespace purview::inline v0_1 {

/// A non-owning reference to a function that processes the range [begin, end).
class PartFunction {
public:
    template <typename F>
        requires(!std::same_as<std::remove_cvref_t<F>, PartFunction>)
    PartFunction(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, index_t begin, index_t end) {
              (*static_cast<std::remove_reference_t<F>*>(object))(begin, end);
          }) {}
    void operator()(index_t begin, index_t end) const { call_(object_, begin, end); }

private:
    void* object_;
    void (*call_)(void*, index_t, index_t);
};

/// Calls `f(begin, end)` for disjoint ranges that cover [0, count), each a multiple of `grain` long
/// except the last, on as many threads as `set_threads` allows and as the estimated time of all
/// calls, `nanoseconds`, is worth. Returns when all calls are done. Which thread gets which range
/// is unspecified: for results that do not depend on it, what is written for an index must depend
/// on that index alone. If calls throw, the exception of the first range that threw is rethrown
/// here, and later ranges that have not begun are skipped.
PURVIEW_EXPORT void parallel_ranges(index_t count, index_t grain, double nanoseconds,
                                    PartFunction f);

/// Calls `f(i)` for 0 ≤ i < count, in order, as long as it returns true. `on_progress` is told of the calls, as one
/// step of the operation `what`; what they do is not told of.
PURVIEW_EXPORT void watched_steps(const char* what, index_t count, FunctionRef<bool(index_t)> f);

} // namespace purview
