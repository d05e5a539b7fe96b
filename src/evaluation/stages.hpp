#pragma once

#include "evaluation/other_backend.hpp"
#include "evaluation/stage_work.hpp"

#include <purview/expression/node.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Where one of the results of a stage goes.
struct StageOutput {
    const Node* node; ///< that it is, of the shared graph; null for a view of one
    DType dtype;
    index_t count;              ///< elements
    std::size_t slot = kNone;   ///< by which later stages read it, if any does
    std::size_t output = kNone; ///< that it is; `kNone`: a temporary, if it is read

    /// Of what later stages read.
    ShapeSpan shape() const noexcept { return {&count, count == 1 ? std::size_t{0} : 1}; }
    bool is_wanted() const noexcept { return slot != kNone || output != kNone; }
};

/// A part of a program: a view, or what a node computes, by one run.
struct ProgramStage {
    std::shared_ptr<const StageWork> work; ///< over what `reads` names, in that order
    Operand root;                          ///< what that computes: a view, or a node as a whole
    StageOutput own;                       ///< the elements of the node
    std::vector<StageOutput> results;      ///< of a loop or a choice besides, by their numbers
    std::vector<std::size_t> reads;        ///< slots that it reads
    bool own_elsewhere = false;            ///< reads what lies elsewhere itself
    bool own_memory = false;               ///< reads other leaves itself

    void run(Bindings bindings, const Destination& out) const { run_all(bindings, {&out, 1}); }
    void run_all(Bindings bindings, std::span<const Destination> outs) const {
        boost::container::small_vector<const Operand*, 8> read;
        for (const std::size_t number : reads) read.push_back(bindings[number]);
        work->run({read.data(), read.size()}, outs);
    }
    std::string describe(Bindings bindings) const {
        std::vector<const Operand*> read;
        for (const std::size_t number : reads) read.push_back(bindings[number]);
        return work->describe(read);
    }
    /// Whether it reads more than numbers.
    bool reads_memory(Bindings bindings) const {
        return own_memory || std::ranges::any_of(reads, [&](std::size_t read) {
                   return bindings[read]->node->kind() != NodeKind::constant;
               });
    }
    bool reads_elsewhere(Bindings bindings) const {
        return own_elsewhere || std::ranges::any_of(reads, [&](std::size_t read) {
                   return lies_elsewhere(*bindings[read]);
               });
    }
};

/// Whether a node is of a kind that nothing but a stage computes.
bool is_stage(const Node& node);

/// Cuts outputs into stages, in an order in which they can be run. What depends on constants alone is
/// computed now, arrays only if `folds_arrays`. On entry `slots` is the number of placeholders, on
/// return that of placeholders and results of stages. Throws `SymbolError` for a placeholder that is
/// not one of `placeholders`.
std::vector<ProgramStage> cut_into_stages(std::span<const Operand> outputs,
                                          std::span<const NodePtr> placeholders, bool folds_arrays,
                                          std::size_t& slots);

} // namespace purview
