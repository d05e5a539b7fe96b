#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/folds/two_sum.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/realise/realised_elements.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/statistics/differences.hpp"
#include "engine/threads/branches.hpp"
#include "evaluation/other_backend.hpp"

#include <boost/container/small_vector.hpp>

#include <cmath>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements per chunk, of all columns together: a chunk is read twice, the second time from a cache,
/// while the next one is read from memory.
constexpr index_t kMomentsChunk = 4096;

/// Groups that are shorter, or columns of long rows, are reduced together
/// (`moments_by_reductions`).
constexpr index_t kLongMomentsGroup = 512;

struct PartialMoments {
    double count = 0;
    double sum = 0;
    TwoSum mean;
    double squares = 0;
    double cubes = 0;
    double fourths = 0;
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
};

double lesser(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? a + b : (b < a ? b : a);
}

/// Combines the moments of two parts by Pébay (2008), equations 2.1 to 2.4.
struct PartialMomentsFold {
    using Type = PartialMoments;
    static PartialMoments identity() { return {}; }
    static PartialMoments combine(const PartialMoments& a, const PartialMoments& b) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        PartialMoments both;
        const double n = a.count + b.count;
        const double share_a = a.count / n;
        const double share_b = b.count / n;
        const double shift = difference(b.mean, a.mean);
        const double shift2 = shift * shift;
        const double weight = a.count * share_b; // of the square of the shift
        both.count = n;
        both.sum = a.sum + b.sum;
        both.mean = plus(a.mean, shift * share_b);
        if (!std::isfinite(both.mean.high))
            both.mean = {a.mean.high * share_a + b.mean.high * share_b, 0};
        both.squares = a.squares + b.squares + shift2 * weight;
        both.cubes = a.cubes + b.cubes + shift * shift2 * weight * (share_a - share_b) +
                     3 * shift * (share_a * b.squares - share_b * a.squares);
        both.fourths =
            a.fourths + b.fourths +
            shift2 * shift2 * weight * (share_a * share_a - share_a * share_b + share_b * share_b) +
            6 * shift2 * (share_a * share_a * b.squares + share_b * share_b * a.squares) +
            4 * shift * (share_a * b.cubes - share_b * a.cubes);
        both.least = lesser(a.least, b.least);
        both.greatest = -lesser(-a.greatest, -b.greatest);
        return both;
    }
};

/// The central moments of a part, from the sums of the powers 1 to 4 of the differences from
/// `centre`, which is nearly the mean.
PartialMoments about_the_mean(double count, double sum, double centre, const double* sums) {
    PartialMoments part;
    part.count = count;
    part.sum = sum;
    const double off = sums[0] / count;
    part.mean = std::isfinite(centre) ? two_sum(centre, off) : TwoSum{centre, 0};
    part.squares = sums[1] - sums[0] * off;
    part.cubes = sums[2] - 3 * off * sums[1] + 2 * off * off * sums[0];
    part.fourths =
        sums[3] - 4 * off * sums[2] + 6 * off * off * sums[1] - 3 * off * off * off * sums[0];
    if (part.squares < 0) part.squares = 0;
    if (part.fourths < 0) part.fourths = 0;
    return part;
}

/// Moments of columns, one beside the other. Empty before anything is added.
struct ColumnsFold {
    using Type = boost::container::small_vector<PartialMoments, 1>;
    static Type identity() { return {}; }
    static Type combine(const Type& a, const Type& b) {
        if (a.empty()) return b;
        Type both(a.size());
        for (std::size_t c = 0; c < a.size(); ++c)
            both[c] = PartialMomentsFold::combine(a[c], b[c]);
        return both;
    }
};
using Columns = ColumnsFold::Type;

/// The moments of the columns of rows of float64 elements, `width` of them in each row.
class ColumnMoments {
public:
    /// `width` is at most kMostColumnsOfSums.
    ColumnMoments(const Operand& source, index_t width, int power)
        : runs_(source, kMomentsChunk), width_(width), power_(power) {}

    /// The rows of a chunk: a multiple of eight, so that no chunk but the last has a rest.
    static index_t chunk(index_t width) { return kMomentsChunk / width / 8 * 8; }

    /// The number of threads that pays for `count` elements.
    int threads(index_t count) const { return runs_.threads(count, costs::kMomentsElement); }

    /// Of a chunk. If another one follows before row `end`, its rows are summed with the powers of
    /// this one.
    Columns operator()(index_t row, index_t rows, index_t end) {
        const bool and_next = runs_.in_memory() && end - row >= 2 * chunk(width_);
        const double* const x = runs_(row * width_, rows * width_);
        const auto width = static_cast<std::size_t>(width_);
        const auto count = static_cast<double>(rows);
        double first[kMostColumnsOfSums][3];
        double means[kMostColumnsOfSums];
        double sums[kMostColumnsOfSums][4];
        if (row == next_row_)
            std::copy_n(next_[0], 3 * width, first[0]);
        else
            kernels_.sum_and_extremes(x, rows, width_, first[0]);
        for (std::size_t c = 0; c < width; ++c) means[c] = first[c][0] / count;
        kernels_.sum_powers(x, rows, width_, means, power_, sums[0],
                            and_next ? x + rows * width_ : nullptr, next_[0]);
        next_row_ = and_next ? row + rows : -1;
        Columns columns(width);
        for (std::size_t c = 0; c < width; ++c) {
            PartialMoments& part = columns[c];
            part = about_the_mean(count, first[c][0], means[c], sums[c]);
            part.least = first[c][1];
            part.greatest = first[c][2];
            if (!std::isnan(first[c][0])) continue;
            // As +inf and -inf are added, or an element is NaN.
            for (const double* e = x + c; e < x + rows * width_; e += width_)
                if (std::isnan(*e)) part.least = part.greatest = *e;
        }
        return columns;
    }

private:
    const KernelTable& kernels_ = kernels();
    ElementRuns<double> runs_;
    index_t width_;
    int power_;
    index_t next_row_ = -1; ///< where the chunk begins whose first sums next_ holds
    double next_[kMostColumnsOfSums][3];
};

PartMoments result_of(const PartialMoments& part) {
    return {part.count, part.sum,     part.mean.high, part.squares,
            part.cubes, part.fourths, part.least,     part.greatest};
}

/// All groups together, by reductions of the whole source: the means first, then the sums of the
/// powers of the differences from them.
void moments_by_reductions(const Operand& source, index_t groups, const MomentsWanted& wanted,
                           PartialMoments* out) {
    const index_t group = source.dims.size() / groups;
    const auto count = static_cast<double>(group);
    const auto number_of = static_cast<std::size_t>(groups);
    const auto reduced = [&](Reduction reduction, const Operand& x) {
        return folds_of_groups(reduction, x, groups);
    };
    const std::vector<double> totals = reduced(Reduction::sum, source);
    std::vector<double> means(number_of);
    for (std::size_t g = 0; g < number_of; ++g) means[g] = totals[g] / count;
    const Operand off = differences_from(source, means);
    const auto times = [](const Operand& x, const Operand& y) {
        return elementwise<2>(Op::multiply, float64, {x, y});
    };
    const Operand square = times(off, off);
    std::vector<double> sums[4] = {std::vector<double>(number_of), std::vector<double>(number_of),
                                   std::vector<double>(number_of), std::vector<double>(number_of)};
    if (wanted.power >= 2) {
        sums[0] = reduced(Reduction::sum, off);
        sums[1] = reduced(Reduction::sum, square);
    }
    if (wanted.power >= 3) sums[2] = reduced(Reduction::sum, times(square, off));
    if (wanted.power >= 4) sums[3] = reduced(Reduction::sum, times(square, square));
    std::vector<double> least(number_of);
    std::vector<double> greatest(number_of);
    if (wanted.extremes) {
        least = reduced(Reduction::minimum, source);
        greatest = reduced(Reduction::maximum, source);
    }
    for (std::size_t g = 0; g < number_of; ++g) {
        const double of_group[4] = {sums[0][g], sums[1][g], sums[2][g], sums[3][g]};
        PartialMoments part = about_the_mean(count, totals[g], means[g], of_group);
        part.least = least[g];
        part.greatest = greatest[g];
        out[g] = part;
    }
}

/// The moments of groups of a source in which nothing is left to be realised.
void moments_of_groups(const Operand& source, index_t groups, const MomentsWanted& wanted,
                       PartialMoments* out) {
    const index_t group = source.dims.size() / groups;
    ArrangedSource arranged;
    const bool strided = arrange(source, groups, arranged);
    const index_t width = strided ? arranged.columns() : 1;
    if (groups == 1 || (group >= kLongMomentsGroup && width <= kMostColumnsOfSums)) {
        // Blocks of rows of `width` elements.
        const Operand blocks = strided ? arranged.columns_last() : source;
        const auto make = [&] { return ColumnMoments(blocks, width, wanted.power); };
        ColumnMoments first = make();
        fold_groups<ColumnsFold>(groups / width, group, ColumnMoments::chunk(width),
                                 first.threads(source.dims.size()), first, make,
                                 [&](index_t block, const Columns& columns) {
                                     for (index_t c = 0; c < width; ++c)
                                         out[arranged.result_place(block * width + c)] =
                                             columns[static_cast<std::size_t>(c)];
                                 });
    } else if (strided) {
        moments_by_reductions(source, groups, wanted, out);
    } else {
        // Computed once into memory, as `moments_by_reductions` reads it several times.
        const RealisedElements<double> elements(source);
        moments_by_reductions(elements.operand(source), groups, wanted, out);
    }
}

/// Of an expression over arrays of chunks, cell by cell. Returns false, with nothing written, for
/// others.
bool moments_of_chunks(const Operand& source, index_t groups, const MomentsWanted& wanted,
                       PartMoments* out) {
    ChunkedParts parts;
    if (!parts.may_find(source) || !parts.find(source, groups)) return false;
    parts.run(
        "moments", sizeof(PartialMoments),
        [&](const WalkedCell& cell, index_t count, void* results) {
            const RealisedOperand realised("moments", cell.operand);
            moments_of_groups(*realised, count, wanted, static_cast<PartialMoments*>(results));
        },
        [&](void* into, const void* more, index_t count) {
            auto* const first = static_cast<PartialMoments*>(into);
            const auto* const second = static_cast<const PartialMoments*>(more);
            for (index_t i = 0; i < count; ++i)
                first[i] = PartialMomentsFold::combine(first[i], second[i]);
        },
        [&](const Box& kept, const void* results) {
            const auto* const found = static_cast<const PartialMoments*>(results);
            std::vector<PartMoments> moments;
            for (index_t i = 0; i < kept.size(); ++i) moments.push_back(result_of(found[i]));
            place_results(kept, parts.kept(), sizeof(PartMoments), moments.data(), out);
        });
    return true;
}

} // namespace

void moments(const Operand& given, index_t groups, const MomentsWanted& wanted, PartMoments* out) {
    if (given.node->reads(Below::blocks)) [[unlikely]]
        if (moments_of_chunks(given, groups, wanted, out)) return;
    if (groups == 0) return;
    if (given.dims.size() == 0) {
        std::fill_n(out, groups, PartMoments{});
        return;
    }
    boost::container::small_vector<PartialMoments, 1> found(static_cast<std::size_t>(groups));
    if (lies_elsewhere(given) && !is_sparse(given)) [[unlikely]] {
        const WatchedOperation watched("moments");
        moments_by_reductions(given, groups, wanted, found.data());
    } else {
        const EnteredOperation entered("moments", given);
        moments_of_groups(*entered, groups, wanted, found.data());
    }
    std::ranges::transform(found, out, result_of);
}

} // namespace purview
