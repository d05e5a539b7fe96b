#pragma once

#include <purview/base/index.hpp>

#include <concepts>
#include <memory>
#include <type_traits>

namespace purview {

/// A reference to a function that works on the parts [begin, end).
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

/// Calls `f(begin, end)` for disjoint ranges that make up [0, count), each a multiple of `grain` long but
/// for the last, from as many threads as `set_threads` allows and as work of `nanoseconds` in all is
/// worth. Returns when all are done. Which range meets which thread is not said: for results that do not
/// depend on it, what is written for an index depends on that index alone. If calls throw, the exception
/// of the first range arrives here, and ranges behind it that have not begun are left out.
PURVIEW_EXPORT void parallel_ranges(index_t count, index_t grain, double nanoseconds,
                                    PartFunction f);

} // namespace purview
