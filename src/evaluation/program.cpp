#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/graph.hpp>

#include "evaluation/other_backend.hpp"
#include "evaluation/print_program.hpp"
#include "evaluation/share_nodes.hpp"
#include "evaluation/stages.hpp"
#include "expression/node_map.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/reader/buffer.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// `count` elements at `data` as the operand that a placeholder is bound to. `owner` keeps them
/// alive.
Operand bound_memory(DType dtype, index_t count, void* data, Owner owner) {
    return visit_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
        T* const values = static_cast<T*>(data);
        if (count == 1) return constant_operand<T>(*values);
        return Operand{make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                           values, count, index_t{sizeof(T)}, std::move(owner))),
                       Dimensions::row_major(ShapeSpan(&count, 1))};
    });
}

/// What a stage would leave to later ones, all zero.
Operand unwritten_memory(DType dtype, index_t count) {
    Owner memory = allocate_zeroed_bytes(checked_bytes(count, dtype.size_bytes(), "explain"));
    void* const data = const_cast<void*>(memory.get());
    return bound_memory(dtype, count, data, std::move(memory));
}

/// Runs a stage on operands in this process. `result` is what later stages read; null if none does.
void run_here(const ProgramStage& stage, Bindings bindings, const Destination* output,
              Operand* result) {
    alignas(8) std::byte element[8];
    Owner memory = borrowed(element);
    void* out = element;
    if (output != nullptr && (out = output->memory()) == nullptr) { // an output that lies elsewhere
        stage.run(bindings, *output);
        if (result != nullptr) *result = output->elements(stage.dtype, stage.shape());
        return;
    }
    if (output == nullptr && stage.count != 1)
        out = const_cast<void*>((memory = allocate_bytes(checked_bytes(
                                     stage.count, stage.dtype.size_bytes(), "computation")))
                                    .get());
    stage.run(bindings, out);
    if (result != nullptr) *result = bound_memory(stage.dtype, stage.count, out, std::move(memory));
}

/// Runs a stage on operands that lie where `there` does. What later stages read stays there, and is
/// copied if it is also a number that was asked for.
void run_there(const ProgramStage& stage, Bindings bindings, const Operand& there,
               const Destination* output, Operand* result) {
    if (result == nullptr) return stage.run(bindings, *output);
    const bool is_number = output != nullptr && output->memory() != nullptr;
    *result = output != nullptr && !is_number
                  ? output->elements(stage.dtype, stage.shape())
                  : results_like("computation", there, stage.dtype, stage.shape());
    stage.run(bindings, *result);
    if (is_number) assign(*result, output->elements(stage.dtype, stage.shape()));
}

} // namespace

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

    /// Calls `each(stage, bindings, result)` in order. The result, null if no stage reads it, is a
    /// binding of those behind, until the last has read it.
    template <typename Each>
    void for_each_stage(Bindings inputs, const Each& each) const {
        const std::size_t first = inputs.size(); // slot of the first result of a stage
        boost::container::small_vector<Operand, 4> results(slots - first, Operand{});
        boost::container::small_vector<const Operand*, 16> bindings(inputs.begin(), inputs.end());
        for (const Operand& result : results) bindings.push_back(&result);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const ProgramStage& stage = stages[i];
            each(stage, Bindings(bindings.data(), bindings.size()),
                 stage.slot == kNone ? nullptr : &results[stage.slot - first]);
            for (const std::size_t slot : stage.reads)
                if (slot >= first && last_read[slot] == i) results[slot - first] = Operand{};
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
          own(own_elsewhere(outputs)) {}

    /// What is read, by the program itself or as an input, and lies elsewhere; null for nothing.
    const Operand* elsewhere(Bindings inputs) const noexcept {
        const bool all = backend_of_memory.load(std::memory_order_relaxed) != nullptr;
        for (const Operand* const input : inputs)
            if (input->node->reads(Below::device) || all) [[unlikely]]
                return input;
        return own;
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
    const Operand* own;       // what is read and lies elsewhere; null for nothing
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
    if (cut.stages.size() == 1) return cut.stages[0].run(inputs, outputs[0]);
    cut.for_each_stage(inputs, [&](const ProgramStage& stage, Bindings given, Operand* result) {
        const Destination* const output = stage.output == kNone ? nullptr : &outputs[stage.output];
        if (there == nullptr || !stage.reads_elsewhere(given)) [[likely]] {
            run_here(stage, given, output, result);
            // What numbers alone make is no array of the host's.
            if (there != nullptr && result != nullptr && stage.count != 1 &&
                !stage.reads_memory(given))
                bring_to(*there, *result);
        } else {
            run_there(stage, given, *there, output, result);
        }
    });
}

std::string Program::explain(Bindings inputs) const {
    const Operand* const there = state_->elsewhere(inputs);
    const Cut& cut = there == nullptr ? state_->here : state_->there().cut;
    std::vector<std::string> ways;
    cut.for_each_stage(inputs, [&](const ProgramStage& stage, Bindings given, Operand* result) {
        ways.push_back(stage.describe(given));
        if (result == nullptr) return;
        const bool lies_there =
            there != nullptr &&
            (stage.reads_elsewhere(given) || (stage.count != 1 && !stage.reads_memory(given)));
        *result = lies_there ? results_like("explain", *there, stage.dtype, stage.shape())
                             : unwritten_memory(stage.dtype, stage.count);
    });
    std::ostringstream text;
    text.exceptions(std::ios::badbit); // else bad_alloc would be swallowed
    print_program(text, state_->outputs, state_->placeholders, cut.stages, ways);
    return std::move(text).str();
}

std::vector<Operand> Program::outputs_over(Bindings inputs) const {
    return state_->over_inputs(inputs);
}

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
