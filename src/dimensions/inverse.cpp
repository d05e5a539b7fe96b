#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>

#include "layer_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace purview::inline v0_1::dimensions {

struct InverseMap::Plan {
    Dimensions reduced;
    std::vector<LayerPlan> layers; // of `reduced`, the outer one first

    explicit Plan(const Dimensions& dims) : reduced(reduce(dims)) {
        layers.reserve(static_cast<std::size_t>(reduced.layer_count()));
        for (int k = 0; k < reduced.layer_count(); ++k) layers.emplace_back(reduced.layer(k));
    }
};

namespace {

// Finds the elements of layer k that read an address, through all layers below it.
class IndexSearch {
public:
    IndexSearch(const std::vector<LayerPlan>& plans, std::size_t k, index_t address)
        : plan_(&plans[k]) {
        if (k + 1 == plans.size())
            searches_.push_back({LayerSearch(*plan_, address), 0});
        else
            below_ = std::make_unique<IndexSearch>(plans, k + 1, address);
    }

    bool next(index_t& index) {
        if (below_ != nullptr) {
            if (plan_->is_ordered) return next_in_order(index);
            collect();
        }
        // The searches are a heap, ordered by the element that each has found.
        if (!has_heads_) {
            has_heads_ = true;
            std::erase_if(searches_, [](Head& head) { return !head.search.next(head.found); });
            std::make_heap(searches_.begin(), searches_.end(), later);
        }
        if (searches_.empty()) return false;
        std::pop_heap(searches_.begin(), searches_.end(), later);
        Head& head = searches_.back();
        index = head.found;
        const bool more = head.search.next(head.found);
        if (more) {
            std::push_heap(searches_.begin(), searches_.end(), later);
        } else {
            finished_steps_ += head.search.steps();
            searches_.pop_back();
        }
        return true;
    }

    std::uint64_t steps() const noexcept {
        std::uint64_t steps = finished_steps_ + (below_ != nullptr ? below_->steps() : 0);
        for (const Head& head : searches_) steps += head.search.steps();
        return steps;
    }

private:
    struct Head {
        LayerSearch search;
        index_t found;
    };
    static bool later(const Head& a, const Head& b) noexcept { return a.found > b.found; }

    // Where addresses ascend with elements, the elements found below are searched one after the
    // other.
    bool next_in_order(index_t& index) {
        for (;;) {
            if (!searches_.empty()) {
                if (searches_.back().search.next(index)) return true;
                finished_steps_ += searches_.back().search.steps();
                searches_.pop_back();
            }
            index_t address = 0;
            if (!below_->next(address)) return false;
            searches_.push_back({LayerSearch(*plan_, address), 0});
        }
    }

    // Otherwise any element found below may give the smallest result: all are needed.
    void collect() {
        index_t address = 0;
        while (below_->next(address)) searches_.push_back({LayerSearch(*plan_, address), 0});
        finished_steps_ += below_->steps();
        below_.reset();
    }

    const LayerPlan* plan_;
    std::unique_ptr<IndexSearch> below_; // null in the innermost layer, and after `collect`
    std::vector<Head> searches_;
    bool has_heads_ = false;
    std::uint64_t finished_steps_ = 0;
};

} // namespace

struct GlobalIndexes::State {
    std::shared_ptr<const InverseMap::Plan> plan;
    IndexSearch search;
};

GlobalIndexes::GlobalIndexes(Hidden<State> state) noexcept : state_(std::move(state)) {}
GlobalIndexes::GlobalIndexes(GlobalIndexes&&) noexcept = default;
GlobalIndexes& GlobalIndexes::operator=(GlobalIndexes&&) noexcept = default;
GlobalIndexes::~GlobalIndexes() = default;

std::optional<index_t> GlobalIndexes::next() {
    index_t index = 0;
    if (state_->search.next(index)) return index;
    return std::nullopt;
}

std::uint64_t GlobalIndexes::steps() const noexcept { return state_->search.steps(); }

InverseMap::InverseMap(const Dimensions& dims) : plan_(std::make_shared<const Plan>(dims)) {}
InverseMap::~InverseMap() = default;
InverseMap::InverseMap(const InverseMap&) noexcept = default;
InverseMap& InverseMap::operator=(const InverseMap&) noexcept = default;

GlobalIndexes InverseMap::operator()(index_t address) const {
    return GlobalIndexes(Hidden<GlobalIndexes::State>(
        new GlobalIndexes::State{plan_, IndexSearch(plan_->layers, 0, address)}));
}

GlobalIndexes local_to_global(const Dimensions& dims, index_t address) {
    return InverseMap(dims)(address);
}

} // namespace purview::dimensions
