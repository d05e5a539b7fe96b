#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/graph.hpp>

#include "evaluation/elements_read.hpp"
#include "evaluation/other_backend.hpp"
#include "evaluation/print_program.hpp"
#include "evaluation/result_place.hpp"
#include "evaluation/row_passes.hpp"
#include "evaluation/share_nodes.hpp"
#include "evaluation/stages.hpp"
#include "expression/node_map.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/reader/buffer.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The stages of a program, for one place.
struct Cut {
    Cut(std::span<const Operand> outputs, std::span<const NodePtr> placeholders, bool folds_arrays)
        : slots(placeholders.size()),
          stages(cut_into_stages(outputs, placeholders, folds_arrays, slots)),
          last_read(slots, kNone) {
        for (std::size_t i = 0; i < stages.size(); ++i)
            for (const std::size_t slot : stages[i].reads) last_read[slot] = i;
    }

    /// What stages leave to later ones.
    class Results {
    public:
        Results(std::size_t first, std::size_t count) : first_(first), all_(count, Operand{}) {}
        /// Null if nobody reads it.
        Operand* of(const StageOutput& part) noexcept {
            return part.slot == kNone ? nullptr : &all_[part.slot - first_];
        }
        void drop(std::size_t slot) noexcept {
            if (slot >= first_) all_[slot - first_] = Operand{};
        }
        auto begin() const noexcept { return all_.begin(); }
        auto end() const noexcept { return all_.end(); }

    private:
        std::size_t first_; ///< slot of the first
        boost::container::small_vector<Operand, 4> all_;
    };

    /// Calls `each(stage, bindings, results)` in order. What it puts into `results` is a binding of the
    /// stages behind, until the last has read it.
    template <typename Each>
    void for_each_stage(Bindings inputs, const Each& each) const {
        Results results(inputs.size(), slots - inputs.size());
        boost::container::small_vector<const Operand*, 16> bindings(inputs.begin(), inputs.end());
        for (const Operand& result : results) bindings.push_back(&result);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            each(stages[i], Bindings(bindings.data(), bindings.size()), results);
            for (const std::size_t slot : stages[i].reads)
                if (last_read[slot] == i) results.drop(slot);
        }
    }

    std::size_t slots;
    std::vector<ProgramStage> stages;
    std::vector<std::size_t> last_read; // of each slot: the last stage that reads it, or `kNone`
};

/// The value of a symbol that lies elsewhere; null for any other node.
const Operand* value_elsewhere(const Node& node) {
    const auto* const symbol = node_as<SymbolNode>(node);
    return symbol != nullptr && symbol->value().node != nullptr &&
                   symbol->value().node->reads(Below::device)
               ? &symbol->value()
               : nullptr;
}

/// What the leaves and the values of symbols below outputs read elsewhere; null for nothing.
const Operand* own_elsewhere(std::span<const Operand> outputs) {
    for (const Operand& output : outputs)
        if (output.node->reads(Below::device)) return &output;
    for (const Node* const node : nodes_below(outputs))
        if (const Operand* const value = value_elsewhere(*node)) return value;
    return nullptr;
}

/// The slots of the inputs that an output reads, and what it reads elsewhere itself.
struct OutputReads {
    std::shared_ptr<const std::vector<std::size_t>> slots; ///< ascending
    const Operand* own = nullptr;

    void add(const OutputReads& below) {
        if (own == nullptr) own = below.own;
        if (slots == below.slots || std::ranges::includes(*slots, *below.slots)) return;
        if (std::ranges::includes(*below.slots, *slots)) {
            slots = below.slots;
            return;
        }
        std::vector<std::size_t> both;
        std::ranges::set_union(*slots, *below.slots, std::back_inserter(both));
        slots = std::make_shared<const std::vector<std::size_t>>(std::move(both));
    }
};

/// Those of all outputs by one walk: an output may be made of the one before it.
std::vector<OutputReads> reads_of(std::span<const Operand> outputs) {
    const auto none = std::make_shared<const std::vector<std::size_t>>();
    NodeMap<OutputReads> known;
    for (const Node* const node : nodes_below(outputs)) {
        OutputReads reads{none, value_elsewhere(*node)};
        if (is_placeholder(*node))
            reads.slots = std::make_shared<const std::vector<std::size_t>>(
                1, static_cast<const SymbolNode&>(*node).slot());
        for (const Node& below : nodes_of(*node)) reads.add(*known.find(&below));
        known[node] = std::move(reads);
    }
    std::vector<OutputReads> reads;
    for (const Operand& output : outputs) {
        reads.push_back(*known.find(output.node.get()));
        if (output.node->reads(Below::device)) reads.back().own = &output;
    }
    return reads;
}

} // namespace

struct Program::State {
    State(std::vector<Operand> roots, std::vector<NodePtr> inputs)
        : given(std::move(roots)),
          outputs(share_nodes(given)),
          placeholders(std::move(inputs)),
          here(outputs, placeholders, /*folds_arrays=*/true),
          over_inputs(outputs),
          elements(elements_read(outputs)),
          own(own_elsewhere(outputs)),
          own_blocks(std::ranges::any_of(
              nodes_below(outputs), [](const Node* node) { return node->reads(Below::blocks); })) {}

    /// What is read, by the program itself or as an input, and lies elsewhere; null for nothing.
    const Operand* elsewhere(Bindings inputs) const noexcept {
        const bool all = backend_of_memory.load(std::memory_order_relaxed) != nullptr;
        for (const Operand* const input : inputs)
            if (input->node->reads(Below::device) || all) [[unlikely]]
                return input;
        return own;
    }
    /// Whether what is read, by the program itself or as an input, is in chunks.
    bool reads_blocks(Bindings inputs) const noexcept {
        return own_blocks || std::ranges::any_of(inputs, [](const Operand* input) {
                   return input->node->reads(Below::blocks);
               });
    }
    /// What is asked for where something lies elsewhere. There arrays of constants are no memory of the
    /// host's: stages compute them.
    struct There {
        explicit There(const State& state)
            : cut(state.outputs, state.placeholders, /*folds_arrays=*/false),
              reads(reads_of(state.outputs)) {}
        /// `elsewhere` for one output alone.
        const Operand* elsewhere(std::size_t output, Bindings inputs) const {
            for (const std::size_t slot : *reads[output].slots)
                if (inputs[slot]->node->reads(Below::device)) return inputs[slot];
            return reads[output].own;
        }

        Cut cut;
        std::vector<OutputReads> reads; ///< of each output
    };
    const There& there() const {
        std::call_once(made_there, [this] { optional_there.emplace(*this); });
        return *optional_there;
    }

    std::vector<Operand> given;   // own memory that shared leaves may only view
    std::vector<Operand> outputs; // equal nodes are one
    std::vector<NodePtr> placeholders;
    Cut here;
    Substitution over_inputs; // refers to `outputs`
    index_t elements;
    const Operand* own; // what is read and lies elsewhere; null for nothing
    bool own_blocks;    // whether anything that is read itself is in chunks
    mutable std::once_flag made_there;
    mutable std::optional<There> optional_there;
};

Program::Program(std::vector<Operand> outputs, std::vector<NodePtr> placeholders)
    : state_(new State(std::move(outputs), std::move(placeholders))),
      is_elsewhere_(state_->own != nullptr) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

std::size_t Program::output_count() const noexcept { return state_->outputs.size(); }
ShapeSpan Program::output_shape(std::size_t output) const noexcept {
    return state_->outputs[output].dims.max_shape();
}
Operand Program::new_output(std::size_t output, Bindings inputs) const {
    const Operand& own = state_->outputs[output];
    const Operand* const there =
        is_elsewhere(inputs) ? state_->there().elsewhere(output, inputs) : nullptr;
    return results_like("computation", there != nullptr ? *there : own, own.dtype(),
                        output_shape(output));
}

void Program::run(Bindings inputs, std::span<const Destination> outputs) const {
    const Operand* const there = state_->elsewhere(inputs);
    const Cut& cut = there == nullptr ? state_->here : state_->there().cut;
    if (cut.stages.size() == 1 && cut.stages[0].results.empty()) [[likely]]
        return cut.stages[0].run(inputs, outputs[0]);
    const auto run_stage = [&](const ProgramStage& stage, Bindings given, const auto& result_of) {
        const bool is_there = there != nullptr && stage.reads_elsewhere(given);
        const auto output_of = [&](const StageOutput& part) {
            return part.output == kNone ? nullptr : &outputs[part.output];
        };
        const auto keep = [&](ResultPlace& place, const StageOutput& part) {
            Operand* const result = result_of(part);
            if (result == nullptr) return;
            *result = place.result();
            // What numbers alone make is no array of the host's.
            if (there != nullptr && !is_there && part.count != 1 && !stage.reads_memory(given))
                bring_to(*there, *result);
        };
        if (stage.results.empty()) [[likely]] {
            if (!is_there) {
                ResultPlace place(stage.own, output_of(stage.own));
                stage.run(given, place.destination());
                keep(place, stage.own);
            } else {
                ResultPlace place(stage.own, output_of(stage.own), *there);
                stage.run(given, place.destination());
                keep(place, stage.own);
            }
            return;
        }
        std::deque<ResultPlace> places;
        std::vector<Destination> destinations;
        const auto add = [&](const StageOutput& part) {
            // The element of a loop or a choice is a number of this process.
            if (is_there && &part != &stage.own)
                places.emplace_back(part, output_of(part), *there);
            else
                places.emplace_back(part, output_of(part));
            destinations.push_back(places.back().destination());
        };
        add(stage.own);
        for (const StageOutput& part : stage.results) add(part);
        stage.run_all(given, destinations);
        auto place = places.begin();
        keep(*place++, stage.own);
        for (const StageOutput& part : stage.results) keep(*place++, part);
    };
    const auto run_together = [&](const RowPasses& passes, const RowPasses::Pass& pass,
                                  Bindings given, const auto& result_of) {
        std::deque<ResultPlace> places;
        std::vector<Destination> destinations;
        for (const RowPasses::Member& member : pass.members) {
            const StageOutput& own = cut.stages[member.stage].own;
            if (member.is_kept)
                places.emplace_back(own, own.output == kNone ? nullptr : &outputs[own.output]);
            destinations.push_back(member.is_kept ? places.back().destination()
                                                  : Destination::nowhere());
        }
        passes.run(pass, cut.stages, given, destinations);
        auto place = places.begin();
        for (const RowPasses::Member& member : pass.members) {
            if (!member.is_kept) continue;
            Operand* const result = result_of(cut.stages[member.stage].own);
            if (result != nullptr) *result = place->result();
            ++place;
        }
    };
    if (there == nullptr && state_->reads_blocks(inputs)) {
        if (const auto passes = RowPasses::find(cut.stages, inputs, cut.slots)) {
            std::vector<Operand> results(cut.slots - inputs.size());
            std::vector<const Operand*> bindings(inputs.begin(), inputs.end());
            for (const Operand& result : results) bindings.push_back(&result);
            const auto result_of = [&](const StageOutput& part) {
                return part.slot == kNone ? nullptr : &results[part.slot - inputs.size()];
            };
            std::vector<std::size_t> last_read(cut.slots, kNone); // of each slot the last pass
            for (std::size_t p = 0; p < passes->passes().size(); ++p)
                for (const RowPasses::Member& member : passes->passes()[p].members)
                    for (const std::size_t slot : cut.stages[member.stage].reads)
                        last_read[slot] = p;
            for (std::size_t p = 0; p < passes->passes().size(); ++p) {
                const RowPasses::Pass& pass = passes->passes()[p];
                if (pass.is_together)
                    run_together(*passes, pass, bindings, result_of);
                else
                    run_stage(cut.stages[pass.members[0].stage], bindings, result_of);
                for (std::size_t slot = inputs.size(); slot < cut.slots; ++slot)
                    if (last_read[slot] == p) results[slot - inputs.size()] = Operand{};
            }
            return;
        }
    }
    cut.for_each_stage(inputs, [&](const ProgramStage& stage, Bindings given, auto& results) {
        run_stage(stage, given, [&](const StageOutput& part) { return results.of(part); });
    });
}

std::string Program::explain(Bindings inputs) const {
    const Operand* const there = state_->elsewhere(inputs);
    const Cut& cut = there == nullptr ? state_->here : state_->there().cut;
    std::vector<std::string> ways;
    cut.for_each_stage(inputs, [&](const ProgramStage& stage, Bindings given, auto& results) {
        ways.push_back(stage.describe(given));
        const auto imagine = [&](const StageOutput& part) {
            Operand* const result = results.of(part);
            if (result == nullptr) return;
            const bool lies_there =
                there != nullptr &&
                (stage.reads_elsewhere(given) || (part.count != 1 && !stage.reads_memory(given)));
            *result = lies_there ? results_like("explain", *there, part.dtype, part.shape())
                                 : unwritten_memory(part.dtype, part.count);
        };
        imagine(stage.own);
        for (const StageOutput& part : stage.results) imagine(part);
    });
    if (there == nullptr && state_->reads_blocks(inputs))
        if (const auto passes = RowPasses::find(cut.stages, inputs, cut.slots))
            for (const RowPasses::Pass& pass : passes->passes())
                for (const RowPasses::Member& member : pass.members)
                    if (pass.is_together)
                        ways[member.stage] =
                            "way: block by block of rows, " + std::to_string(pass.members.size()) +
                            " stages together, which read each chunk once\n" + ways[member.stage];
    std::ostringstream text;
    text.exceptions(std::ios::badbit); // else bad_alloc would be swallowed
    print_program(text, state_->outputs, state_->placeholders, cut.stages, ways);
    return std::move(text).str();
}

std::vector<Operand> Program::outputs_over(Bindings inputs) const {
    return state_->over_inputs(inputs);
}

index_t Program::elements() const noexcept { return state_->elements; }

TracedOutputs Program::traced() const { return {state_->outputs, state_->placeholders}; }

std::vector<NodePtr> Program::variables() const {
    std::vector<NodePtr> found;
    for (const Node* const node : nodes_below(state_->outputs))
        if (const auto* const symbol = node_as<SymbolNode>(*node);
            symbol != nullptr && symbol->role() == Role::variable)
            found.emplace_back(node);
    return found;
}

std::ostream& operator<<(std::ostream& out, const Program& program) {
    const Program::State& state = *program.state_;
    print_program(out, state.outputs, state.placeholders, state.here.stages);
    return out;
}

} // namespace purview
