#pragma once

#include "messages/ranks.hpp"

#include <purview/base/function_ref.hpp>

#include <vector>

namespace purview::inline v0_1::mpi {

/// Adds up what the ranks of a group have, entry by entry, on all of them.
void add_up(Ranks& ranks, const char* what, const Group& group, std::span<std::int64_t> counts);

/// A word, and how many of all ranks' words are less.
struct Bisected {
    std::uint64_t word = 0;
    std::int64_t before = 0;
};

/// The word at each of the positions `targets` of all ranks' words of `bits` bits in order: that before which at most `target` words
/// come, and no greater one has this. `count(t, word)` tells how many words of this rank are less than `word`, among those that
/// target t is about. Several bits are found in each step, of one sum over all ranks.
std::vector<Bisected> bisected(Ranks& ranks, const char* what, int bits,
                               std::span<const std::int64_t> targets,
                               FunctionRef<std::int64_t(std::size_t, std::uint64_t)> count);

} // namespace purview
