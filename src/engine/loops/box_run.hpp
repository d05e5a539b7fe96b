#pragma once

#include "dtype/element_block.hpp"
#include "engine/compile/plan.hpp"
#include "engine/compile/values.hpp"
#include "engine/run/runner.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// A box of a state after a step, or of a row of an output, computed some rows at a time, for states that lie at any address,
/// with or without margins. For one thread at a time. Prepared once; nothing is planned or allocated again.
class BoxRun {
public:
    /// `root` is the box, over leaves that stand for the states before the step (`states`), other leaves in memory, and
    /// constants. `destination` is where the box lies in the elements of the state after it. At most `rows` rows are
    /// computed at a time. Null where a plan would read a leaf otherwise than where it lies or at strides.
    static std::unique_ptr<BoxRun> make(const Operand& root, const Dimensions& destination,
                                        std::span<const NodePtr> states, index_t rows);

    BoxRun(const BoxRun&) = delete;
    BoxRun& operator=(const BoxRun&) = delete;

    /// The elements of a row.
    index_t row_size() const noexcept { return row_size_; }
    /// Computes the elements [begin, end) of each of `rows` rows from `row` on, which are counted in the box; elements of a
    /// row in row-major order. `states` are the addresses of those before the step, `after` that of the state after it.
    void run(std::span<std::byte* const> states, std::byte* after, index_t row, index_t rows,
             index_t begin, index_t end);

    /// Computes the rows that it was made for, all elements of them.
    void run_all(std::span<std::byte* const> states, std::byte* after);

    /// Reads other leaves than states from other memory from now on, of the same types and strides.
    void move_leaf(const Node* leaf, const std::byte* first);

private:
    /// An array of the plan that reads a leaf, for the first row: of a state from its address on.
    struct Source {
        ArrayId array;
        std::size_t state; ///< `kFixed`: of another leaf, at `first`
        const std::byte* first;
        const Node* leaf;
        std::ptrdiff_t offset;
        std::ptrdiff_t row_bytes; ///< from one row to the next
    };
    static constexpr std::size_t kFixed = ~std::size_t{0};

    BoxRun(Operand root, const Dimensions& destination);
    bool find_sources(std::span<const NodePtr> states);
    void move_sources(std::span<std::byte* const> states, index_t row);
    void run(std::byte* place, index_t begin, index_t count);

    Operand root_;
    Dimensions destination_;
    Values values_;
    std::shared_ptr<const Plan> plan_;
    std::optional<Runner> runner_;
    std::vector<Source> sources_;
    index_t element_bytes_;
    index_t row_size_ = 1;
    index_t inner_bytes_ = 0;
    index_t row_bytes_ = 0; ///< of the destination
    bool is_direct_ = false;
    std::optional<ElementBlock> block_; ///< for results that are not computed where they go
};

} // namespace purview::engine
