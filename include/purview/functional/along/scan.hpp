#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/along.hpp>
#include <purview/tensor/as_span.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// What a function makes of what has been accumulated and an element, of a tensor's or another
/// array's elements.
template <typename F, typename Init, typename T>
using Scanned =
    Canonical<std::decay_t<std::invoke_result_t<const F&, const Init&, const Widened<T>&>>>;

/// Whether a function can scan these elements: it takes an accumulated value, which `Init` begins,
/// and what it returns it takes again.
template <typename F, typename Init, typename T>
inline constexpr bool kScans = false;
template <typename F, typename Init, typename T>
    requires std::invocable < const F&, const Init&, const Widened<T>
& > inline constexpr bool kScans<F, Init, T> = requires {
    requires ElementType<Scanned<F, Init, T>>;
    requires std::convertible_to<const Init&, Scanned<F, Init, T>>;
    requires std::invocable < const F&, const Scanned<F, Init, T>
    &, const Widened<T>& > ;
};

/// The scan of each part by a function, one element after the other.
template <typename T, typename R, typename F>
Operand scanned_parts_by(const AxisParts& parts, const F& function, const R& init) {
    const MutableTensor<R> result = empty<R>(parts.operand.dims.max_shape());
    if (result.empty()) return result.operand();
    const MutableTensor<T> lane = empty<T>({parts.length});
    const Evaluation elements(widened_operand(parts.operand), Reads::within_one_operation);
    const std::span<T> x = as_span(lane);
    R* out = as_span(result).data();
    CarriedStates<R> carried(parts, init);
    for (index_t group = 0; group < parts.groups; ++group, out += parts.length) {
        elements.read(group * parts.length, parts.length, x.data());
        R& accumulated = carried[group];
        // In order, but in parts, between which what runs can be ended.
        parallel_ranges(parts.length, 1, 0, [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                accumulated = static_cast<R>(
                    function(std::as_const(accumulated), std::as_const(x.data()[i])));
                out[i] = accumulated;
            }
        });
    }
    return result.operand();
}

struct ScanFunction : RefusedAlong {
    using RefusedAlong::operator();
    PURVIEW_REFUSED(
        "scan takes a tensor, a function of what has been accumulated and an element, "
        "and what it begins with: scan(x, [](double a, double e) { return a / 2 + e; }, 0.0)",
        operator()(AnyArgument, AnyArgument) const);

    template <lanes X, typename F, typename Init>
        requires kScans<F, Init, ElementOrVoid<AsTensorArgument<std::remove_cvref_t<X>>>>
    auto operator()(const X& given, const F& function, const Init& init,
                    const ChosenAxis& axis = {}) const {
        const auto& x = tensor_for_call(given);
        using T = ElementOrVoid<std::remove_cvref_t<decltype(x)>>;
        using R = Scanned<F, Init, T>;
        return along_axis<R>(
            "scan", x, axis,
            [&](const AxisParts& parts) {
                require_host_reads("scan", parts.operand);
                return scanned_parts_by<Widened<T>, R>(parts, function, static_cast<R>(init));
            },
            Segments());
    }
    template <typename F, typename Init>
        requires(!array_like<F> && !array_like<Init>)
    auto operator()(const F& function, const Init& init, const ChosenAxis& axis = {}) const {
        return make_stage(*this, function, init, axis);
    }
};

/// `scan(x, f, init)`, `scan(x, f, init, axis)`, or a stage, `x | scan(f, init)`: a running result
/// along an axis or a Dim (by default the last axis), as `cumsum` with a function of one's own:
///
///     out[0] = f(init, x[0]), out[1] = f(out[0], x[1]), …
///
/// `f(accumulated, element)` returns what is accumulated next; its type, of `f` called with `init`,
/// is that of the result, and may be any regular type. Memory of the shape of `x`, under its dims.
/// Elements of static type. `f` is called once for each element, in order, on one thread; each lane
/// begins with `init`. Eager. O(size). Throws `IndexError`, `DimError`, `KindError` for a sparse
/// tensor, and what `f` throws.
inline constexpr ScanFunction scan;

} // namespace purview
