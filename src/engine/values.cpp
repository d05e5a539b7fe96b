#include "engine/values.hpp"

#include <purview/dimensions/compose.hpp>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace purview::engine {
namespace {

/// Below this many values a search is faster than a table.
constexpr std::size_t kSearched = 16;

class Discovery {
public:
    explicit Discovery(Values& values) : values_(values) {}

    void run(const Operand& root) {
        number(root.node.get(), root.dims);
        for (ValueId next = 0; next < values_.size(); ++next) expand(next);
    }

private:
    ValueId number(const Node* node, Dimensions view) {
        const ValueId known = find(node, view);
        if (known != kNoValue) return known;
        const auto id = static_cast<ValueId>(values_.size());
        values_.all.push_back({node, std::move(view), {}});
        if (values_.size() > kSearched) remember(id);
        return id;
    }

    ValueId find(const Node* node, const Dimensions& view) const {
        const auto matches = [&](ValueId id) {
            return values_[id].node == node && values_[id].view == view;
        };
        if (values_.size() < kSearched) {
            for (ValueId id = 0; id < values_.size(); ++id)
                if (matches(id)) return id;
            return kNoValue;
        }
        const auto [first, last] = table_.equal_range(hash(node, view));
        for (auto entry = first; entry != last; ++entry)
            if (matches(entry->second)) return entry->second;
        return kNoValue;
    }

    void remember(ValueId id) {
        if (table_.empty())
            for (ValueId earlier = 0; earlier < id; ++earlier) insert(earlier);
        insert(id);
    }
    void insert(ValueId id) { table_.emplace(hash(values_[id].node, values_[id].view), id); }

    static std::size_t hash(const Node* node, const Dimensions& view) {
        return std::hash<const void*>{}(node) ^ (view.hash() * 31);
    }

    void expand(ValueId id) {
        const Elementwise* const operation = values_[id].operation();
        if (operation == nullptr) return;
        const bool plain = values_[id].view.is_identity();
        for (const Operand& operand : operation->operands()) {
            const ValueId below =
                number(operand.node.get(), carry(values_[id].view, plain, operand));
            values_.all[id].operands.push_back(below);
        }
    }

    static Dimensions carry(const Dimensions& view, bool plain, const Operand& operand) {
        // A constant is the same through every view.
        if (operand.node->kind() == NodeKind::constant) return {};
        if (plain && std::ranges::equal(view.max_shape(), operand.dims.max_shape()))
            return operand.dims;
        return dimensions::compose(view, operand.dims);
    }

    Values& values_;
    std::unordered_multimap<std::size_t, ValueId> table_; // empty until there are many
};

/// Depth-first, the neediest operand first.
class Ordering {
public:
    explicit Ordering(Values& values) : values_(values) {}

    void run() {
        // Once in any order, to learn what each value needs; then in that of their needs.
        visit([&](ValueId id) { values_.all[id].need = need_of(values_[id]); });
        values_.order.reserve(values_.size());
        visit([&](ValueId id) { values_.order.push_back(id); });
    }

private:
    template <typename F>
    void visit(F&& f) {
        for (Value& value : values_.all) value.ordered = false;
        stack_.assign(1, 0);
        while (!stack_.empty()) {
            const ValueId id = stack_.back();
            const ValueId operand = neediest_operand(values_[id]);
            if (operand != kNoValue) {
                stack_.push_back(operand);
                continue;
            }
            stack_.pop_back();
            if (!std::exchange(values_.all[id].ordered, true)) f(id);
        }
    }

    ValueId neediest_operand(const Value& value) const {
        ValueId best = kNoValue;
        for (const ValueId operand : value.operands)
            if (!values_[operand].ordered &&
                (best == kNoValue || values_[operand].need > values_[best].need))
                best = operand;
        return best;
    }

    /// What is read from memory or held in an instruction needs no tile of its own.
    std::uint32_t need_of(const Value& value) const {
        if (value.operation() == nullptr) return 0;
        boost::container::small_vector<std::uint32_t, 3> needs;
        for (const ValueId operand : value.operands) needs.push_back(values_[operand].need);
        std::ranges::sort(needs, std::greater{});
        std::uint32_t need = 1;
        for (std::uint32_t held = 0; held < needs.size(); ++held)
            if (needs[held] > 0) need = std::max(need, needs[held] + held);
        return need;
    }

    Values& values_;
    std::vector<ValueId> stack_;
};

} // namespace

Values::Values(const Operand& root) {
    Discovery(*this).run(root);
    Ordering(*this).run();
}

} // namespace purview::engine
