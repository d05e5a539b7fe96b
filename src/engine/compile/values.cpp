#include "engine/compile/values.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/expression/symbol.hpp>

#include "engine/compile/without_gathers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Below this many values a search is faster than a table.
constexpr std::size_t kSearched = 16;

/// The view of every constant, which is the same through any view. Never destroyed, as constructors
/// and destructors of static objects may evaluate.
const Dimensions& scalar_view() {
    static const Dimensions& view = *new Dimensions;
    return view;
}

} // namespace

class Discovery {
public:
    explicit Discovery(Values& values) : values_(values) {}

    void run(const Operand& root) {
        const std::optional<SeenNode> seen = without_gathers(*root.node, root.dims);
        if (seen)
            add(seen->node, &values_.composed_.emplace_front(seen->view));
        else
            add(root.node.get(), &root.dims);
        for (ValueId next = 0; next < values_.size(); ++next) expand(next);
    }

private:
    void expand(ValueId id) {
        const Elementwise* const operation = values_[id].operation();
        if (operation == nullptr) {
            const Node& node = *values_[id].node;
            if (node.reads(Below::symbol) && !values_[id].is_block_source())
                throw_no_elements(node);
            return;
        }
        const Dimensions& view = *values_[id].view;
        const bool plain = view.is_identity();
        const auto first = static_cast<std::uint32_t>(values_.links_.size());
        for (const Input& input : operation->inputs()) {
            if (input.node->kind() == NodeKind::constant)
                link(input.node.get(), scalar_view());
            else if (input.view == nullptr)
                link(input.node.get(), view); // as the operation is seen
            else if (plain && std::ranges::equal(view.max_shape(), operation->shape()))
                link(input.node.get(), input.view->dims);
            else
                link(input.node.get(), dimensions::compose(view, input.view->dims), true);
        }
        values_.all_[id].first_operand = first;
        values_.all_[id].operand_count = static_cast<std::uint32_t>(operation->inputs().size());
    }

    /// `composed`: no operand in the expression has this view.
    void link(const Node* node, const Dimensions& view, bool composed = false) {
        if (node->kind() == NodeKind::gather) [[unlikely]]
            if (const std::optional<SeenNode> seen = without_gathers(*node, view))
                return link_node(seen->node, seen->view, true);
        link_node(node, view, composed);
    }
    void link_node(const Node* node, const Dimensions& view, bool composed) {
        ValueId id = find(node, view);
        if (id == kNoValue)
            id = add(node, composed ? &values_.composed_.emplace_front(view) : &view);
        values_.links_.push_back(id);
    }

    ValueId add(const Node* node, const Dimensions* view) {
        const auto id = static_cast<ValueId>(values_.size());
        values_.all_.push_back({node, view});
        if (values_.size() > kSearched) remember(id);
        return id;
    }

    ValueId find(const Node* node, const Dimensions& view) const {
        const auto matches = [&](ValueId id) {
            const Value& value = values_[id];
            return value.node == node && (value.view == &view || *value.view == view);
        };
        if (values_.size() <= kSearched) {
            for (ValueId id = 0; id < values_.size(); ++id)
                if (matches(id)) return id;
            return kNoValue;
        }
        for (std::size_t at = first_slot(node, view);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at] == kNoValue || matches(table_[at])) return table_[at];
        }
    }

    void remember(ValueId id) {
        if (2 * values_.size() <= table_.size()) return insert(id);
        table_.assign(4 * std::bit_ceil(values_.size()), kNoValue);
        for (ValueId known = 0; known <= id; ++known) insert(known);
    }
    void insert(ValueId id) {
        std::size_t at = first_slot(values_[id].node, *values_[id].view);
        while (table_[at] != kNoValue) at = (at + 1) & (table_.size() - 1);
        table_[at] = id;
    }
    std::size_t first_slot(const Node* node, const Dimensions& view) const {
        const auto seen = static_cast<std::uint64_t>(
            view.is_strided() ? static_cast<std::size_t>(view.base()) : view.hash());
        const auto key = (reinterpret_cast<std::uintptr_t>(node) ^ seen * 31) * 0x9e3779b97f4a7c15;
        return (key >> 32) & (table_.size() - 1);
    }

    Values& values_;
    std::vector<ValueId>
        table_; ///< by hashes, a power of two of them; empty until there are many values
};

Values::Values(const Operand& root) { Discovery(*this).run(root); }

namespace {

/// Depth-first, the operand first that needs most tiles at once, by Sethi and Ullman's count.
class EvaluationOrdering {
public:
    explicit EvaluationOrdering(const Values& values) : values_(values), needs_(values.size(), 0) {}

    std::vector<ValueId> run() {
        // First in any order, to learn what each value needs; then by those needs.
        visit([&](ValueId id) { needs_[id] = need_of(id); });
        std::vector<ValueId> order;
        order.reserve(values_.size());
        visit([&](ValueId id) { order.push_back(id); });
        return order;
    }

private:
    template <typename F>
    void visit(F&& f) {
        visited_.assign(values_.size(), false);
        stack_.assign(1, 0);
        while (!stack_.empty()) {
            const ValueId id = stack_.back();
            const ValueId operand = operand_of_most_tiles(id);
            if (operand != kNoValue) {
                stack_.push_back(operand);
                continue;
            }
            stack_.pop_back();
            if (visited_[id]) continue;
            visited_[id] = true;
            f(id);
        }
    }

    ValueId operand_of_most_tiles(ValueId id) const {
        ValueId best = kNoValue;
        for (const ValueId operand : values_.operands(id))
            if (!visited_[operand] && (best == kNoValue || needs_[operand] > needs_[best]))
                best = operand;
        return best;
    }

    /// The number of tiles that have to be held at once to compute a value. 0 for what is read from
    /// memory or held in an instruction.
    std::uint32_t need_of(ValueId id) const {
        if (values_[id].operation() == nullptr) return 0;
        boost::container::small_vector<std::uint32_t, 3> needs;
        for (const ValueId operand : values_.operands(id)) needs.push_back(needs_[operand]);
        std::ranges::sort(needs, std::greater{});
        std::uint32_t need = 1;
        for (std::uint32_t held = 0; held < needs.size(); ++held)
            if (needs[held] > 0) need = std::max(need, needs[held] + held);
        return need;
    }

    const Values& values_;
    std::vector<std::uint32_t> needs_;
    std::vector<bool> visited_;
    std::vector<ValueId> stack_;
};

} // namespace

std::vector<ValueId> evaluation_order(const Values& values) {
    return EvaluationOrdering(values).run();
}

} // namespace purview::engine
