#pragma once

#include "evaluation/loops/step_boxes.hpp"

#include <purview/base/index.hpp>
#include <purview/expression/loop.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Where the states lie, each in row-major order without gaps: before the first step that is taken, and in turn after
/// odd and even ones. The three are apart from one another, or the last is the first.
struct StatePlaces {
    std::vector<const std::byte*> first;
    std::vector<std::byte*> odd;
    std::vector<std::byte*> even;
};

/// What tiles are cut by.
struct TileSizes {
    index_t cache_bytes = index_t{3}
                          << 18; ///< that tiles may take: of the second level of the cache
    index_t together_bytes =
        index_t{16} << 10; ///< of rows that go through a step together, if there are as many
    index_t blocks = 0;    ///< of rows; 0: as many as there are threads
};
/// For tests: tiles are cut by these from now on.
PURVIEW_EXPORT void set_tile_sizes(const TileSizes& sizes) noexcept;

/// Several steps for each time that memory is read: blocks of rows go through all of them in a wavefront, while they
/// are in the cache. Of every element the operations are those of single steps, so that the bits are the same, on
/// any number of threads.
class PURVIEW_EXPORT TiledSteps {
public:
    TiledSteps() = default;
    TiledSteps(const TiledSteps&) = delete;
    TiledSteps& operator=(const TiledSteps&) = delete;
    virtual ~TiledSteps();

    /// The steps of a loop over operands (of the step) that lie in memory or are numbers. Null, with the reason in
    /// `because`, where single steps are to be taken.
    static std::unique_ptr<TiledSteps> make(const LoopRule& rule, std::span<const Operand> operands,
                                            std::string& because);

    /// How many steps are taken together, at most.
    virtual index_t depth() const noexcept = 0;
    /// Takes `steps` of them, as many as `depth` at most.
    virtual void take(const StatePlaces& places, index_t steps) = 0;
    /// In lines, for `explain`.
    virtual std::string describe() const = 0;
};

} // namespace purview
