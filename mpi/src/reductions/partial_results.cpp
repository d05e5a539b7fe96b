#include "reductions/partial_results.hpp"

#include "evaluation/exact_sums.hpp"
#include "evaluation/scaled_products.hpp"
#include "reductions/chosen.hpp"
#include "reductions/states_of.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1::mpi {
namespace {

// --- folds of the engine -------------------------------------------------------------------------

/// Integers wrap.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

struct Added {
    static constexpr Reduction kFold = Reduction::sum;
    template <typename T>
    static constexpr T kNothing = 0;
    template <typename T>
    static T joined(T a, T b) {
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    }
};
struct Multiplied {
    static constexpr Reduction kFold = Reduction::product;
    template <typename T>
    static constexpr T kNothing = 1;
    template <typename T>
    static T joined(T a, T b) {
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    }
};
template <bool any>
struct Truth {
    static constexpr Reduction kFold = any ? Reduction::any_of : Reduction::all_of;
    template <typename T>
    static constexpr T kNothing = !any;
    static bool joined(bool a, bool b) { return any ? a || b : a && b; }
};

/// The fold of elements as `State`, divided by their number for a mean.
template <typename State, typename By, bool averages = false>
class Folded final : public StatesOf<State> {
public:
    explicit Folded(bool needs_elements = false)
        : StatesOf<State>(kDType<State>, AxisOrder::of_operand, needs_elements) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), By::template kNothing<State>);
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        purview::reduce(By::kFold, elements_as(view.operand, kDType<State>), view.groups, states);
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (State& state : this->states_at(left, count)) state = By::joined(state, *each++);
    }
    void finish(const std::byte* states, index_t count, index_t elements,
                std::byte* out) const override {
        auto* result = reinterpret_cast<State*>(out);
        for (const State& state : this->states_at(states, count))
            if constexpr (averages)
                *result++ = state / static_cast<typename PartOfComplex<State>::type>(elements);
            else
                *result++ = state;
    }
};

/// Products of floats and complex numbers: those of parts may lie outside of the range of the type.
template <typename T>
class Product final : public StatesOf<ScaledProductOf<T>> {
public:
    Product() : StatesOf<ScaledProductOf<T>>(kDType<T>) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), ScaledProductOf<T>());
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        scaled_products<T>(elements_as(view.operand, kDType<T>), view.groups,
                           this->states_at(states, view.groups).data());
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (ScaledProductOf<T>& product : this->states_at(left, count)) product.multiply(*each++);
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<T*>(out);
        for (const ScaledProductOf<T>& product : this->states_at(states, count))
            *result++ = product.template value<T>();
    }
};

class Counted final : public StatesOf<std::int64_t> {
public:
    Counted() : StatesOf(int64) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), 0);
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        count_true_elements(elements_as(view.operand, boolean), view.groups, states);
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = states_at(right, count);
        auto each = more.begin();
        for (std::int64_t& state : states_at(left, count)) state += *each++;
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        std::memcpy(out, states, static_cast<std::size_t>(count) * sizeof(std::int64_t));
    }
};

/// A fold of floats that are not NaN.
template <typename T>
struct FoldOfNumbers {
    T folded;
    std::int64_t numbers;
};

template <typename T, typename By, bool averages>
class FoldedNumbers final : public StatesOf<FoldOfNumbers<T>> {
public:
    FoldedNumbers() : StatesOf<FoldOfNumbers<T>>(kDType<T>, AxisOrder::of_operand, !averages) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count),
                          FoldOfNumbers<T>{By::template kNothing<T>, 0});
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        std::vector<T> folds(static_cast<std::size_t>(view.groups));
        purview::reduce(By::kFold, without_nan(view.operand, By::kFold), view.groups, folds.data());
        const std::vector<std::int64_t> counts = count_non_nan(view);
        auto state = this->states_at(states, view.groups).begin();
        for (std::size_t g = 0; g < folds.size(); ++g) *state++ = {folds[g], counts[g]};
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (FoldOfNumbers<T>& state : this->states_at(left, count)) {
            state.folded = By::joined(state.folded, each->folded);
            state.numbers += (each++)->numbers;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<T*>(out);
        for (const FoldOfNumbers<T>& state : this->states_at(states, count))
            if constexpr (averages)
                *result++ = state.folded / static_cast<T>(state.numbers);
            else
                *result++ = state.numbers > 0 ? state.folded : std::numeric_limits<T>::quiet_NaN();
    }
};

// --- exact sums ----------------------------------------------------------------------------------

template <typename T>
using ExactState = std::array<ExactAccumulator::State, ComplexElement<T> ? 2 : 1>;

/// Of complex numbers, each part by itself.
template <typename T>
class ExactlySummed final : public StatesOf<ExactState<T>> {
public:
    ExactlySummed() : StatesOf<ExactState<T>>(kDType<T>) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), ExactState<T>{});
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        if constexpr (ComplexElement<T>) {
            fold_part(real_part(view.operand), view.groups, 0, states);
            fold_part(imaginary_part(view.operand), view.groups, 1, states);
        } else {
            fold_part(view.operand, view.groups, 0, states);
        }
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (ExactState<T>& state : this->states_at(left, count)) {
            for (std::size_t p = 0; p < state.size(); ++p)
                for (std::size_t i = 0; i < state[p].size(); ++i) state[p][i] += (*each)[p][i];
            ++each;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<Part*>(out);
        for (const ExactState<T>& state : this->states_at(states, count))
            for (const ExactAccumulator::State& part : state)
                *result++ = ExactAccumulator(part).value<Part>();
    }

private:
    using Part = typename PartOfComplex<T>::type;

    static void fold_part(const Operand& x, index_t groups, std::size_t part, std::byte* states) {
        std::vector<ExactAccumulator> sums(static_cast<std::size_t>(groups));
        accumulate_exactly(x, groups, sums.data());
        auto sum = sums.begin();
        for (ExactState<T>& state : StatesOf<ExactState<T>>::states_at(states, groups))
            state[part] = (sum++)->state();
    }
};

// --- the statistics ------------------------------------------------------------------------------

using Made = std::unique_ptr<const PartialResults>;

/// In 64 bits.
template <typename By>
Made integers_by(DType element) {
    const bool is_unsigned =
        element == uint8 || element == uint16 || element == uint32 || element == uint64;
    if (is_unsigned) return std::make_unique<Folded<std::uint64_t, By>>();
    return std::make_unique<Folded<std::int64_t, By>>();
}

Made sum_of(DType element) {
    if (element == float32) return std::make_unique<Folded<float, Added>>();
    if (element == float64) return std::make_unique<Folded<double, Added>>();
    return integers_by<Added>(element);
}

Made product_of(DType element) {
    if (element == float32) return std::make_unique<Product<float>>();
    if (element == float64) return std::make_unique<Product<double>>();
    return integers_by<Multiplied>(element);
}

/// Of all elements, or of those that are not NaN.
template <typename T, typename By, bool averages>
Made folded([[maybe_unused]] bool skips_nan) {
    if constexpr (std::is_floating_point_v<T>)
        if (skips_nan) return std::make_unique<FoldedNumbers<T, By, averages>>();
    return std::make_unique<Folded<T, By, averages>>(!averages);
}

Made mean_of(DType element, bool skips_nan) {
    if (element == float32) return folded<float, Added, true>(skips_nan);
    return folded<double, Added, true>(skips_nan);
}

template <Extreme extreme>
Made extreme_of(const char* what, DType element, bool skips_nan) {
    return visit_dtype(element, what, [&]<typename T>(std::type_identity<T>) -> Made {
        return folded<T, Chosen<extreme>, false>(skips_nan);
    });
}

template <typename Complex>
Made of_complex(Statistic statistic, DType element) {
    switch (statistic) {
    case Statistic::exact_sum: return std::make_unique<ExactlySummed<Complex>>();
    case Statistic::sum: return std::make_unique<Folded<Complex, Added>>();
    case Statistic::product: return std::make_unique<Product<Complex>>();
    case Statistic::mean: return std::make_unique<Folded<Complex, Added, true>>();
    default: throw_dtype_unsupported(name_of(statistic), element);
    }
}

} // namespace

PartialResults::~PartialResults() = default;

Made PartialResults::of(Statistic statistic, DType element, bool skips_nan) {
    const char* const what = name_of(statistic);
    if (element == kDType<std::complex<float>>)
        return of_complex<std::complex<float>>(statistic, element);
    if (element == kDType<std::complex<double>>)
        return of_complex<std::complex<double>>(statistic, element);
    if (!element.is_builtin()) throw_dtype_unsupported(what, element);
    skips_nan = skips_nan && element.is_floating();
    switch (statistic) {
    case Statistic::exact_sum:
        if (element == float32) return std::make_unique<ExactlySummed<float>>();
        if (element == float64) return std::make_unique<ExactlySummed<double>>();
        [[fallthrough]];
    case Statistic::sum: return sum_of(element);
    case Statistic::product: return product_of(element);
    case Statistic::mean: return mean_of(element, skips_nan);
    case Statistic::variance: return partial_variance(element, 0, false, skips_nan);
    case Statistic::sample_variance: return partial_variance(element, 1, false, skips_nan);
    case Statistic::standard_deviation: return partial_variance(element, 0, true, skips_nan);
    case Statistic::sample_standard_deviation: return partial_variance(element, 1, true, skips_nan);
    case Statistic::norm: return partial_norm(element, skips_nan);
    case Statistic::min: return extreme_of<Extreme::least>(what, element, skips_nan);
    case Statistic::max: return extreme_of<Extreme::greatest>(what, element, skips_nan);
    case Statistic::any_of: return std::make_unique<Folded<bool, Truth<true>>>();
    case Statistic::all_of: return std::make_unique<Folded<bool, Truth<false>>>();
    case Statistic::count_true: return std::make_unique<Counted>();
    case Statistic::argmin: return partial_place(Extreme::least, element, skips_nan);
    case Statistic::argmax: break;
    }
    return partial_place(Extreme::greatest, element, skips_nan);
}

const char* name_of(Statistic statistic) noexcept {
    switch (statistic) {
    case Statistic::sum:
    case Statistic::exact_sum: return "sum";
    case Statistic::product: return "product";
    case Statistic::mean: return "mean";
    case Statistic::variance: return "variance";
    case Statistic::sample_variance: return "sample_variance";
    case Statistic::standard_deviation: return "standard_deviation";
    case Statistic::sample_standard_deviation: return "sample_standard_deviation";
    case Statistic::norm: return "norm";
    case Statistic::min: return "min";
    case Statistic::max: return "max";
    case Statistic::any_of: return "any_of";
    case Statistic::all_of: return "all_of";
    case Statistic::count_true: return "count_true";
    case Statistic::argmin: return "argmin";
    case Statistic::argmax: break;
    }
    return "argmax";
}

} // namespace purview
