#pragma once

#include "engine/order/group_folds.hpp"

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// The distinct keys of rows, numbered as they appear.
struct HashedKeys {
    std::vector<std::int32_t> numbers; ///< of each row
    std::vector<index_t> first_rows;   ///< of each number
    GroupEntries<index_t> order;       ///< the numbers, by key if asked for
};

/// By a hash table, of keys of a built-in type. Throws `ShapeError` for 2³¹ rows or more.
HashedKeys hash_keys(const Operand& keys, bool ordered);

} // namespace purview::engine
