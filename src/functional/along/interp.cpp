#include "functional/along/sorted_search.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/interp.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The number of elements whose places are found before their values are computed.
constexpr index_t kInterpBlock = 512;

/// The remainder with the sign of the divisor, as in Python.
double modulo(double x, double period) {
    const double rest = std::fmod(x, period);
    return rest < 0 ? rest + period : rest;
}

/// A piecewise linear function through points in ascending order.
class Lines {
public:
    Lines(std::vector<double> xp, std::vector<double> fp, const InterpOptions& options)
        : xp_(std::move(xp)),
          fp_(std::move(fp)),
          left_(options.left.value_or(fp_.front())),
          right_(options.right.value_or(fp_.back())) {}

    const std::vector<double>& places() const noexcept { return xp_; }

    /// The value at x; `behind` is the number of points that are <= x. As in NumPy's `interp`, an
    /// infinite value on one side of x does not affect the other.
    double value(double x, index_t behind) const {
        if (std::isnan(x)) return x;
        const auto j = static_cast<std::size_t>(behind);
        if (j == 0) return left_;
        if (j == xp_.size()) return x > xp_.back() ? right_ : fp_.back();
        const double x0 = xp_[j - 1];
        const double y0 = fp_[j - 1];
        if (x == x0) return y0;
        const double slope = (fp_[j] - y0) / (xp_[j] - x0);
        double y = slope * (x - x0) + y0;
        if (std::isnan(y)) {
            y = slope * (x - xp_[j]) + fp_[j];
            if (std::isnan(y) && y0 == fp_[j]) y = y0;
        }
        return y;
    }

private:
    std::vector<double> xp_;
    std::vector<double> fp_;
    double left_;
    double right_;
};

std::vector<double> numbers_of(const Operand& x) {
    const Tensor<double> held = in_memory<double>("interp", x);
    const auto values = as_span(held);
    return {values.begin(), values.end()};
}

/// Sorts points by their remainders, and adds copies of the last one before them and of the first
/// one after them.
void repeat_around(std::vector<double>& xp, std::vector<double>& fp, double period) {
    for (double& place : xp) place = modulo(place, period);
    const std::vector<index_t> order = to_vector(argsort(tensor(std::vector<double>(xp))));
    std::vector<double> places(xp.size() + 2);
    std::vector<double> values(xp.size() + 2);
    for (std::size_t i = 0; i < xp.size(); ++i) {
        places[i + 1] = xp[static_cast<std::size_t>(order[i])];
        values[i + 1] = fp[static_cast<std::size_t>(order[i])];
    }
    places.front() = places[xp.size()] - period;
    values.front() = values[xp.size()];
    places.back() = places[1] + period;
    values.back() = values[1];
    xp = std::move(places);
    fp = std::move(values);
}

Lines lines_through(const Operand& xp_given, const Operand& fp_given,
                    const InterpOptions& options) {
    require_one_axis("interp", AnyTensor(xp_given));
    require_one_axis("interp", AnyTensor(fp_given));
    std::vector<double> xp = numbers_of(xp_given);
    std::vector<double> fp = numbers_of(fp_given);
    if (xp.size() != fp.size() || xp.empty())
        throw ShapeError(fmt::format("interp: {} places and {} values", xp.size(), fp.size()));
    if (options.period) {
        if (*options.period == 0 || !std::isfinite(*options.period))
            throw Error(fmt::format("interp: a period of {}", *options.period));
        repeat_around(xp, fp, std::abs(*options.period));
        return Lines(std::move(xp), std::move(fp), {});
    }
    for (std::size_t i = 1; i < xp.size(); ++i)
        if (xp[i] < xp[i - 1])
            throw Error(fmt::format("interp: the places descend from {} to {} at index {}",
                                    xp[i - 1], xp[i], i));
    return Lines(std::move(xp), std::move(fp), options);
}

} // namespace

Operand interpolated(const Operand& x, const Operand& xp, const Operand& fp, DType result,
                     const InterpOptions& options) {
    const Lines lines = lines_through(xp, fp, options);
    const Tensor<double> held = in_memory<double>("interp", x);
    const std::span<const double> from = as_span(held);
    const SortedSearch<double, Side::right> search(lines.places().data(),
                                                   std::ssize(lines.places()));
    const double period = options.period ? std::abs(*options.period) : 0;
    return visit_dtype(result, "interp", [&]<typename R>(std::type_identity<R>) {
        MutableTensor<R> made = empty<R>(x.dims.max_shape());
        R* const out = as_span(made).data();
        parallel_ranges(held.size(), kInterpBlock, 20 * static_cast<double>(held.size()),
                        [&](index_t begin, index_t end) {
                            std::array<double, kInterpBlock> wanted{};
                            std::array<std::int64_t, kInterpBlock> places{};
                            for (; begin < end; begin += kInterpBlock) {
                                const index_t count = std::min(kInterpBlock, end - begin);
                                for (index_t i = 0; i < count; ++i) {
                                    const double place = from[static_cast<std::size_t>(begin + i)];
                                    wanted[static_cast<std::size_t>(i)] =
                                        period > 0 ? modulo(place, period) : place;
                                }
                                search.find(wanted.data(), count, places.data());
                                for (index_t i = 0; i < count; ++i)
                                    out[begin + i] = static_cast<R>(
                                        lines.value(wanted[static_cast<std::size_t>(i)],
                                                    places[static_cast<std::size_t>(i)]));
                            }
                        });
        return brought_to(x, made.operand());
    });
}

} // namespace purview
