#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <algorithm>
#include <concepts>
#include <memory>
#include <utility>

namespace purview {

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
        const Evaluation evaluation(x.operand());
        const index_t n = x.size();
        const index_t block = std::min<index_t>(n, 1024);
        const std::unique_ptr<T[]> read(new T[static_cast<std::size_t>(block)]());
        T best{};
        index_t found = 0;
        for (index_t done = 0; done < n; done += block) {
            const index_t count = (std::min)(block, n - done);
            evaluation.read(done, count, read.get());
            if (done == 0) best = read[0];
            for (index_t i = done == 0 ? 1 : 0; i < count; ++i) {
                T& element = read[static_cast<std::size_t>(i)];
                if (!pred(std::as_const(element), std::as_const(best))) continue;
                found = done + i;
                best = std::move(element);
            }
        }
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

} // namespace purview
