#include "reductions/partial_results.hpp"

#include "evaluation/exact_sums.hpp"
#include "expressions/seen_part.hpp"
#include "reductions/states_of.hpp"

#include <purview/base/not_finite.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1::mpi {
namespace {

// --- folds of the engine -------------------------------------------------------------------------

template <typename T>
bool is_nan(T x) noexcept {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(x);
    else
        return false;
}
/// Integers wrap.
template <typename T>
using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

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
template <Extreme extreme>
struct Chosen {
    static constexpr Reduction kFold =
        extreme == Extreme::least ? Reduction::minimum : Reduction::maximum;
    template <typename T>
    static constexpr T nothing() {
        constexpr bool kIsLeast = extreme == Extreme::least;
        if constexpr (std::is_floating_point_v<T>)
            return kIsLeast ? kInfiniteNumber<T> : -kInfiniteNumber<T>;
        else
            return kIsLeast ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    template <typename T>
    static constexpr T kNothing = nothing<T>();
    template <typename T>
    static bool is_better(T x, T than) {
        if (is_nan(than)) return false;
        return is_nan(x) || (extreme == Extreme::least ? x < than : than < x);
    }
    template <typename T>
    static T joined(T a, T b) {
        return is_better(b, a) ? b : a;
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
                *result++ = state / static_cast<State>(elements);
            else
                *result++ = state;
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

// --- exact sums ----------------------------------------------------------------------------------

template <typename T>
class ExactlySummed final : public StatesOf<ExactAccumulator::State> {
public:
    ExactlySummed() : StatesOf(kDType<T>) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(states_at(states, count), ExactAccumulator::State{});
    }
    void fold(const ReducedView& view, const PlacesInWhole&, std::byte* states) const override {
        std::vector<ExactAccumulator> sums(static_cast<std::size_t>(view.groups));
        accumulate_exactly(view.operand, view.groups, sums.data());
        auto sum = sums.begin();
        for (ExactAccumulator::State& state : states_at(states, view.groups))
            state = (sum++)->state();
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = states_at(right, count);
        auto each = more.begin();
        for (ExactAccumulator::State& state : states_at(left, count)) {
            for (std::size_t i = 0; i < state.size(); ++i) state[i] += (*each)[i];
            ++each;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<T*>(out);
        for (const ExactAccumulator::State& state : states_at(states, count))
            *result++ = ExactAccumulator(state).value<T>();
    }
};

// --- the places of extremes ----------------------------------------------------------------------

template <typename T>
struct Placed {
    T value;
    index_t place; ///< in the whole; -1: of no element
};

template <typename T, Extreme extreme>
class PlaceOfExtreme final : public StatesOf<Placed<T>> {
public:
    PlaceOfExtreme() : StatesOf<Placed<T>>(int64, AxisOrder::as_named, true) {}

    void clear(std::byte* states, index_t count) const override {
        std::ranges::fill(this->states_at(states, count), Placed<T>{T{}, -1});
    }
    void fold(const ReducedView& view, const PlacesInWhole& places,
              std::byte* states) const override {
        const auto groups = static_cast<std::size_t>(view.groups);
        std::vector<std::int64_t> found(groups);
        const auto values = std::make_unique<T[]>(groups);
        arg_extreme(extreme, view.operand, view.groups, found.data());
        if (groups == 1)
            read_all(element_at(view.operand, found[0]), values.get());
        else
            purview::reduce(Chosen<extreme>::kFold, view.operand, view.groups, values.get());
        auto state = this->states_at(states, view.groups).begin();
        for (std::size_t g = 0; g < groups; ++g) *state++ = {values[g], places(found[g])};
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        const auto more = this->states_at(right, count);
        auto each = more.begin();
        for (Placed<T>& a : this->states_at(left, count)) {
            const Placed<T>& b = *each++;
            if (is_before(b, a)) a = b;
        }
    }
    void finish(const std::byte* states, index_t count, index_t, std::byte* out) const override {
        auto* result = reinterpret_cast<std::int64_t*>(out);
        for (const Placed<T>& state : this->states_at(states, count)) *result++ = state.place;
    }

private:
    using Best = Chosen<extreme>;

    static bool is_before(const Placed<T>& x, const Placed<T>& than) {
        if (x.place < 0) return false;
        if (than.place < 0 || Best::is_better(x.value, than.value)) return true;
        return !Best::is_better(than.value, x.value) && x.place < than.place;
    }
    static Operand element_at(const Operand& x, index_t place) {
        Box box;
        const ShapeSpan shape = x.dims.max_shape();
        box.begin.resize(shape.size(), 0);
        box.end.resize(shape.size(), 0);
        for (std::size_t a = shape.size(); a-- > 0; place /= shape[a]) {
            box.begin[a] = place % shape[a];
            box.end[a] = box.begin[a] + 1;
        }
        return {x.node, part_of(x.dims, box)};
    }
};

// --- the statistics ------------------------------------------------------------------------------

using Made = std::unique_ptr<const PartialResults>;

template <typename By>
Made accumulated_by(DType element) {
    if (element == float32) return std::make_unique<Folded<float, By>>();
    if (element == float64) return std::make_unique<Folded<double, By>>();
    const bool is_unsigned =
        element == uint8 || element == uint16 || element == uint32 || element == uint64;
    if (is_unsigned) return std::make_unique<Folded<std::uint64_t, By>>();
    return std::make_unique<Folded<std::int64_t, By>>();
}

Made mean_of(DType element) {
    if (element == float32) return std::make_unique<Folded<float, Added, true>>();
    return std::make_unique<Folded<double, Added, true>>();
}

template <Extreme extreme>
Made extreme_of(const char* what, DType element) {
    return visit_dtype(element, what, []<typename T>(std::type_identity<T>) -> Made {
        return std::make_unique<Folded<T, Chosen<extreme>>>(true);
    });
}

template <Extreme extreme>
Made place_of(const char* what, DType element) {
    return visit_dtype(element, what, []<typename T>(std::type_identity<T>) -> Made {
        return std::make_unique<PlaceOfExtreme<T, extreme>>();
    });
}

} // namespace

PartialResults::~PartialResults() = default;

Made PartialResults::of(Statistic statistic, DType element) {
    const char* const what = name_of(statistic);
    if (!element.is_builtin()) throw_dtype_unsupported(what, element);
    switch (statistic) {
    case Statistic::exact_sum:
        if (element == float32) return std::make_unique<ExactlySummed<float>>();
        if (element == float64) return std::make_unique<ExactlySummed<double>>();
        [[fallthrough]];
    case Statistic::sum: return accumulated_by<Added>(element);
    case Statistic::product: return accumulated_by<Multiplied>(element);
    case Statistic::mean: return mean_of(element);
    case Statistic::variance: return partial_variance(element, 0);
    case Statistic::sample_variance: return partial_variance(element, 1);
    case Statistic::min: return extreme_of<Extreme::least>(what, element);
    case Statistic::max: return extreme_of<Extreme::greatest>(what, element);
    case Statistic::any_of: return std::make_unique<Folded<bool, Truth<true>>>();
    case Statistic::all_of: return std::make_unique<Folded<bool, Truth<false>>>();
    case Statistic::count_true: return std::make_unique<Counted>();
    case Statistic::argmin: return place_of<Extreme::least>(what, element);
    case Statistic::argmax: break;
    }
    return place_of<Extreme::greatest>(what, element);
}

const char* name_of(Statistic statistic) noexcept {
    switch (statistic) {
    case Statistic::sum:
    case Statistic::exact_sum: return "sum";
    case Statistic::product: return "product";
    case Statistic::mean: return "mean";
    case Statistic::variance: return "variance";
    case Statistic::sample_variance: return "sample_variance";
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
