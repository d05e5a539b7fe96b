#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/symbol.hpp>

#include "dtype/element_block.hpp"
#include "evaluation/other_backend.hpp"
#include "expression/stored_leaf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1 {

Backend::~Backend() = default;
void Backend::check_host_reads(const char*) const {}
void Backend::check_results(const char*) const {}

Destination::Destination(const Operand& results) noexcept
    : memory_(leaf_of(results)->writable_memory().data), operand_(&results) {
    PURVIEW_ASSERT(is_whole(results));
}

constinit std::atomic<const Backend*> backend_of_memory{nullptr};

void set_backend_of_memory(const Backend* backend) noexcept { backend_of_memory = backend; }

namespace {

/// Visits the nodes that read what lies elsewhere, each once, if they are few: without an allocation.
template <typename F>
bool visit_few(std::span<const Operand> operands, F visit_one) {
    std::array<const Node*, 32> nodes;
    std::size_t known = 0;
    const auto add = [&](const Node& node) {
        const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(known);
        if (!node.reads(Below::device) || std::find(nodes.begin(), end, &node) != end) return true;
        if (known == nodes.size()) return false;
        nodes[known++] = &node;
        return true;
    };
    for (const Operand& operand : operands)
        if (!add(*operand.node)) return false;
    for (std::size_t i = 0; i < known; ++i) {
        visit_one(*nodes[i]);
        for (const Node& below : nodes_of(*nodes[i]))
            if (!add(below)) return false;
    }
    return true;
}

/// The first backend that readers below name, and another one; null for none.
std::array<const Backend*, 2> backends_below(std::span<const Operand> operands) {
    std::array<const Backend*, 2> found{};
    if (std::ranges::none_of(
            operands, [](const Operand& operand) { return operand.node->reads(Below::device); }))
        return found;
    const auto look_at = [&](const Node& node) {
        const Leaf* const leaf = node_as<Leaf>(node);
        const Backend* const own = leaf == nullptr ? nullptr : leaf->reader().backend();
        if (own != nullptr && own != found[0]) found[found[0] == nullptr ? 0 : 1] = own;
    };
    if (!visit_few(operands, look_at))
        for (const Node* const node : nodes_below(operands)) look_at(*node);
    return found;
}

} // namespace

const Backend* other_backend_of(std::span<const Operand> operands) {
    const auto [found, another] = backends_below(operands);
    if (another != nullptr)
        throw Error(fmt::format("operands lie on {} and on {}: copy one of them to where the other "
                                "is, or to memory",
                                found->name(), another->name()));
    return found == nullptr ? backend_of_memory.load() : found;
}

const Backend* reader_backend_below(const Operand& source) {
    const auto [found, another] = backends_below({&source, 1});
    return another == nullptr ? found : nullptr;
}

const Backend& backend_of(std::span<const Operand> sources) {
    const Backend* const other = other_backend_of(sources);
    return other == nullptr ? cpu() : *other;
}

Operand results_like(const char* what, const Operand& source, DType dtype, ShapeSpan shape) {
    if (lies_elsewhere(source)) [[unlikely]] {
        const std::span<const Operand> sources(&source, 1);
        const Backend& there = backend_of(sources);
        there.check_results(what);
        return there.results_like(sources, dtype, shape);
    }
    return new_stored_memory(what, dtype, Dimensions::row_major(shape), /*initialized=*/false);
}

void check_read_elsewhere(const char* what, const Operand& x) {
    if (x.node->reads(Below::symbol)) throw_no_elements(*x.node, what);
    if (const Backend* const other = other_backend_of({&x, 1})) other->check_host_reads(what);
}

void bring_elsewhere(const Operand& source, Operand& result) {
    if (result.node->reads(Below::device | Below::sparse | Below::symbol) ||
        !result.dtype().is_builtin())
        return;
    Operand there = results_like("result", source, result.dtype(), result.dims.max_shape());
    if (result.dims.size() > 0) assign(result, there);
    result = std::move(there);
}

void compute_into(const Destination& out, DType dtype, index_t size,
                  FunctionRef<void(void*)> compute) {
    if (out.memory() != nullptr || size == 0) return compute(out.memory());
    ElementBlock block(dtype, size);
    compute(block.data());
    const ShapeSpan line(&size, 1);
    assign(Destination(block.data()).elements(dtype, line), out.elements(dtype, line));
}

} // namespace purview
