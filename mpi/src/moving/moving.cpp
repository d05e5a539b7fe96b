#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/fetch.hpp"
#include "expressions/seen_part.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

std::atomic<index_t> gather_limit{-1}; // not set

index_t bytes_to_gather_at_most() {
    const index_t set = gather_limit;
    if (set >= 0) return set;
    return static_cast<index_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE) / 2;
}

void check_limit(const char* what, const AnyDistributed& x) {
    double bytes = static_cast<double>(x.dtype().size_bytes());
    for (const index_t extent : x.shape()) bytes *= static_cast<double>(extent);
    const index_t limit = bytes_to_gather_at_most();
    if (bytes > static_cast<double>(limit))
        throw DistributionError(fmt::format(
            "{}: {} of {} takes {:.0f} bytes on a rank, more than the limit of {}: see set_gather_limit",
            what, purview::to_string(x.shape()), x.dtype().name(), bytes, limit));
}

/// Everything on one rank.
Distribution all_on(int root, ShapeSpan shape, const Communicator& communicator) {
    std::vector<index_t> sizes(static_cast<std::size_t>(communicator.size()), 0);
    sizes[static_cast<std::size_t>(root)] = shape[0];
    return blocks(AxisValues(shape), Grid(communicator), {sizes});
}

/// Brings this rank's region of a distributed tensor to `target`.
void bring(Ranks& ranks, const char* what, const Operand& part, const Distribution& from,
           DistributedRegion region, const Operand& target) {
    std::vector<Fetch::Want> wants;
    if (size_of(region) > 0) wants.push_back({0, std::move(region)});
    const Fetch fetch(ranks, what, {&from, 1}, std::move(wants));
    collective(ranks, what, [&] { fetch.run(ranks, what, {&part, 1}, {&target, 1}, [] {}); });
}

} // namespace

void set_gather_limit(index_t bytes) {
    if (bytes < 0) throw Error(fmt::format("set_gather_limit: {} bytes", bytes));
    gather_limit = bytes;
}

AnyDistributed distribute_any(const Whole& x, const Distribution& d) {
    return evaluate_any("distribute", x.operand(), d);
}

AnyDistributed distribute_lazily_any(const Whole& whole, const Distribution& d) {
    constexpr const char* what = "distribute_lazily";
    const Operand& x = whole.operand();
    Ranks& ranks = d.communicator().ranks();
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_shape(what, x.dims.max_shape(), d);
        require_sendable(what, x.dtype());
        if (communicator_below(x) != nullptr)
            throw DistributionError(fmt::format(
                "{}: the tensor of shape {} is distributed already: evaluate(x, distribution) computes it",
                what, purview::to_string(x.dims.max_shape())));
        require_dense(what, x);
        require_host_reads(what, x);
        call.add("", x.dtype().name());
        describe(call, d);
    });
    return AnyDistributed(seen_through(part_view(d, ranks.rank()), x), d, x);
}

AnyDistributed zeros_any(DType dtype, const Distribution& d) {
    Operand zero = cast_operand(constant_operand(0.0), dtype, Op::cast);
    zero.dims = dimensions::expand(zero.dims, d.shape());
    return evaluate_any("zeros", zero, d);
}

AnyDistributed from_local_any(const AnyTensor& given, const Distribution& d) {
    constexpr const char* what = "from_local";
    const Operand& part = given.operand();
    const ExitNotice exit_notice(d.communicator().ranks(), what);
    agree(d.communicator().ranks(), what, [&](CallText& call) {
        require_sendable(what, part.dtype());
        require_host_reads(what, part);
        const Shape own = d.local_shape();
        if (!std::ranges::equal(part.dims.max_shape(), own))
            throw ShapeError(fmt::format("{}: a part of {} where {} has {} on this rank", what,
                                         purview::to_string(part.dims.max_shape()), to_string(d),
                                         purview::to_string(own)));
        given.require_writable(what);
        // Others wait for elements, whose reading must not throw.
        const Leaf* const leaf = leaf_of(part);
        if (part.dims.size() > 0 && (leaf == nullptr || !leaf->memory()))
            throw DistributionError(fmt::format(
                "{}: a part of {} that a reader computes, and that does not lie in memory: clone(part) does",
                what, purview::to_string(own)));
        call.add("", part.dtype().name());
        describe(call, d);
    });
    return AnyDistributed(part, d);
}

AnyDistributed scatter_any(const Operand& x, const Distribution& d, int root) {
    constexpr const char* what = "scatter";
    Ranks& ranks = d.communicator().ranks();
    const bool is_root = ranks.rank() == root;
    std::optional<Operand> part;
    std::optional<Operand> own;
    std::optional<Distribution> from;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_rank(what, root, d.communicator().size());
        require_sendable(what, x.dtype());
        if (is_root) {
            require_shape(what, x.dims.max_shape(), d);
            require_dense(what, x);
            require_host_reads(what, x);
        }
        call.add("from rank", index_t{root});
        call.add("", x.dtype().name());
        describe(call, d);
        from = all_on(root, d.shape(), d.communicator());
        own = is_root ? x : new_elements(what, x.dtype(), from->local_shape());
        part = new_elements(what, x.dtype(), d.local_shape());
    });
    bring(ranks, what, *own, *from, region_of_part(d, ranks.rank()), *part);
    return AnyDistributed(*part, d);
}

Operand all_gather_any(const AnyDistributed& x) {
    constexpr const char* what = "all_gather";
    const Distribution& d = x.distribution();
    std::optional<Operand> whole;
    const ExitNotice exit_notice(d.communicator().ranks(), what);
    agree(d.communicator().ranks(), what, [&](CallText& call) {
        check_limit(what, x);
        describe(call, x);
        whole = new_elements(what, x.dtype(), x.shape());
    });
    bring(d.communicator().ranks(), what, x.local_operand(), d, whole_region(x.shape()), *whole);
    return *whole;
}

Operand gather_any(const AnyDistributed& x, int root) {
    constexpr const char* what = "gather";
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    const bool is_root = ranks.rank() == root;
    std::optional<Operand> whole;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_rank(what, root, d.communicator().size());
        if (is_root) check_limit(what, x);
        call.add("to rank", index_t{root});
        describe(call, x);
        const index_t none = 0;
        whole = new_elements(what, x.dtype(), is_root ? x.shape() : ShapeSpan(&none, 1));
    });
    bring(ranks, what, x.local_operand(), d,
          is_root ? whole_region(x.shape()) : DistributedRegion{{0, 1, 0, 1}}, *whole);
    return *whole;
}

AnyDistributed redistribute_any(const AnyDistributed& x, const Distribution& d) {
    constexpr const char* what = "redistribute";
    Ranks& ranks = d.communicator().ranks();
    std::optional<Operand> part;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_one_communicator(what, x.distribution(), d);
        require_shape(what, x.shape(), d);
        describe(call, x);
        call.add("to", "");
        describe(call, d);
        part = new_elements(what, x.dtype(), d.local_shape());
    });
    bring(ranks, what, x.local_operand(), x.distribution(), region_of_part(d, ranks.rank()), *part);
    return AnyDistributed(*part, d);
}

} // namespace purview
