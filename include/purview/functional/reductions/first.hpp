#pragma once

#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/reduce_over.hpp>

namespace purview::inline v0_1 {

/// The reduction to the first element, or the last.
PURVIEW_EXPORT const BuiltInReduction& end_reduction(bool last);
/// The first or last element of each group of a view, which has elements, in the order of groups.
/// Lazy.
PURVIEW_EXPORT Operand end_elements(const ReducedView& view, bool last);
/// The same, copied to `out`.
PURVIEW_EXPORT void copy_end_elements(const ReducedView& view, bool last, const Destination& out);

template <bool of_last>
struct EndOperation {
    static constexpr const char* kName = of_last ? "last" : "first";
    template <typename T>
    using Result = T;
    static const BuiltInReduction& built_in() { return end_reduction(of_last); }

    template <ElementType T>
    static void run(const ReducedView& view, T* out) {
        require_elements(kName, view);
        if (view.groups > 0) copy_end_elements(view, of_last, out);
    }
};

/// `first(x)`, `first(x, axes…)`, a reducer of windows and groups, `group_by_reduce(keys, prices,
/// first, last)`, or a stage: the first element in row-major order of the axes as they are named, of
/// any type. With `skip_nan` the first that is not NaN, and not NaT (pandas's), NaN where there is
/// none. Otherwise as `min`; throws `ShapeError` for an empty tensor, `KindError` for a sparse one.
inline constexpr ReduceFunction<EndOperation<false>> first;
/// The last element, otherwise as `first`.
inline constexpr ReduceFunction<EndOperation<true>> last;

} // namespace purview
