#pragma once

#include "engine/compile/plan.hpp"
#include "engine/compile/values.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/runner.hpp"

#include "expression/graph.hpp"

#include <purview/evaluation/compiled.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview::engine {

/// A run of a compiled operand that is made ready once, for bindings that lie in memory at certain strides,
/// or are numbers, and then moved to other addresses and numbers: nothing is built, planned or allocated
/// again. For one thread at a time, and for work that one thread does alone. Keeps no binding alive.
class PreparedRun {
public:
    /// Where an element of a fold goes, or all elements of the root; `slots`: those that the root reads.
    struct Task {
        const Substitution& substitution;
        std::span<const std::size_t> slots;
        std::optional<Reduction> reduction; ///< of everything to one element
    };

    /// Null if these bindings cannot be moved, or the work is worth several threads.
    static std::unique_ptr<PreparedRun> make(const Task& task, Bindings bindings);

    PreparedRun(const PreparedRun&) = delete;
    PreparedRun& operator=(const PreparedRun&) = delete;

    /// Whether the bindings differ in addresses and numbers alone from those that it was made for. They
    /// have their types and shapes.
    bool fits(Bindings bindings) const noexcept;

    /// Assigns the results to constructed elements at `out`. The bindings fit. What is thrown leaves it
    /// ready for the next run.
    void run(Bindings bindings, void* out);

private:
    /// What stands for a binding: memory at the same strides, or a number of its own.
    struct Input {
        std::size_t slot = 0;
        Operand operand;
        const std::byte* start = nullptr; ///< of memory: where coordinates zero lay
        index_t stride_bytes = 0;
        void* number = nullptr; ///< where a number is kept
    };
    /// An array of the plan that a binding lies in: so far behind its coordinates zero.
    struct Moved {
        ArrayId array = 0;
        std::size_t input = 0;
        std::ptrdiff_t offset = 0;
    };

    PreparedRun(std::vector<Input> inputs, Operand root, const Task& task);

    static std::optional<Input> stand_in(std::size_t slot, const Operand& binding);
    bool find_moved();
    void make_ready();

    std::vector<Input> inputs_;
    Operand root_;
    const FoldKind* fold_; ///< null: no fold
    Values values_;
    Purpose purpose_;
    std::shared_ptr<const Plan> plan_;
    std::optional<DirectRun> direct_;
    std::optional<Runner> runner_; ///< if not direct
    std::vector<Moved> moved_;
};

} // namespace purview::engine
