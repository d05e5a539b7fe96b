#pragma once

#include "engine/compile/plan.hpp"
#include "engine/compile/plan_cache.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::engine {

/// The first entries of a list, and how many there are in all.
template <typename T>
struct Shown {
    std::vector<T> entries;
    std::size_t total = 0;

    /// Most entries that are kept.
    static constexpr std::size_t kMost = 100;

    template <typename Make>
    void add(Make&& make) {
        if (total++ < kMost) entries.push_back(make());
    }
};

/// A value of the tree.
struct ValueDescription {
    ValueId id = 0;
    DType dtype;
    std::string
        what; ///< an operation's name, a constant's value, what a leaf is and how it is seen
    std::vector<ValueId> operands;
    /// ", sparse", or ", lazily dense" for a dense value that reads something sparse; else empty.
    std::string_view kind;
};

/// A leaf in a plan.
struct LeafDescription {
    ValueId id = 0;
    LoadAccess access = LoadAccess::direct;
    ScratchReason scratch_reason = ScratchReason::none;
    Shape strides;             ///< in bytes, along the loops; empty for leaves without strides
    index_t element_bytes = 0; ///< read for each element
    bool one_thread = false;
    std::string source; ///< how a gather, or pieces, read
};

/// A step of a plan.
struct StepDescription {
    enum class Kind : std::uint8_t { load, convert, call, fill, tiles };
    Kind kind = Kind::tiles;
    std::vector<ValueId> values; ///< what is loaded, converted, …; of tiles, the fused operations
    bool checked = false;        ///< of a conversion
    // Of tiles:
    std::size_t lanes = 0;
    std::size_t lane_bytes = 0;
    std::size_t instructions = 0;
    std::size_t spilled = 0; ///< tiles kept in memory between instructions
    bool folds = false;
    bool folds_in_registers = false;
    bool machine_code = false; ///< the instructions were translated
};

/// A plan, as facts. Everything is read from the plan: nothing is decided here.
struct PlanDescription {
    std::string target;
    PlanCacheState cache_state = PlanCacheState::missing;
    Shape loops;
    SpaceOrder order = SpaceOrder::free;
    bool by_rows = true;
    index_t row = 1;
    index_t block = 0; ///< 0: rows are not cut
    index_t panel_rows = 0;
    Shown<LeafDescription> leaves;
    Shown<StepDescription> steps;
    index_t read_bytes = 0;  ///< from leaves, for each element
    index_t write_bytes = 0; ///< of the result, for each element
    std::size_t scratch_blocks = 0;
    index_t scratch_bytes = 0;
};

/// Operations with their operands, leaves and constants, in the order in which they are found.
Shown<ValueDescription> describe_values(const Values& values);
PlanDescription describe_plan(const Values& values, const FoundPlan& found);

} // namespace purview::engine
