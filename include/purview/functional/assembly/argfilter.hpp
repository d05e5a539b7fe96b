#pragma once

#include <purview/dimensions/index.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

// Indexes of elements that a function of elements chooses: those for which it is true, one that is
// better than all others, the runs for which it is the same.

/// A predicate on the elements of an array.
template <typename F, typename X>
concept predicate_on = typed_array<X> &&
    requires(const F& function, const ElementOrVoid<X>& element) {
    static_cast<bool>(function(element));
};
/// A function of elements, in a stage.
template <typename F>
concept element_function = !array_like<F> && !TextLike<F>;

/// The calls of a function `of` masks: `f(mask)`, `f(pred, x)`, and, as stages, `f`, `f(pred)`.
template <auto of>
struct MaskFunction : ArrayFunction<MaskFunction<of>> {
    using ArrayFunction<MaskFunction>::operator();

    template <plain_number_array X>
    auto operator()(const X& mask) const {
        return of(operand_for_call(mask));
    }
    template <typename F, plain_array X>
        requires predicate_on<F, X>
    auto operator()(F pred, const X& x) const {
        const auto mask = [pred = std::move(pred)](const ElementOrVoid<X>& element) {
            return static_cast<bool>(pred(element));
        };
        const auto& tensor = tensor_for_call(x);
        return of(operand_for_call(emap(mask, tensor)));
    }
    template <element_function F>
    auto operator()(F pred) const {
        return Stage([pred = std::move(pred)]<plain_array X>(
            const X& x) requires predicate_on<F, X> { return MaskFunction()(pred, x); });
    }
};

/// The row-major indexes of the elements that are not zero. Throws `DtypeError`.
PURVIEW_EXPORT MutableTensor<std::int64_t> true_indexes(const Operand& mask);

/// `argfilter(x > 0.5)`, or `mask | argfilter`: the indexes of the elements that are true (not
/// zero). With a predicate, `argfilter(pred, x)` or `x | argfilter(pred)`: of those for which it is
/// true.
///
/// int64 in memory of shape `[n]`, ascending: for rank 1 the indexes along the axis, for other
/// ranks row-major indexes (`reshape(x, {-1})(indexes)` selects by them). Eager: computes every
/// element once, and stores no mask. Throws `DtypeError` for elements that are not numbers.
inline constexpr MaskFunction<true_indexes> argfilter;
/// `flatnonzero(x)`: the indexes of the elements that are not zero. NumPy's name of `argfilter`.
inline constexpr MaskFunction<true_indexes> flatnonzero;

/// The coordinates of the elements that are not zero, a row for each. Throws `DtypeError`.
PURVIEW_EXPORT MutableTensor<std::int64_t> true_coordinates(const Operand& mask);
/// `argwhere(x > 0.5)`, `mask | argwhere`, `argwhere(pred, x)`: the coordinates of the elements that
/// `argfilter` finds, in the same order: int64 in memory of shape `[n, rank]`, as NumPy's. Eager.
inline constexpr MaskFunction<true_coordinates> argwhere;

/// `unravel_index(argmax(x), x.shape())`: the coordinates of a row-major index, which counts from the
/// end if it is negative. O(rank). Throws `IndexError` for one that is out of range.
PURVIEW_EXPORT Shape unravel_index(index_t index, AxisValues shape);
/// The coordinates of row-major indexes: for each axis of `shape`, an int64 tensor in the shape of
/// `indexes`, so that `x` at them is `reshape(x, {-1})` at the indexes. Eager, O(rank · size). Throws
/// `IndexError` for an index that is out of range, `DtypeError` for elements that are no integers.
PURVIEW_EXPORT std::vector<MutableTensor<std::int64_t>> unravel_index(const AnyTensor& indexes,
                                                                      AxisValues shape);

/// An array of elements that exist, under no dims.
template <typename X>
concept elements_now = typed_array<X> && lanes<X> && !HasDims<X>;

/// Calls `visit(index, element)` for each element in row-major order; `visit` may move from it. Throws
/// `DeviceError` naming `what`.
template <ElementType T, typename Visit>
void visit_in_order(const char* what, const Operand& x, Visit visit) {
    require_host_reads(what, x);
    const Evaluation evaluation(x);
    const index_t n = x.dims.size();
    const index_t block = (std::min)(n, index_t{1024});
    const std::unique_ptr<T[]> read(new T[static_cast<std::size_t>(block)]());
    for (index_t done = 0; done < n; done += block) {
        const index_t count = (std::min)(block, n - done);
        evaluation.read(done, count, read.get());
        for (index_t i = 0; i < count; ++i) visit(done + i, read[static_cast<std::size_t>(i)]);
    }
}

/// Throws `ShapeError` naming `what` for an empty tensor.
PURVIEW_EXPORT void require_an_element(const char* what, const AnyTensor& x);

/// `arglast_every(pred, x)`, or `x | arglast_every(pred)`: visits the elements in row-major order,
/// starting with element 0 as the best one; whenever `pred(element, best)` is true, the element
/// becomes the best one. Returns the row-major index of the final best one, as in dtype-next. With
/// `>=`, that is the last of the greatest elements. Eager, O(n), one call per element, in order.
/// Throws `ShapeError` for an empty tensor.
struct ArglastEveryFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <typename F, elements_now X>
        requires std::predicate < F&, const ElementOrVoid<X>
    &, const ElementOrVoid<X>& > index_t operator()(F pred, const X& given) const {
        using T = ElementOrVoid<X>;
        const auto& x = tensor_for_call(given);
        require_an_element("arglast_every", x);
        T best{};
        index_t found = 0;
        visit_in_order<T>("arglast_every", x.operand(), [&](index_t index, T& element) {
            if (index > 0 && !pred(std::as_const(element), std::as_const(best))) return;
            found = index;
            best = std::move(element);
        });
        return found;
    }
    template <element_function F>
    auto operator()(F pred) const {
        return Stage([pred = std::move(pred)]<elements_now X>(const X& x) {
            return ArglastEveryFunction{}(pred, x);
        });
    }
};
inline constexpr ArglastEveryFunction arglast_every;

/// A run of consecutive elements with equal keys.
template <ElementType K>
struct KeyRun {
    K key{};
    index_t begin = 0; ///< row-major index of the first element; `end` is one past the last
    index_t end = 0;

    /// An index argument: `x(run.indexes())` are the elements of the run, if `x` has rank 1.
    Range indexes() const { return range(begin, end); }
};

/// `argpartition_by(f, x)`, or `x | argpartition_by(f)`: the runs of consecutive elements, in
/// row-major order, for which `f` gives equal keys, as a vector of keys, begins and ends; as in
/// dtype-next. All NaNs are one key. `f` is called as by `emap`. Eager, O(n).
struct ArgpartitionByFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <typename F, elements_now X>
    auto operator()(F function, const X& given) const {
        const auto& x = tensor_for_call(given);
        const auto keys = emap(std::move(function), x);
        using K = typename std::remove_cvref_t<decltype(keys)>::value_type;
        const index_t n = keys.size();
        std::vector<KeyRun<K>> runs;
        visit_in_order<K>("argpartition_by", keys.operand(), [&](index_t index, K& key) {
            if (!runs.empty() && same_key(runs.back().key, key)) return;
            if (!runs.empty()) runs.back().end = index;
            runs.push_back({std::move(key), index, n});
        });
        return runs;
    }
    template <element_function F>
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<elements_now X>(const X& x) {
            return ArgpartitionByFunction{}(function, x);
        });
    }

private:
    template <typename K>
    static bool same_key(const K& a, const K& b) {
        return a == b || (a != a && b != b);
    }
};
inline constexpr ArgpartitionByFunction argpartition_by;

} // namespace purview
