#pragma once

#include <purview/reader/make_reader.hpp>
#include <purview/tensor/create.hpp>

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <std::size_t>
using AlwaysIndex = index_t;

template <typename F, std::size_t... I>
constexpr bool takes_indexes(std::index_sequence<I...>) {
    return std::invocable<const F&, AlwaysIndex<I>...>;
}

/// A function whose call operator has fixed parameter types: not a generic lambda, which could only
/// be tried with arguments.
template <typename F>
concept HasOneCall = !std::is_class_v<F> || requires {
    typename std::type_identity_t<decltype(&F::operator())>;
};

template <typename F>
concept TakesSpanOnly = HasOneCall<F> && std::invocable<const F&, ShapeSpan>;

/// How many separate coordinates, up to 6, a function takes; -1 if it takes them as a `ShapeSpan`.
template <typename F>
constexpr int coordinate_count() {
    if constexpr (TakesSpanOnly<F>)
        return -1;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<1>{}))
        return 1;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<2>{}))
        return 2;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<3>{}))
        return 3;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<4>{}))
        return 4;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<5>{}))
        return 5;
    else if constexpr (takes_indexes<F>(std::make_index_sequence<6>{}))
        return 6;
    else if constexpr (std::invocable<const F&, ShapeSpan>)
        return -1;
    else
        return 0;
}

/// Calls a function with coordinates, separately or as a `ShapeSpan`, as its parameters require.
template <typename F>
auto call_with_coordinates(const F& function, ShapeSpan coordinates) {
    constexpr int kCount = coordinate_count<F>();
    static_assert(
        kCount != 0,
        "compute_tensor: the function takes one index per axis (up to 6), or a ShapeSpan");
    if constexpr (kCount < 0)
        return function(coordinates);
    else
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return function(coordinates[I]...);
        }
    (std::make_index_sequence<static_cast<std::size_t>(kCount)>{});
}

/// A reader that computes elements from their coordinates in a shape.
template <typename F, ElementType T>
class CoordinateReader final : public Reader<T> {
public:
    CoordinateReader(Shape shape, F function)
        : shape_(std::move(shape)),
          size_(checked_size(shape_, "compute_tensor")),
          function_(std::move(function)) {}

    index_t size() const override { return size_; }
    T read(index_t i) const override {
        Shape coordinates = shape_; // initialised with the right length; gcc 12 warns about a
                                    // default-constructed one
        locate(i, coordinates);
        return static_cast<T>(call_with_coordinates(function_, coordinates));
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        if (step != 1) return Reader<T>::read_block(begin, step, out);
        Shape coordinates = shape_; // initialised as above
        if (!out.empty()) locate(begin, coordinates);
        for (T& value : out) {
            value = static_cast<T>(call_with_coordinates(function_, coordinates));
            for (std::size_t a = shape_.size(); a-- > 0 && ++coordinates[a] == shape_[a];)
                coordinates[a] = 0;
        }
    }

private:
    void locate(index_t i, Shape& coordinates) const {
        for (std::size_t a = shape_.size(); a-- > 0; i /= shape_[a]) coordinates[a] = i % shape_[a];
    }

    Shape shape_;
    index_t size_;
    F function_;
};

/// The tensor whose element at (i, j, …) is `function(i, j, …)`, or `function(ShapeSpan)`. Lazy,
/// read-only. The function is called at each read, must be pure, and may be called from several
/// threads. Throws `ShapeError` when the number of its parameters differs from the rank of `shape`.
template <typename F>
auto compute_tensor(AxisValues shape, F function) {
    using T = Canonical<decltype(call_with_coordinates(std::declval<const F&>(), ShapeSpan{}))>;
    constexpr int kCount = coordinate_count<F>();
    if constexpr (kCount > 0) check_rank("compute_tensor", static_cast<int>(shape.size()), kCount);
    auto reader =
        std::make_shared<const CoordinateReader<F, T>>(to_shape(shape), std::move(function));
    return Tensor<T>(Operand{make_node<Leaf>(std::move(reader)), Dimensions::row_major(shape)});
}

} // namespace purview
