#pragma once

#include <purview/evaluation/lanes.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Roots of sums of squares, of which some may have left the range of their type: those windows are
/// taken from lanes times a power of two, which is exact.
template <typename T, typename Roll>
void mend_roots(const PaddedLanes& lanes, std::span<T> roots, Roll roll) {
    constexpr int kExponent = sizeof(T) == sizeof(float) ? 70 : 600;
    constexpr auto kVanished = [](T x) { return x * x < kLeastMeanSquare<T>; };
    constexpr auto kOverflown = [](T x) { return !std::isfinite(x); };
    const auto mend = [&](auto is_lost, auto are_there, int exponent) {
        if (std::ranges::none_of(roots, is_lost) || !are_there(lanes.inner)) return;
        PaddedLanes scaled = lanes;
        const DType dtype = lanes.inner.dtype();
        const Operand factor = float_constant(dtype, std::ldexp(1., exponent));
        for (Operand* const x : {&scaled.inner, &scaled.padded})
            *x = binary_operand(Op::multiply, std::move(*x), factor, dtype, dtype);
        std::vector<T> again(roots.size());
        roll(scaled, again.data());
        for (std::size_t i = 0; i < roots.size(); ++i)
            if (is_lost(roots[i]) && std::isfinite(again[i]))
                roots[i] = std::ldexp(again[i], -exponent);
    };
    mend(kOverflown, has_large, -kExponent);
    mend(kVanished, has_small, kExponent);
}

/// `roll(lanes, to)` writes all windows of the lanes, as floats, unless it returns false; every
/// `step`-th is kept. False also where those left out would take longer than to read those kept.
/// `roots` are those of squares.
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
        if (!roll(lanes, to)) return false;
        if (roots)
            with_floats(dtype, to, [&]<typename T>(T* results) {
                mend_roots(lanes, std::span(results, static_cast<std::size_t>(size)), roll);
            });
        return true;
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
            if (nan == NanRule::skip && !averages) *x = numbers_only(*x, 0.);
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
