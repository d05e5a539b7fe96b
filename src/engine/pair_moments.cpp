#include <purview/expression/evaluate.hpp>
#include <purview/expression/moments.hpp>

#include "engine/branches.hpp"
#include "engine/element_runs.hpp"
#include "engine/kernels/selection.hpp"
#include "engine/two_sum.hpp"

#include <cmath>

namespace purview {
namespace {

using namespace engine;

/// Elements of both that are read twice, the second time from the first-level cache.
constexpr index_t kChunk = 2048;

/// Nanoseconds for a pair.
constexpr double kPairCost = 0.6;

struct Partial {
    double count = 0;
    TwoSum mean_x;
    TwoSum mean_y;
    double squares_x = 0;
    double squares_y = 0;
    double products = 0;
};

struct PartialFold {
    using Type = Partial;
    static Partial identity() { return {}; }
    static Partial combine(const Partial& a, const Partial& b) {
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

Partial of_chunk(const KernelTable& kernels, const double* x, const double* y, index_t length) {
    const auto count = static_cast<double>(length);
    double first[3];
    kernels.sum_and_extremes(x, length, first);
    const double centre_x = first[0] / count;
    kernels.sum_and_extremes(y, length, first);
    const double centre_y = first[0] / count;
    double sums[5];
    kernels.sum_products(x, y, length, centre_x, centre_y, sums);
    // Moved to the means.
    return {count,
            two_sum(centre_x, sums[0] / count),
            two_sum(centre_y, sums[1] / count),
            sums[2] - sums[0] * (sums[0] / count),
            sums[3] - sums[1] * (sums[1] / count),
            sums[4] - sums[0] * (sums[1] / count)};
}

class PairRuns {
public:
    PairRuns(const Operand& x, const Operand& y) : x_(x, kChunk), y_(y, kChunk) {}

    int threads(index_t count) const {
        const int threads_y = y_.threads(count, kPairCost);
        return threads_y <= 1 ? 1 : std::min(x_.threads(count, kPairCost), threads_y);
    }
    Partial operator()(index_t begin, index_t count) {
        const KernelTable& kernels = engine::kernels();
        Cascade<PartialFold> cascade;
        for (const index_t end = begin + count; begin < end; begin += kChunk) {
            const index_t length = std::min(kChunk, end - begin);
            cascade.add(of_chunk(kernels, x_(begin, length), y_(begin, length), length));
        }
        return cascade.result();
    }

private:
    ElementRuns<double> x_;
    ElementRuns<double> y_;
};

} // namespace

PairMoments pair_moments(const Operand& x, const Operand& y) {
    const index_t size = x.dims.size();
    if (size == 0) return {};
    PairRuns runs(x, y);
    const int threads = runs.threads(size);
    const Partial all =
        threads <= 1 ? runs(0, size) : fold_branches<PartialFold>(size, kChunk, threads, [&] {
            auto own = std::make_shared<PairRuns>(x, y);
            return [own](index_t begin, index_t count) { return (*own)(begin, count); };
        });
    return {all.count,     all.mean_x.high, all.mean_y.high,
            all.squares_x, all.squares_y,   all.products};
}

} // namespace purview
