#include <purview/base/not_finite.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/folds/two_sum.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/realised_elements.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/statistics/differences.hpp"
#include "engine/statistics/joined_moments.hpp"
#include "engine/threads/branches.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/left_range.hpp"
#include "evaluation/numbers_only.hpp"
#include "evaluation/other_backend.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
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

/// Moments whose range may have been left, by the sums up to a power.
bool lost_digits(const PartMoments& part, int power) {
    return power >= 2 &&
           (left_range(part.squares, part.count) || (power > 2 && !std::isfinite(part.cubes)) ||
            (power > 3 && !std::isfinite(part.fourths)));
}

struct MomentsOfPartsFold {
    using Type = PartMoments;
    static PartMoments identity() { return {}; }
    static PartMoments combine(const PartMoments& a, const PartMoments& b) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        return joined_by_pebay(a, b);
    }
};

/// The central moments of a part, from the sums of the powers 1 to 4 of the differences from
/// `centre`, which is nearly the mean.
PartMoments about_the_mean(double count, double sum, double centre, const double* sums) {
    PartMoments part;
    part.count = count;
    part.sum = sum;
    const double off = sums[0] / count;
    const TwoSum mean = std::isfinite(centre) ? two_sum(centre, off) : TwoSum{centre, 0};
    part.mean = mean.high;
    part.mean_rest = mean.low;
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
    using Type = boost::container::small_vector<PartMoments, 1>;
    static Type identity() { return {}; }
    static Type combine(const Type& a, const Type& b) {
        if (a.empty()) return b;
        Type both(a.size());
        for (std::size_t c = 0; c < a.size(); ++c)
            both[c] = MomentsOfPartsFold::combine(a[c], b[c]);
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
            PartMoments& part = columns[c];
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

/// All groups together, by reductions of the whole source: the means first, then the sums of the
/// powers of the differences from them.
void moments_by_reductions(const Operand& source, index_t groups, const MomentsWanted& wanted,
                           PartMoments* out) {
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
        PartMoments part = about_the_mean(count, totals[g], means[g], of_group);
        part.least = least[g];
        part.greatest = greatest[g];
        out[g] = part;
    }
}

/// The moments of groups of a source in which nothing is left to be realised.
void moments_of_groups(const Operand& source, index_t groups, const MomentsWanted& wanted,
                       PartMoments* out) {
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

/// Wherever the elements lie.
void moments_anywhere(const Operand& source, index_t groups, const MomentsWanted& wanted,
                      PartMoments* out) {
    if (lies_elsewhere(source) || is_sparse(source)) [[unlikely]]
        moments_by_reductions(source, groups, wanted, out);
    else
        moments_of_groups(source, groups, wanted, out);
}

/// Those that leave the range are replaced by moments of elements near 1. Squares of elements of
/// ordinary size, and of their rounding, stay within it: a sum of 0 is right then.
void moments_in_range(const Operand& source, index_t groups, const MomentsWanted& wanted,
                      PartMoments* out) {
    moments_anywhere(source, groups, wanted, out);
    const std::span parts(out, static_cast<std::size_t>(groups));
    const auto is_lost = [&](const PartMoments& part) { return lost_digits(part, wanted.power); };
    if (std::ranges::none_of(parts, is_lost)) return;
    constexpr int kMostOrdinary = 150;
    constexpr int kMost = 1021; // whose inverse power of two is a normal number
    const std::vector<double> sizes = folds_of_groups(
        Reduction::maximum, elementwise<1>(Op::absolute, float64, {source}), groups);
    std::vector<double> factors;
    bool any = false;
    for (std::size_t g = 0; g < parts.size(); ++g) {
        factors.push_back(1);
        if (!is_lost(parts[g]) || !(sizes[g] > 0) || !std::isfinite(sizes[g])) continue;
        const int exponent = std::ilogb(sizes[g]);
        if (std::abs(exponent) < kMostOrdinary) continue;
        factors.back() = std::ldexp(1., -std::clamp(exponent, -kMost, kMost));
        any = true;
    }
    if (!any) return;
    std::vector<PartMoments> again(parts.size());
    const Operand near_one =
        elementwise<2>(Op::multiply, float64, {source, numbers_of_groups(source, factors)});
    moments_anywhere(near_one, groups, wanted, again.data());
    for (std::size_t g = 0; g < parts.size(); ++g) {
        if (factors[g] == 1) continue;
        PartMoments& part = parts[g];
        again[g].sum = part.sum;
        again[g].least = part.least;
        again[g].greatest = part.greatest;
        again[g].exponent = -std::ilogb(factors[g]);
        part = again[g];
    }
}

/// Of elements in which each NaN has been replaced by the mean of the others of its group, which does
/// not change that, and has no difference from it; where both infinities leave no mean, by one of them.
void moments_without_nan(const Operand& source, index_t groups, const MomentsWanted& wanted,
                         PartMoments* out) {
    const std::vector<double> counts =
        folds_of_groups(Reduction::sum, elements_as(is_number(source), float64), groups);
    const auto group = static_cast<double>(source.dims.size() / groups);
    if (std::ranges::all_of(counts, [&](double count) { return count == group; }))
        return moments_in_range(source, groups, wanted, out);
    const std::vector<double> sums =
        folds_of_groups(Reduction::sum, numbers_only(source, Reduction::sum), groups);
    std::vector<double> means;
    for (std::size_t g = 0; g < sums.size(); ++g)
        means.push_back(counts[g] == 0 ? 0 : sums[g] / counts[g]);
    if (std::ranges::any_of(means, [](double mean) { return !std::isfinite(mean); })) {
        // A sum may leave the range, where the mean does not: the sum of all shares of that.
        std::vector<double> shares;
        for (const double count : counts) shares.push_back(count == 0 ? 0 : 1 / count);
        means = folds_of_groups(Reduction::sum,
                                elementwise<2>(Op::multiply, float64,
                                               {numbers_only(source, Reduction::sum),
                                                numbers_of_groups(source, shares)}),
                                groups);
        for (double& mean : means)
            if (std::isnan(mean)) mean = kInfiniteNumber<double>;
    }
    moments_in_range(
        choose_operand(is_number(source), source, numbers_of_groups(source, means), float64),
        groups, wanted, out);
    for (std::size_t g = 0; g < sums.size(); ++g) {
        if (counts[g] == 0) {
            out[g] = {};
            continue;
        }
        out[g].count = counts[g];
        out[g].sum = sums[g];
    }
}

/// Of elements of a built-in type, in which nothing is left to be realised, wherever they lie.
void moments_of_part(const Operand& source, index_t groups, const MomentsWanted& wanted,
                     PartMoments* out) {
    const Operand floats = elements_as(source, float64);
    if (wanted.skips_nan && source.dtype().is_floating())
        return moments_without_nan(floats, groups, wanted, out);
    moments_in_range(floats, groups, wanted, out);
}

} // namespace

MomentsReducer::MomentsReducer(const char* name, DType result, const MomentsWanted& wanted,
                               Number number) noexcept
    : Reducer(name, result,
              wanted.power <= 2 && !wanted.extremes ? offsetof(PartMoments, cubes)
                                                    : sizeof(PartMoments)),
      wanted_(wanted),
      number_(number) {}

PartMoments MomentsReducer::moments_at(const std::byte* states, index_t i) const noexcept {
    PartMoments part;
    std::memcpy(&part, states + i * state_bytes(), static_cast<std::size_t>(state_bytes()));
    return part;
}
void MomentsReducer::put(std::byte* states, index_t i, const PartMoments& part) const noexcept {
    std::memcpy(states + i * state_bytes(), &part, static_cast<std::size_t>(state_bytes()));
}

bool MomentsReducer::has_states_of(const Reducer& other) const noexcept {
    const auto* const moments = dynamic_cast<const MomentsReducer*>(&other);
    return moments != nullptr && moments->wanted_ == wanted_;
}

void MomentsReducer::clear(std::byte* states, index_t count) const {
    for (index_t i = 0; i < count; ++i) put(states, i, {});
}

void MomentsReducer::fold(const FoldedPart& part, std::byte* states) const {
    boost::container::small_vector<PartMoments, 1> found(static_cast<std::size_t>(part.groups));
    moments_of_part(part.operand, part.groups, wanted_, found.data());
    for (index_t i = 0; const PartMoments& each : found) put(states, i++, each);
}

void MomentsReducer::join(std::byte* left, const std::byte* right, index_t count) const {
    for (index_t i = 0; i < count; ++i)
        put(left, i, joined(moments_at(left, i), moments_at(right, i), wanted_.power));
}

void MomentsReducer::finish(const std::byte* states, index_t count, index_t, void* out) const {
    for (index_t i = 0; i < count; ++i) {
        const double number = number_(moments_at(states, i));
        if (result() == float32)
            static_cast<float*>(out)[i] = static_cast<float>(number);
        else
            static_cast<double*>(out)[i] = number;
    }
}

void moments(const Operand& source, index_t groups, const MomentsWanted& wanted, PartMoments* out) {
    if (groups == 0) return;
    if (source.dims.size() == 0) {
        std::fill_n(out, groups, PartMoments{});
        return;
    }
    const MomentsReducer reducer("moments", float64, wanted, nullptr);
    boost::container::small_vector<std::byte, sizeof(PartMoments)> states(
        static_cast<std::size_t>(groups * reducer.state_bytes()));
    fold_part(reducer, {source, groups, [](index_t, index_t at) { return at; }}, states.data());
    for (index_t i = 0; i < groups; ++i) out[i] = reducer.moments_at(states.data(), i);
}

} // namespace purview
