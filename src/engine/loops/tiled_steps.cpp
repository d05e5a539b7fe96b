// Defines evaluation/loops/tiled_steps.hpp.
#include "evaluation/loops/tiled_steps.hpp"

#include "engine/loops/box_run.hpp"
#include "engine/loops/time_tiles.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/ways/way.hpp"
#include "evaluation/loops/step_boxes.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/reader/buffer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace purview::inline v0_1 {

namespace engine {
namespace {

constinit TileSizes tile_sizes; // changed by tests alone

constexpr index_t kDeepest = 16;
constexpr index_t kDeepestInFiles = 64;
/// Rows that take a step together, at least: they share what they read of those beside them.
constexpr index_t kTogether = 4;
/// Elements that take longer than this to compute do not wait for memory, in operations.
constexpr index_t kExpensive = 128;
constexpr double kNanosecondsOfOperation = 0.05;

/// Which of the levels are cut into tiles, and how.
struct Tiling {
    TiledAxis rows;
    TiledAxis columns;
    index_t together = 1;
    index_t depth = 0;     ///< 0: none
    index_t rest_rows = 0; ///< after so many rows they are told to rest; 0: they lie in memory
};

struct TiledStates {
    const LoopRule& rule;
    const StateChains& chains;
    const StepBoxes& boxes;

    ShapeSpan shape(std::size_t i) const {
        return static_cast<const SymbolNode&>(*rule.step->placeholders[i]).shape();
    }
    index_t element_bytes(std::size_t i) const {
        return rule.step->placeholders[i]->dtype().size_bytes();
    }
    index_t longest(std::size_t axis) const {
        index_t most = 1;
        for (std::size_t i = 0; i < rule.states; ++i)
            if (shape(i).size() > axis) most = std::max(most, shape(i)[axis]);
        return most;
    }
    /// Bytes of the rows of all states: of a chain one more than it has states, as a step reads some and writes another,
    /// unless that is written over the last.
    index_t bytes_of_row() const {
        index_t sum = 0;
        for (std::size_t i = 0; i < rule.states; ++i) {
            if (!chains.is_computed(i)) continue;
            index_t row = element_bytes(i);
            for (std::size_t a = 1; a < shape(i).size(); ++a) row *= shape(i)[a];
            sum += row * static_cast<index_t>(chains.length(i) + (may_overwrite(i) ? 0 : 1));
        }
        return sum;
    }
    bool may_overwrite(std::size_t head) const {
        const std::size_t length = chains.length(head);
        return length > 1 && !boxes.moves[chains.member(head, length - 1)];
    }
};

/// The deepest tiles whose rows stay in the cache: of all columns, or of blocks of columns.
Tiling tiling_of(const TiledStates& states, index_t bytes_of_others, index_t window) {
    const StepBoxes& boxes = states.boxes;
    Tiling tiling;
    tiling.rows.extent = states.longest(0);
    tiling.rows.reach = std::max(boxes.rows.below, boxes.rows.above);
    tiling.rows.is_ring = boxes.rows.is_ring;
    tiling.columns.extent = states.longest(1);
    const index_t row = states.bytes_of_row() + bytes_of_others;
    const index_t reach = std::max<index_t>(tiling.rows.reach, 1);
    const auto deepest = [&](index_t bytes, index_t together) {
        return std::min(kDeepest,
                        (tile_sizes.cache_bytes / std::max<index_t>(bytes, 1) - together - reach) /
                            reach);
    };
    tiling.together =
        std::clamp<index_t>(tile_sizes.together_bytes / row,
                            std::min(kTogether, tiling.rows.extent), tiling.rows.extent);
    tiling.depth = deepest(row, tiling.together);
    const bool has_columns = boxes.columns_move && tiling.columns.extent > 1;
    if (window > 0) {
        // Each pass reads and writes files, which takes longer than memory does.
        const index_t rows = window / std::max<index_t>(row, 1);
        tiling.together = std::clamp<index_t>(rows / 4, 1, tiling.together);
        tiling.depth = std::clamp<index_t>((rows - tiling.together) / reach, 1, kDeepestInFiles);
        tiling.rest_rows = std::max<index_t>(rows / 8, 1);
    } else if (tiling.depth < 4 && has_columns) {
        tiling.columns.reach = std::max(boxes.columns.below, boxes.columns.above);
        tiling.columns.is_ring = boxes.columns.is_ring;
        const index_t column = row / tiling.columns.extent + 1;
        for (index_t depth = 8; depth >= 2; depth -= 2) {
            // Wedges are to be smaller than blocks.
            const index_t narrowest = std::max<index_t>(4 * depth * tiling.columns.reach, 1);
            const index_t widest =
                tile_sizes.cache_bytes / (column * (tiling.together + reach * (depth + 1)));
            if (widest < narrowest) continue;
            tiling.depth = depth;
            tiling.columns.blocks =
                std::max<index_t>(1, (tiling.columns.extent + widest - 1) / widest);
            break;
        }
    }
    if (tiling.depth < 2 && window == 0) tiling.depth = 0;
    return tiling;
}

/// What computes the boxes of all states, for one thread.
struct BoxRuns {
    std::vector<std::unique_ptr<BoxRun>> runs; ///< one for each box
};

class TimeTiles final : public TiledSteps {
public:
    TimeTiles(const LoopRule& rule, const StateChains& chains, StepBoxes boxes,
              std::span<const Operand> operands)
        : boxes_(std::move(boxes)), rule_(rule), chains_(chains) {
        for (std::size_t i = 0; i < rule.states; ++i) {
            const Node& state = *rule.step->placeholders[i];
            shapes_.push_back(to_shape(shape_of(state)));
            stand_ins_.push_back(stand_in(state.dtype(), size_of(state)));
        }
        bind(operands);
    }

    /// Whether all boxes can be computed where they lie; finds how they are cut.
    bool prepare(index_t bytes_of_others, index_t window) {
        tiling_ = tiling_of({rule_, chains_, boxes_}, bytes_of_others, window);
        if (tiling_.depth == 0) return false;
        std::unique_ptr<BoxRuns> runs = make_runs();
        if (runs == nullptr) return false;
        free_.push_back(std::move(runs));
        return true;
    }

    index_t depth() const noexcept override { return tiling_.depth; }

    bool may_overwrite(std::size_t head) const noexcept override {
        return TiledStates{rule_, chains_, boxes_}.may_overwrite(head);
    }

    void take(const StatePlaces& places) override {
        const index_t steps = std::ssize(places.after) - 1;
        TiledAxis rows = tiling_.rows;
        const index_t least = std::max<index_t>(4 * rows.reach * steps, tiling_.together);
        const index_t most = tile_sizes.blocks > 0 ? tile_sizes.blocks : threads();
        rows.blocks = std::clamp<index_t>(rows.extent / least, 1, most);
        const TiledAxis& columns = tiling_.columns;
        for (const bool row_wedges : {false, true})
            for (const bool column_wedges : {false, true}) {
                const index_t row_parts = row_wedges ? rows.wedges() : rows.blocks;
                const index_t column_parts = column_wedges ? columns.wedges() : columns.blocks;
                const index_t parts = row_parts * column_parts;
                parallel_ranges(parts, 1, nanoseconds(steps, row_wedges || column_wedges),
                                [&](index_t begin, index_t end) {
                                    const Lease runs(*this);
                                    for (index_t part = begin; part < end; ++part)
                                        take_part(*runs, places, steps, rows,
                                                  {part / column_parts, row_wedges}, columns,
                                                  {part % column_parts, column_wedges});
                                });
            }
    }

    std::string describe() const override {
        std::string text = fmt::format(
            "way: {} steps for each time {} read, rows in a wavefront, {} at a time", tiling_.depth,
            tiling_.rest_rows > 0 ? "files are" : "memory is", tiling_.together);
        if (tiling_.columns.blocks > 1)
            text += fmt::format(", in {} blocks of columns", tiling_.columns.blocks);
        text +=
            fmt::format("; a step reads {} below, {} above", boxes_.rows.below, boxes_.rows.above);
        return text + (boxes_.rows.is_ring ? ", as a ring\n" : "\n");
    }

private:
    /// Runs of this object that are one thread's for some time.
    class Lease {
    public:
        explicit Lease(TimeTiles& tiles) : tiles_(tiles) {
            {
                const std::lock_guard lock(tiles.mutex_);
                if (!tiles.free_.empty()) {
                    runs_ = std::move(tiles.free_.back());
                    tiles.free_.pop_back();
                }
            }
            if (runs_ == nullptr) runs_ = tiles.make_runs();
        }
        ~Lease() {
            const std::lock_guard lock(tiles_.mutex_);
            tiles_.free_.push_back(std::move(runs_));
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        BoxRuns& operator*() const noexcept { return *runs_; }

    private:
        TimeTiles& tiles_;
        std::unique_ptr<BoxRuns> runs_;
    };

    static NodePtr stand_in(DType dtype, index_t size) {
        return visit_dtype(dtype, "loop", [&]<typename T>(std::type_identity<T>) {
            static const T element{}; // its address is replaced before it is read
            return make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                &element, size, index_t{sizeof(T)}, borrowed(&element)));
        });
    }

    /// Puts stand-ins and operands in the place of the step's placeholders.
    void bind(std::span<const Operand> operands) {
        std::vector<Operand> states;
        for (std::size_t i = 0; i < stand_ins_.size(); ++i)
            states.push_back({stand_ins_[i], Dimensions::row_major(shapes_[i])});
        std::vector<const Operand*> bindings;
        for (std::size_t i = 0; i < operands.size(); ++i)
            bindings.push_back(i < states.size() ? &states[i] : &operands[i]);
        std::vector<Operand> roots;
        for (const StepBox& box : boxes_.boxes) roots.push_back(box.root);
        roots_ = Substitution(roots)(bindings);
    }

    Dimensions place_of(const StepBox& box) const {
        const Dimensions whole = Dimensions::row_major(shapes_[box.state]);
        index_t base = 0;
        for (std::size_t a = 0; a < box.begin.size(); ++a)
            base += box.begin[a] * whole.strides()[a];
        return Dimensions::strided(box.root.dims.max_shape(), whole.strides(), base);
    }

    std::unique_ptr<BoxRuns> make_runs() const {
        auto made = std::make_unique<BoxRuns>();
        for (std::size_t i = 0; i < roots_.size(); ++i) {
            made->runs.push_back(
                BoxRun::make(roots_[i], place_of(boxes_.boxes[i]), stand_ins_, tiling_.together));
            if (made->runs.back() == nullptr) return nullptr;
        }
        return made;
    }

    double nanoseconds(index_t steps, bool is_of_wedges) const {
        double elements = 0;
        for (const Shape& shape : shapes_)
            elements += static_cast<double>(Dimensions::row_major(shape).size());
        const double all =
            elements * static_cast<double>(steps * boxes_.operations) * kNanosecondsOfOperation;
        return is_of_wedges ? all / 8 : all;
    }

    void take_part(BoxRuns& runs, const StatePlaces& places, index_t steps, const TiledAxis& rows,
                   AxisPart row_part, const TiledAxis& columns, AxisPart column_part) const {
        index_t rested = row_part.is_wedge ? 0 : rows.begin(row_part.number);
        const auto compute_tile = [&](index_t step, Interval of_rows, Interval of_columns) {
            const auto& before = places.after[static_cast<std::size_t>(step)];
            const auto& after = places.after[static_cast<std::size_t>(step) + 1];
            for_each_on_axis(rows, of_rows, [&](Interval r) {
                for_each_on_axis(columns, of_columns,
                                 [&](Interval c) { compute(runs, before, after, r, c); });
            });
        };
        for_each_tile(rows, row_part, columns, column_part, tiling_.together, steps, compute_tile,
                      [&](index_t row) {
                          if (!places.rest || row - rested < tiling_.rest_rows) return;
                          places.rest(rested, row);
                          rested = row;
                      });
    }
    /// What lies beyond an end of a ring goes on at the other one.
    template <typename F>
    static void for_each_on_axis(const TiledAxis& axis, Interval range, const F& f) {
        if (range.begin < 0) f(Interval{range.begin + axis.extent, axis.extent});
        f(Interval{std::max<index_t>(range.begin, 0), std::min(range.end, axis.extent)});
        if (range.end > axis.extent) f(Interval{0, range.end - axis.extent});
    }

    void compute(BoxRuns& runs, std::span<std::byte* const> before,
                 const std::vector<std::byte*>& after, Interval rows, Interval columns) const {
        for (std::size_t i = 0; i < runs.runs.size(); ++i) {
            const StepBox& box = boxes_.boxes[i];
            const ShapeSpan extents = box.root.dims.max_shape();
            const index_t first = std::max(rows.begin - box.begin[0], index_t{0});
            const index_t last = std::min(rows.end - box.begin[0], extents[0]);
            BoxRun& run = *runs.runs[i];
            if (first >= last) continue;
            const index_t of_row = run.row_size();
            index_t begin = 0;
            index_t end = of_row;
            if (box.begin.size() > 1) {
                const index_t inner = of_row / extents[1];
                begin = std::max(columns.begin - box.begin[1], index_t{0}) * inner;
                end = std::min(columns.end - box.begin[1], extents[1]) * inner;
            }
            for (index_t row = first; row < last && begin < end; row += tiling_.together)
                run.run(before, after[box.state], row, std::min(last - row, tiling_.together),
                        begin, end);
        }
    }

    StepBoxes boxes_;
    LoopRule rule_;
    StateChains chains_;
    std::vector<Shape> shapes_;      // of the states
    std::vector<NodePtr> stand_ins_; // for them
    std::vector<Operand> roots_;     // of the boxes, over these
    Tiling tiling_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<BoxRuns>> free_;
};

/// The bytes of a row of all arrays that are only read.
index_t bytes_of_rows(std::span<const Operand> others, index_t rows) {
    if (rows == 0) return 0;
    index_t sum = 0;
    for (const Operand& other : others)
        if (other.node->kind() == NodeKind::leaf && other.dims.size() >= rows)
            sum += other.dims.size() / rows * other.dtype().size_bytes();
    return sum;
}

} // namespace
} // namespace engine

TiledSteps::~TiledSteps() = default;

void set_tile_sizes(const TileSizes& sizes) noexcept { engine::tile_sizes = sizes; }

std::unique_ptr<TiledSteps> TiledSteps::make(const LoopRule& rule, const StateChains& chains,
                                             std::span<const Operand> operands, index_t window,
                                             std::string& because) {
    if (!engine::allowed_ways().has(engine::Way::time_tiles)) {
        because = "PURVIEW_WAYS leaves it out";
        return nullptr;
    }
    for (const Operand& operand : operands)
        if (operand.node->reads(Below::device | Below::sparse | Below::blocks) ||
            (operand.node->kind() != NodeKind::constant &&
             (leaf_of(operand) == nullptr || !leaf_of(operand)->memory()))) {
            because = "what it reads does not lie in memory";
            return nullptr;
        }
    StepBoxes boxes = boxes_of(rule, chains);
    because = boxes.because;
    if (!because.empty()) return nullptr;
    index_t bytes = 0;
    for (std::size_t i = 0; i < rule.states; ++i)
        bytes += 2 * operands[i].dims.size() * operands[i].dtype().size_bytes();
    if (window == 0 && bytes <= engine::tile_sizes.cache_bytes)
        because = "the states stay in the cache";
    else if (window == 0 && boxes.operations >= engine::kExpensive)
        because = "its arithmetic takes longer than memory does";
    if (!because.empty()) return nullptr;
    const index_t rows = operands[0].dims.max_shape()[0];
    auto made = std::make_unique<engine::TimeTiles>(rule, chains, std::move(boxes), operands);
    if (made->prepare(engine::bytes_of_rows(operands.subspan(rule.states), rows), window))
        return made;
    because = "its rows are too long, or not read where they lie";
    return nullptr;
}

} // namespace purview
