#include "functional/statistics/sorted_in_files.hpp"

#include <purview/base/not_finite.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/tensor/as_span.hpp>

#include "evaluation/long_sorts.hpp"
#include "evaluation/placed_results.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

Operand ranks_in_files(const Operand& x, bool skips_nan) {
    LongSort sort("ranks", x, ascending, true);
    PlacedResults ranks("ranks", float64, x.dims.size());
    bool has_nan = false;
    visit_dtype(x.dtype(), "ranks", [&]<typename T>(std::type_identity<T>) {
        sort.take_pieces([&](const SortedPiece& piece) {
            const std::span<const T> elements = as_span(Tensor<T>(piece.elements));
            std::vector<double> of_piece(elements.size(), kNotANumber<double>);
            const auto middle = [](index_t first, index_t count) {
                return (static_cast<double>(first) + static_cast<double>(first + count + 1)) / 2;
            };
            for (std::size_t begin = 0; begin < elements.size();) {
                const T value = elements[begin];
                if (value != value) {
                    has_nan = true;
                    break; // the rest are
                }
                std::size_t end = begin + 1;
                while (end < elements.size() && elements[end] == value) ++end;
                const double rank = piece.equal_count > 0
                                        ? middle(piece.equal_first, piece.equal_count)
                                        : middle(piece.first + static_cast<index_t>(begin),
                                                 static_cast<index_t>(end - begin));
                std::fill(of_piece.begin() + static_cast<std::ptrdiff_t>(begin),
                          of_piece.begin() + static_cast<std::ptrdiff_t>(end), rank);
                begin = end;
            }
            ranks.add({piece.indexes, elements.size()}, of_piece.data());
        });
    });
    Operand result = ranks.take(x, x.dims.max_shape());
    if (has_nan && !skips_nan) {
        const Operand nan = constant_operand(kNotANumber<double>);
        assign({nan.node, dimensions::expand(nan.dims, result.dims.max_shape())}, result);
    }
    return result;
}

bool most_frequent_in_files(const Operand& x, void* out) {
    if (!is_sorted_in_runs(x)) return false;
    LongSort sort("most_frequent", x, ascending, false);
    visit_dtype(x.dtype(), "most_frequent", [&]<typename T>(std::type_identity<T>) {
        T& found = *static_cast<T*>(out);
        index_t most = 0;
        sort.take_pieces([&](const SortedPiece& piece) {
            const std::span<const T> elements = as_span(Tensor<T>(piece.elements));
            if (elements.back() != elements.back()) {
                found = elements.back(); // the last of all
                return;
            }
            for (std::size_t begin = 0; begin < elements.size();) {
                std::size_t end = begin + 1;
                while (end < elements.size() && elements[end] == elements[begin]) ++end;
                const index_t count =
                    piece.equal_count > 0 ? piece.equal_count : static_cast<index_t>(end - begin);
                if (count > most) {
                    most = count;
                    found = elements[begin];
                }
                begin = end;
            }
        });
    });
    return true;
}

} // namespace purview
