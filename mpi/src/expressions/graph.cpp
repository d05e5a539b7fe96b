// Defines expressions/plan.hpp.
#include "expressions/plan.hpp"

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/visit_node.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <typeinfo>

namespace purview::inline v0_1::mpi {

Graph::Graph(const char* what, Operand root, Ranks& ranks, const Evaluated& evaluated)
    : root_(std::move(root)) {
    // Operands before their users, without recursion: expressions may be deep.
    std::vector<std::pair<const Node*, bool>> stack{{root_.node.get(), false}};
    while (!stack.empty()) {
        const auto [node, is_ready] = stack.back();
        stack.pop_back();
        if (numbers_.contains(node)) continue;
        const bool is_end = !node->reads(Below::device) || evaluated.contains(node) ||
                            distributed_elements(*node) != nullptr;
        if (is_ready || is_end) {
            add(what, *node, ranks, evaluated);
            continue;
        }
        stack.emplace_back(node, true);
        for (std::size_t i = operand_count(*node); i-- > 0;)
            stack.emplace_back(&node_below(*node, i), false);
    }
}

void Graph::add(const char* what, const Node& node, Ranks& ranks, const Evaluated& evaluated) {
    numbers_.emplace(&node, static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(&node);
    if (!node.reads(Below::device)) {
        if (node.reads(Below::symbol))
            throw DistributionError(fmt::format(
                "{}: a computation is traced, and cannot be evaluated over ranks", what));
        return;
    }
    if (const auto found = evaluated.find(&node); found != evaluated.end()) {
        source_numbers_.emplace(&node, static_cast<int>(sources_.size()));
        sources_.push_back(found->second);
    } else if (const DistributedElements* const elements = distributed_elements(node)) {
        if (&elements->distribution().communicator().ranks() != &ranks)
            throw DistributionError(fmt::format(
                "{}: a distributed tensor of {} is on another communicator than the result", what,
                to_string(elements->distribution())));
        source_numbers_.emplace(&node, static_cast<int>(sources_.size()));
        sources_.push_back({&node, elements->local(), elements->distribution(), elements->whole()});
    } else if (node.kind() == NodeKind::gather) {
        has_gathers_ = true;
    } else if (node.kind() != NodeKind::elementwise && node.kind() != NodeKind::piecewise) {
        if (node.kind() == NodeKind::leaf)
            throw DistributionError(fmt::format(
                "{}: elements on a device cannot be evaluated over ranks: to_host copies them",
                what));
        throw DistributionError(
            fmt::format("{}: a computation is traced, and cannot be evaluated over ranks", what));
    }
}

int Graph::source_of(const Node& node) const {
    const auto found = source_numbers_.find(&node);
    return found == source_numbers_.end() ? -1 : found->second;
}

Graph::Key Graph::key() const {
    Key key;
    for (const Node* const node : nodes_) {
        const int source = source_of(*node);
        key.numbers.push_back(source >= 0 ? -1 - source : static_cast<index_t>(node->kind()));
        key.numbers.push_back(node->dtype().size_bytes());
        if (source >= 0) {
            const Source& x = sources_[static_cast<std::size_t>(source)];
            key.numbers.push_back(x.whole.node ? 1 : 0);
            key.views.push_back(x.whole.node ? x.whole.dims : x.part.dims);
            key.distributions.push_back(x.distribution);
            continue;
        }
        const bool is_operation = node->reads(Below::device);
        key.numbers.push_back(is_operation ? static_cast<index_t>(operand_count(*node)) : 0);
        if (!is_operation) continue;
        for (const Operand& operand : operands_of(*node)) {
            key.numbers.push_back(number_of(*operand.node));
            key.views.push_back(operand.dims);
        }
        if (const Piecewise* const pieces = node_as<Piecewise>(*node))
            for (const Shape& begin : pieces->begins())
                key.numbers.insert(key.numbers.end(), begin.begin(), begin.end());
    }
    key.views.push_back(root_.dims);
    return key;
}

namespace {

/// A place in the code of the program, or of a library, as all ranks have it, wherever these are loaded.
void add_code(CallText& text, const void* address) {
    Dl_info object{};
    if (address == nullptr || dladdr(address, &object) == 0) return;
    const std::string_view path = object.dli_fname;
    text.add("", path.substr(path.rfind('/') + 1));
    text.add_hash(static_cast<std::uint64_t>(static_cast<const std::byte*>(address) -
                                             static_cast<const std::byte*>(object.dli_fbase)));
}

/// An operation, or which function it applies: its name and parameters, or its type and the code that it leads to.
void add_operation(CallText& text, const Elementwise& operation) {
    text.add_hash(static_cast<std::uint64_t>(operation.op()));
    if (operation.op() != Op::map) return;
    const BlockFunction& function = *operation.function();
    text.add("", function.registered_name());
    text.add("", typeid(function).name());
    if (const LibraryFunction* const own = library_function(operation)) {
        text.add("", own->name());
        if (own->equals_no_other()) return; // a number of this rank's
        const std::span<const std::byte> parameters = own->parameters();
        text.add("", {reinterpret_cast<const char*>(parameters.data()), parameters.size()});
    } else if (const auto* const users = dynamic_cast<const UserFunction*>(&function)) {
        const CalledCode called = users->called();
        if (called.type != nullptr) text.add("", called.type->name());
        add_code(text, called.address);
    }
}

/// A distributed tensor, or a number; nothing of other leaves.
void add_leaf(CallText& text, const Node& node) {
    if (const DistributedElements* const elements = distributed_elements(node)) {
        text.add_hash(elements->distribution().state().hash());
        text.add_hash(elements->number());
    } else if (const Constant* const number = node_as<Constant>(node);
               number != nullptr && number->dtype().descriptor().trivial) {
        text.add("", std::string_view(static_cast<const char*>(number->value()),
                                      static_cast<std::size_t>(number->dtype().size_bytes())));
    }
}
void add_pieces(CallText& text, const Piecewise& pieces) {
    for (const Shape& begin : pieces.begins())
        for (const index_t at : begin) text.add_hash(static_cast<std::uint64_t>(at));
}

/// What a stage of a computation does, besides its operands.
void add_stage(CallText& text, const Node& node) {
    const auto add = [&](auto... numbers) {
        (text.add_hash(static_cast<std::uint64_t>(numbers)), ...);
    };
    visit(
        node, [&](const Reduce& fold) { add(fold.reduction(), fold.groups()); },
        [&](const ScanNode& scan) { add(scan.length(), scan.inner()); },
        [&](const Scatter& scatter) { add(scatter.place().size, scatter.place().into.hash()); },
        [&](const OpaqueStage& stage) {
            text.add("", stage.function().name());
            for (const index_t number :
                 stage.function().attributes().value_or(std::vector<index_t>()))
                add(number);
        },
        [&](const Loop& loop) { add(loop.rule().most, loop.rule().states, loop.rule().keep); },
        [&](const StageResult& result) { add(result.number()); },
        [&](const SymbolNode& symbol) { text.add("", symbol.name()); }, [](const auto&) {});
}

} // namespace

void add_computation(CallText& text, std::span<const Operand> roots) {
    std::unordered_map<const Node*, std::uint64_t> numbers;
    const auto add = [&](const Operand& operand) {
        text.add_hash(numbers.at(operand.node.get()));
        text.add_hash(operand.dims.hash());
    };
    for (const Node* const node : nodes_below(roots)) {
        numbers.emplace(node, numbers.size());
        text.add_hash(static_cast<std::uint64_t>(node->kind()));
        text.add("", node->dtype().name());
        add_leaf(text, *node);
        add_stage(text, *node);
        if (const Elementwise* const operation = node_as<Elementwise>(*node))
            add_operation(text, *operation);
        if (const Piecewise* const pieces = node_as<Piecewise>(*node)) add_pieces(text, *pieces);
        for (const Operand& operand : operands_of(*node)) add(operand);
    }
    for (const Operand& root : roots) add(root);
}

std::uint64_t Graph::hash() const {
    CallText text;
    for (const Node* const node : nodes_) {
        text.add_hash(static_cast<std::uint64_t>(node->kind()));
        text.add("", node->dtype().name());
        if (const int source = source_of(*node); source >= 0) {
            text.add_hash(sources_[static_cast<std::size_t>(source)].distribution.state().hash());
            if (const DistributedElements* const elements = distributed_elements(*node))
                text.add_hash(elements->number());
            continue;
        }
        add_leaf(text, *node);
        if (!node->reads(Below::device)) continue;
        if (const Elementwise* const operation = node_as<Elementwise>(*node))
            add_operation(text, *operation);
        for (const Operand& operand : operands_of(*node)) {
            text.add_hash(number_of(*operand.node));
            text.add_hash(operand.dims.hash());
        }
        if (const Piecewise* const pieces = node_as<Piecewise>(*node)) add_pieces(text, *pieces);
    }
    text.add_hash(root_.dims.hash());
    return text.hash();
}

} // namespace purview
