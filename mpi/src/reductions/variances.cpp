// Defines reductions/states_of.hpp.
#include "reductions/states_of.hpp"

#include <purview/evaluation/moments.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

struct Moments {
    double count;
    double mean;
    double squares; ///< the sum of (x - mean)²
};

template <typename R>
class Variance final : public StatesOf<Moments> {
public:
    Variance(index_t correction, bool root, bool skips_nan)
        : StatesOf(kDType<R>), correction_(correction), root_(root), skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), Moments{});
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        if (skips_nan_) return fold_numbers(view, states);
        std::vector<PartMoments> parts(static_cast<std::size_t>(view.groups));
        purview::moments(elements_as(view.operand, float64), view.groups,
                         {.power = 2, .extremes = false}, parts.data());
        auto part = parts.begin();
        for (Moments& state : states_at(states, view.groups)) {
            state = {part->count, part->mean, part->squares};
            ++part;
        }
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = states_at(right, count);
        auto each = more.begin();
        for (Moments& a : states_at(left, count)) {
            const Moments& b = *each++;
            if (b.count == 0) continue;
            if (a.count == 0) {
                a = b;
                continue;
            }
            const double all = a.count + b.count;
            const double difference = b.mean - a.mean;
            a.mean += difference * (b.count / all);
            a.squares += b.squares + difference * difference * (a.count * (b.count / all));
            a.count = all;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<R*>(out);
        for (const Moments& state : states_at(states, count)) {
            const double divisor = state.count - static_cast<double>(correction_);
            const double variance = state.squares / std::max(divisor, 0.0);
            *result++ = static_cast<R>(root_ ? std::sqrt(variance) : variance);
        }
    }

private:
    static void fold_numbers(const ReducedView& view, std::byte* states) {
        const auto groups = static_cast<std::size_t>(view.groups);
        ReducedView wide = view;
        wide.operand = elements_as(view.operand, float64);
        std::vector<double> means(groups);
        std::vector<double> variances(groups);
        mean_reduction().run_on_non_nan(wide, means.data());
        variance_reduction(false, false).run_on_non_nan(wide, variances.data());
        const std::vector<std::int64_t> counts = count_non_nan(view);
        auto state = states_at(states, view.groups).begin();
        for (std::size_t g = 0; g < groups; ++g) {
            const auto count = static_cast<double>(counts[g]);
            *state++ = {count, means[g], count == 0 ? 0 : variances[g] * count};
        }
    }

    index_t correction_;
    bool root_;
    bool skips_nan_;
};

} // namespace

std::unique_ptr<const PartialResults> partial_variance(DType element, index_t correction, bool root,
                                                       bool skips_nan) {
    if (element == float32) return std::make_unique<Variance<float>>(correction, root, skips_nan);
    return std::make_unique<Variance<double>>(correction, root, skips_nan);
}

} // namespace purview
