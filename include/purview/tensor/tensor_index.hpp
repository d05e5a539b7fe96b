#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/base/refused.hpp>
#include <purview/dimensions/index.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/element.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

class TensorHandle;
class IndexSet; // purview/reader/index_set.hpp

/// A list of indexes as an index argument: `t(pv::indexes({2, 0, 1}), pv::all)`.
inline IndexSequencePtr indexes(std::initializer_list<index_t> list) {
    return make_index_sequence(std::vector<index_t>(list));
}
/// A vector of indexes as an index argument, not copied if it is moved in:
/// `t(pv::indexes(std::move(list)))`.
inline IndexSequencePtr indexes(std::vector<index_t> list) {
    return make_index_sequence(std::move(list));
}

[[noreturn]] PURVIEW_EXPORT void throw_index_too_large(std::uint64_t index);

/// An integer of any type as an index. Throws `IndexError` if it does not fit `index_t`.
template <std::integral I>
index_t to_index(I index) {
    if constexpr (std::is_unsigned_v<I> && sizeof(I) >= sizeof(index_t))
        if (index > static_cast<I>((std::numeric_limits<index_t>::max)()))
            throw_index_too_large(index);
    return static_cast<index_t>(index);
}

/// A list of indexes from any range of integers, which is copied.
template <std::ranges::input_range R>
    requires(std::integral<std::ranges::range_value_t<R>> &&
             !std::same_as<std::ranges::range_value_t<R>, bool> &&
             !std::same_as<std::remove_cvref_t<R>, std::vector<index_t>>)
IndexSequencePtr indexes(const R& list) {
    std::vector<index_t> converted;
    for (const auto index : list) converted.push_back(to_index(index));
    return make_index_sequence(std::move(converted));
}

/// An element of a tensor of integers as an index: `v(order(0))`.
template <std::integral I>
    requires(!std::same_as<I, bool>)
index_t to_index(const Element<I>& index) { return to_index(static_cast<I>(index)); }

/// Whether a type is a reference to an element of a tensor of integers.
template <typename I>
inline constexpr bool kIsIntegerElement = false;
template <std::integral I>
inline constexpr bool kIsIntegerElement<Element<I>> = !std::same_as<I, bool>;

/// One argument of an indexing call:
/// - an integer, or an element of a tensor of integers, in [-n, n): drops the axis;
/// - `all`; `range(begin, end, step)`, which clips as Python's slices do; `new_axis`; `ellipsis`;
/// - an `IndexSet`: selects its indexes, ascending; they stay compressed;
/// - an index list (`indexes({…})`, a range or tensor of integers): each list selects along its own
/// axis;
/// - a mask (a range or tensor of bool) of the shape of as many axes, which selects from these into
/// one axis: `image(mask)`, `image(mask, 0)` of an image `[h, w, 3]` and a mask `[h, w]`.
///
/// Lists and masks are read when the index is made.
class PURVIEW_EXPORT TensorIndex {
public:
    // Not movable: moving copies, so a moved-from index is unchanged.
    TensorIndex(const TensorIndex&) = default;
    TensorIndex& operator=(const TensorIndex&) = default;
    ~TensorIndex() = default;

    template <std::integral I>
        requires(!std::same_as<I, bool>)
    TensorIndex(I index) : kind_(Kind::integer), integer_(to_index(index)) {}
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    TensorIndex(const Element<I>& index) : kind_(Kind::integer), integer_(to_index(index)) {}
    TensorIndex(All) : kind_(Kind::whole_axis) {}
    TensorIndex(NewAxis) : kind_(Kind::inserted_axis) {}
    TensorIndex(Ellipsis) : kind_(Kind::other_axes) {}
    TensorIndex(const Range& range) : kind_(Kind::slice), range_(range) {}
    TensorIndex(IndexSequencePtr list);
    TensorIndex(const TensorHandle& list_or_mask);
    TensorIndex(const IndexSet& set);

    template <std::ranges::input_range R>
        requires std::integral<std::ranges::range_value_t<R>> &&
            (!std::same_as<std::ranges::range_value_t<R>, char> &&
             !std::derived_from<R, TensorHandle> &&
             !requires { typename R::HandleKind; }) // a handle with dims indexes over its dims
            TensorIndex(const R& list_or_mask) {
            if constexpr (std::same_as<std::ranges::range_value_t<R>, bool>) {
                std::vector<unsigned char> mask;
                for (const bool chosen : list_or_mask) mask.push_back(chosen);
                set_mask(mask, Shape{static_cast<index_t>(mask.size())});
            } else if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                                 std::same_as<std::ranges::range_value_t<R>, index_t>) {
                set_list({std::ranges::data(list_or_mask), std::ranges::size(list_or_mask)});
            } else {
                std::vector<index_t> list;
                if constexpr (std::ranges::sized_range<R>)
                    list.reserve(static_cast<std::size_t>(std::ranges::size(list_or_mask)));
                for (const auto index : list_or_mask) list.push_back(to_index(index));
                sequence_ = make_index_sequence(std::move(list));
            }
        }

        IndexArgument argument() const;
        /// How many axes of the tensor it indexes: none for `new_axis` and `ellipsis`, as many as a
        /// mask has, else one.
        int axes_consumed() const noexcept;
        bool is_ellipsis() const noexcept { return kind_ == Kind::other_axes; }
        /// The shape of a mask, which the indexed axes must have. Null for anything else.
        const Shape* mask_shape() const noexcept { return mask_shape_.get(); }

    private:
        friend bool select_plain(const Dimensions&, std::span<const TensorIndex>, Dimensions&);

        enum class Kind : std::uint8_t {
            integer,
            whole_axis,
            inserted_axis,
            other_axes,
            slice,
            sequence
        };

        void set_list(std::span<const index_t> list);
        void set_mask(std::span<const unsigned char> mask, Shape shape);

        // The alternatives of `IndexArgument`, without a variant, which would add code to every
        // user.
        Kind kind_ = Kind::sequence;
        index_t integer_ = 0;
        Range range_{std::nullopt, std::nullopt};
        IndexSequencePtr sequence_;
        std::shared_ptr<const Shape> mask_shape_;
};

/// The view that indexing gives. Throws `IndexError` and `ShapeError`. Reads no element.
PURVIEW_EXPORT Operand select_operand(const Operand& operand, std::span<const TensorIndex> indexes);

} // namespace purview
