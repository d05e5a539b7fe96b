#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/along/fill_gaps.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/along/lane_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <concepts>
#include <cstring>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Tells whether element i of a line is NaN, which is a gap.
template <typename T>
struct NanGaps {
    const T* x;
    bool operator()(index_t i) const noexcept { return x[i] != x[i]; }
};
struct MaskedGaps {
    const bool* mask;
    bool operator()(index_t i) const noexcept { return mask[i]; }
};

/// The number of elements that are tested together: usually none of them is a gap, and they are
/// copied.
constexpr index_t kTestedTogether = 8;

/// Fills the gaps in `length` > 0 contiguous elements.
template <FillFrom From, typename T, typename Gaps>
void fill_line(const T* x, const Gaps& is_gap, T* out, index_t length) {
    constexpr bool kForwards = From == FillFrom::before;
    T last = x[kForwards ? 0 : length - 1];
    const auto fill = [&](index_t first, index_t count) {
        for (index_t k = 0; k < count; ++k) {
            const index_t i = first + (kForwards ? k : count - 1 - k);
            last = is_gap(i) ? last : x[i];
            out[i] = last;
        }
    };
    const index_t rest = length % kTestedTogether;
    for (index_t done = 0; done < length - rest; done += kTestedTogether) {
        const index_t first = kForwards ? done : length - kTestedTogether - done;
        bool any = false;
        for (index_t k = 0; k < kTestedTogether; ++k) any |= is_gap(first + k);
        if (any) {
            fill(first, kTestedTogether);
            continue;
        }
        // Of a size that is known and to other memory: some moves, and no call of memmove.
        std::memcpy(out + first, x + first, kTestedTogether * sizeof(T));
        last = x[kForwards ? first + kTestedTogether - 1 : first];
    }
    fill(kForwards ? length - rest : 0, rest);
}

/// Fills the gaps in `length` rows of `inner` elements, beginning at the side that gaps are filled
/// from. Gaps that no element precedes get the value of the first of them.
template <typename T, typename Gaps>
void fill_rows(const T* x, const Gaps& is_gap, T* out, index_t length, index_t inner,
               FillFrom from) {
    if (length == 0) return;
    const bool forwards = from == FillFrom::before;
    if (inner == 1) {
        if (forwards)
            fill_line<FillFrom::before>(x, is_gap, out, length);
        else
            fill_line<FillFrom::behind>(x, is_gap, out, length);
        return;
    }
    const index_t step = forwards ? inner : -inner;
    index_t row = forwards ? 0 : (length - 1) * inner;
    std::copy_n(x + row, inner, out + row);
    for (index_t k = 1; k < length; ++k) {
        row += step;
        for (index_t i = row; i < row + inner; ++i) out[i] = is_gap(i) ? out[i - step] : x[i];
    }
}

/// Restores the gaps that no element precedes.
template <typename T>
void keep_leading(const T* x, const bool* mask, T* out, index_t length, index_t inner,
                  FillFrom from) {
    for (index_t column = 0; column < inner; ++column)
        for (index_t k = 0; k < length; ++k) {
            const index_t i = (from == FillFrom::before ? k : length - 1 - k) * inner + column;
            if (!mask[i]) break;
            out[i] = x[i];
        }
}

Operand in_order_of_parts(const char* what, const AxisParts& parts, const Operand& x) {
    return parts.restoring_permutation.empty() ? x : axis_parts(what, x, parts.axis()).operand;
}

/// A mask in memory, in the order of `parts`.
Tensor<bool> gap_mask(const char* what, const AxisParts& parts, const Operand& mask) {
    if (mask.dtype() != boolean) throw_dtype_unsupported(what, mask.dtype());
    return in_memory<bool>(what, in_order_of_parts(what, parts, mask));
}

constexpr double kMostNumbers = 0x1p40;

[[noreturn]] void throw_too_many(double from, double to, double max_span, index_t index) {
    if (!std::isfinite(to - from))
        throw Error(fmt::format("fill_range: from {} to {} at index {} is infinitely far", from, to,
                                index));
    throw ShapeError(fmt::format("fill_range: steps of at most {} from {} to {} at index {} make "
                                 "more than 2^40 numbers",
                                 max_span, from, to, index));
}

} // namespace

Operand gaps_of_non_builtin(const char* what, const AxisParts& parts) {
    const Operand whole = parts.restored(parts.operand);
    if (!is_float16(whole.dtype()) && whole.dtype().counted_in() == whole.dtype())
        throw_dtype_unsupported(what, whole.dtype());
    return unary_operand(Op::logical_not, is_not_nan(widened_operand(whole)), boolean);
}

namespace {

/// Elements of types that are not built-in. Without a mask, the gaps are what equals nothing.
Operand filled_non_builtin(const char* what, const AxisParts& parts, const Operand* mask,
                           FillFrom from) {
    require_not_sparse(what, parts.operand);
    const Operand gaps =
        mask != nullptr ? parts.mask_beside(what, *mask) : gaps_of_non_builtin(what, parts);
    return clone(AnyTensor(filled_from(what, parts, gaps, from))).operand();
}

Operand filled_whole(const char* what, const AxisParts& parts, const Operand* mask, FillFrom from) {
    if (!parts.operand.dtype().is_builtin()) return filled_non_builtin(what, parts, mask, from);
    const Operand whole = parts.restored(parts.operand);
    const index_t inner = parts.inner();
    const index_t length = parts.length;
    return visit_dtype(whole.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> held = in_memory<T>(what, whole);
        Tensor<bool> gaps;
        if (mask != nullptr) gaps = in_memory<bool>(what, parts.mask_beside(what, *mask));
        MutableTensor<T> result = empty<T>(held.shape());
        const index_t part = length * inner;
        const index_t count = part == 0 ? 0 : held.size() / part;
        const T* const x = as_span(held).data();
        T* const out = as_span(result).data();
        const bool* const masked = mask != nullptr ? as_span(gaps).data() : nullptr;
        parallel_ranges(
            count, std::max<index_t>(1, 4096 / std::max<index_t>(part, 1)),
            static_cast<double>(held.size()), [&](index_t begin, index_t end) {
                for (index_t at = begin * part; at < end * part; at += part) {
                    if (masked != nullptr) {
                        fill_rows(x + at, MaskedGaps{masked + at}, out + at, length, inner, from);
                        keep_leading(x + at, masked + at, out + at, length, inner, from);
                    } else {
                        fill_rows(x + at, NanGaps<T>{x + at}, out + at, length, inner, from);
                    }
                }
            });
        return in_order_of_parts(what, parts, result.operand());
    });
}

} // namespace

Operand filled_gaps(const char* what, const AxisParts& parts, const Operand* mask, FillFrom from) {
    if (mask != nullptr && mask->dtype() != boolean) throw_dtype_unsupported(what, mask->dtype());
    return filled_in_turn(what, parts, mask, from,
                          [&](const AxisParts& segment, const Operand* gaps) {
                              return filled_whole(what, segment, gaps, from);
                          });
}

Operand filled_in_turn(const char* what, const AxisParts& parts, const Operand* mask, FillFrom from,
                       FunctionRef<Operand(const AxisParts&, const Operand*)> fill_whole) {
    if (parts.carried == nullptr) return fill_whole(parts, mask);
    /// The result nearest to the segment, and whether all so far are gaps of the mask, for each part.
    struct Nearest {
        Operand result;
        Operand is_gap;
    };
    const bool behind = from == FillFrom::behind;
    const auto* const nearest = std::any_cast<Nearest>(parts.carried);
    AxisParts longer = nearest != nullptr ? with_elements(parts, nearest->result, behind) : parts;
    longer.begin = {};
    Operand gaps;
    if (mask != nullptr) {
        gaps = clone(Tensor<bool>(parts.mask_beside(what, *mask))).operand();
        if (nearest != nullptr)
            gaps = concat_operand(what,
                                  behind ? std::vector{gaps, nearest->is_gap}
                                         : std::vector{nearest->is_gap, gaps},
                                  parts.axis());
    }
    const Operand filled = fill_whole(longer, mask != nullptr ? &gaps : nullptr);
    const index_t first = nearest != nullptr && !behind ? 1 : 0;
    const index_t end = behind ? 1 : longer.length;
    Nearest next{part_of_lanes(filled, end - 1, end), {}};
    // So that it alone stays in memory.
    if (filled.dtype().is_builtin()) next.result = clone(AnyTensor(next.result)).operand();
    if (mask != nullptr)
        next.is_gap = all_of(Tensor<bool>(gaps), {parts.axis()}, keep_dims).operand();
    *parts.carried = std::move(next);
    return part_of_lanes(filled, first, first + parts.length);
}

Operand filled_from(const char* what, const AxisParts& parts, const Operand& mask, FillFrom from) {
    const Tensor<bool> held = gap_mask(what, parts, mask);
    MutableTensor<std::int64_t> sources = empty<std::int64_t>(held.shape());
    const bool* gap = as_span(held).data();
    std::int64_t* source = as_span(sources).data();
    for (index_t group = 0; group < parts.groups;
         ++group, gap += parts.length, source += parts.length) {
        index_t last = -1;
        for (index_t k = 0; k < parts.length; ++k) {
            const index_t i = from == FillFrom::before ? k : parts.length - 1 - k;
            if (!gap[i]) last = i;
            source[i] = last >= 0 ? last : i;
        }
    }
    return taken_along(parts, sources.operand());
}

FilledRange filled_range(const Operand& x, double max_span) {
    require_one_axis("fill_range", AnyTensor(x));
    if (!(max_span > 0))
        throw Error(fmt::format("fill_range: a step of at most {} is none", max_span));
    const Tensor<double> held = in_memory<double>("fill_range", x);
    // A copy, as numbers are counted before they are written, and others may write to what is wrapped.
    const std::vector<double> numbers(as_span(held).begin(), as_span(held).end());
    const auto steps_before = [&](std::size_t i) {
        const double span = i > 0 ? numbers[i] - numbers[i - 1] : 0;
        return span > max_span ? std::ceil(span / max_span) : 1;
    };
    double count = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        count += steps_before(i);
        if (!std::isfinite(count) || count > kMostNumbers)
            throw_too_many(numbers[i - 1], numbers[i], max_span, static_cast<index_t>(i));
    }
    std::vector<double> values;
    std::vector<index_t> given;
    values.reserve(static_cast<std::size_t>(count));
    given.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (const double steps = steps_before(i); steps > 1) {
            const double step = (numbers[i] - numbers[i - 1]) / steps;
            for (double k = 1; k < steps; ++k) values.push_back(numbers[i - 1] + step * k);
        }
        given.push_back(std::ssize(values));
        values.push_back(numbers[i]);
    }
    const index_t total = std::ssize(values);
    return {tensor(std::move(values)), IndexSet(given).complement(0, total)};
}

} // namespace purview
