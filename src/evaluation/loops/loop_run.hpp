#pragma once

#include "evaluation/loops/large_states.hpp"
#include "evaluation/loops/state_chains.hpp"
#include "evaluation/loops/tiled_steps.hpp"

#include <purview/evaluation/loops.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/loop.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Steps that were taken, and may be again, from any thread.
class SpareSteps {
public:
    /// Null where there are none that can be bound to these operands.
    std::unique_ptr<TiledSteps> take(std::span<const Operand> operands);
    void give(std::unique_ptr<TiledSteps> steps);

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<TiledSteps>> spare_;
};

/// A loop, its step and its condition compiled.
struct CompiledLoop {
    explicit CompiledLoop(const LoopRule& loop);

    LoopRule rule;
    StateChains chains;
    std::shared_ptr<const Program> step;      ///< of the states that are computed
    std::shared_ptr<const Program> condition; ///< null without one
    mutable SpareSteps spare;
};

/// Runs a loop over operands that have elements. `outs` are for the number of steps and each result; what is larger
/// than the memory limit, and was read in chunks, lies in `large` meanwhile. Calls `watch` if it is not null. Throws what the step throws, naming the step in errors of the library.
void run_loop(const CompiledLoop& loop, std::vector<Operand> operands,
              std::span<const Destination> outs, LargeStates& large,
              const StepWatch* watch = nullptr);

/// What lies in the memory that operands are put into: their elements, or, for `explain`, nothing that may be read.
enum class Elements : std::uint8_t { computed, imagined };

/// Operands that are read by every step, in memory: those that are computed, or computed by a reader, once.
void put_into_memory(const char* what, std::vector<Operand>& operands,
                     Elements elements = Elements::computed);
/// The same for a loop: those that are read in chunks, too, the large ones in files.
void put_into_memory(std::vector<Operand>& operands, LargeStates& large,
                     Elements elements = Elements::computed);

} // namespace purview
