// Defines purview/evaluation/reducer.hpp.

#include <purview/evaluation/reducer.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/chunked_parts.hpp"
#include "engine/realise/chunk_states.hpp"
#include "engine/realise/entered_operation.hpp"
#include "evaluation/other_backend.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// States for groups, of which few need no memory from the heap.
class StatesOfGroups {
public:
    StatesOfGroups(const Reducer& reducer, index_t count) {
        const auto bytes = static_cast<std::size_t>(count * reducer.state_bytes());
        if (bytes > sizeof few_) many_.emplace(kDType<std::uint8_t>, static_cast<index_t>(bytes));
    }
    std::byte* data() noexcept { return many_ ? static_cast<std::byte*>(many_->data()) : few_; }

private:
    alignas(std::max_align_t) std::byte few_[128];
    std::optional<ElementBlock> many_;
};

void reduce_here(const Reducer& reducer, const Operand& source, index_t groups, void* out) {
    const index_t elements = source.dims.size() / groups;
    const auto finish = [&](const Box& box, ShapeSpan kept, const std::byte* states) {
        finish_to(reducer, elements, box, kept, states, out);
    };
    if (fold_chunks(reducer, {source, groups, place_itself}, finish)) return;
    const EnteredOperation entered(reducer.name(), source);
    if (elements > 0) return reducer.run(*entered, groups, out);
    StatesOfGroups states(reducer, groups);
    reducer.clear(states.data(), groups);
    reducer.finish(states.data(), groups, 0, out);
}

} // namespace

Reducer::~Reducer() = default;

void Reducer::run(const Operand& source, index_t groups, void* out) const {
    StatesOfGroups states(*this, groups);
    fold({source, groups, place_itself}, states.data());
    finish(states.data(), groups, source.dims.size() / groups, out);
}

bool Reducer::has_states_of(const Reducer& other) const noexcept { return this == &other; }

bool Reducer::keeps_order() const noexcept { return false; }

bool Reducer::reads_elsewhere() const noexcept { return false; }

bool Reducer::run_elsewhere(const Operand&, index_t, const Destination&) const { return false; }

void reduce_groups(const Reducer& reducer, const Operand& source, index_t groups,
                   const Destination& out) {
    if (groups == 0) return;
    if (lies_elsewhere(source) && source.dims.size() > 0) [[unlikely]] {
        if (reducer.run_elsewhere(source, groups, out)) return;
        if (!reducer.reads_elsewhere()) require_host_reads(reducer.name(), source);
        return compute_into(out, reducer.result(), reducer.results_of(groups), [&](void* results) {
            const WatchedOperation watched(reducer.name());
            reducer.run(source, groups, results);
        });
    }
    compute_into(out, reducer.result(), reducer.results_of(groups),
                 [&](void* results) { reduce_here(reducer, source, groups, results); });
}

void fold_part(const Reducer& reducer, const FoldedPart& part, std::byte* states) {
    const auto put = [&](const Box& box, ShapeSpan kept, const std::byte* of_box) {
        place_results(box, kept, reducer.state_bytes(), of_box, states);
    };
    if (lies_elsewhere(part.operand)) [[unlikely]] {
        const WatchedOperation watched(reducer.name());
        return reducer.fold(part, states);
    }
    if (fold_chunks(reducer, part, put)) return;
    const EnteredOperation entered(reducer.name(), part.operand);
    reducer.fold({*entered, part.groups, part.place}, states);
}

} // namespace purview
