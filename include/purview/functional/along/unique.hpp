#pragma once

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

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

/// The elements of a tensor in sorted order, and where the runs of equal elements begin.
class PURVIEW_EXPORT SortedRuns {
public:
    /// Of numbers, strings and times. Throws `DtypeError` naming `what`.
    SortedRuns(const char* what, const Operand& x);
    /// Of elements that need `<`. Those of integers without padding, whose bytes tell them apart,
    /// are looked up in a hash table, and only the distinct ones compared.
    template <ElementType T>
    explicit SortedRuns(const Tensor<T>& flat) : flat_(flat.operand()) {
        const T* const values = as_span(flat).data();
        const auto same = [values](index_t a, index_t b) {
            return same_element(values[a], values[b]);
        };
        if constexpr (std::has_unique_object_representations_v<T>) {
            const auto before = [values](index_t a, index_t b) { return values[a] < values[b]; };
            sort_by_bytes(values, sizeof(T), before, same);
        } else {
            order_ = argsort(flat);
            find_runs(same);
        }
    }

    index_t size() const noexcept { return std::ssize(begins_); }
    /// The row-major indexes, in the order of their elements.
    const Tensor<std::int64_t>& order() const noexcept { return order_; }
    /// The positions in `order()` where runs begin.
    const std::vector<index_t>& begins() const noexcept { return begins_; }
    /// The elements, `[n]`.
    const Operand& flat() const noexcept { return flat_; }
    /// The elements at these positions in `order()`: in memory, but of types that the library does
    /// not know.
    Operand elements_at(std::span<const index_t> positions) const;
    Operand values() const { return elements_at({begins_.data(), begins_.size()}); }

    /// What `UniqueElements` has.
    MutableTensor<std::int64_t> first_indexes() const;
    MutableTensor<std::int64_t> inverse(ShapeSpan shape) const;
    MutableTensor<std::int64_t> counts() const;

private:
    using Compare = FunctionRef<bool(index_t, index_t)>;

    /// Where `same(a, b)` does not hold of two indexes that follow each other.
    void find_runs(Compare same);
    void sort_by_bytes(const void* elements, std::size_t size, Compare before, Compare same);
    /// Finds order and runs from equal elements that have been given numbers, and the index of one
    /// element of each number: in the order of these elements.
    void sort_numbered(std::span<const std::int32_t> numbers, std::span<const index_t> first,
                       Compare before, Compare same);

    Operand flat_;
    Tensor<std::int64_t> order_;
    std::vector<index_t> begins_;
};

/// The runs of elements of `T` (`void`: known at run time). Throws `KindError` for sparse tensors.
template <typename T>
SortedRuns sorted_runs(const char* what, const Operand& x) {
    if constexpr (kIsSortedByLibrary<T>) {
        return SortedRuns(what, x);
    } else {
        require_not_sparse(what, x);
        return SortedRuns(Tensor<T>(contiguous(reshape(Tensor<T>(x), {-1}))));
    }
}

/// Whether what an operand over arrays of chunks has is found by way of a sort in temporary files, as it is larger than
/// memory; and what it has then: in memory, or beyond the memory limit in chunks of such files. Of numbers and times.
PURVIEW_EXPORT bool is_unique_in_files(const Operand& x);
PURVIEW_EXPORT Operand distinct_in_files(const char* what, const Operand& x);
PURVIEW_EXPORT UniqueElements<AnyTensor> unique_in_files(const char* what, const Operand& x);

/// Each element once, ascending, of numbers, strings and times. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT Operand distinct_values(const char* what, const Operand& x);

/// `unique(x)`, or a stage: each distinct element once, ascending: memory of shape `[k]`. All NaNs
/// are one element, the last; 0 and -0 are one, represented by the first that occurs. Elements of
/// types that are not built-in need `<`. Eager, O(n), for those not of integers, or with padding, O(n log n). Throws `DtypeError` for
/// elements of types known at run time that are not built-in, strings or times, `KindError` for
/// sparse tensors.
template <bool with_indexes>
struct UniqueFunction : RefusedOperand<UniqueFunction<with_indexes>>, PipelineStage {
    using RefusedOperand<UniqueFunction>::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kSorts<T, SortOrder>;

    template <unique_operand X>
    auto operator()(const X& x) const {
        using T = ElementOrVoid<X>;
        const Operand elements = operand_for_call(x);
        if constexpr (!with_indexes && kIsSortedByLibrary<T>)
            return in_memory<T>(distinct_values("unique", elements));
        else
            return runs_of<T>(elements);
    }
    UniqueFunction operator()() const { return {}; }

private:
    template <typename T>
    static auto runs_of(const Operand& elements) {
        if constexpr (with_indexes && kIsSortedByLibrary<T>)
            if (is_unique_in_files(elements)) {
                UniqueElements<AnyTensor> found = unique_in_files("unique_all", elements);
                auto values = in_memory<T>(found.values.operand());
                return UniqueElements<decltype(values)>{
                    std::move(values), std::move(found.first_indexes), std::move(found.inverse),
                    std::move(found.counts)};
            }
        const SortedRuns runs = sorted_runs<T>(with_indexes ? "unique_all" : "unique", elements);
        auto values = in_memory<T>(brought_to(elements, runs.values()));
        const auto brought = [&](const MutableTensor<std::int64_t>& places) {
            return brought_to(elements, places);
        };
        if constexpr (with_indexes)
            return UniqueElements<decltype(values)>{
                std::move(values), brought(runs.first_indexes()),
                brought(runs.inverse(elements.dims.max_shape())), brought(runs.counts())};
        else
            return values;
    }

    template <typename T>
    static auto in_memory(const Operand& values) {
        if constexpr (std::is_void_v<T>)
            return AnyTensor(values);
        else if constexpr (BuiltinType<T>)
            return MutableTensor<T>(values);
        else
            return clone(Tensor<T>(values));
    }
};
inline constexpr UniqueFunction<false> unique;
/// `unique_all(x)`, or a stage: the elements that `unique` gives, with the first index of each, its
/// number of occurrences, and for each element of `x` its position among the unique ones, as in the
/// Array API.
inline constexpr UniqueFunction<true> unique_all;

} // namespace purview
