// Defines reductions/states_of.hpp.
#include "reductions/states_of.hpp"

#include <purview/evaluation/moments.hpp>

#include <algorithm>
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
    explicit Variance(index_t correction) : StatesOf(kDType<R>), correction_(correction) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), Moments{});
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
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
    void finish(const std::byte* states, index_t count, index_t elements,
                std::byte* out) const override {
        const auto divisor = static_cast<double>(std::max<index_t>(elements - correction_, 0));
        auto* result = reinterpret_cast<R*>(out);
        for (const Moments& state : states_at(states, count))
            *result++ = static_cast<R>(state.squares / divisor);
    }

private:
    index_t correction_;
};

} // namespace

std::unique_ptr<const PartialResults> partial_variance(DType element, index_t correction) {
    if (element == float32) return std::make_unique<Variance<float>>(correction);
    return std::make_unique<Variance<double>>(correction);
}

} // namespace purview
