#include <purview/dimensions/compose.hpp>
#include <purview/expression/constant.hpp>

#include "engine/program.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

namespace purview::engine {
namespace {

/// A node seen through a view: the unit of memoisation.
struct Seen {
    const Node* node;
    Dimensions view;

    bool operator==(const Seen&) const = default;
};

struct SeenHash {
    std::size_t operator()(const Seen& seen) const noexcept {
        return std::hash<const void*>{}(seen.node) ^ (seen.view.hash() * 31);
    }
};

/// A distinct pair, its operands by number, and how many blocks its evaluation needs at once.
struct Value {
    const Seen* seen;
    boost::container::small_vector<std::uint32_t, 3> operands;
    std::uint32_t need = 0;
    bool ordered = false;
};

/// Finds the distinct pairs below a root, and puts them in an order of evaluation that keeps few of
/// them alive at a time. Nothing here recurses: an expression may be a million nodes deep.
class Ordering {
public:
    explicit Ordering(const Operand& root) {
        number({root.node.get(), root.dims});
        for (std::uint32_t next = 0; next < values.size(); ++next) expand(next);
        // First in any order, to learn what each value needs; then the greediest operands first
        // (Sethi and Ullman), so that what is cheap does not wait while what is deep is computed.
        for (const std::uint32_t value : in_order()) values[value].need = need_of(values[value]);
    }

    /// Numbers of values, operands before their users. The root comes last.
    std::vector<std::uint32_t> in_order() {
        for (Value& value : values) value.ordered = false;
        std::vector<std::uint32_t> order;
        std::vector<std::uint32_t> stack{0};
        while (!stack.empty()) {
            Value& top = values[stack.back()];
            const std::uint32_t operand = neediest_operand(top);
            if (operand != kNone) {
                stack.push_back(operand);
                continue;
            }
            if (!std::exchange(top.ordered, true)) order.push_back(stack.back());
            stack.pop_back();
        }
        return order;
    }

    std::vector<Value> values;

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    std::uint32_t number(Seen seen) {
        const auto [entry, is_new] =
            numbers_.try_emplace(std::move(seen), static_cast<std::uint32_t>(values.size()));
        if (is_new) values.push_back({&entry->first, {}});
        return entry->second;
    }

    void expand(std::uint32_t index) {
        const Seen& seen = *values[index].seen;
        if (seen.node->kind() != NodeKind::elementwise) return;
        for (const Operand& operand : static_cast<const Elementwise*>(seen.node)->operands()) {
            const std::uint32_t n = number({operand.node.get(), carry(seen.view, operand)});
            values[index].operands.push_back(n);
        }
    }

    static Dimensions carry(const Dimensions& view, const Operand& operand) {
        // A constant is the same through every view.
        if (operand.node->kind() == NodeKind::constant) return {};
        if (view.is_identity() && std::ranges::equal(view.max_shape(), operand.dims.max_shape()))
            return operand.dims;
        return dimensions::compose(view, operand.dims);
    }

    std::uint32_t neediest_operand(const Value& value) const {
        std::uint32_t best = kNone;
        for (const std::uint32_t operand : value.operands)
            if (!values[operand].ordered &&
                (best == kNone || values[operand].need > values[best].need))
                best = operand;
        return best;
    }

    std::uint32_t need_of(const Value& value) const {
        boost::container::small_vector<std::uint32_t, 3> needs;
        for (const std::uint32_t operand : value.operands) needs.push_back(values[operand].need);
        std::ranges::sort(needs, std::greater{});
        std::uint32_t need = 1;
        for (std::uint32_t held = 0; held < needs.size(); ++held)
            need = std::max(need, needs[held] + held);
        return need;
    }

    std::unordered_map<Seen, std::uint32_t, SeenHash> numbers_;
};

/// Hands out slots by type, and takes them back after the last use of a value.
class Slots {
public:
    explicit Slots(std::vector<DType>& slots) : slots_(slots) {}

    Slot take(DType dtype) {
        for (std::size_t i = 0; i < free_.size(); ++i) {
            if (slots_[free_[i]] != dtype) continue;
            const Slot slot = free_[i];
            free_[i] = free_.back();
            free_.pop_back();
            return slot;
        }
        slots_.push_back(dtype);
        return static_cast<Slot>(slots_.size() - 1);
    }
    void give_back(Slot slot) { free_.push_back(slot); }

private:
    std::vector<DType>& slots_;
    std::vector<Slot> free_;
};

bool readable_in_place(const Leaf& leaf) {
    const DType dtype = leaf.dtype();
    // A foreign bool may be any byte, and foreign memory may lie anywhere.
    return leaf.memory().stride_bytes == dtype.size_bytes() && dtype.id() != TypeId::boolean &&
           reinterpret_cast<std::uintptr_t>(leaf.memory().data) % dtype.descriptor().alignment == 0;
}

Apply apply_of(const Elementwise* node) {
    // An operation is known by the type it computes in; a choice by the type it returns.
    const bool is_map = node->op() == Op::map;
    return {node,
            is_map ? nullptr : kernel_for(node->op(), node->operands()[0].dtype(), node->dtype()),
            {}};
}

std::variant<Load, Fill, Apply> action_of(const Seen& seen) {
    const Node* node = seen.node;
    switch (node->kind()) {
    case NodeKind::constant: return Fill{static_cast<const Constant*>(node)->value()};
    case NodeKind::elementwise: return apply_of(static_cast<const Elementwise*>(node));
    case NodeKind::leaf: break;
    }
    const auto* leaf = static_cast<const Leaf*>(node);
    const Dimensions& view = seen.view;
    const bool direct = leaf->memory() && view.is_contiguous() && readable_in_place(*leaf);
    return Load{leaf, view, dimensions::AddressStream(view), direct ? view.base() : -1};
}

} // namespace

Program compile(const Operand& root) {
    Ordering ordering(root);
    const std::vector<std::uint32_t> order = ordering.in_order();
    std::vector<std::size_t> last_use(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::uint32_t operand : ordering.values[order[i]].operands)
            last_use[operand] = i;

    Program program{root, root.dims.size(), true, {}, {}};
    program.steps.reserve(order.size());
    Slots slots(program.slots);
    std::vector<Slot> slot_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        Value& value = ordering.values[order[i]];
        Step step{value.seen->node->dtype(), 0, action_of(*value.seen)};
        if (auto* apply = std::get_if<Apply>(&step.action))
            for (const std::uint32_t operand : value.operands)
                apply->operands.push_back(slot_of[operand]);
        if (const auto* load = std::get_if<Load>(&step.action))
            program.thread_safe = program.thread_safe && load->leaf->reader().is_thread_safe();
        // A result never shares a slot with an operand of its own.
        step.result = slot_of[order[i]] = slots.take(step.dtype);
        std::ranges::sort(value.operands);
        value.operands.erase(std::unique(value.operands.begin(), value.operands.end()),
                             value.operands.end());
        for (const std::uint32_t operand : value.operands)
            if (last_use[operand] == i) slots.give_back(slot_of[operand]);
        program.steps.push_back(std::move(step));
    }
    return program;
}

} // namespace purview::engine
