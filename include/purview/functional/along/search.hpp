#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Where a value is in a sorted tensor, or would have to be inserted.
struct SearchResult {
    bool found = false;
    index_t position = 0; ///< of the first element that does not sort before the value
    friend bool operator==(const SearchResult&, const SearchResult&) = default;
};

/// `<`, with NaN and NaT after everything: the order in which `sort` puts elements.
struct AscendingOrder {
    template <typename T>
    bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_floating_point_v<T>)
            return b != b ? a == a : a < b;
        else
            return !is_nat_value(a) && (is_nat_value(b) || a < b);
    }
};

/// Elements of a static type, without bound dims.
template <typename X>
concept searched_array = plain_array<X> && !std::is_void_v<ElementOrVoid<std::remove_cvref_t<X>>>;

/// What is looked for among elements whose type is known at run time, besides numbers.
template <typename V>
concept text_or_time = TextLike<std::decay_t<V>> || TimeElement<std::decay_t<V>>;
template <text_or_time V>
using LookedFor =
    std::conditional_t<TextLike<std::decay_t<V>>, std::string, Canonical<std::decay_t<V>>>;

/// A tensor of numbers, without bound dims.
template <typename X>
concept NumberTensor = TensorLike<X> && plain_number_array<X>;

/// `work(x, value)` with both converted to the type in which they are compared, so that 2.5 does
/// not equal 2 in a tensor of integers. Throws `CastError` for an integer that does not fit,
/// `DtypeError`.
template <TensorLike X, NumberLike V, typename Work>
auto in_common_type(const X& x, const V& value, Work work) {
    const auto number = static_cast<Scalar<V>>(value);
    if constexpr (TypedTensor<X>) {
        using C = WeaklyPromoted<OperandElement<X>, Scalar<V>>;
        return work(Tensor<C>(cast_operand(x.operand(), kDType<C>, Op::cast)),
                    checked_cast<C>(number));
    } else {
        return visit_dtype(x.dtype(), "search", [&]<typename T>(std::type_identity<T>) {
            return in_common_type(x.template as<T>(), number, work);
        });
    }
}

/// Throws `ShapeError` naming `what` unless x has rank 1.
PURVIEW_EXPORT void require_one_axis(const char* what, const TensorHandle& x);

/// The first place of `x`, of rank 1, whose element `is_before` does not hold for; its size if
/// there is none. Elements it holds for come first. O(log n) elements are read.
template <typename T, typename IsBefore>
index_t first_place_not(const Evaluation& x, IsBefore is_before) {
    T element{};
    index_t low = 0;
    for (index_t high = x.size(); low < high;) {
        const index_t middle = low + (high - low) / 2;
        x.read(middle, 1, &element);
        if (is_before(std::as_const(element)))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// `binary_search(x, value)`, or a stage: the first position in a sorted tensor of rank 1 whose
/// element does not sort before the value, and whether that element equals the value: in 1..10, 5
/// gives `{true, 4}`, 11 `{false, 10}`, 0 `{false, 0}`. NaN sorts after all numbers. With
/// `before(a, b)`, in that order. Reads O(log n) elements, uses O(1) memory. The result is
/// unspecified if `x` is not sorted. Throws `ShapeError` unless `x` has rank 1.
struct BinarySearchFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <plain_number_array X, NumberLike V>
    SearchResult operator()(const X& x, const V& value) const {
        return in_common_type(tensor_for_call(x), value,
                              [](const auto& sorted, const auto& searched) {
                                  return search(sorted, searched, AscendingOrder{});
                              });
    }
    template <searched_array X, typename Before = AscendingOrder>
        requires(ElementOrder<Before, ElementOrVoid<X>> &&
                 !(plain_number_array<X> && std::same_as<Before, AscendingOrder>))
    SearchResult operator()(const X& x, const std::type_identity_t<ElementOrVoid<X>>& value,
                            const Before& before = {}) const {
        return search(Tensor<ElementOrVoid<X>>(operand_for_call(x)), value, before);
    }
    /// A text or a time among elements of a type known at run time.
    template <plain_array X, text_or_time V>
    requires std::is_void_v<ElementOrVoid<X>> SearchResult operator()(const X& x,
                                                                      const V& value) const {
        return (*this)(AnyTensor(operand_for_call(x)).template as<LookedFor<V>>(),
                       LookedFor<V>(value));
    }
    template <typename V, typename... Before>
        requires(!array_like<V> && sizeof...(Before) <= 1)
    auto operator()(const V& value, const Before&... before) const {
        return make_stage(*this, Scalar<V>(value), before...);
    }

private:
    template <typename T, typename Before>
    static SearchResult search(const Tensor<T>& x, const T& value, const Before& before) {
        require_one_axis("binary_search", x);
        require_host_reads("binary_search", x.operand());
        const Evaluation evaluation(x.operand(), Reads::within_one_operation);
        const index_t place = first_place_not<T>(
            evaluation, [&](const T& element) { return before(element, value); });
        if (place == x.size()) return {false, place};
        T element{};
        evaluation.read(place, 1, &element);
        return {!before(value, std::as_const(element)), place};
    }
};
inline constexpr BinarySearchFunction binary_search;

/// `index_of(x, value)`, or a stage: the row-major index of the first element that equals the
/// value; nothing if there is none, as for NaN. Numbers are compared as in `x == value`. Reads at
/// most one block beyond that element.
template <bool Last>
struct IndexOfFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <plain_number_array X, NumberLike V>
    std::optional<index_t> operator()(const X& x, const V& value) const {
        return in_common_type(
            tensor_for_call(x), value,
            [](const auto& searched, const auto& number) { return found_in(searched, number); });
    }
    template <searched_array X>
        requires(!plain_number_array<X>)
    std::optional<index_t>
    operator()(const X& x, const std::type_identity_t<ElementOrVoid<X>>& value) const {
        return found_in(Tensor<ElementOrVoid<X>>(operand_for_call(x)), value);
    }
    template <plain_array X, text_or_time V>
        requires std::is_void_v<ElementOrVoid<X>> std::optional<index_t>
    operator()(const X& x, const V& value) const {
        return (*this)(AnyTensor(operand_for_call(x)).template as<LookedFor<V>>(),
                       LookedFor<V>(value));
    }
    template <typename V>
        requires(!array_like<V>)
    auto operator()(const V& value) const { return make_stage(*this, Scalar<V>(value)); }

private:
    template <typename T>
    static std::optional<index_t> found_in(const Tensor<T>& x, const T& value) {
        require_host_reads(Last ? "last_index_of" : "index_of", x.operand());
        const Tensor<T> searched = Last ? Tensor<T>(flip(x)) : x;
        const index_t found = first_true((searched == value).operand());
        if (found < 0) return std::nullopt;
        return Last ? x.size() - 1 - found : found;
    }
};
inline constexpr IndexOfFunction<false> index_of;
/// `last_index_of(x, value)`, or a stage: the row-major index of the last element that equals the
/// value; otherwise as `index_of`.
inline constexpr IndexOfFunction<true> last_index_of;

/// Compares row-major indexes of a tensor by its elements there: what `arg_compare` returns.
template <ElementType T, typename Before>
class IndexOrder {
public:
    IndexOrder(const Tensor<T>& x, Before before)
        : elements_(contiguous(x)), before_(std::move(before)) {}

    bool operator()(index_t a, index_t b) const {
        return static_cast<bool>(before_(elements_.read(a), elements_.read(b)));
    }

private:
    Tensor<T> elements_;
    Before before_;
};

/// `arg_compare(x)`: a function that tells whether the element at one row-major index sorts before
/// the element at another, for algorithms on indexes. NaN sorts after all numbers; or the order is
/// `before(a, b)`. It keeps the tensor alive; one that is not contiguous in memory is copied now.
/// Indexes are not checked.
struct ArgCompareFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <searched_array X, typename Before = AscendingOrder>
        requires ElementOrder<Before, ElementOrVoid<std::remove_cvref_t<X>>>
    auto operator()(X&& x, Before before = {}) const {
        using T = ElementOrVoid<std::remove_cvref_t<X>>;
        return IndexOrder<T, Before>(plain_tensor(kept_argument(std::forward<X>(x))),
                                     std::move(before));
    }
};
inline constexpr ArgCompareFunction arg_compare;

} // namespace purview
