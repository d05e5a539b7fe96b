// Defines purview/evaluation/moments.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/folds/two_sum.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/realised_elements.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/statistics/differences.hpp"
#include "engine/threads/branches.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements of each operand per chunk: a chunk is read twice, the second time from the first-level
/// cache.
constexpr index_t kPairChunk = 2048;

struct PartialPairMoments {
    double count = 0;
    TwoSum mean_x;
    TwoSum mean_y;
    double squares_x = 0;
    double squares_y = 0;
    double products = 0;
};

struct PairMomentsFold {
    using Type = PartialPairMoments;
    static PartialPairMoments identity() { return {}; }
    static PartialPairMoments combine(const PartialPairMoments& a, const PartialPairMoments& b) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        const double n = a.count + b.count;
        const double share = b.count / n;
        const double weight = a.count * share;
        const double shift_x = difference(b.mean_x, a.mean_x);
        const double shift_y = difference(b.mean_y, a.mean_y);
        return {n,
                plus(a.mean_x, shift_x * share),
                plus(a.mean_y, shift_y * share),
                a.squares_x + b.squares_x + shift_x * shift_x * weight,
                a.squares_y + b.squares_y + shift_y * shift_y * weight,
                a.products + b.products + shift_x * shift_y * weight};
    }
};

/// From sums about the rounded means to moments about the means.
PartialPairMoments about_the_means(double count, double centre_x, double centre_y,
                                   const double* sums) {
    return {count,
            two_sum(centre_x, sums[0] / count),
            two_sum(centre_y, sums[1] / count),
            sums[2] - sums[0] * (sums[0] / count),
            sums[3] - sums[1] * (sums[1] / count),
            sums[4] - sums[0] * (sums[1] / count)};
}

PartialPairMoments of_chunk(const KernelTable& kernels, const double* x, const double* y,
                            index_t length) {
    const auto count = static_cast<double>(length);
    double first[3];
    kernels.sum_and_extremes(x, length, 1, first);
    const double centre_x = first[0] / count;
    kernels.sum_and_extremes(y, length, 1, first);
    const double centre_y = first[0] / count;
    double sums[5];
    kernels.sum_products(x, y, length, centre_x, centre_y, sums);
    return about_the_means(count, centre_x, centre_y, sums);
}

PairMoments result_of(const PartialPairMoments& all) {
    return {all.count,     all.mean_x.high, all.mean_y.high,
            all.squares_x, all.squares_y,   all.products};
}

/// The source itself; or a row-major copy of it, where the fastest axis of its memory is a kept
/// one, so that the elements of a group are not contiguous.
class ContiguousGroups {
public:
    ContiguousGroups(const Operand& source, index_t groups) : source_(source) {
        ArrangedSource arranged;
        if (groups == 1 || !arrange(source, groups, arranged) || !arranged.source.axes.back().kept)
            return;
        copy_.emplace(source);
        source_ = copy_->operand(source);
    }
    const Operand& source() const { return source_; }

private:
    Operand source_;
    std::optional<RealisedElements<double>> copy_;
};

/// All groups together, by reductions of the sources where these lie.
void pairs_by_reductions(const Operand& x, const Operand& y, index_t groups, PairMoments* out) {
    const auto count = static_cast<double>(x.dims.size() / groups);
    const auto sums = [&](const Operand& each) {
        return folds_of_groups(Reduction::sum, each, groups);
    };
    const auto product = [](const Operand& a, const Operand& b) {
        return elementwise<2>(Op::multiply, float64, {a, b});
    };
    std::vector<double> means_x = sums(x);
    std::vector<double> means_y = sums(y);
    for (std::vector<double>* const means : {&means_x, &means_y})
        for (double& mean : *means) mean /= count;
    const Operand off_x = differences_from(x, means_x);
    const Operand off_y = differences_from(y, means_y);
    const std::vector<double> of[] = {sums(off_x), sums(off_y), sums(product(off_x, off_x)),
                                      sums(product(off_y, off_y)), sums(product(off_x, off_y))};
    for (std::size_t g = 0; g < means_x.size(); ++g) {
        const double part[] = {of[0][g], of[1][g], of[2][g], of[3][g], of[4][g]};
        out[g] = result_of(about_the_means(count, means_x[g], means_y[g], part));
    }
}

class PairRuns {
public:
    PairRuns(const Operand& x, const Operand& y) : x_(x, kPairChunk), y_(y, kPairChunk) {}

    int threads(index_t count) const {
        const int threads_y = y_.threads(count, costs::kPairOfMoments);
        return threads_y <= 1 ? 1 : std::min(x_.threads(count, costs::kPairOfMoments), threads_y);
    }
    PartialPairMoments operator()(index_t begin, index_t length, index_t) {
        return of_chunk(kernels_, x_(begin, length), y_(begin, length), length);
    }
    /// Calls `put(group, moments)` for the groups [first, last) of `group` elements each. Short groups
    /// are read together, as many as fit into a chunk.
    template <typename Put>
    void parts(index_t first, index_t last, index_t group, const Put& put) {
        for (index_t together; first < last; first += together) {
            together = std::clamp<index_t>(kPairChunk / group, 1, last - first);
            if (group > kPairChunk) {
                put(first, fold_chunks<PairMomentsFold>(first * group, group, kPairChunk, *this));
                continue;
            }
            const double* const x = x_(first * group, together * group);
            const double* const y = y_(first * group, together * group);
            for (index_t g = 0; g < together; ++g)
                put(first + g, of_chunk(kernels_, x + g * group, y + g * group, group));
        }
    }

private:
    const KernelTable& kernels_ = kernels();
    ElementRuns<double> x_;
    ElementRuns<double> y_;
};

/// Calls `put(group, moments)` for each group, from any thread.
template <typename Put>
void fold_pairs(const Operand& given_x, const Operand& given_y, index_t groups, const Put& put) {
    const RealisedOperand realised_x("covariance", given_x);
    const RealisedOperand realised_y("covariance", given_y);
    const ContiguousGroups rows_x(*realised_x, groups);
    const ContiguousGroups rows_y(*realised_y, groups);
    const Operand& x = rows_x.source();
    const Operand& y = rows_y.source();
    const index_t size = x.dims.size();
    const index_t group = size / groups;
    const auto make = [&] { return PairRuns(x, y); };
    PairRuns runs = make();
    const int threads = runs.threads(size);
    if (groups > 1)
        parallel_for(groups, 1, threads,
                     [&](index_t first, index_t last) { make().parts(first, last, group, put); });
    else
        fold_groups<PairMomentsFold>(1, size, kPairChunk, threads, runs, make, put);
}

/// Moments of expressions over arrays of chunks, cell by cell: of both in one cell at a time. Returns
/// false for others.
bool fold_pairs_of_chunks(const Operand& x, const Operand& y, index_t groups, PairMoments* out) {
    const Operand both = elementwise<2>(Op::multiply, float64, {x, y}); // never multiplied
    ChunkedParts parts;
    if (!ChunkedParts::may_find(both) || !parts.find(both, groups)) return false;
    parts.run(
        "covariance", sizeof(PartialPairMoments),
        [](const WalkedCell& cell, index_t groups_of_cell, void* results) {
            const auto& pair = *node_as<Elementwise>(*cell.operand.node);
            fold_pairs(pair.operand(0), pair.operand(1), groups_of_cell,
                       [&](index_t g, const PartialPairMoments& part) {
                           static_cast<PartialPairMoments*>(results)[g] = part;
                       });
        },
        [](void* into, const void* more, index_t count) {
            auto* const all = static_cast<PartialPairMoments*>(into);
            for (index_t g = 0; g < count; ++g)
                all[g] = PairMomentsFold::combine(all[g],
                                                  static_cast<const PartialPairMoments*>(more)[g]);
        },
        [&](const Box& box, const void* results) {
            for_rows(box, parts.kept(), [&](index_t from, index_t to, index_t count) {
                std::transform(static_cast<const PartialPairMoments*>(results) + from,
                               static_cast<const PartialPairMoments*>(results) + from + count,
                               out + to, result_of);
            });
        });
    return true;
}

} // namespace

void pair_moments(const Operand& x, const Operand& y, index_t groups, PairMoments* out) {
    const WatchedOperation watched("covariance");
    std::fill_n(out, groups, PairMoments{});
    if (x.dims.size() == 0) return;
    if (lies_elsewhere(x) || lies_elsewhere(y)) [[unlikely]]
        return pairs_by_reductions(x, y, groups, out);
    if (x.node->reads(Below::blocks) || y.node->reads(Below::blocks)) [[unlikely]]
        if (fold_pairs_of_chunks(x, y, groups, out)) return;
    fold_pairs(x, y, groups,
               [&](index_t g, const PartialPairMoments& part) { out[g] = result_of(part); });
}

} // namespace purview
