#pragma once

#include <purview/base/hidden.hpp>
#include <purview/base/range_concepts.hpp>
#include <purview/dimensions/dimensions.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

namespace purview::inline v0_1::dimensions {

class InverseMap;

/// The global indexes that read one address, ascending, found one at a time. Move-only; shares
/// ownership of the map it searches. A single-pass range.
class PURVIEW_EXPORT GlobalIndexes {
public:
    GlobalIndexes(GlobalIndexes&&) noexcept;
    GlobalIndexes& operator=(GlobalIndexes&&) noexcept;
    ~GlobalIndexes();

    /// The next index, or nothing when there are no more.
    std::optional<index_t> next();
    /// How many candidates have been visited so far; for tests of the search's cost.
    std::uint64_t steps() const noexcept;

    class Iterator {
    public:
        using value_type = index_t;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;
        index_t operator*() const noexcept { return *current_; }
        Iterator& operator++() {
            current_ = owner_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& it, std::default_sentinel_t) noexcept {
            return !it.current_.has_value();
        }

    private:
        friend class GlobalIndexes;
        explicit Iterator(GlobalIndexes& owner) : owner_(&owner), current_(owner.next()) {}
        GlobalIndexes* owner_;
        std::optional<index_t> current_;
    };
    /// Starts reading: takes the first index. Call once.
    Iterator begin() { return Iterator(*this); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    friend class InverseMap;
    struct State;
    explicit GlobalIndexes(Hidden<State> state) noexcept;
    Hidden<State> state_;
};

/// A `Dimensions` prepared for inverse queries: build it once, query it often, from any thread.
class PURVIEW_EXPORT InverseMap {
public:
    explicit InverseMap(const Dimensions& dims);
    ~InverseMap();
    InverseMap(const InverseMap&) noexcept;
    InverseMap& operator=(const InverseMap&) noexcept;

    /// The global indexes that read an address. Axes whose stride exceeds the span of all smaller
    /// ones are resolved by division; the others are searched depth-first, each candidate
    /// satisfying the residual interval and the congruence modulo the strides that follow. If the
    /// order of a layer differs from that of the layer below, the indexes found below are collected
    /// first.
    GlobalIndexes operator()(index_t address) const;

private:
    friend class GlobalIndexes;
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

/// The global indexes that read an address, lazily and ascending: none for an address that the view
/// leaves out, several for one that it repeats. Any address may be given.
PURVIEW_EXPORT GlobalIndexes local_to_global(const Dimensions& dims, index_t address);

} // namespace purview::dimensions
