#pragma once

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>
#include <purview/functional/statistics/as_of.hpp>
#include <purview/tensor/as_span.hpp>

#include "dtype/known_times.hpp"
#include "functional/reductions/slab_results.hpp"
#include "functional/statistics/as_of_groups.hpp"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

inline bool is_time_type(DType dtype) { return dtype.counted_in() != dtype; }

/// An element as a stream prints it.
std::string printed_as_of_key(const Operand& keys, index_t row);

/// Whether keys are near enough, and which of two is nearer.
template <typename T>
class AsOfDistances {
public:
    AsOfDistances(const AsOfOptions& options, DType keys) {
        if (!options.tolerance) return;
        const AsOfTolerance& tolerance = *options.tolerance;
        if (tolerance.is_duration() != is_time_type(keys))
            throw Error(fmt::format("as_of: the tolerance is a {}, and the keys are {}",
                                    tolerance.is_duration() ? "duration" : "number", keys.name()));
        std::int64_t numerator = is_time_type(keys) ? 0 : 1;
        std::int64_t denominator = 1;
        for_each_time([&]<typename Time>(std::type_identity<Time>) {
            if (keys != kDType<Time>) return;
            numerator = kTick<Time>.numerator;
            denominator = kTick<Time>.denominator;
        });
        if (numerator == 0) throw_dtype_unsupported("as_of with a tolerance", keys);
        if constexpr (std::floating_point<T>)
            farthest_ = tolerance.value();
        else
            farthest_ = tolerance.in_units(numerator, denominator);
        limited_ = true;
    }

    using Distance = std::conditional_t<std::floating_point<T>, double, std::uint64_t>;
    /// Of a key that is not before another one.
    static Distance between(T from, T to) {
        if constexpr (std::floating_point<T>) // infinities are 0 apart
            return from == to ? 0. : static_cast<double>(to) - static_cast<double>(from);
        else
            return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    }
    bool allow(T from, T to) const { return !limited_ || between(from, to) <= farthest_; }

private:
    bool limited_ = false;
    Distance farthest_ = 0;
};

/// The keys of one side, a block of rows at a time.
template <typename T>
class AsOfBlocks {
public:
    /// `keys`: as they are compared. `ends`: of blocks. Rows of a block count so many bytes each.
    AsOfBlocks(AsOfPart part, const Operand& given, const Operand& keys, Shape ends,
               index_t row_bytes, AsOfGroups& groups)
        : part_(part),
          given_(given),
          keys_(keys),
          ends_(std::move(ends)),
          row_bytes_(row_bytes),
          groups_(groups),
          has_nat_(is_time_type(given.dtype())) {}

    /// The number of blocks.
    index_t count() const { return std::ssize(ends_); }
    index_t rows() const { return given_.dims.size(); }

    /// Returns whether the keys of a block ascend, also beside those of the block that was read before.
    bool read(index_t block) {
        read_keys(block);
        const bool ascending = ascend() &&
                               (block != block_ + 1 || block == 0 || back_ <= held_.front()) &&
                               (block != block_ - 1 || held_.back() <= front_);
        block_ = block;
        front_ = held_.front();
        back_ = held_.back();
        if (ascending) numbers_ = groups_.of(part_, first_, std::ssize(held_), held_numbers_);
        return ascending;
    }
    /// Of the block that was read last.
    index_t first() const { return first_; }
    std::span<const T> keys() const { return held_; }
    std::span<const std::int64_t> numbers() const { return numbers_; }

    /// Throws for the first key that does not ascend, if there is one.
    void refuse_descending() {
        for (index_t block = 0; block < count(); ++block) {
            read_keys(block);
            for (std::size_t i = 0; i < held_.size(); ++i) {
                const index_t row = first_ + static_cast<index_t>(i);
                if (is_none(held_[i]))
                    throw Error(
                        fmt::format("as_of: the {} key of row {} is {}, which is neither before "
                                    "nor after another one",
                                    name(), row, printed(row)));
                if (row > 0 && held_[i] < back_)
                    throw Error(fmt::format(
                        "as_of: the {} keys have to ascend, and row {} has {} behind {}", name(),
                        row, printed(row), printed(row - 1)));
                back_ = held_[i];
            }
        }
    }

private:
    const char* name() const { return part_ == AsOfPart::left ? "left" : "right"; }
    std::string printed(index_t row) const { return printed_as_of_key(given_, row); }

    void read_keys(index_t block) {
        first_ = block == 0 ? 0 : ends_[static_cast<std::size_t>(block - 1)];
        const index_t size = ends_[static_cast<std::size_t>(block)] - first_;
        if (row_bytes_ > 0) {
            owner_ = {};
            counted_ = {};
            counted_ = CountedBytes(size * row_bytes_, "as_of");
        }
        owner_ = in_memory<T>("as_of", {keys_.node, box_from(keys_.dims, ShapeSpan(&first_, 1),
                                                             ShapeSpan(&size, 1))});
        held_ = as_span(owner_);
    }
    bool is_none(T key) const {
        if constexpr (std::floating_point<T>) return key != key;
        return has_nat_ && key == std::numeric_limits<T>::lowest();
    }
    bool ascend() const {
        if (is_none(held_.front())) return false;
        for (std::size_t i = 1; i < held_.size(); ++i)
            if (!(held_[i - 1] <= held_[i])) return false;
        return true;
    }

    AsOfPart part_;
    const Operand& given_;
    Operand keys_;
    Shape ends_;
    index_t row_bytes_;
    AsOfGroups& groups_;
    bool has_nat_;
    CountedBytes counted_; ///< the block that was read last, as are all below
    Tensor<T> owner_;
    std::span<const T> held_;
    std::vector<std::int64_t> held_numbers_;
    std::span<const std::int64_t> numbers_;
    index_t first_ = 0;
    index_t block_ = -2;
    T front_{};
    T back_{};
};

/// The rows on the right that the keys on the left match: one walk over the blocks of both sides, from the first ones or
/// from the last ones.
template <typename T>
class AsOfMerge {
public:
    /// The last row so far of a group on the right.
    struct Last {
        std::int64_t row = -1;
        T key{};
    };

    AsOfMerge(AsOfBlocks<T>& left, AsOfBlocks<T>& right, const AsOfGroups& groups, bool exact,
              bool counts)
        : left_(left), right_(right), groups_(groups), exact_(exact), counts_(counts) {}

    /// For each block on the left calls `begin` with its first row and its size, `put` with a row of it, its key and what it
    /// matches, and `end` as `begin`. With `all`, all keys are read, and throw where they do not ascend.
    template <bool kForwards, typename Begin, typename Put, typename End>
    void walk(bool all, const Begin& begin, const Put& put, const End& end) {
        std::ranges::fill(last_, Last{});
        others_ = {};
        taken_ = 0;
        next_right_ = 0;
        for (index_t b = 0; b < left_.count(); ++b) {
            read(left_, kForwards ? b : left_.count() - 1 - b);
            const index_t count = std::ssize(left_.keys());
            begin(left_.first(), count);
            match<kForwards>(put);
            end(left_.first(), count);
        }
        while (all && next_right_ < right_.count()) read_right<kForwards>();
    }

private:
    void read(AsOfBlocks<T>& side, index_t block) {
        if (!side.read(block)) {
            left_.refuse_descending();
            right_.refuse_descending();
        }
        const auto groups = static_cast<std::size_t>(groups_.size());
        if (groups <= last_.size()) return;
        if (counts_ && groups > last_.capacity()) {
            const std::size_t room = std::max(groups, 2 * last_.capacity());
            counted_.emplace_back(static_cast<index_t>((room - last_.capacity()) * sizeof(Last)),
                                  "as_of");
            last_.reserve(room);
        }
        last_.resize(groups);
    }
    template <bool kForwards>
    void read_right() {
        read(right_, kForwards ? next_right_ : right_.count() - 1 - next_right_);
        ++next_right_;
        others_ = right_.keys();
        taken_ = 0;
    }

    template <bool kForwards, typename Put>
    void match(const Put& put) {
        const std::span<const T> keys = left_.keys();
        const std::span<const std::int64_t> numbers = left_.numbers();
        const auto group = [](std::span<const std::int64_t> of, std::size_t row) {
            return of.empty() ? 0 : static_cast<std::size_t>(of[row]);
        };
        for (std::size_t i = 0; i < keys.size();) {
            const std::span<const T> others = others_;
            const std::span<const std::int64_t> other_numbers = right_.numbers();
            const bool more = next_right_ < right_.count();
            Last* const last = last_.data();
            std::size_t taken = taken_;
            for (; i < keys.size(); ++i) {
                const std::size_t row = kForwards ? i : keys.size() - 1 - i;
                const T key = keys[row];
                for (; taken < others.size(); ++taken) {
                    const std::size_t at = kForwards ? taken : others.size() - 1 - taken;
                    const T other = others[at];
                    if (kForwards ? (exact_ ? other > key : other >= key)
                                  : (exact_ ? other < key : other <= key))
                        break;
                    last[group(other_numbers, at)] = {
                        right_.first() + static_cast<std::int64_t>(at), other};
                }
                if (taken == others.size() && more) break;
                put(row, key, last[group(numbers, row)]);
            }
            taken_ = taken;
            if (i < keys.size()) read_right<kForwards>();
        }
    }

    AsOfBlocks<T>& left_;
    AsOfBlocks<T>& right_;
    const AsOfGroups& groups_;
    bool exact_;
    bool counts_; ///< what is held counts towards the memory limit
    std::vector<Last> last_;
    std::vector<CountedBytes> counted_;
    std::span<const T> others_; ///< keys of a block on the right
    std::size_t taken_ = 0;     ///< of those
    index_t next_right_ = 0;    ///< block, of the way that is walked
};

} // namespace purview
