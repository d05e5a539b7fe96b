#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/linalg/matrix_function.hpp>

#include "vector_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace purview::inline v0_1::linalg {

/// A sparse matrix as its products read it: row by row.
template <typename T, typename I>
class CompressedRows {
public:
    /// Of pairs by row-major index.
    CompressedRows(index_t rows, index_t columns, std::span<const index_t> indexes,
                   std::vector<T> values)
        : columns_(columns), values_(std::move(values)) {
        starts_.resize(static_cast<std::size_t>(rows) + 1);
        places_.resize(indexes.size());
        index_t row = 0, begin = 0; // the row, and its first index
        for (std::size_t k = 0; k < indexes.size(); ++k) {
            if (indexes[k] - begin >= columns) {
                const index_t next = indexes[k] / columns;
                while (row < next) starts_[static_cast<std::size_t>(++row)] = index_t(k);
                begin = row * columns;
            }
            places_[k] = static_cast<I>(indexes[k] - begin);
        }
        while (row < rows) starts_[static_cast<std::size_t>(++row)] = std::ssize(indexes);
    }

    /// `y = A x`
    void multiply(const T* x, T* y) const {
        const index_t entries = std::ssize(values_), rows = std::ssize(starts_) - 1;
        const T* const values = values_.data();
        const I* const places = places_.data();
        // Parts have as many entries, or rows, each; a row belongs to the part of its first one.
        const index_t work = entries + rows;
        const auto first_row = [&](index_t at) {
            index_t low = 0, high = rows; // the first one with starts_[row] + row >= at
            while (low < high) {
                const index_t middle = low + (high - low) / 2;
                if (starts_[static_cast<std::size_t>(middle)] + middle >= at)
                    high = middle;
                else
                    low = middle + 1;
            }
            return low;
        };
        parallel_ranges(work, 8192, 1.0 * static_cast<double>(work), [&](index_t from, index_t to) {
            const index_t last = first_row(to);
            for (index_t row = first_row(from); row < last; ++row) {
                T sum{};
                const index_t end = starts_[static_cast<std::size_t>(row) + 1];
                for (index_t k = starts_[static_cast<std::size_t>(row)]; k < end; ++k)
                    sum += times(values[k], x[places[k]]);
                y[row] = sum;
            }
        });
    }

    /// The conjugate of the transpose.
    CompressedRows adjoint() const {
        CompressedRows made;
        const index_t rows = std::ssize(starts_) - 1;
        made.columns_ = rows;
        made.starts_.assign(static_cast<std::size_t>(columns_) + 1, 0);
        made.places_.resize(places_.size());
        made.values_.resize(values_.size());
        for (const I place : places_) ++made.starts_[static_cast<std::size_t>(place) + 1];
        for (std::size_t column = 1; column < made.starts_.size(); ++column)
            made.starts_[column] += made.starts_[column - 1];
        std::vector<index_t> next(made.starts_.begin(), made.starts_.end() - 1);
        for (index_t row = 0; row < rows; ++row)
            for (index_t k = starts_[static_cast<std::size_t>(row)];
                 k < starts_[static_cast<std::size_t>(row) + 1]; ++k) {
                const auto from = static_cast<std::size_t>(k);
                const auto to =
                    static_cast<std::size_t>(next[static_cast<std::size_t>(places_[from])]++);
                made.places_[to] = static_cast<I>(row);
                made.values_[to] = conjugate_times(values_[from], T(1));
            }
        return made;
    }

private:
    CompressedRows() = default;

    index_t columns_ = 0;
    std::vector<index_t> starts_;
    std::vector<I> places_;
    std::vector<T> values_;
};

} // namespace purview::linalg
