#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <compare>
#include <utility>

namespace purview::inline v0_1 {

/// The sub-tensor at row-major position `index` among those that fix the first `count` axes, or
/// with `right` the last `count` axes.
PURVIEW_EXPORT Operand slice_operand(const Operand& x, index_t count, bool right, index_t index);
/// The number of these sub-tensors. Throws `IndexError` naming `what` unless 0 <= count <= rank.
PURVIEW_EXPORT index_t slice_count(const char* what, const Operand& x, index_t count, bool right);

/// A random-access range of sub-tensors; each is a view that is made when it is read.
template <TensorLike X>
class Slices : public std::ranges::view_base {
public:
    Slices(const char* what, X source, index_t count, bool right)
        : what_(what),
          source_(std::move(source)),
          axes_(count),
          right_(right),
          size_(slice_count(what, source_.operand(), count, right)) {}

    class Iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag;
        using value_type = X;
        using difference_type = index_t;
        using reference = X;
        using pointer = void;

        Iterator() = default;
        Iterator(const Slices* slices, index_t position) noexcept
            : slices_(slices), position_(position) {}

        X operator*() const { return slices_->get(position_); }
        X operator[](index_t n) const { return slices_->get(position_ + n); }
        Iterator& operator++() noexcept { return *this += 1; }
        Iterator& operator--() noexcept { return *this -= 1; }
        Iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
        Iterator& operator+=(index_t n) noexcept {
            position_ += n;
            return *this;
        }
        Iterator& operator-=(index_t n) noexcept { return *this += -n; }
        friend Iterator operator+(Iterator it, index_t n) noexcept { return it += n; }
        friend Iterator operator+(index_t n, Iterator it) noexcept { return it += n; }
        friend Iterator operator-(Iterator it, index_t n) noexcept { return it -= n; }
        friend index_t operator-(Iterator a, Iterator b) noexcept {
            return a.position_ - b.position_;
        }
        friend bool operator==(Iterator a, Iterator b) noexcept {
            return a.position_ == b.position_;
        }
        friend std::strong_ordering operator<=>(Iterator a, Iterator b) noexcept {
            return a.position_ <=> b.position_;
        }

    private:
        const Slices* slices_ = nullptr;
        index_t position_ = 0;
    };

    Iterator begin() const noexcept { return {this, 0}; }
    Iterator end() const noexcept { return {this, size_}; }
    index_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Sub-tensor `i`, counting from the end if negative. Throws `IndexError`.
    X operator[](index_t i) const { return get(checked_index(i, size_, 0, what_)); }

private:
    X get(index_t i) const {
        return view_handle(source_, slice_operand(source_.operand(), axes_, right_, i));
    }

    const char* what_;
    X source_;
    index_t axes_;
    bool right_;
    index_t size_;
};

/// `slice(t, n)`: the sub-tensors with the first n axes fixed, in row-major order:
/// `slice(image, 2)` gives the pixels of an image. A lazy range; of rank-0 tensors when n is the
/// rank. Throws `IndexError`.
template <bool right>
struct SliceFunction : PipelineStage {
    template <array_like X>
    Slices<TensorOf<X>> operator()(X&& x, index_t count) const {
        return {right ? "slice_right" : "slice", lasting_tensor(std::forward<X>(x)), count, right};
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& count) const {
        return make_stage(*this, static_cast<index_t>(count));
    }
    /// `x(slice(0, 2))` is rejected at compile time, with a message.
    template <IndexInteger Begin, IndexInteger End, IndexInteger... Step>
    PURVIEW_REFUSED("a slice 0:2 of an axis is a range: x(range(0, 2)); slice(x, n) fixes the "
                    "first n axes of a tensor",
                    operator()(Begin, End, Step...) const);
};
inline constexpr SliceFunction<false> slice;
/// `slice_right(t, n)`: the sub-tensors with the last n axes fixed, in row-major order:
/// `slice_right(image, 1)` gives the channels of an image. Otherwise as `slice`.
inline constexpr SliceFunction<true> slice_right;

/// The sub-tensors along the first axis, or the last one, as a lazy range.
template <bool last>
struct LinesFunction : ArrayFunction<LinesFunction<last>> {
    using ArrayFunction<LinesFunction>::operator();
    template <array_like X>
    Slices<TensorOf<X>> operator()(X&& x) const {
        return {last ? "columns" : "rows", lasting_tensor(std::forward<X>(x)), 1, last};
    }
};
/// The sub-tensors along the first axis (of a matrix, its rows), as a lazy range.
inline constexpr LinesFunction<false> rows;
/// The sub-tensors along the last axis (of a matrix, its columns), as a lazy range.
inline constexpr LinesFunction<true> columns;

} // namespace purview
