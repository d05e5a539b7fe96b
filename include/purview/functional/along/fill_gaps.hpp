#pragma once

#include <purview/functional/along/along.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/copy.hpp>

namespace purview::inline v0_1 {

/// Whether a gap is filled with the element before it or the one after it.
enum class FillFrom : bool { before, behind };

/// The parts with their gaps filled, in the order of the parts. Gaps are where `mask`
/// (bools in the shape of the tensor) is true, or without `mask`, of numbers and times, NaN and NaT. Throws `DtypeError`
/// naming `what`, `ShapeError` for a mask of another shape.
PURVIEW_EXPORT Operand filled_gaps(const char* what, const AxisParts& parts, const Operand* mask,
                                   FillFrom from);
/// What `fill_whole` gives for parts and a mask of their shape, if there is one. Segments of longer parts (`AxisParts::carried`) are
/// filled with the nearest result of the segment before beside them.
PURVIEW_EXPORT Operand
filled_in_turn(const char* what, const AxisParts& parts, const Operand* mask, FillFrom from,
               FunctionRef<Operand(const AxisParts&, const Operand*)> fill_whole);
/// Where parts of floats of 16 bits or times are NaN or NaT, in the order of the tensor. Lazy.
/// Throws `DtypeError` naming `what` for other types.
PURVIEW_EXPORT Operand gaps_of_non_builtin(const char* what, const AxisParts& parts);
/// Elements of any type with their gaps filled, in the order of the tensor. Gaps are where `mask`
/// is true. Lazy.
PURVIEW_EXPORT Operand filled_from(const char* what, const AxisParts& parts, const Operand& mask,
                                   FillFrom from);

/// `forward_fill(x)`, `forward_fill(x, axis)`: along an axis or a Dim (by default the last axis),
/// replaces each NaN, of times NaT, by the last element before it that is none; one without such an element
/// stays. `forward_fill(x, mask)`, `forward_fill(x, mask, axis)`: the gaps are where `mask`, a
/// tensor of bools of the same shape, is true; elements may be of any type. In memory of the shape
/// and type of `x`, under its dims and those of the mask. Or a stage, `x | forward_fill`. Eager, O(n), one pass. Throws `ShapeError` for a mask of another shape,
/// `IndexError`, `DimError`, `DtypeError`, `KindError` for sparse tensors.
template <FillFrom from>
struct FillGapsFunction : RefusedAlong, PipelineStage {
    using RefusedAlong::operator();
    static constexpr const char* kName =
        from == FillFrom::before ? "forward_fill" : "backward_fill";
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T> || TimeElement<T> || kIsFloat16<T>;

    template <lanes_of<FillGapsFunction> X>
    auto operator()(const X& x, const ChosenAxis& axis = {}) const {
        using T = ElementOrVoid<X>;
        return filled<T>(x, axis, nullptr);
    }
    template <lanes X, lanes M>
        requires(!HasDims<X> && !HasDims<M>)
    auto operator()(const X& x, const M& mask, index_t axis) const {
        return of_mask(x, mask, AxisOrDim(axis));
    }
    template <lanes X, lanes M>
        requires(!HasDims<X> && !HasDims<M>)
    auto operator()(const X& x, const M& mask) const { return of_mask(x, mask, {}); }
    template <lanes X, lanes M>
        requires(HasDims<X> || HasDims<M>)
    auto operator()(const X& x, const M& mask, const AxisOrDim& axis) const {
        const auto unchanged = [](const Operand& a, const Operand&) { return a; };
        const auto second = [](const Operand&, const Operand& b) { return b; };
        const auto elements = result_of<ResultHandle<ElementOrVoid<X>, X, M>>(
            unchanged, operand_as<ElementOrVoid<X>>(x), operand_as<bool>(mask));
        const auto gaps = result_of<ResultHandle<bool, X, M>>(
            second, operand_as<ElementOrVoid<X>>(x), operand_as<bool>(mask));
        return of_mask(elements, gaps, axis);
    }
    FillGapsFunction operator()() const { return {}; }
    auto operator()(const AxisOrDim& axis) const { return make_stage(*this, axis); }

private:
    template <typename M>
    static Operand operand_of_mask(const M& mask) {
        if constexpr (HasDims<M>)
            return settled(dim_operand(mask)).operand;
        else
            return mask.operand();
    }
    template <typename X, typename M>
    static auto of_mask(const X& x, const M& given, const ChosenAxis& axis) {
        using T = ElementOrVoid<X>;
        const auto& mask = tensor_for_call(given);
        const Operand gaps = operand_of_mask(mask);
        return filled<T>(x, axis, &gaps);
    }
    template <typename T, typename X>
    static auto filled(const X& x, const ChosenAxis& axis, const Operand* mask) {
        return along_axis<T>(
            kName, x, axis,
            [&](const AxisParts& parts) {
                if constexpr (!TimeElement<T> && (kIsNumberOrVoid<T> || kIsFloat16<T>))
                    return filled_gaps(kName, parts, mask, from);
                else
                    return filled_in_turn(kName, parts, mask, from, &filled_others<T>);
            },
            Segments{.from_the_end = from == FillFrom::behind});
    }
    /// Of a type that only the call knows.
    template <typename T>
    static Operand filled_others(const AxisParts& parts, const Operand* mask) {
        const Operand gaps =
            mask != nullptr ? parts.mask_beside(kName, *mask) : gaps_of_non_builtin(kName, parts);
        return clone(Tensor<T>(filled_from(kName, parts, gaps, from))).operand();
    }
};
inline constexpr FillGapsFunction<FillFrom::before> forward_fill;
/// `backward_fill(x)`, `backward_fill(x, axis)`, `backward_fill(x, mask, axis)`, or a stage:
/// replaces each gap by the next element after it that is none; otherwise as `forward_fill`.
inline constexpr FillGapsFunction<FillFrom::behind> backward_fill;

/// The result of `fill_range`.
struct FilledRange {
    MutableTensor<double> values; ///< the given numbers, and those inserted between them
    IndexSet added;               ///< the indexes of the inserted numbers
};

PURVIEW_EXPORT FilledRange filled_range(const Operand& x, double max_span);

/// `fill_range(x, max_span)`, or a stage: the numbers of a tensor of rank 1; wherever a number
/// exceeds the one before it by more than `max_span`, evenly spaced numbers are inserted between
/// them, as few as make each step at most `max_span`. As in dtype-next. Nothing is inserted where
/// numbers descend or one is NaN. In float64, in memory. Eager, O(size of the result). Throws
/// `ShapeError` unless x has rank 1, and for more than 2^40 numbers in the result, `Error` unless
/// `max_span` > 0, and for an infinite step, `DtypeError`.
struct FillRangeFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <plain_number_array X>
    FilledRange operator()(const X& x, double max_span) const {
        return filled_range(operand_for_call(x), max_span);
    }
    auto operator()(double max_span) const { return make_stage(*this, max_span); }
};
inline constexpr FillRangeFunction fill_range;

} // namespace purview
