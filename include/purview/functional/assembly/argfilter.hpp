#pragma once

#include <purview/dimensions/index.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

// Indexes of elements that a function of elements chooses: those for which it is true, one that is
// better than all others, the runs for which it is the same.

/// A tensor that has elements now, and no bound dims (for a handle with dims this is checked at run
/// time).
template <typename X>
concept EagerOperand = PlainOrOrdered<X> && !kDefersReductions<std::remove_cvref_t<X>>;

/// A predicate on elements.
template <typename F, typename T>
concept ElementPredicate = requires(const F& function, const T& element) {
    static_cast<bool>(function(element));
};

/// `argfilter(x > 0.5)`, or `mask | argfilter`: the indexes of the elements that are true (not
/// zero). With a predicate, `argfilter(pred, x)` or `x | argfilter(pred)`: of those for which it is
/// true.
///
/// int64 in memory of shape `[n]`, ascending: for rank 1 the indexes along the axis, for other
/// ranks row-major indexes (`reshape(x, {-1})(indexes)` selects by them). Eager: computes every
/// element once, and stores no mask. Throws `DtypeError` for elements that are not numbers.
struct ArgfilterFunction : PipelineStage {
    template <EagerOperand X>
    MutableTensor<std::int64_t> operator()(const X& mask) const {
        if constexpr (TypedTensor<X>)
            static_assert(BuiltinType<typename X::value_type>,
                          "argfilter: elements are true or false, or numbers; or give a function");
        return over<std::int64_t>(true_positions(cast_operand(mask.operand(), boolean, Op::cast)));
    }
    template <typename F, EagerOperand X>
        requires TypedTensor<X> && ElementPredicate<F, typename X::value_type>
            MutableTensor<std::int64_t>
    operator()(F pred, const X& x) const { return (*this)(emap(as_predicate(std::move(pred)), x)); }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F pred) const {
        return Stage(
            [pred = std::move(pred)]<EagerOperand X>(const X& x) requires TypedTensor<X> &&
            ElementPredicate<F, typename X::value_type> { return ArgfilterFunction{}(pred, x); });
    }

private:
    template <typename F>
    static auto as_predicate(F pred) {
        return [pred = std::move(pred)](const auto& element) {
            return static_cast<bool>(pred(element));
        };
    }

    template <ElementType T>
    static MutableTensor<T> over(BufferPtr<T> buffer) {
        const index_t count = buffer->size();
        return purview::over<T>(std::move(buffer), Dimensions::row_major(ShapeSpan(&count, 1)));
    }
};
inline constexpr AcceptingArrays<ArgfilterFunction> argfilter;

/// Calls `visit(index, element)` for each element in row-major order; `visit` may move from it.
template <ElementType T, typename Visit>
void visit_in_order(const Operand& x, Visit visit) {
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
struct ArglastEveryFunction {
    template <typename F, TypedTensor X>
        requires(!HasDims<X> && !kDefersReductions<X> &&
                 std::predicate<F&, const typename X::value_type&, const typename X::value_type&>)
    index_t operator()(F pred, const X& x) const {
        using T = typename X::value_type;
        require_an_element("arglast_every", x);
        T best{};
        index_t found = 0;
        visit_in_order<T>(x.operand(), [&](index_t index, T& element) {
            if (index > 0 && !pred(std::as_const(element), std::as_const(best))) return;
            found = index;
            best = std::move(element);
        });
        return found;
    }
    template <typename F>
        requires(!TensorLike<F>)
    auto operator()(F pred) const {
        return Stage([pred = std::move(pred)]<TypedTensor X>(const X& x) {
            return ArglastEveryFunction{}(pred, x);
        });
    }
};
inline constexpr AcceptingArrays<ArglastEveryFunction> arglast_every;

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
struct ArgpartitionByFunction {
    template <typename F, TypedTensor X>
        requires(!HasDims<X> && !kDefersReductions<X>)
    auto operator()(F function, const X& x) const {
        const auto keys = emap(std::move(function), x);
        using K = typename std::remove_cvref_t<decltype(keys)>::value_type;
        const index_t n = keys.size();
        std::vector<KeyRun<K>> runs;
        visit_in_order<K>(keys.operand(), [&](index_t index, K& key) {
            if (!runs.empty() && same_key(runs.back().key, key)) return;
            if (!runs.empty()) runs.back().end = index;
            runs.push_back({std::move(key), index, n});
        });
        return runs;
    }
    template <typename F>
        requires(!TensorLike<F>)
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<TypedTensor X>(const X& x) {
            return ArgpartitionByFunction{}(function, x);
        });
    }

private:
    template <typename K>
    static bool same_key(const K& a, const K& b) {
        return a == b || (a != a && b != b);
    }
};
inline constexpr AcceptingArrays<ArgpartitionByFunction> argpartition_by;

} // namespace purview
