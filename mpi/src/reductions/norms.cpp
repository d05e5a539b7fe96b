// Defines reductions/states_of.hpp.
#include "reductions/states_of.hpp"

#include "functional/reductions/typed_memory.hpp"

#include <purview/functional/reductions/norm.hpp>

#include <algorithm>
#include <cmath>

namespace purview::inline v0_1::mpi {
namespace {

/// Norms of parts are joined by `hypot`, which does not overflow before the result does.
template <typename R>
class Norm final : public StatesOf<double> {
public:
    explicit Norm(bool skips_nan) : StatesOf(kDType<R>), skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), 0.0);
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        ReducedView wide = view; // float32 is not rounded before all is joined
        wide.operand = elements_as(view.operand, float64);
        const Operand norms = norm_operand(wide, {}, NormOrder::frobenius(), skips_nan_);
        std::ranges::copy_n(reinterpret_cast<const double*>(memory_of(norms)), view.groups,
                            states_at(states, view.groups).begin());
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = states_at(right, count);
        auto each = more.begin();
        for (double& a : states_at(left, count)) {
            const double b = *each++;
            a = a != a || b != b ? a + b : std::hypot(a, b); // that of NaN and infinity is infinite
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<R*>(out);
        for (const double state : states_at(states, count)) *result++ = static_cast<R>(state);
    }

private:
    bool skips_nan_;
};

} // namespace

std::unique_ptr<const PartialResults> partial_norm(DType element, bool skips_nan) {
    if (element == float32) return std::make_unique<Norm<float>>(skips_nan);
    return std::make_unique<Norm<double>>(skips_nan);
}

} // namespace purview
