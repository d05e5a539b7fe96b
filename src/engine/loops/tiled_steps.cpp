// Defines evaluation/loops/tiled_steps.hpp.
#include "evaluation/loops/tiled_steps.hpp"

#include "engine/loops/bound_boxes.hpp"
#include "engine/loops/cached_steps.hpp"
#include "engine/loops/padded_states.hpp"
#include "engine/loops/tiling.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"
#include "evaluation/loops/placed_states.hpp"
#include "evaluation/loops/step_boxes.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/symbol.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {

namespace engine {
namespace {

/// Elements that take longer than this to compute do not wait for memory, in operations.
constexpr index_t kExpensive = 128;
/// Of states that are copied to where they have margins: more would be twice the memory.
constexpr index_t kMostPadded = index_t{512} << 20;

class TimeTiles final : public TiledSteps {
public:
    TimeTiles(const LoopRule& rule, const StateChains& chains, BoundBoxes boxes)
        : rule_(rule), chains_(chains), boxes_(std::move(boxes)) {}

    /// Whether all boxes can be computed where they lie.
    bool prepare(const Tiling& tiling) {
        tiling_ = tiling;
        if (tiling_.depth == 0) return false;
        BoxRuns runs = boxes_.make_runs(tiling_.together);
        if (runs.empty()) return false;
        free_.push_back(std::move(runs));
        if (boxes_.boxes().margins.empty()) return true;
        padded_.emplace(rule_, chains_, boxes_.boxes());
        return true;
    }
    TiledStates states() const { return {rule_, chains_, boxes_.boxes(), boxes_.shapes()}; }

    index_t depth() const noexcept override { return tiling_.depth; }

    bool has_own_places() const noexcept override { return padded_.has_value(); }
    bool may_overwrite(std::size_t head) const noexcept override {
        return !has_own_places() && states().may_overwrite(head);
    }

    void take(const StatePlaces& places) override {
        // States are copied to where they have margins, and back, by steps of their own, while they are in the cache.
        if (!places.before.empty()) taken_ = 0;
        const index_t copies = (places.before.empty() ? 0 : 1) + (places.behind.empty() ? 0 : 1);
        const index_t steps =
            has_own_places() ? places.steps + copies : std::ssize(places.after) - 1;
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
                                    Lease runs(*this);
                                    for (index_t part = begin; part < end; ++part)
                                        take_part(*runs, places, steps, rows,
                                                  {part / column_parts, row_wedges}, columns,
                                                  {part % column_parts, column_wedges});
                                });
            }
        taken_ += places.steps;
    }

    std::string describe() const override {
        std::string text = fmt::format(
            "way: {} steps for each time {} read, rows in a wavefront, {} at a time", tiling_.depth,
            tiling_.rest_rows > 0 ? "files are" : "memory is", tiling_.together);
        if (tiling_.columns.blocks > 1)
            text += fmt::format(", in {} blocks of columns", tiling_.columns.blocks);
        text += fmt::format("; a step reads {} below, {} above", boxes_.boxes().rows.below,
                            boxes_.boxes().rows.above);
        return text + (boxes_.boxes().rows.is_ring ? ", as a ring\n" : "\n");
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
            if (runs_.empty()) runs_ = tiles.boxes_.make_runs(tiles.tiling_.together);
        }
        ~Lease() {
            const std::lock_guard lock(tiles_.mutex_);
            tiles_.free_.push_back(std::move(runs_));
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        BoxRuns& operator*() noexcept { return runs_; }

    private:
        TimeTiles& tiles_;
        BoxRuns runs_;
    };

    double nanoseconds(index_t steps, bool is_of_wedges) const {
        const double all = boxes_.nanoseconds() * static_cast<double>(steps);
        return is_of_wedges ? all / 8 : all;
    }

    void take_part(BoxRuns& runs, const StatePlaces& places, index_t steps, const TiledAxis& rows,
                   TilePart row_part, const TiledAxis& columns, TilePart column_part) const {
        index_t rested = row_part.is_wedge ? 0 : rows.begin(row_part.number);
        const auto compute_tile = [&](index_t step, Interval of_rows, Interval of_columns) {
            for_each_on_axis(rows, of_rows, [&](Interval r) {
                for_each_on_axis(columns, of_columns, [&](Interval c) {
                    if (padded_) return compute_padded(runs, places, step, r, c);
                    compute(runs, places.after[static_cast<std::size_t>(step)],
                            places.after[static_cast<std::size_t>(step) + 1], r, c);
                });
            });
        };
        for_each_tile(rows, row_part, columns, column_part, tiling_.together, steps, compute_tile,
                      [&](index_t row) {
                          end_if_stopped();
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

    /// The same where states have margins; or a copy, as the first or the last of the steps.
    void compute_padded(BoxRuns& runs, const StatePlaces& places, index_t step, Interval rows,
                        Interval columns) const {
        const index_t done = step - (places.before.empty() ? 0 : 1); // before this step
        std::vector<std::byte*> before(rule_.states), after(rule_.states);
        for (std::size_t i = 0; i < rule_.states; ++i) {
            if (done < 0) {
                padded_->copy_in(i, taken_, places.before[i], rows, columns);
                padded_->fill_last(i, taken_, rows, columns);
            } else if (done == places.steps) {
                if (places.behind[i] != nullptr)
                    padded_->copy_out(i, taken_ + done, places.behind[i], rows, columns);
            } else {
                before[i] = padded_->after(i, taken_ + done);
                after[i] = padded_->after(i, taken_ + done + 1);
            }
        }
        if (done < 0 || done == places.steps) return;
        compute(runs, before, after, rows, columns);
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (chains_.is_computed(i)) padded_->fill_last(i, taken_ + done + 1, rows, columns);
    }

    void compute(BoxRuns& runs, std::span<std::byte* const> before,
                 const std::vector<std::byte*>& after, Interval rows, Interval columns) const {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const StepBox& box = boxes_.boxes().boxes[i];
            const ShapeSpan extents = box.root.dims.max_shape();
            const index_t first = std::max(rows.begin - box.begin[0], index_t{0});
            const index_t last = std::min(rows.end - box.begin[0], extents[0]);
            BoxRun& run = *runs[i];
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
                run.run(before, after[box.output], row, std::min(last - row, tiling_.together),
                        begin, end);
        }
    }

    LoopRule rule_;
    StateChains chains_;
    BoundBoxes boxes_;
    Tiling tiling_;
    std::optional<PaddedStates> padded_; // where states have margins
    index_t taken_ = 0;                  // steps, of those
    std::mutex mutex_;
    std::vector<BoxRuns> free_;
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

namespace engine {
namespace {

/// Why what a step reads cannot be read where it lies; empty where it can.
std::string refusal_of(std::span<const Operand> operands) {
    if (!allowed_ways().has(Way::time_tiles)) return "PURVIEW_WAYS leaves it out";
    for (const Operand& operand : operands) {
        const Leaf* const leaf = leaf_of(operand);
        const bool is_number = operand.node->kind() == NodeKind::constant;
        if (operand.node->reads(Below::device | Below::sparse | Below::blocks) ||
            (!is_number && (leaf == nullptr || !leaf->memory())))
            return "what it reads does not lie in memory";
    }
    return {};
}

} // namespace
} // namespace engine

std::unique_ptr<TiledSteps> TiledSteps::make(const LoopRule& rule, const StateChains& chains,
                                             std::span<const Operand> operands, index_t in_memory,
                                             std::string& because) {
    using namespace engine;
    because = rule.states == 0 ? "it has no states" : refusal_of(operands);
    if (!because.empty()) return nullptr;
    index_t bytes = 0;
    std::vector<Shape> shapes;
    for (const Operand& state : operands.first(rule.states)) {
        bytes += 2 * state.dims.size() * state.dtype().size_bytes();
        shapes.push_back(to_shape(state.dims.max_shape()));
    }
    std::vector<Operand> own;
    const bool stay_in_cache = in_memory == 0 && bytes <= tile_sizes.cache_bytes;
    const auto try_with = [&](MarginAxes axes) -> std::unique_ptr<TiledSteps> {
        StepBoxes found = boxes_of(rule, chains, axes);
        because = found.because;
        if (!because.empty()) return nullptr;
        const index_t others = bytes_of_rows(operands.subspan(rule.states), shapes[0][0]);
        const index_t operations = found.operations;
        BoundBoxes boxes(rule, std::move(found), shapes, operands);
        if (stay_in_cache) {
            because = "rows of inputs do not lie in row-major order";
            for (const Operand& input : operands.subspan(rule.states, rule.inputs))
                if (line_of({input.node, dimensions::select(input.dims, 0, 0)}) == nullptr)
                    return nullptr;
            because = "small states are not of one shape, or not read along their axes";
            if (boxes.boxes().margins.empty()) return nullptr;
            because = "states have no elements";
            if (bytes == 0) return nullptr;
            because = "a step of states that stay in the cache is computed on all threads";
            if (!is_for_one_thread(boxes.nanoseconds())) return nullptr;
            because = "its rows are not read where they lie";
            return cached_steps(rule, chains, std::move(boxes));
        }
        because = "its arithmetic takes longer than memory does";
        if (in_memory == 0 && operations >= kExpensive) return nullptr;
        because = "its rows are too long, or not read where they lie";
        auto made = std::make_unique<TimeTiles>(rule, chains, std::move(boxes));
        if (!made->prepare(tiling_of(made->states(), others, in_memory))) return nullptr;
        return made;
    };
    if (stay_in_cache) {
        own = with_own_numbers(operands);
        operands = own;
        return try_with(MarginAxes::every);
    }
    if (in_memory == 0 && bytes <= kMostPadded)
        if (auto made = try_with(MarginAxes::last)) return made;
    return try_with(MarginAxes::none);
}

std::unique_ptr<TiledSteps> TiledSteps::make_in(const LoopRule& rule, const StateChains& chains,
                                                const StepBoxes& whole, const StateWindow& window,
                                                std::span<const Operand> operands,
                                                std::string& because) {
    because = engine::refusal_of(operands.subspan(rule.states));
    if (!because.empty()) return nullptr;
    const Shape extents = window.extents();
    const index_t others = engine::bytes_of_rows(operands.subspan(rule.states), extents[0]);
    auto made = std::make_unique<engine::TimeTiles>(
        rule, chains,
        engine::BoundBoxes(rule, boxes_in(rule, whole, window),
                           std::vector<Shape>(rule.states, extents), operands));
    const ShapeSpan shape = static_cast<const SymbolNode&>(*rule.step->placeholders[0]).shape();
    if (made->prepare(engine::tiling_in(made->states(), others, window, shape))) return made;
    because = "its rows are not read where they lie";
    return nullptr;
}

} // namespace purview
