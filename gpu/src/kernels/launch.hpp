#pragma once

#include "../driver/driver.hpp"
#include "lowered.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// What a kernel is launched with.
struct Launch {
    /// An index list as the host has it: the argument becomes the handle of its copy, int64 by int64.
    struct Table {
        std::uint32_t argument;
        const IndexSequence* list; ///< lives as long as the expression
    };
    std::vector<Argument> arguments;
    std::vector<Table> tables;
    std::size_t groups = 0;
    std::size_t group_size = 256;
};

/// All that the text of a kernel depends on but its dialect: structure, no constants, extents or
/// strides. Overwrites `key`, whose memory is used again. O(steps), without an allocation from the
/// second call on.
void key_of(const Lowered& x, std::string& key);

/// The arguments, in the order of the text's parameters, and the groups. `flag` is the handle of the
/// word that `x.checked` kernels set. No element: no groups, and nothing to launch.
void launch_of(const Lowered& x, std::uint64_t flag, Launch& launch);

} // namespace purview::gpu::detail
