// Defines purview/mpi/order.hpp.

#include <purview/mpi/order.hpp>

#include "distributions/describe.hpp"
#include "order/bisected.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/histogram.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// The extremes of a part, or, of several, of them all. NaN: none, which are two NaNs: of an empty part infinities the wrong way round.
struct Limits {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool has_nan = false;

    void join(const Limits& other) noexcept {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
        has_nan |= other.has_nan;
    }
};

Limits limits_of_part(const Operand& floats) {
    if (floats.dims.size() == 0) return {};
    const auto [low, high] = limits_of(floats);
    if (low != low || high != high) return {0, 0, true};
    return {low, high, false};
}

Limits limits_of_all(Ranks& ranks, const char* what, Limits limits) {
    ranks.join(what, ranks.all(), std::as_writable_bytes(std::span(&limits, 1)), Carries::nothing,
               [](std::byte* left, const std::byte* right) {
                   Limits a;
                   Limits b;
                   std::memcpy(&a, left, sizeof(a));
                   std::memcpy(&b, right, sizeof(b));
                   a.join(b);
                   std::memcpy(left, &a, sizeof(a));
               });
    return limits;
}

} // namespace

Histogram histogram_any(const AnyDistributed& x, const Bins& bins) {
    constexpr const char* what = "histogram";
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        visit_dtype(x.dtype(), what, [](auto) {});
        describe(call, x);
        call.add("in bins", bins.size());
        call.add_hash(bins.uniform() ? 1 : 0);
        const Tensor<double> from_zero_to_one = tensor(std::vector<double>{0, 1});
        for (const double edge : bins.edges(from_zero_to_one.operand()))
            call.add_hash(std::bit_cast<std::uint64_t>(edge));
    });
    std::optional<Operand> floats;
    Limits limits;
    collective(ranks, what, [&] {
        floats = cast_operand(x.local_operand(), float64, Op::cast);
        limits = limits_of_part(*floats);
    });
    limits = limits_of_all(ranks, what, limits);
    std::vector<double> edges;
    std::vector<std::int64_t> counts;
    collective(ranks, what, [&] {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        Tensor<double> extremes = tensor(std::vector<double>{limits.low, limits.high});
        if (limits.has_nan) extremes = tensor(std::vector<double>{kNan, kNan});
        if (limits.low > limits.high) extremes = purview::zeros({0}); // there are no elements
        edges = bins.edges(extremes.operand());
        counts.resize(edges.size() - 1);
        count_in_bins(*floats, edges, bins.uniform(), counts.data());
    });
    add_up(ranks, what, ranks.all(), counts);
    return {tensor(std::move(counts)), tensor(std::move(edges))};
}

} // namespace purview
