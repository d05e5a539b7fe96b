#pragma once

#include "engine/machine_code/segment_values.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// What a processor and a program leave to the values.
struct RegisterNeeds {
    std::uint32_t registers;    ///< that values and constants may take
    bool compares_into_choices; ///< a comparison may be made where a choice needs it
    /// Registers that are to be free, if there are enough, while one vector of each value is
    /// computed.
    std::uint32_t of_partial_vector = 0;
};

/// Where the values of a program lie while `vectors` vectors of each are computed together.
struct RegisterPlan {
    static constexpr std::uint32_t kNone = UINT32_MAX;

    std::uint32_t vectors = 0; ///< 1, 2 or 4
    /// For each value its first register of `vectors`, or the one that holds a constant; kNone for
    /// those that have none.
    std::vector<std::uint32_t> registers;
    /// Values that are computed, or read from memory, only by the instruction that uses them.
    std::vector<bool> deferred;
    std::vector<bool> used;
};

/// Whether a value takes two steps, the first of which must not overwrite y.
bool keeps_y(const SegmentValues::Value& value) noexcept;

/// Nothing if the values need more registers than there are.
std::optional<RegisterPlan> plan_registers(const SegmentValues& program,
                                           const RegisterNeeds& needs);

} // namespace purview::engine
