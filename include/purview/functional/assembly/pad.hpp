#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/stage.hpp>

#include <initializer_list>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The elements added around a padded axis `1 2 3`; the names are NumPy's.
enum class PadMode : std::uint8_t {
    constant,  ///< `0 0 [1 2 3] 0 0`
    edge,      ///< `1 1 [1 2 3] 3 3`
    reflect,   ///< `3 2 [1 2 3] 2 1`
    symmetric, ///< `2 1 [1 2 3] 3 2`
    wrap       ///< `2 3 [1 2 3] 1 2`
};

/// The numbers of elements to add on both sides of an axis; negative numbers remove elements.
struct PadWidth {
    index_t before;
    index_t after;
};
using PadWidths = std::vector<PadWidth>;

/// Pads the last axes, one for each width. `fill` is of rank 0 and of the type of x. Throws as
/// `pad` does.
PURVIEW_EXPORT Operand pad_operand(const Operand& x, std::span<const PadWidth> widths, PadMode mode,
                                   const Operand& fill);
/// One width for each axis: the given ones, or a single one for all. Throws `ShapeError` for
/// another number of widths.
PURVIEW_EXPORT PadWidths pad_widths(std::span<const PadWidth> given, int rank);

/// Padded elements of a type known at run time that is not built-in; new ones are as `zeros_like` makes
/// them. Throws `DtypeError` for a `value` that is not 0.
PURVIEW_EXPORT AnyTensor pad_others(const Operand& x, const PadWidths& widths, PadMode mode,
                                    double value);

/// Whether new elements of an `X` can be a `V`: a number among numbers, or a value of the type of
/// the elements. For types that are not built-in, the integer 0 means `T()`.
template <typename V, typename X>
consteval bool can_fill() {
    using T = ElementOrVoid<X>;
    if constexpr (std::is_void_v<T> || BuiltinType<T>)
        return NumberLike<V>;
    else
        return std::same_as<V, int> || std::same_as<OperandElement<V>, Widened<T>>;
}
template <typename V, typename X>
concept filling = can_fill<std::decay_t<V>, X>();

/// `pad(x, {{1, 1}, {0, 2}})`, or a stage, `x | pad(2, PadMode::edge)`: adds elements around each
/// axis: zeros, a value, or what the mode says. A single width applies to all axes, `pad(x, 2)`
/// adds two on every side; negative widths crop. With Dims: around positional axes.
///
/// Lazy, O(rank). Throws `ShapeError` for a wrong number of widths, for removing more elements than
/// there are, and for repeating elements of an empty axis; `CastError` for a value that does not
/// fit; `DtypeError` for a value beside elements of a type known at run time that is not built-in.
struct PadFunction : RefusedArguments {
    using RefusedArguments::operator();

    template <array_like X, filling<X> V = int>
    auto operator()(X&& given, const PadWidths& widths, PadMode mode = PadMode::constant,
                    const V& value = V{}) const {
        const auto& x = lasting_tensor(std::forward<X>(given));
        if constexpr (typed_array<X>) {
            using T = ElementOrVoid<X>;
            return result_of<ResultHandle<T, TensorOf<X>>>(
                [mode, each = pad_widths(widths, x.rank()), fill = fill_of<T>(value)](
                    const Operand& operand) { return pad_operand(operand, each, mode, fill); },
                operand_as<T>(x));
        } else if (!x.dtype().is_builtin()) {
            return pad_others(x.operand(), widths, mode, static_cast<double>(Scalar<V>(value)));
        } else {
            return visit_dtype(x.dtype(), "pad", [&]<typename T>(std::type_identity<T>) {
                return AnyTensor((*this)(x.template as<T>(), widths, mode, value));
            });
        }
    }
    template <array_like X, filling<X> V = int>
    auto operator()(X&& x, index_t width, PadMode mode = PadMode::constant,
                    const V& value = V{}) const {
        return (*this)(std::forward<X>(x), PadWidths{{width, width}}, mode, value);
    }
    template <typename V = int>
    auto operator()(const PadWidths& widths, PadMode mode = PadMode::constant,
                    const V& value = V{}) const {
        return make_stage(*this, widths, mode, value);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& width, PadMode mode = PadMode::constant) const {
        const auto both = static_cast<index_t>(width);
        return (*this)(PadWidths{{both, both}}, mode);
    }

private:
    /// For types that are not built-in, the integer 0 means `T()`.
    template <typename T, typename V>
    static Operand fill_of(const V& value) {
        if constexpr (!BuiltinType<T> && std::same_as<V, int>)
            return constant_operand<T>(T());
        else
            return operand_as<T>(value);
    }
};
inline constexpr PadFunction pad;

} // namespace purview
