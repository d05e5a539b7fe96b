#pragma once

#include "table/grouped_columns.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/evaluate.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <mutex>

namespace purview::inline v0_1 {

/// A column of groups, each of which is decoded for whoever reads it. What is missing is decoded with the values, and remembered for whoever asks for it
/// next.
class StoredColumn {
public:
    StoredColumn(std::shared_ptr<const GroupedColumns> columns, std::size_t number);

    const Column& like() const noexcept { return like_; }
    /// How many elements a row has.
    index_t row_size() const noexcept { return row_size_; }
    index_t rows(std::size_t group) const { return columns_->group_rows()[group]; }
    bool has_gaps(std::size_t group) const { return gaps_[group]; }
    bool is_in_place(std::size_t group) const { return columns_->is_in_place(group); }
    /// What the values of a group lie within, with what is read where they are missing.
    const std::optional<NumberBounds>& bounds(std::size_t group) const { return bounds_[group]; }

    /// The pieces of a group, checked: rows, types and shapes are what opening said.
    std::vector<Column> decoded(std::size_t group, GroupedColumns::Wanted wanted) const;
    /// Assigns the values of a group to constructed elements at `out`. T is their type.
    template <typename T>
    void read_values(std::size_t group, T* out) const;
    /// Assigns which rows of a group are missing.
    void read_missing(std::size_t group, bool* out) const;

private:
    std::optional<NumberBounds> found_bounds(std::size_t group) const;
    /// Which rows are missing, if any is.
    std::vector<bool> missing_of(const std::vector<Column>& pieces) const;
    void remember(std::size_t group, std::vector<bool> missing) const;

    std::shared_ptr<const GroupedColumns> columns_;
    std::size_t number_;
    Column like_;
    index_t row_size_ = 1;
    std::vector<bool> gaps_{}; ///< for each group
    std::vector<std::optional<NumberBounds>> bounds_{};
    mutable std::mutex mutex_{};
    mutable std::vector<std::pair<std::size_t, std::vector<bool>>> remembered_{};
};

/// What is read where something is missing.
template <typename T>
T gap_value() {
    if constexpr (std::floating_point<T>)
        return std::numeric_limits<T>::quiet_NaN();
    else if constexpr (std::same_as<T, Half>)
        return static_cast<Half>(std::numeric_limits<float>::quiet_NaN());
    else if constexpr (
        requires { T::min().time_since_epoch(); } || requires { T::min().count(); })
        return T::min(); // NaT
    else
        return T{};
}

template <typename T>
void StoredColumn::read_values(std::size_t group, T* out) const {
    const std::vector<Column> pieces = decoded(group, GroupedColumns::Wanted::values);
    T* next = out;
    for (const Column& piece : pieces) {
        read_all(piece.values.operand(), next);
        next += piece.rows() * row_size_;
    }
    if (!gaps_[group]) return;
    std::vector<bool> missing = missing_of(pieces);
    for (index_t row = 0; !like_.is_filled && row < std::ssize(missing); ++row)
        if (missing[static_cast<std::size_t>(row)])
            std::fill_n(out + row * row_size_, row_size_, gap_value<T>());
    remember(group, std::move(missing));
}

} // namespace purview
