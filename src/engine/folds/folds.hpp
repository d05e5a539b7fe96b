#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/expression/reduce.hpp>

#include "engine/kernels/table/kernel_table.hpp"
#include "evaluation/fold_order.hpp"
#include "evaluation/scalar_fold.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::engine {

static_assert(kFloatLanes == kLanesOfFloats);

/// The value of lanes without an element: kNeutralMask for bools, whose lanes are masks, kNeutral
/// for other types.
template <typename F>
inline constexpr std::uint64_t kNeutralMask = F::identity() ? ~std::uint64_t{0} : 0;
template <typename F>
inline constexpr auto kNeutral = F::start();

/// An accumulator before its first element; of bools, of masks.
template <typename F>
alignas(64) inline constexpr auto kStartLanes = [] {
    constexpr bool kMasks = std::same_as<typename F::Type, bool>;
    using T = std::conditional_t<kMasks, std::int8_t, typename F::Type>;
    std::array<T, kAccumulatorBytes / sizeof(T)> lanes;
    lanes.fill(static_cast<T>(kMasks ? -F::start() : F::start()));
    return lanes;
}();

/// A fold of elements of type `T`, with the tile operation that does the same on lanes.
template <typename T, Reduction reduction>
struct Fold : ScalarFold<T, reduction> {
    using ScalarFold<T, reduction>::kFloating;
    using ScalarFold<T, reduction>::combine;

    static constexpr TileOp kOp = reduction == Reduction::sum       ? TileOp::add
                                  : reduction == Reduction::product ? TileOp::multiply
                                  : reduction == Reduction::minimum ? TileOp::minimum
                                  : reduction == Reduction::maximum ? TileOp::maximum
                                  : reduction == Reduction::any_of  ? TileOp::logical_or
                                                                    : TileOp::logical_and;

    static constexpr Op kOperation = reduction == Reduction::sum       ? Op::add
                                     : reduction == Reduction::product ? Op::multiply
                                     : reduction == Reduction::minimum ? Op::minimum
                                     : reduction == Reduction::maximum ? Op::maximum
                                     : reduction == Reduction::any_of  ? Op::logical_or
                                                                       : Op::logical_and;

    /// The value of lanes without an element.
    static constexpr const void* neutral() {
        if constexpr (std::same_as<T, bool>)
            return &kNeutralMask<Fold>;
        else
            return &kNeutral<Fold>;
    }

    /// The number of elements after which lanes are joined.
    static constexpr index_t kChunk =
        chunk_of_fold(kFloating && (reduction == Reduction::sum || reduction == Reduction::product),
                      std::same_as<T, bool>, sizeof(T));

    /// Whether no further element can change `folded`.
    static bool is_decided(T folded) {
        if constexpr (std::same_as<T, bool>)
            return folded == (reduction == Reduction::any_of);
        else
            return false;
    }

    /// Joins lanes by halving: the same tree on every machine.
    static T join(const std::byte* accumulator, std::size_t lane_bytes, std::size_t lanes) {
        if constexpr (std::same_as<T, bool>) {
            // Every lane is a mask, of ones or of zeros.
            constexpr bool kAny = reduction == Reduction::any_of;
            std::uint64_t folded = kAny ? 0 : ~std::uint64_t{0};
            for (std::size_t at = 0; at < lanes * lane_bytes; at += sizeof(folded)) {
                std::uint64_t word;
                std::memcpy(&word, accumulator + at, sizeof(word));
                folded = kAny ? folded | word : folded & word;
            }
            return kAny ? folded != 0 : folded == ~std::uint64_t{0};
        } else {
            constexpr std::size_t kLanes = accumulator_lanes(kFloating, sizeof(T));
            std::array<T, kLanes> values;
            std::memcpy(values.data(), accumulator, sizeof(values));
            join_halves<kLanes / 2>(values.data());
            return values[0];
        }
    }

private:
    /// `width` is a template parameter, so that each step compiles to a few vector instructions.
    template <std::size_t width>
    static void join_halves(T* values) {
        for (std::size_t i = 0; i < width; ++i) values[i] = combine(values[i], values[i + width]);
        if constexpr (width > 1) join_halves<width / 2>(values);
    }
};

/// Combines partial results pairwise, like the carries of a binary counter, so that the error of a
/// float sum grows with the logarithm of their number.
template <typename F>
class Cascade {
public:
    using T = typename F::Type;

    explicit Cascade(F fold = {}) : fold_(fold) {}

    void add(T value) {
        std::size_t level = 0;
        for (; (count_ >> level & 1) != 0; ++level)
            value = fold_.combine(partial_[level], std::move(value));
        partial_[level] = std::move(value);
        ++count_;
    }
    T result() const { return count_ == 0 ? fold_.identity() : joined_with(std::nullopt); }
    /// The result if `rest` is added at the end, the partial result of a last piece with fewer
    /// elements than the pieces before it.
    T result(T rest) const { return joined_with(std::move(rest)); }

private:
    T joined_with(std::optional<T> total) const {
        for (std::size_t level = 0; count_ >> level != 0; ++level)
            if ((count_ >> level & 1) != 0)
                total = total ? fold_.combine(partial_[level], *std::move(total)) : partial_[level];
        return *total;
    }

    [[no_unique_address]] F fold_;
    std::array<T, 64> partial_;
    std::uint64_t count_ = 0;
};

template <typename T, typename F>
void visit_fold(Reduction reduction, F&& f) {
    visit_reduction<T, Fold>(reduction, std::forward<F>(f));
}

} // namespace purview::engine
