#include <purview/mpi/own_values.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/operands.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

const char* name_of_join(Reduction fold) noexcept {
    if (fold == Reduction::sum) return "all_sum";
    return fold == Reduction::minimum ? "all_min" : "all_max";
}

void join_states(Ranks& ranks, const char* what, const Reducer& reducer, void* states,
                 index_t count) {
    const std::span<std::byte> bytes(static_cast<std::byte*>(states),
                                     static_cast<std::size_t>(count * reducer.state_bytes()));
    ranks.join(what, ranks.all(), bytes, Carries::elements,
               [&](std::byte* left, const std::byte* right) { reducer.join(left, right, count); });
}

void describe_root(CallText& call, const char* what, int root, const Ranks& ranks) {
    require_rank(what, root, ranks.size());
    call.add("from rank", index_t{root});
}

} // namespace

void join_number(Reduction fold, DType dtype, void* number, const Communicator& communicator) {
    const char* const what = name_of_join(fold);
    Ranks& ranks = communicator.ranks();
    std::unique_ptr<const Reducer> reducer;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        call.add("", dtype.name());
        reducer = fold_reduction(fold).reducer(dtype, false);
    });
    join_states(ranks, what, *reducer, number, 1);
}

Operand join_any(Reduction fold, const Operand& x, DType dtype, const Communicator& communicator) {
    const char* const what = name_of_join(fold);
    Ranks& ranks = communicator.ranks();
    std::unique_ptr<const Reducer> reducer;
    std::optional<Operand> joined;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        call.add("", dtype.name());
        call.add("of shape", purview::to_string(x.dims.max_shape()));
        reducer = fold_reduction(fold).reducer(dtype, false);
        joined = new_elements(what, dtype, x.dims.max_shape());
        purview::assign(cast_operand(widened_operand(x), dtype, Op::cast), *joined);
    });
    join_states(ranks, what, *reducer, memory_of(*joined), joined->dims.size());
    return *joined;
}

void broadcast_element(DType dtype, void* element, const Communicator& communicator, int root) {
    constexpr const char* what = "broadcast";
    Ranks& ranks = communicator.ranks();
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        describe_root(call, what, root, ranks);
        call.add("", dtype.name());
        require_sendable(what, dtype);
    });
    ranks.broadcast(
        what, ranks.all_from(root),
        {static_cast<std::byte*>(element), static_cast<std::size_t>(dtype.size_bytes())},
        Carries::elements);
}

Operand broadcast_any(const Operand& x, const Communicator& communicator, int root) {
    constexpr const char* what = "broadcast";
    Ranks& ranks = communicator.ranks();
    const bool is_root = ranks.rank() == root;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        describe_root(call, what, root, ranks);
        call.add("", x.dtype().name());
        require_sendable(what, x.dtype());
        if (!is_root) return;
        require_dense(what, x);
        require_host_reads(what, x);
    });
    std::uint64_t rank = is_root ? static_cast<std::uint64_t>(x.dims.rank()) : 0;
    ranks.all_max(what, {&rank, 1});
    std::vector<std::uint64_t> extents(rank, 0);
    if (is_root)
        for (std::size_t a = 0; a < extents.size(); ++a)
            extents[a] = static_cast<std::uint64_t>(x.dims.max_shape()[a]);
    if (rank > 0) ranks.all_max(what, extents);
    std::optional<Operand> result;
    collective(ranks, what, [&] {
        Shape shape;
        for (const std::uint64_t extent : extents) shape.push_back(static_cast<index_t>(extent));
        result = new_elements(what, x.dtype(), shape);
        if (is_root) purview::assign(x, *result);
    });
    const index_t bytes = result->dims.size() * x.dtype().size_bytes();
    ranks.broadcast(what, ranks.all_from(root),
                    {memory_of(*result), static_cast<std::size_t>(bytes)}, Carries::elements);
    return *result;
}

std::string broadcast(std::string_view text, const Communicator& communicator, int root) {
    constexpr const char* what = "broadcast";
    Ranks& ranks = communicator.ranks();
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        describe_root(call, what, root, ranks);
        call.add("", "a text");
    });
    return ranks.text_of(what, root, std::string(ranks.rank() == root ? text : ""));
}

void barrier(const Communicator& ranks) {
    agree(ranks.ranks(), "barrier", [](CallText&) {});
}

} // namespace purview
