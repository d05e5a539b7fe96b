// Defines purview/mpi/order.hpp.

#include <purview/mpi/order.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "functional/statistics/interpolated.hpp"
#include "order/selection.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <bit>
#include <limits>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// How many of all elements are NaN.
template <typename T>
std::int64_t count_nans(std::span<const T> elements) {
    std::int64_t nans = 0;
    if constexpr (std::floating_point<T>)
        for (const T value : elements) nans += value != value ? 1 : 0;
    return nans;
}

/// Those of one rank, which selects as it does without others.
Operand own_quantiles(const char* what, const AnyDistributed& x, std::span<const double> quantiles,
                      double scale, QuantileMethod method, NanRule nan) {
    const auto with = [&](const QuantileOptions& options) {
        return quantiles_over(what, x.local(), quantiles, scale, true, options).operand();
    };
    return nan == NanRule::skip ? with(QuantileOptions(method, skip_nan))
                                : with(QuantileOptions(method));
}

/// The quantiles of what all ranks have, as float64.
template <typename T>
std::vector<double> quantiles_among(Ranks& ranks, const char* what, const AnyDistributed& x,
                                    std::span<const double> quantiles, double scale,
                                    QuantileMethod method, NanRule nan) {
    using Value = Stored<T>;
    index_t count = 1;
    for (const index_t extent : x.shape()) count *= extent;
    std::optional<Tensor<T>> held;
    std::optional<Selection<Value>> selection;
    std::int64_t nans = 0;
    std::vector<double> results;
    collective(ranks, what, [&] {
        results.assign(quantiles.size(), std::numeric_limits<double>::quiet_NaN());
        held = in_memory<T>(what, x.local_operand());
        const std::span<const T> elements = as_span(*held);
        nans = count_nans(elements);
        selection.emplace(reinterpret_cast<const Value*>(elements.data()), std::ssize(elements));
    });
    if constexpr (std::floating_point<T>) {
        add_up(ranks, what, ranks.all(), {&nans, 1});
        if (nan == NanRule::skip)
            count -= nans; // which come last in the order
        else if (nans > 0)
            return results;
    }
    if (count == 0) return results;
    std::vector<QuantilePlace> places;
    std::vector<std::int64_t> positions;
    for (const double q : quantiles) {
        places.push_back(quantile_place(count, q / scale, method));
        positions.push_back(places.back().low);
        if (places.back().share > 0) positions.push_back(places.back().high);
    }
    std::ranges::sort(positions);
    positions.erase(std::ranges::unique(positions).begin(), positions.end());
    const auto keys = selection->run(ranks, what, positions);
    const auto at = [&](index_t position) {
        const auto place = std::ranges::lower_bound(positions, position) - positions.begin();
        return static_cast<double>(element_of_key<Value>(keys[static_cast<std::size_t>(place)]));
    };
    for (std::size_t q = 0; q < places.size(); ++q) {
        const double low = at(places[q].low);
        const double share = places[q].share;
        results[q] = interpolated(low, share > 0 ? at(places[q].high) : low, share);
    }
    return results;
}

} // namespace

Operand quantile_any(const char* what, const AnyDistributed& x, std::span<const double> quantiles,
                     double scale, QuantileMethod method, NanRule nan) {
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    std::optional<Operand> results;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        for (const double q : quantiles) check_quantile(what, q, scale);
        visit_dtype(x.dtype(), what, [](auto) {});
        describe(call, x);
        call.add("of", std::ssize(quantiles));
        for (const double q : quantiles) call.add_hash(std::bit_cast<std::uint64_t>(q));
        call.add_hash(static_cast<std::uint64_t>(method));
        call.add_hash(static_cast<std::uint64_t>(nan));
        const index_t shape[] = {std::ssize(quantiles)};
        results = new_elements(what, x.dtype() == float32 ? float32 : float64, shape);
    });
    if (ranks.size() == 1) return own_quantiles(what, x, quantiles, scale, method, nan);
    const std::vector<double> found =
        visit_dtype(x.dtype(), what, [&]<typename T>(std::type_identity<T>) {
            return quantiles_among<T>(ranks, what, x, quantiles, scale, method, nan);
        });
    const auto write = [&]<typename R>(std::type_identity<R>) {
        R* out = reinterpret_cast<R*>(memory_of(*results));
        for (const double value : found) *out++ = static_cast<R>(value);
    };
    if (x.dtype() == float32)
        write(std::type_identity<float>());
    else
        write(std::type_identity<double>());
    return *results;
}

} // namespace purview
