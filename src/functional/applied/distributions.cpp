// Defines purview/functional/applied/random.hpp.
// Compiled without fused multiply-add (CMakeLists.txt), so that every machine rounds alike.

#include "functional/applied/samples.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/expression/progression.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// numerator / denominator: polynomials of degree 7 by Horner's rule, the highest coefficient
/// first.
double ratio(const double (&numerator)[8], const double (&denominator)[8], double r) noexcept {
    double above = numerator[0];
    double below = denominator[0];
    for (int i = 1; i < 8; ++i) {
        above = above * r + numerator[i];
        below = below * r + denominator[i];
    }
    return above / below;
}

constexpr double kCentre[8] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                               45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                               133.14166789178437745, 3.387132872796366608};
constexpr double kCentreBelow[8] = {
    5226.495278852854561,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1};
constexpr double kMiddle[8] = {7.7454501427834140764e-4, 0.0227238449892691845833,
                               0.24178072517745061177,   1.27045825245236838258,
                               3.64784832476320460504,   5.7694972214606914055,
                               4.6303378461565452959,    1.42343711074968357734};
constexpr double kMiddleBelow[8] = {1.05075007164441684324e-9, 5.475938084995344946e-4,
                                    0.0151986665636164571966,  0.14810397642748007459,
                                    0.68976733498510000455,    1.6763848301838038494,
                                    2.05319162663775882187,    1};
constexpr double kTail[8] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                             0.0012426609473880784386,  0.026532189526576123093,
                             0.29656057182850489123,    1.7848265399172913358,
                             5.4637849111641143699,     6.6579046435011037772};
constexpr double kTailBelow[8] = {2.04426310338993978564e-15, 1.4215117583164458887e-7,
                                  1.8463183175100546818e-5,   7.868691311456132591e-4,
                                  0.0148753612908506148525,   0.13692988092273580531,
                                  0.59983220655588793769,     1};

// What draws the samples of each distribution, one of a word.

template <std::floating_point T>
struct Uniform {
    static constexpr const char* kName = "random_uniform";
    // As many bits as the type's fraction has, so that every number is exact and less than 1.
    T operator()(std::uint64_t word) const noexcept {
        if constexpr (sizeof(T) == 8)
            return static_cast<T>(static_cast<std::int64_t>(word >> 11)) * T{0x1p-53};
        else
            return static_cast<T>(static_cast<std::int32_t>(word >> 40)) * T{0x1p-24F};
    }
};
struct Normal {
    static constexpr const char* kName = "random_normal";
    double average;
    double deviation;
    double operator()(std::uint64_t word) const noexcept {
        const double share =
            (static_cast<double>(static_cast<std::int64_t>(word >> 12)) + 0.5) * 0x1p-52;
        return average + deviation * normal_quantile(share);
    }
};
struct Exponential {
    static constexpr const char* kName = "random_exponential";
    double scale;
    double operator()(std::uint64_t word) const noexcept {
        const double share =
            static_cast<double>(static_cast<std::int64_t>(word >> 11) + 1) * 0x1p-53;
        return scale * -portable_log(share);
    }
};

/// The cumulative probabilities of a Poisson distribution, and samples from them.
class PoissonTable {
public:
    explicit PoissonTable(double rate) {
        const double mode = std::floor(rate);
        std::vector<double> below;
        double share = 1;
        for (double k = mode; k > 0 && share > kLeast; --k) {
            share = share * k / rate;
            below.push_back(share);
        }
        first_ = static_cast<std::int64_t>(mode) - std::ssize(below);
        shares_.assign(below.rbegin(), below.rend());
        share = 1;
        for (double k = mode; share > kLeast; ++k) {
            shares_.push_back(share);
            share = share * rate / (k + 1);
        }
        double total = 0;
        for (double& each : shares_) each = total += each;
        for (double& each : shares_) each /= total;
        guide_.resize(shares_.size());
        std::size_t place = 0;
        for (std::size_t i = 0; i < guide_.size(); ++i) {
            const double least = static_cast<double>(i) / static_cast<double>(guide_.size());
            while (shares_[place] <= least) ++place;
            guide_[i] = static_cast<std::int32_t>(place);
        }
    }

    std::int64_t operator()(std::uint64_t word) const {
        const double share = static_cast<double>(static_cast<std::int64_t>(word >> 11)) * 0x1p-53;
        // The guide gives a starting point, which rounding may have put too far; then the search
        // goes back.
        const auto guess = static_cast<std::size_t>(share * static_cast<double>(guide_.size()));
        auto place = static_cast<std::size_t>(guide_[std::min(guess, guide_.size() - 1)]);
        while (place > 0 && shares_[place - 1] > share) --place;
        while (shares_[place] <= share) ++place;
        return first_ + static_cast<std::int64_t>(place);
    }

private:
    static constexpr double kLeast = 0x1p-70;

    std::int64_t first_ = 0;
    std::vector<double> shares_; ///< the cumulative probability of each count; the last is 1
    std::vector<std::int32_t> guide_;
};

struct Poisson {
    static constexpr const char* kName = "random_poisson";
    explicit Poisson(double rate) : table(std::make_shared<const PoissonTable>(rate)) {}
    std::int64_t operator()(std::uint64_t word) const { return (*table)(word); }
    std::shared_ptr<const PoissonTable> table;
};

bool is_normal(double average, double deviation) noexcept {
    return std::isfinite(average) && std::isfinite(deviation) && deviation >= 0;
}
bool is_exponential(double scale) noexcept { return std::isfinite(scale) && scale >= 0; }
bool is_poisson(double rate) noexcept { return rate >= 0 && rate <= 0x1p32; }

/// `Draw` of the words of a seed that is a symbol: `x` has the indexes, the seed and, so that they are
/// saved, the parameters.
template <typename T, typename Draw, std::same_as<double>... P>
Operand drawn(std::span<const Operand> x, P... parameters) {
    std::array<Operand, 2 + sizeof...(P)> operands;
    std::ranges::copy(x, operands.begin());
    return map_operands<T, std::int64_t, std::uint64_t, P...>(
        FunctionName(Draw::kName, parameters...),
        [draw = Draw{parameters...}](std::int64_t i, std::uint64_t seed, P...) {
            return static_cast<T>(draw(random_word(seed, static_cast<std::uint64_t>(i))));
        },
        std::move(operands));
}

/// The indexes 0, 1, … of a row-major tensor.
Operand indexes_of(ShapeSpan shape) {
    const Operand line = progression_operand(0, Dimensions::row_major(shape).size() - 1);
    return {line.node, dimensions::reshape(line.dims, shape)};
}

template <typename T, typename Draw, std::same_as<double>... P>
Operand samples_of(ShapeSpan shape, const Seed& seed, P... parameters) {
    if (const auto* const number = node_as<Constant>(*seed.operand().node))
        return samples<T>(shape, *static_cast<const std::uint64_t*>(number->value()),
                          Draw{parameters...});
    return drawn<T, Draw>(
        std::array{indexes_of(shape), seed.operand(), constant_operand<double>(parameters)...},
        parameters...);
}

} // namespace

double portable_log(double x) noexcept {
    static constexpr double kLog2High = 0x1.62e42fee00000p-1;
    static constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
    static constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;
    static constexpr double kSeries[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                         1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<std::int64_t>(bits >> 52) - 1022;
    double fraction =
        std::bit_cast<double>((bits & 0xfffffffffffff) | std::uint64_t{1022} << 52); // [1/2, 1)
    if (fraction < kRootOfHalf) {
        fraction *= 2;
        --exponent;
    }
    const double f = fraction - 1;
    const double s = f / (2 + f);
    const double z = s * s;
    double series = 0;
    for (const double term : kSeries) series = series * z + term;
    // log(1 + f) = 2 s + 2 s z series, and 2 s = f - s f.
    const double rest = s * (2 * (z * series) - f);
    const auto multiple = static_cast<double>(exponent);
    return multiple * kLog2High + (f + (rest + multiple * kLog2Low));
}

double normal_quantile(double share) noexcept {
    const double q = share - 0.5;
    if (std::abs(q) <= 0.425) return q * ratio(kCentre, kCentreBelow, 0.180625 - q * q);
    const double r = std::sqrt(-portable_log(q < 0 ? share : 1 - share));
    const double size =
        r <= 5 ? ratio(kMiddle, kMiddleBelow, r - 1.6) : ratio(kTail, kTailBelow, r - 5);
    return q < 0 ? -size : size;
}

Seed::Seed(const Operand& symbol) {
    const DType dtype = symbol.dtype();
    const auto what = [&] {
        return fmt::format("seed: one integer is asked for, of rank 0, and {}{} is given",
                           dtype.name(), to_string(symbol.dims.max_shape()));
    };
    if (symbol.dims.rank() != 0) throw ShapeError(what());
    if (!dtype.is_integer() || dtype == boolean) throw DtypeError(what());
    operand_ = cast_operand(symbol, uint64, Op::wrapping_cast);
}

Operand random_operand(ShapeSpan shape, const Seed& seed, DType dtype) {
    return dtype == float32 ? samples_of<float, Uniform<float>>(shape, seed)
                            : samples_of<double, Uniform<double>>(shape, seed);
}

Operand normal_operand(ShapeSpan shape, const Seed& seed, double average, double deviation,
                       DType dtype) {
    if (!is_normal(average, deviation))
        throw Error(
            fmt::format("random_normal: a mean of {} and a deviation of {}", average, deviation));
    return dtype == float32 ? samples_of<float, Normal>(shape, seed, average, deviation)
                            : samples_of<double, Normal>(shape, seed, average, deviation);
}

Operand exponential_operand(ShapeSpan shape, const Seed& seed, double scale, DType dtype) {
    if (!is_exponential(scale))
        throw Error(fmt::format("random_exponential: a scale of {}", scale));
    return dtype == float32 ? samples_of<float, Exponential>(shape, seed, scale)
                            : samples_of<double, Exponential>(shape, seed, scale);
}

Operand poisson_operand(ShapeSpan shape, const Seed& seed, double rate) {
    if (!is_poisson(rate))
        throw Error(fmt::format("random_poisson: the rate {} is not in [0, 2^32]", rate));
    return samples_of<std::int64_t, Poisson>(shape, seed, rate);
}

Operand samples_named(std::string_view name, DType dtype, std::span<const Operand> x) {
    if (x.size() < 2 || x[0].dtype() != int64 || x[1].dtype() != uint64) return {};
    std::vector<double> p;
    for (const Operand& each : x.subspan(2)) {
        const auto* const number = node_as<Constant>(*each.node);
        if (number == nullptr || number->dtype() != float64) return {};
        p.push_back(*static_cast<const double*>(number->value()));
    }
    if (name == Poisson::kName && p.size() == 1 && is_poisson(p[0]) && dtype == int64)
        return drawn<std::int64_t, Poisson>(x, p[0]);
    if (dtype != float32 && dtype != float64) return {};
    const bool narrow = dtype == float32;
    if (name == Uniform<double>::kName && p.empty())
        return narrow ? drawn<float, Uniform<float>>(x) : drawn<double, Uniform<double>>(x);
    if (name == Normal::kName && p.size() == 2 && is_normal(p[0], p[1]))
        return narrow ? drawn<float, Normal>(x, p[0], p[1]) : drawn<double, Normal>(x, p[0], p[1]);
    if (name == Exponential::kName && p.size() == 1 && is_exponential(p[0]))
        return narrow ? drawn<float, Exponential>(x, p[0]) : drawn<double, Exponential>(x, p[0]);
    return {};
}

} // namespace purview
