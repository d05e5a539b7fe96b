#pragma once

#include <purview/dtype/time_element.hpp>
#include <purview/functional/statistics/key_columns.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace purview::inline v0_1 {

/// Which key is matched: the last one that is not after a key, the first one that is not before it, or the nearer of both, the one before if both are as near.
enum class AsOf : std::uint8_t { backward, forward, nearest };

/// How far apart keys may be: a number, or a duration where they are times.
class AsOfTolerance {
public:
    template <typename N>
        requires std::is_arithmetic_v<N> AsOfTolerance(N count)
            : AsOfTolerance(static_cast<double>(count), 0, 0) {
            set_count(count);
        }
        template <DurationElement D>
        AsOfTolerance(const D& length)
            : AsOfTolerance(static_cast<double>(length.count()), D::period::num, D::period::den) {
            set_count(length.count());
        }

        bool is_duration() const noexcept { return numerator_ > 0; }
        double value() const noexcept { return value_; }
        /// The tolerance in units of `numerator / denominator` seconds, rounded down, at most the
        /// greatest 64-bit number.
        PURVIEW_EXPORT std::uint64_t in_units(std::int64_t numerator,
                                              std::int64_t denominator) const;

    private:
        /// Throws `Error` for a distance below 0 and NaN.
        PURVIEW_EXPORT AsOfTolerance(double value, std::int64_t numerator,
                                     std::int64_t denominator);
        /// Of a number that is not below 0.
        template <typename N>
        void set_count(N count) noexcept {
            if constexpr (std::integral<N>) count_ = static_cast<std::uint64_t>(count);
        }

        double value_;
        std::optional<std::uint64_t> count_; ///< what `value_` may have rounded
        std::int64_t numerator_;             ///< of its unit in seconds; 0 of a number
        std::int64_t denominator_;
};

/// How keys are matched, all that pandas' `merge_asof` has.
struct AsOfOptions {
    AsOf direction = AsOf::backward;
    std::optional<AsOfTolerance> tolerance{}; ///< matches that are farther apart are none
    bool allow_exact_matches = true;          ///< whether equal keys match
    /// Columns that have to be equal on both sides, as the symbol of a trade and of a quote: `[rows]`, as many, of numbers, strings or times.
    KeyColumns left_by{};
    KeyColumns right_by{};
};

/// What `as_of` does.
PURVIEW_EXPORT MutableTensor<std::int64_t> as_of_rows(const Operand& left, const Operand& right,
                                                      const AsOfOptions& options);

/// `as_of(left, right, options)`: for each key on the left, the row of the last key on the right that is not after it: int64 `[left rows]`, -1 where there is none. The quote that was known when
/// a trade was made:
///
///     const auto row = as_of(trade_time, quote_time, {.tolerance = 2s, .left_by = trade_symbol, .right_by = quote_symbol});
///     const auto bid = where(row >= 0, take(quote_bid, maximum(row, 0), 0), nan);
///
/// Keys are numbers, compared in their common type, or times of one type, `[rows]`, ascending on both sides (equal ones may follow each other); of equal keys on the right the last row is taken, forward the first.
/// Options: the `direction`, a `tolerance`, `allow_exact_matches`, `left_by` and `right_by`. As pandas' `merge_asof`.
///
/// Eager; one pass over both sides, O(left + right), two for the nearest, and the groups of `by` as `group_by_reduce` finds them. Keys and columns
/// of numbers and times in chunks beyond the memory limit are read block by block, each chunk once in a pass; groups that do not fit are a `MemoryLimitError`. Throws `Error` naming the row where keys descend or are NaN or NaT,
/// and for a tolerance that does not measure such keys, `ShapeError` for other ranks and columns of other lengths, `DtypeError` for other types.
template <plain_array L, plain_array R>
MutableTensor<std::int64_t> as_of(const L& left, const R& right, const AsOfOptions& options = {}) {
    return as_of_rows(operand_for_call(left), operand_for_call(right), options);
}

} // namespace purview
