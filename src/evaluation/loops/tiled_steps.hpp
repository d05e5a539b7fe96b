#pragma once

#include "evaluation/loops/state_chains.hpp"
#include "evaluation/loops/step_windows.hpp"

#include <purview/base/index.hpp>
#include <purview/expression/loop.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Where states lie, each in row-major order without gaps, for some steps.
struct StatePlaces {
    /// Of steps that have no places of their own: before the first step, after it, and so on. States that are not computed
    /// (`StateChains`) are not written. A place that is written is that of an earlier step, which no later one reads, nor this
    /// one; but where `may_overwrite` says so, it may be that of the last state of the chain.
    std::vector<std::vector<std::byte*>> after = {};
    /// Of those that have: how many there are, where the states lie before the first step of all (empty: they go on), and
    /// where copies of those after the last one are wanted (null: nowhere).
    index_t steps = 0;
    std::vector<std::byte*> before = {};
    std::vector<std::byte*> behind = {};
    /// Of steps that have rows (`has_rows`), in row-major order without gaps: of inputs, and of outputs and of states
    /// before each step, which may be wanted nowhere.
    struct Rows {
        std::byte* first = nullptr; ///< of the first of the steps
        std::ptrdiff_t bytes = 0;   ///< from a step's to the next one's

        std::byte* of(index_t step) const noexcept { return first + step * bytes; }
    };
    std::vector<Rows> inputs = {};
    std::vector<Rows> outputs = {};
    std::vector<Rows> kept = {};
    /// Is called with rows that are not touched for some time, from any thread; or is empty.
    std::function<void(index_t first, index_t last)> rest = {};
};

/// What tiles are cut by.
struct TileSizes {
    /// That tiles may take: of the second level of the cache.
    index_t cache_bytes = index_t{1} << 20;
    /// Of rows that go through a step together, if there are as many.
    index_t together_bytes = index_t{16} << 10;
    /// Of rows; 0: as many as there are threads.
    index_t blocks = 0;
};
/// For tests: tiles are cut by these from now on.
PURVIEW_EXPORT void set_tile_sizes(const TileSizes& sizes) noexcept;

/// Several steps for each time that memory is read: blocks of rows go through all of them in a wavefront, while they
/// are in the cache; or steps of states that stay there. Of every element the operations are those of single steps, so
/// that the bits are the same, on any number of threads.
class PURVIEW_EXPORT TiledSteps {
public:
    TiledSteps() = default;
    TiledSteps(const TiledSteps&) = delete;
    TiledSteps& operator=(const TiledSteps&) = delete;
    virtual ~TiledSteps();

    /// The steps of a loop over operands (of the step) that lie in memory or are numbers, rows of inputs in row-major
    /// order. Null, with the reason in `because`, where single steps are to be taken. `in_memory`: states lie in files, so
    /// many bytes of which may be in memory; 0: they lie in memory.
    static std::unique_ptr<TiledSteps> make(const LoopRule& rule, const StateChains& chains,
                                            std::span<const Operand> operands, index_t in_memory,
                                            std::string& because);

    /// The same within a window of the states, of which places are given, for as many steps as are asked for: what comes
    /// to lack what is beyond the window is not computed. `whole` is not refused (`refusal_of_windows`). Operands behind the
    /// states are whole.
    static std::unique_ptr<TiledSteps> make_in(const LoopRule& rule, const StateChains& chains,
                                               const StepBoxes& whole, const StateWindow& window,
                                               std::span<const Operand> operands,
                                               std::string& because);

    /// How many steps are taken together, at most.
    virtual index_t depth() const noexcept = 0;
    /// Whether states go on in places of their own from one `take` to the next.
    virtual bool has_own_places() const noexcept { return false; }
    /// Whether they read and write rows of inputs and outputs, and keep each state.
    virtual bool has_rows() const noexcept { return false; }
    /// For a loop of the same rule over other operands, from now on. False, with nothing done, where these are not alike.
    virtual bool rebind(std::span<const Operand>) { return false; }
    /// Whether the head of a chain may be written where its last state lies, as that is read at the elements that are
    /// computed alone.
    virtual bool may_overwrite(std::size_t head) const noexcept = 0;
    /// Takes some steps.
    virtual void take(const StatePlaces& places) = 0;
    /// In lines, for `explain`.
    virtual std::string describe() const = 0;
};

} // namespace purview
