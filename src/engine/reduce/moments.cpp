#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/folds/two_sum.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/branches.hpp"

#include <cmath>
#include <vector>

namespace purview {
namespace {

using namespace engine;

/// Elements per chunk: a chunk is read twice, the second time from the first-level cache.
constexpr index_t kMomentsChunk = 4096;

/// Groups that are shorter, or not contiguous in memory, are reduced together
/// (`moments_by_reductions`).
constexpr index_t kLongMomentsGroup = 512;

/// Nanoseconds for an element.
constexpr double kMomentsCost = 0.5;

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

PartialMoments of_chunk(const KernelTable& kernels, const double* x, index_t count) {
    double first[3];
    kernels.sum_and_extremes(x, count, first);
    const double mean = first[0] / static_cast<double>(count);
    double sums[4];
    kernels.sum_powers(x, count, mean, sums);
    PartialMoments part = about_the_mean(static_cast<double>(count), first[0], mean, sums);
    part.least = first[1];
    part.greatest = first[2];
    if (std::isnan(first[0])) // as +inf and -inf are added, or an element is NaN
        for (index_t i = 0; i < count; ++i)
            if (std::isnan(x[i])) part.least = part.greatest = x[i];
    return part;
}

PartialMoments of_range(ElementRuns<double>& runs, index_t begin, index_t count) {
    const KernelTable& kernels = engine::kernels();
    Cascade<PartialMomentsFold> cascade;
    for (const index_t end = begin + count; begin < end; begin += kMomentsChunk) {
        const index_t length = std::min(kMomentsChunk, end - begin);
        cascade.add(of_chunk(kernels, runs(begin, length), length));
    }
    return cascade.result();
}

PartMoments result_of(const PartialMoments& part) {
    return {part.count, part.sum,     part.mean.high, part.squares,
            part.cubes, part.fourths, part.least,     part.greatest};
}

PartialMoments of_all(const Operand& source) {
    const index_t size = source.dims.size();
    ElementRuns<double> runs(source, kMomentsChunk);
    const int threads = runs.threads(size, kMomentsCost);
    if (threads <= 1) return of_range(runs, 0, size);
    return fold_branches<PartialMomentsFold>(size, kMomentsChunk, threads, [&] {
        auto own = std::make_shared<ElementRuns<double>>(source, kMomentsChunk);
        return [own](index_t begin, index_t count) { return of_range(*own, begin, count); };
    });
}

/// All groups together, by reductions of the whole source: the means first, then the sums of the
/// powers of the differences from them.
void moments_by_reductions(const Operand& source, index_t groups, const MomentsWanted& wanted,
                           PartMoments* out) {
    const index_t group = source.dims.size() / groups;
    const auto count = static_cast<double>(group);
    const auto number_of = static_cast<std::size_t>(groups);
    const auto reduced = [&](Reduction reduction, const Operand& x) {
        std::vector<double> results(number_of);
        reduce(reduction, x, groups, results.data());
        return results;
    };
    const std::vector<double> totals = reduced(Reduction::sum, source);
    std::vector<double> means(number_of);
    for (std::size_t g = 0; g < number_of; ++g) means[g] = totals[g] / count;
    const Operand mean{memory_leaf(float64, means.data(), groups),
                       dimensions::repeated_groups(source.dims.max_shape(), groups)};
    const auto times = [](const Operand& x, const Operand& y) {
        return elementwise<2>(Op::multiply, float64, {x, y});
    };
    const Operand off = elementwise<2>(Op::subtract, float64, {source, mean});
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
        out[g] = result_of(part);
    }
}

} // namespace

void moments(const Operand& given, index_t groups, const MomentsWanted& wanted, PartMoments* out) {
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    if (groups == 0) return;
    if (source.dims.size() == 0) {
        std::fill_n(out, groups, PartMoments{});
        return;
    }
    const index_t group = source.dims.size() / groups;
    ArrangedSource arranged;
    const bool strided = arrange(source, groups, arranged);
    if (groups == 1) {
        *out = result_of(of_all(strided ? arranged.source.operand() : source));
    } else if (group >= kLongMomentsGroup && (!strided || !arranged.source.axes.back().kept)) {
        const int threads =
            ElementRuns<double>(source, 1).threads(source.dims.size(), kMomentsCost);
        parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
            ElementRuns<double> runs(source, kMomentsChunk);
            for (index_t g = first; g < last; ++g)
                out[g] = result_of(of_range(runs, g * group, group));
        });
    } else if (strided) {
        moments_by_reductions(source, groups, wanted, out);
    } else {
        // Computed once into memory, as `moments_by_reductions` reads it several times.
        MaterialisedElements<double> elements(source);
        const Operand kept{
            memory_leaf(float64, const_cast<double*>(elements.data()), source.dims.size()),
            Dimensions::row_major(source.dims.max_shape())};
        moments_by_reductions(kept, groups, wanted, out);
    }
}

} // namespace purview
