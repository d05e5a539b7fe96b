#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/compute.hpp>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

[[noreturn]] PURVIEW_EXPORT void throw_no_such_tensor(index_t number, index_t count);

/// Reads single elements of any tensor at coordinates, with their values at the time of reading.
template <ElementType T>
class CoordinateAccess {
public:
    explicit CoordinateAccess(const Tensor<T>& tensor)
        : tensor_(tensor),
          order_(Dimensions::row_major(tensor.shape())),
          evaluation_(std::make_shared<const Evaluation>(tensor.operand())) {}

    T operator()(ShapeSpan coordinates) const {
        T value{};
        evaluation_->read(order_.global_to_local(coordinates), 1, &value);
        return value;
    }

private:
    Tensor<T> tensor_;
    Dimensions order_;
    std::shared_ptr<const Evaluation> evaluation_;
};

/// The general form of `concat`, `stack`, `pad` and `where`, after nGraph's complex views: the
/// element at coordinates c is element `index_k(c)` of tensor k, where k is `selector(c)`:
///
///     complex_view<double>({2 * n}, selector, std::pair(x, index_of_x), std::pair(y, index_of_y))
///
/// Functions take coordinates separately, or as a `ShapeSpan`; an index function returns a `Shape`.
/// They must be pure, and are called for each element that is read. Lazy, O(1). Elements are read
/// one by one: where the operations named above suffice, they are much faster. Reading throws
/// `IndexError` for a selector or an index out of range.
template <ElementType T, typename Selector, typename... Index>
Tensor<T> complex_view(AxisValues shape, Selector selector,
                       std::pair<Tensor<T>, Index>... tensors) {
    auto read = [selector = std::move(selector),
                 each = std::make_tuple(std::pair(CoordinateAccess<T>(tensors.first),
                                                  std::move(tensors.second))...)](ShapeSpan at) {
        const auto chosen = static_cast<index_t>(call_with_coordinates(selector, at));
        if (chosen < 0 || chosen >= static_cast<index_t>(sizeof...(Index)))
            throw_no_such_tensor(chosen, static_cast<index_t>(sizeof...(Index)));
        T value{};
        index_t number = 0;
        std::apply(
            [&](const auto&... source) {
                ((number++ == chosen
                      ? void(value = source.first(call_with_coordinates(source.second, at)))
                      : void()),
                 ...);
            },
            each);
        return value;
    };
    return compute_tensor(shape, std::move(read));
}

} // namespace purview
