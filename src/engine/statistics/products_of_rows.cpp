// Defines purview/evaluation/moments.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/expression/elementwise.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/region.hpp"
#include "engine/folds/two_sum.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/lane_slabs.hpp"
#include "reader/chunk_cache.hpp"

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// So many columns are summed together, whatever slabs they come in: the more, the fewer rows there are.
index_t columns_of_block(index_t rows) {
    return std::clamp<index_t>((index_t{1} << 18) / rows, 256, 4096);
}

/// Moments of rows, of which blocks of columns are added one after the other.
class MomentsOfRows {
public:
    MomentsOfRows(index_t rows, double* products)
        : rows_(rows),
          block_columns_(columns_of_block(rows)),
          counted_(rows * block_columns_ * index_t{sizeof(double)}, "covariance_matrix"),
          block_(float64, rows * block_columns_),
          means_(static_cast<std::size_t>(rows)),
          products_(products),
          of_block_(static_cast<std::size_t>(rows * rows)) {
        std::fill_n(products, rows * rows, 0.0);
    }

    void add(const Operand& slab) {
        const index_t columns = slab.dims.max_shape()[1];
        for (index_t begin = 0; begin < columns;) {
            const index_t end = std::min(columns, begin + block_columns_ - filled_);
            const Box box{{0, begin}, {rows_, end}};
            const Dimensions place =
                Dimensions::strided(Shape{rows_, end - begin}, Shape{block_columns_, 1}, filled_);
            assign({slab.node, part_of(slab.dims, box)},
                   {memory_leaf(float64, block_.data(), rows_ * block_columns_), place});
            filled_ += end - begin;
            begin = end;
            if (filled_ == block_columns_) add_block();
        }
    }
    void finish() {
        if (filled_ > 0) add_block();
    }

private:
    double* row(index_t i) { return static_cast<double*>(block_.data()) + i * block_columns_; }

    void add_block() {
        const auto count = static_cast<double>(filled_);
        std::vector<TwoSum> means;
        std::vector<double>
            rest; // what is left of the sums of differences, due to the rounding of means
        for (index_t i = 0; i < rows_; ++i) {
            double sums[3];
            kernels().sum_and_extremes(row(i), filled_, 1, sums);
            const double mean = sums[0] / count;
            for (index_t j = 0; j < filled_; ++j) row(i)[j] -= mean;
            kernels().sum_and_extremes(row(i), filled_, 1, sums);
            rest.push_back(sums[0]);
            means.push_back(two_sum(mean, sums[0] / count));
        }
        const NodePtr leaf = memory_leaf(float64, block_.data(), rows_ * block_columns_);
        const Shape all{rows_, rows_, filled_};
        reduce_groups(
            Reduction::sum,
            elementwise<2>(Op::multiply, float64,
                           {Operand{leaf, Dimensions::strided(all, Shape{block_columns_, 0, 1})},
                            Operand{leaf, Dimensions::strided(all, Shape{0, block_columns_, 1})}}),
            rows_ * rows_, of_block_.data());
        join(count, means, rest);
        filled_ = 0;
    }

    /// As pairs are joined in pair_moments.cpp.
    void join(double count, const std::vector<TwoSum>& means, const std::vector<double>& rest) {
        const double share = count / (count_ + count);
        const double weight = count_ * share;
        std::vector<double> shifts;
        for (std::size_t i = 0; i < means.size(); ++i)
            shifts.push_back(count_ == 0 ? 0 : difference(means[i], means_[i]));
        double* sum = products_;
        const double* more = of_block_.data();
        for (std::size_t i = 0; i < means.size(); ++i)
            for (std::size_t j = 0; j < means.size(); ++j, ++sum, ++more)
                *sum += *more - rest[i] * (rest[j] / count) + shifts[i] * shifts[j] * weight;
        for (std::size_t i = 0; i < means.size(); ++i)
            means_[i] = count_ == 0 ? means[i] : plus(means_[i], shifts[i] * share);
        count_ += count;
    }

    index_t rows_;
    index_t block_columns_;
    CountedBytes counted_;
    ElementBlock block_; ///< row by row
    index_t filled_ = 0; ///< columns of it
    double count_ = 0;   ///< of the columns that have been added
    std::vector<TwoSum> means_;
    double* products_;
    std::vector<double> of_block_;
};

} // namespace

void products_of_rows(const Operand& rows, double* products) {
    const WatchedOperation watched("covariance_matrix");
    const index_t count = rows.dims.max_shape()[0];
    if (count == 0) return;
    MomentsOfRows moments(count, products);
    const index_t all_rows[] = {0};
    for_each_slab("covariance_matrix", rows, all_rows,
                  [&](const Operand& slab, ShapeSpan) { moments.add(slab); });
    moments.finish();
}

} // namespace purview
