#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A value for each of some nodes, in the order in which they were added. Few are searched one after the
/// other; more by a table of numbers, a fraction of the size and time of `std::unordered_map`, which has
/// an allocation for each. References to values hold until another one is added.
template <typename Value>
class NodeMap {
public:
    std::size_t size() const noexcept { return entries_.size(); }
    bool contains(const Node* node) const noexcept { return find(node) != nullptr; }

    /// Null if there is none.
    const Value* find(const Node* node) const noexcept {
        const std::size_t at = number_of(node);
        return at == kNone ? nullptr : &entries_[at].second;
    }
    Value* find(const Node* node) noexcept {
        const std::size_t at = number_of(node);
        return at == kNone ? nullptr : &entries_[at].second;
    }

    /// The value of the node, made of `arguments` if it had none; and whether it had none.
    template <typename... Arguments>
    std::pair<Value&, bool> try_emplace(const Node* node, Arguments&&... arguments) {
        const std::size_t at = number_of(node);
        if (at != kNone) return {entries_[at].second, false};
        entries_.emplace_back(node, Value(std::forward<Arguments>(arguments)...));
        if (entries_.size() > kFew) enter(entries_.size() - 1);
        return {entries_.back().second, true};
    }
    Value& operator[](const Node* node) { return try_emplace(node).first; }

    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

private:
    static constexpr std::size_t kFew = 8;
    static constexpr std::size_t kNone = ~std::size_t{0};

    std::size_t first_place(const Node* node) const noexcept {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
        return static_cast<std::size_t>(
            (reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15u) >> shift_);
    }
    std::size_t number_of(const Node* node) const noexcept {
        if (entries_.size() <= kFew) {
            for (std::size_t i = 0; i < entries_.size(); ++i)
                if (entries_[i].first == node) return i;
            return kNone;
        }
        for (std::size_t place = first_place(node);; place = (place + 1) & (places_.size() - 1)) {
            if (places_[place] == 0) return kNone;
            if (entries_[places_[place] - 1].first == node) return places_[place] - 1;
        }
    }
    void enter(std::size_t number) {
        if (entries_.size() * 2 > places_.size()) return grow();
        std::size_t place = first_place(entries_[number].first);
        while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
        places_[place] = static_cast<std::uint32_t>(number + 1);
    }
    void grow() {
        std::size_t bits = 5;
        while ((std::size_t{1} << bits) < 4 * entries_.size()) ++bits;
        places_.assign(std::size_t{1} << bits, 0);
        shift_ = 64 - bits;
        for (std::size_t i = 0; i < entries_.size(); ++i) enter(i);
    }

    std::vector<std::pair<const Node*, Value>> entries_;
    std::vector<std::uint32_t> places_; ///< number of an entry plus 1, or 0; a power of two
    std::size_t shift_ = 64;
};

class NodeSet {
public:
    /// Whether it was not there.
    bool insert(const Node* node) { return nodes_.try_emplace(node).second; }
    bool contains(const Node* node) const noexcept { return nodes_.contains(node); }

private:
    struct Nothing {};
    NodeMap<Nothing> nodes_;
};

} // namespace purview
