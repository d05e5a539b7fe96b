#pragma once

#include "messages/ranks.hpp"

#include <purview/evaluation/reducer.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::mpi {

using GroupReducers = std::vector<std::shared_ptr<const Reducer>>;

/// The groups that some ranks have: their keys, ascending, each once, and a state of each reducer for each.
struct PartialGroups {
    std::vector<std::uint64_t> order;           ///< of keys: their ordered keys
    std::vector<std::uint64_t> keys;            ///< the bits of them
    std::vector<std::vector<std::byte>> states; ///< of one reducer after the other

    index_t size() const noexcept { return std::ssize(keys); }
    /// The states of a reducer, which are integers.
    std::span<std::int64_t> integers(std::size_t reducer) {
        return {reinterpret_cast<std::int64_t*>(states[reducer].data()), keys.size()};
    }

    /// Takes keys of a built-in type, ascending, each once.
    void set_keys(const char* what, const Operand& ascending);
    /// The keys, `[groups]`, of the type that they had.
    Operand keys_in_memory(const char* what, DType type) const;
};

/// The groups of both, of which the left ones come first. Of keys that are equal, as -0 and 0, the left one stays.
PartialGroups merged(const PartialGroups& left, const PartialGroups& right,
                     const GroupReducers& reducers);

/// Merges the groups of all ranks along a binary tree, and gives them to all. A call of all ranks.
void merge_all(Ranks& ranks, const char* what, const GroupReducers& reducers,
               PartialGroups& groups);

} // namespace purview
