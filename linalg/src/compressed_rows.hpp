#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include "vector_passes.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::linalg {

/// A sparse matrix as its products read it: row by row.
template <typename T, typename I>
class CompressedRows {
public:
    /// Of `values` by row-major `indexes`.
    CompressedRows(index_t rows, index_t columns, std::span<const index_t> indexes,
                   MutableTensor<T> values)
        : CompressedRows(rows, columns, std::move(values)) {
        index_t* const starts = as_span(starts_).data();
        I* const places = as_span(places_).data();
        index_t row = 0, begin = 0, k = 0; // the row, and its first index
        for (const index_t index : indexes) {
            if (index - begin >= columns) {
                const index_t next = index / columns;
                while (row < next) starts[++row] = k;
                begin = row * columns;
            }
            places[k++] = static_cast<I>(index - begin);
        }
        while (row < rows) starts[++row] = k;
    }

    /// `y = A x`
    void multiply(const T* x, T* y) const {
        const index_t rows = starts_.size() - 1;
        const index_t* const starts = as_span(starts_).data();
        const T* const values = as_span(values_).data();
        const I* const places = as_span(places_).data();
        // Parts have as many entries, or rows, each; a row belongs to the part of its first one.
        const index_t work = values_.size() + rows;
        const auto first_row = [&](index_t at) {
            index_t low = 0, high = rows; // the first one with starts[row] + row >= at
            while (low < high) {
                const index_t middle = low + (high - low) / 2;
                if (starts[middle] + middle >= at)
                    high = middle;
                else
                    low = middle + 1;
            }
            return low;
        };
        parallel_ranges(work, 8192, 1.0 * static_cast<double>(work), [&](index_t from, index_t to) {
            const index_t first = first_row(from), last = first_row(to);
            index_t k = starts[first];
            for (index_t row = first; row < last; ++row) {
                T sum{};
                for (const index_t end = starts[row + 1]; k < end; ++k)
                    sum += times(values[k], x[places[k]]);
                y[row] = sum;
            }
        });
    }

    /// The conjugate of the transpose.
    CompressedRows adjoint() const {
        CompressedRows made(columns_, starts_.size() - 1, empty<T>({values_.size()}));
        const std::span<const index_t> starts = as_span(starts_);
        const std::span<const I> places = as_span(places_);
        const T* const values = as_span(values_).data();
        index_t* const own_starts = as_span(made.starts_).data();
        I* const own_places = as_span(made.places_).data();
        T* const own_values = as_span(made.values_).data();
        for (const I place : places) ++own_starts[place + 1];
        for (index_t column = 0; column < columns_; ++column)
            own_starts[column + 1] += own_starts[column];
        std::vector<index_t> next(own_starts, own_starts + columns_);
        index_t k = 0;
        for (index_t row = 0; row < made.columns_; ++row)
            for (const index_t end = starts[static_cast<std::size_t>(row) + 1]; k < end; ++k) {
                const I place = places[static_cast<std::size_t>(k)];
                const index_t to = next[static_cast<std::size_t>(place)]++;
                own_places[to] = static_cast<I>(row);
                own_values[to] = conjugate_times(values[k], T(1));
            }
        return made;
    }

private:
    /// Whose places are still to be written.
    CompressedRows(index_t rows, index_t columns, MutableTensor<T> values)
        : columns_(columns),
          starts_(zeros<index_t>({rows + 1})),
          places_(empty<I>({values.size()})),
          values_(std::move(values)) {}

    index_t columns_;
    MutableTensor<index_t> starts_;
    MutableTensor<I> places_;
    MutableTensor<T> values_;
};

} // namespace purview::linalg
