#pragma once

#include <purview/expression/leaf.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace purview::inline v0_1::engine {

/// The least and the greatest of keys that are integers, as the bits of an int64 or uint64.
std::pair<std::uint64_t, std::uint64_t> least_and_greatest(const Operand& keys);

/// The greatest common divisor of the differences between the least key and the first kLookedAt
/// keys.
inline constexpr index_t kLookedAt = 4096;
std::uint64_t common_step(const Operand& keys, std::uint64_t least);

/// (key - from) / by of keys that are integers, lazy, if all of them are whole steps of `by` away from `from`.
std::optional<Operand> whole_steps(const Operand& keys, std::uint64_t from, std::uint64_t by);

/// Whether elements are read from memory rather than computed.
bool is_in_memory(const Operand& operand);

/// Whether keys in memory may be less than `apart` apart. Not if the first and the last are not,
/// where they are cheap to look at: this tells of keys in order.
bool may_be_near(const Operand& keys, std::uint64_t apart);

} // namespace purview::engine
