#pragma once

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace purview {

/// The result of `unique_all`. `Values` is the handle of the elements.
template <typename Values>
struct UniqueElements {
    Values values;                             ///< each element once, ascending, `[k]`
    MutableTensor<std::int64_t> first_indexes; ///< the first row-major index of each, `[k]`
    MutableTensor<std::int64_t> inverse;       ///< positions in `values`, in the shape of x:
                                               ///< `values(inverse)` is x
    MutableTensor<std::int64_t> counts;        ///< how often each occurs, `[k]`
};

/// Arrays without bound dims, of elements that have an order.
template <typename X>
concept unique_operand = lanes<X> && !HasDims<X> && kSorts<ElementOrVoid<X>, SortOrder>;

/// The elements in sorted order, and where the runs of equal elements begin.
template <ElementType T>
class SortedRuns {
public:
    SortedRuns(const char* what, const Operand& x)
        : flat_((require_not_sparse(what, x), contiguous(reshape(Tensor<T>(x), {-1})))),
          order_(argsort(flat_)) {
        const auto elements = as_span(flat_);
        const auto indexes = as_span(order_);
        for (std::size_t i = 0; i < indexes.size(); ++i)
            if (i == 0 || differ(elements[static_cast<std::size_t>(indexes[i - 1])],
                                 elements[static_cast<std::size_t>(indexes[i])]))
                begins_.push_back(static_cast<index_t>(i));
    }

    index_t size() const noexcept { return std::ssize(begins_); }
    /// The row-major indexes, in the order of their elements.
    const MutableTensor<std::int64_t>& order() const noexcept { return order_; }
    /// The positions in `order()` where runs begin.
    const std::vector<index_t>& begins() const noexcept { return begins_; }
    index_t begin(index_t run) const { return begins_[static_cast<std::size_t>(run)]; }
    index_t end(index_t run) const {
        return run + 1 < size() ? begins_[static_cast<std::size_t>(run + 1)] : flat_.size();
    }
    /// The first element of the run that begins at a position.
    const T& element(index_t begin) const {
        const std::int64_t index = as_span(order_)[static_cast<std::size_t>(begin)];
        return as_span(flat_)[static_cast<std::size_t>(index)];
    }
    MutableTensor<T> values() const {
        MutableTensor<T> result = empty<T>({size()});
        const auto elements = as_span(flat_);
        const auto indexes = as_span(order_);
        for (std::size_t run = 0; T & value : as_span(result))
            value = elements[static_cast<std::size_t>(
                indexes[static_cast<std::size_t>(begins_[run++])])];
        return result;
    }

private:
    static bool differ(const T& a, const T& b) { return a != b && (a == a || b == b); }

    Tensor<T> flat_;
    MutableTensor<std::int64_t> order_;
    std::vector<index_t> begins_;
};

PURVIEW_EXPORT AnyTensor any_unique(const AnyTensor& x);
PURVIEW_EXPORT UniqueElements<AnyTensor> any_unique_all(const AnyTensor& x);

/// What `unique_all` returns, for elements of type `T`.
template <typename Values, typename T>
UniqueElements<Values> unique_elements(const Operand& x) {
    const SortedRuns<T> runs("unique_all", x);
    UniqueElements<Values> result{Values(runs.values()), empty<std::int64_t>({runs.size()}),
                                  empty<std::int64_t>(x.dims.max_shape()),
                                  empty<std::int64_t>({runs.size()})};
    const auto order = as_span(runs.order());
    const auto inverse = as_span(result.inverse);
    for (index_t run = 0; run < runs.size(); ++run) {
        const auto r = static_cast<std::size_t>(run);
        as_span(result.first_indexes)[r] = order[static_cast<std::size_t>(runs.begin(run))];
        as_span(result.counts)[r] = runs.end(run) - runs.begin(run);
        for (index_t i = runs.begin(run); i < runs.end(run); ++i)
            inverse[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = run;
    }
    return result;
}

/// `unique(x)`, or a stage: each distinct element once, ascending: memory of shape `[k]`. All NaNs
/// are one element, the last; 0 and -0 are one, represented by the first that occurs. Elements of
/// types that are not built-in need `<`. Eager, O(n), for those O(n log n). Throws `DtypeError` for
/// elements of types known at run time that are not built-in, strings or times, `KindError` for
/// sparse tensors.
struct UniqueFunction : RefusedOperand<UniqueFunction>, PipelineStage {
    using RefusedOperand::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kSorts<T, SortOrder>;

    template <unique_operand X>
    auto operator()(const X& x) const {
        using T = ElementOrVoid<X>;
        if constexpr (std::is_void_v<T>)
            return any_unique(x);
        else if constexpr (BuiltinType<T>)
            return MutableTensor<T>(any_unique(AnyTensor(operand_for_call(x))).operand());
        else
            return SortedRuns<T>("unique", operand_for_call(x)).values();
    }
    UniqueFunction operator()() const { return {}; }
};
inline constexpr UniqueFunction unique;

/// `unique_all(x)`: the same with the first index of each element, its number of occurrences, and
/// for each element of `x` its position among the unique ones, as in the Array API. Otherwise as
/// `unique`.
struct UniqueAllFunction : RefusedOperand<UniqueAllFunction>, PipelineStage {
    using RefusedOperand::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kSorts<T, SortOrder>;

    template <unique_operand X>
    auto operator()(const X& x) const {
        using T = ElementOrVoid<X>;
        if constexpr (std::is_void_v<T>)
            return any_unique_all(x);
        else
            return unique_elements<MutableTensor<T>, T>(operand_for_call(x));
    }
    UniqueAllFunction operator()() const { return {}; }
};
inline constexpr UniqueAllFunction unique_all;

} // namespace purview
