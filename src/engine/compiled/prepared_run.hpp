#pragma once

#include "engine/compile/plan.hpp"
#include "engine/compile/values.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/runner.hpp"

#include <purview/expression/graph.hpp>

#include <purview/evaluation/compiled.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// A run of a compiled operand that is prepared once, for bindings that are numbers, or in memory
/// at certain strides, and is then moved to other addresses and numbers: nothing is built, planned
/// or allocated again. For one thread at a time, and for work that one thread does alone. Keeps no
/// binding alive.
class PreparedRun {
public:
    /// What is run: all elements of the root, their fold, or calls of BLAS for the sums of a product.
    /// `slots` are those that the root reads.
    struct Task {
        const Substitution& substitution;
        std::span<const std::size_t> slots;
        std::optional<Reduction> reduction; ///< to one element, or sums of a product
        index_t groups = 1;

        bool is_product() const noexcept { return groups > 1; }
    };

    /// Null if these bindings cannot be moved, or the work is worth several threads.
    static std::unique_ptr<PreparedRun> make(const Task& task, Bindings bindings);

    PreparedRun(const PreparedRun&) = delete;
    PreparedRun& operator=(const PreparedRun&) = delete;

    /// Moves to these bindings. False if they differ from those that this was made for in more than
    /// addresses and numbers. Their types and shapes must be the same.
    bool move_to(Bindings bindings) noexcept;

    /// Assigns the results to constructed elements at `out`. After an exception this is ready for
    /// the next run. False where a product of floats may have left the range of its type: it has to
    /// be folded otherwise.
    bool run(void* out);

private:
    /// The stand-in for a binding: memory at the same strides, or a number of its own.
    struct Input {
        std::size_t slot = 0;
        Operand operand;
        const std::byte* start = nullptr; ///< of memory: address of coordinates zero now
        index_t stride_bytes = 0;
        void* number = nullptr; ///< of a number: its value, which is overwritten
    };
    /// An array of the plan, or factor of the product, that reads the memory of a binding: `offset`
    /// bytes behind its coordinates zero.
    struct Moved {
        ArrayId array = 0;
        std::size_t input = 0;
        std::ptrdiff_t offset = 0;
    };

    PreparedRun(std::vector<Input> inputs, Operand root, const Task& task);

    static std::optional<Input> make_input(std::size_t slot, const Operand& binding);
    bool find_moved();
    bool find_factors(index_t groups);

    std::vector<Input> inputs_;
    Operand root_;
    const FoldKind* fold_;             ///< null: no fold
    std::optional<BlasCalls> product_; ///< then there is no plan
    Values values_;
    std::shared_ptr<const Plan> plan_;
    std::optional<DirectRun> direct_;
    std::optional<Runner> runner_; ///< if not direct
    std::vector<Moved> moved_;
};

} // namespace purview::engine
