#include "engine/loops/bound_boxes.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr double kNanosecondsOfOperation = 0.05;

template <typename T>
NodePtr leaf_at(const T* first, index_t size, index_t stride_bytes) {
    return make_node<Leaf>(
        std::make_shared<const ConstBuffer<T>>(first, size, stride_bytes, borrowed(first)));
}

NodePtr stand_in(DType dtype, index_t size) {
    return visit_dtype(dtype, "loop", [&]<typename T>(std::type_identity<T>) {
        static const T element{}; // its address is replaced before it is read
        return leaf_at(&element, size, sizeof(T));
    });
}

/// What reads the memory of a leaf, and does not own it.
NodePtr borrowed_leaf(const Leaf& leaf) {
    const MemoryView memory = leaf.memory();
    return visit_dtype(leaf.dtype(), "loop", [&]<typename T>(std::type_identity<T>) {
        return leaf_at(static_cast<const T*>(memory.data), leaf.size(), memory.stride_bytes);
    });
}

/// Brings the expression of a whole state to lines of memory: every view of a state goes along with the memory of the result.
class Flattener {
public:
    Flattener(const Dimensions& place, index_t span, std::span<const NodePtr> stand_ins)
        : place_(place), span_(span), stand_ins_(stand_ins) {}

    std::optional<Operand> operator()(const Operand& x) {
        if (const auto known = known_.find(x.node.get()); known != known_.end()) {
            for (const auto& [dims, made] : known->second)
                if (dims == x.dims) return made;
        }
        std::optional<Operand> made = flat(x);
        if (made) known_[x.node.get()].emplace_back(x.dims, *made);
        return made;
    }

private:
    std::optional<Operand> flat(const Operand& x) {
        if (const auto* const operation = node_as<Elementwise>(*x.node)) {
            // Elements of margins are computed, too: no function is called, and nothing is refused, for these.
            if (operation->op() == Op::map || operation->dtype().is_integer() ||
                !x.dims.is_identity())
                return std::nullopt;
            std::vector<Operand> operands;
            for (std::size_t i = 0; i < operation->inputs().size(); ++i) {
                std::optional<Operand> operand = (*this)(operation->operand(i));
                if (!operand) return std::nullopt;
                operands.push_back(std::move(*operand));
            }
            return Operand{elementwise_node(operation->op(), operation->dtype(), operands),
                           Dimensions::row_major(Shape{span_})};
        }
        const ShapeSpan strides = x.dims.strides();
        const bool stands_still = std::ranges::all_of(strides, [](index_t s) { return s == 0; });
        if (stands_still)
            return Operand{x.node, Dimensions::strided(Shape{span_}, Shape{0}, x.dims.base())};
        if (std::ranges::find(stand_ins_, x.node) == stand_ins_.end()) return std::nullopt;
        for (std::size_t a = 0; a < strides.size(); ++a)
            if (x.dims.max_shape()[a] > 1 && strides[a] != place_.strides()[a]) return std::nullopt;
        return Operand{x.node, Dimensions::strided(Shape{span_}, Shape{1}, x.dims.base())};
    }

    const Dimensions& place_;
    index_t span_;
    std::span<const NodePtr> stand_ins_;
    std::unordered_map<const Node*, std::vector<std::pair<Dimensions, Operand>>> known_;
};

} // namespace

BoundBoxes::BoundBoxes(const LoopRule& rule, StepBoxes boxes, std::vector<Shape> shapes,
                       std::span<const Operand> operands)
    : boxes_(std::move(boxes)), shapes_(std::move(shapes)) {
    for (std::size_t i = rule.states; i < rule.step->outputs.size(); ++i)
        shapes_.push_back(to_shape(rule.step->outputs[i].dims.max_shape()));
    std::vector<Operand> moved;
    for (std::size_t i = 0; i < rule.states + rule.inputs; ++i) {
        const auto& symbol = static_cast<const SymbolNode&>(*rule.step->placeholders[i]);
        const bool is_padded = !boxes_.margins.empty() && boxes_.are_inputs_padded[i];
        const Dimensions memory =
            is_padded
                ? boxes_.margins.memory()
                : Dimensions::row_major(i < rule.states ? shapes_[i] : to_shape(symbol.shape()));
        stand_ins_.push_back(stand_in(symbol.dtype(), memory.size()));
        moved.push_back({stand_ins_[i], memory});
    }
    std::unordered_map<const Node*, NodePtr> borrowed;
    for (const Operand& operand : operands.subspan(moved.size())) {
        const auto* const leaf = node_as<Leaf>(*operand.node);
        if (leaf == nullptr || !leaf->memory() || !leaf->dtype().is_builtin()) {
            others_.push_back(operand);
            continue;
        }
        NodePtr& own = borrowed[leaf];
        if (own == nullptr) own = borrowed_leaf(*leaf);
        others_.push_back({own, operand.dims});
    }
    std::vector<const Operand*> bindings;
    for (const std::vector<Operand>& part : {std::cref(moved), std::cref(others_)})
        for (const Operand& operand : part) bindings.push_back(&operand);
    std::vector<Operand> roots;
    for (const StepBox& box : boxes_.boxes) roots.push_back(box.root);
    roots_ = Substitution(roots)(bindings);
}

StateMargins BoundBoxes::margins_of(std::size_t output) const {
    return !boxes_.margins.empty() && boxes_.are_outputs_padded[output]
               ? boxes_.margins
               : StateMargins(shapes_[output]);
}

Dimensions BoundBoxes::place_of(const StepBox& box) const {
    const StateMargins margins = margins_of(box.output);
    return Dimensions::strided(box.root.dims.max_shape(), margins.memory().strides(),
                               margins.address(box.begin));
}

BoxRuns BoundBoxes::make_runs(index_t together) const {
    BoxRuns made;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
        made.push_back(BoxRun::make(roots_[i], place_of(boxes_.boxes[i]), stand_ins_, together));
        if (made.back() == nullptr) return {};
    }
    return made;
}

std::unique_ptr<BoxRun> BoundBoxes::make_flat_run(std::size_t number) const {
    const StepBox& box = boxes_.boxes[number];
    const Shape& shape = shapes_[box.output];
    if (!boxes_.are_outputs_padded[box.output] || shape.size() < 2 ||
        !std::ranges::equal(box.root.dims.max_shape(), shape))
        return nullptr;
    const Dimensions place = place_of(box);
    index_t span = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) span += (shape[a] - 1) * place.strides()[a];
    if (span > 2 * place.size()) return nullptr;
    const std::optional<Operand> flat = Flattener(place, span, stand_ins_)(roots_[number]);
    if (!flat) return nullptr;
    return BoxRun::make(*flat, Dimensions::strided(Shape{span}, Shape{1}, place.base()), stand_ins_,
                        span);
}

index_t BoundBoxes::longest() const {
    index_t most = 1;
    for (const StepBox& box : boxes_.boxes) most = std::max(most, box.root.dims.max_shape()[0]);
    return most;
}

double BoundBoxes::nanoseconds() const {
    double elements = 0;
    for (const Shape& shape : shapes_)
        elements += static_cast<double>(Dimensions::row_major(shape).size());
    return elements * static_cast<double>(boxes_.operations) * kNanosecondsOfOperation;
}

} // namespace purview::engine
