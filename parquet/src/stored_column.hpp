#pragma once

#include "decoder.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/evaluate.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace purview::inline v0_1::parquet {

/// A column of some row groups of a file. What is missing is decoded with the values, and remembered for whoever asks for it next.
class StoredColumn {
public:
    StoredColumn(std::shared_ptr<const Decoder> decoder, std::size_t column,
                 const ArrowOptions& options);

    /// See `Decoder::like`.
    const Column& like() const noexcept { return like_; }
    /// How many elements a row has.
    index_t row_size() const noexcept { return row_size_; }
    const Decoder& decoder() const noexcept { return *decoder_; }
    bool has_gaps(std::size_t group) const { return gaps_[group]; }
    /// What the values of a row group lie within, with what is read where they are missing.
    std::optional<NumberBounds> bounds(std::size_t group) const;

    /// Assigns the values of a row group to constructed elements at `out`, those that are missing as `open_parquet` has them. T is
    /// their type.
    template <typename T>
    void read_values(std::size_t group, T* out) const;
    /// Assigns which rows of a row group are missing.
    void read_missing(std::size_t group, bool* out) const;

private:
    /// The pieces of a row group, checked: rows, types and shapes are what opening said.
    std::vector<Column> decoded(std::size_t group) const;
    /// Which rows are missing, if any is.
    std::vector<bool> missing_of(const std::vector<Column>& pieces) const;
    void remember(std::size_t group, std::vector<bool> missing) const;

    std::shared_ptr<const Decoder> decoder_;
    std::size_t column_;
    ArrowOptions options_;
    Column like_;
    index_t row_size_ = 1;
    std::vector<bool> gaps_{}; ///< for each row group of the file
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
    const std::vector<Column> pieces = decoded(group);
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

} // namespace purview::parquet
