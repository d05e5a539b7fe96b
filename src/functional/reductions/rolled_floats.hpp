#pragma once

#include <purview/evaluation/lanes.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace purview::inline v0_1 {

/// Whether roots of `count` sums of squares are to be computed once more, window by window, as
/// squares may have left the range of their type.
inline bool lost_squares(const PaddedLanes& lanes, index_t count, const void* roots) {
    bool any = false;
    with_floats(lanes.inner.dtype(), const_cast<void*>(roots), [&]<typename T>(const T* results) {
        any = std::any_of(results, results + count, [](T x) { return left_range<T>(x * x, 1); });
    });
    return any && has_extraordinary(lanes.inner);
}

/// `roll(lanes, to)` writes all windows of the lanes, as floats, unless it returns false; every
/// `step`-th is kept. False also where those left out would take longer than to read those kept,
/// and for `roots` of squares that left the range of their type.
template <typename Roll>
bool roll_floats(const char* what, PaddedLanes lanes, index_t width, index_t step, bool roots,
                 void* out, Roll roll) {
    if (step > width) return false;
    require_not_sparse(what, lanes.inner);
    const DType dtype = averaged(lanes.padded.dtype());
    for (Operand* const x : {&lanes.inner, &lanes.padded})
        *x = cast_operand(std::move(*x), dtype, Op::cast);
    const index_t count = lanes.length() - width + 1;
    const index_t size = lanes.groups * count;
    const auto rolled = [&](void* to) {
        return roll(lanes, to) && !(roots && lost_squares(lanes, size, to));
    };
    if (step == 1) return rolled(out);
    const Operand every = empty_of(what, dtype, ShapeSpan(&size, 1));
    if (!rolled(memory_of(every))) return false;
    with_floats(dtype, out, [&]<typename T>(T* kept) {
        const T* const results = reinterpret_cast<const T*>(memory_of(every));
        for (index_t lane = 0; lane < size; lane += count)
            for (index_t i = 0; i < count; i += step) *kept++ = results[lane + i];
    });
    return true;
}

/// False also for windows that are wider than the lanes, for which there might not be the memory.
inline bool roll_variances_of(const char* what, const PaddedLanes& given, index_t width,
                              index_t step, const VarianceOfWindows& rule, void* out) {
    constexpr index_t kWideAtAnyRate = index_t{1} << 20;
    if (width > std::max(given.inner_length(), kWideAtAnyRate)) return false;
    return roll_floats(what, given, width, step, rule.root, out,
                       [&](const PaddedLanes& lanes, void* to) {
                           roll_variances(lanes, width, rule, to);
                           return true;
                       });
}

/// The sums or, with `averages`, the means of squares, or their roots.
inline bool roll_squares(const char* what, const PaddedLanes& given, index_t width, index_t step,
                         bool averages, bool root, NanRule nan, void* out) {
    return roll_floats(what, given, width, step, root, out, [&](PaddedLanes lanes, void* to) {
        const DType dtype = lanes.padded.dtype();
        for (Operand* const x : {&lanes.inner, &lanes.padded}) {
            if (nan == NanRule::skip && !averages) *x = without_nan(*x, 0.);
            *x = unary_operand(Op::square, std::move(*x), dtype);
        }
        if (!averages)
            roll_groups(Reduction::sum, lanes, width, to);
        else if (nan != NanRule::skip)
            roll_means(lanes, width, to);
        else if (!roll_non_nan(Reduction::sum, true, lanes, width, to))
            return false;
        const index_t size = lanes.groups * (lanes.length() - width + 1);
        if (root)
            with_floats(dtype, to, [&]<typename T>(T* results) {
                for (index_t i = 0; i < size; ++i) results[i] = std::sqrt(results[i]);
            });
        return true;
    });
}

} // namespace purview
