// Defines evaluation/loops/tiled_steps.hpp.
#include "evaluation/loops/tiled_steps.hpp"

#include "engine/loops/box_run.hpp"
#include "engine/loops/tiling.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/threads/watch.hpp"
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

/// Elements that take longer than this to compute do not wait for memory, in operations.
constexpr index_t kExpensive = 128;
constexpr double kNanosecondsOfOperation = 0.05;

/// What computes the boxes of all states, for one thread.
struct BoxRuns {
    std::vector<std::unique_ptr<BoxRun>> runs; ///< one for each box
};

class TimeTiles final : public TiledSteps {
public:
    /// `shapes` are those of the states, or of a window of them.
    TimeTiles(const LoopRule& rule, const StateChains& chains, StepBoxes boxes,
              std::vector<Shape> shapes, std::span<const Operand> operands)
        : boxes_(std::move(boxes)), rule_(rule), chains_(chains), shapes_(std::move(shapes)) {
        for (std::size_t i = 0; i < rule.states; ++i)
            stand_ins_.push_back(stand_in(rule.step->placeholders[i]->dtype(),
                                          Dimensions::row_major(shapes_[i]).size()));
        bind(operands);
    }

    /// Whether all boxes can be computed where they lie.
    bool prepare(const Tiling& tiling) {
        tiling_ = tiling;
        if (tiling_.depth == 0) return false;
        std::unique_ptr<BoxRuns> runs = make_runs();
        if (runs == nullptr) return false;
        free_.push_back(std::move(runs));
        return true;
    }
    TiledStates states() const { return {rule_, chains_, boxes_, shapes_}; }

    index_t depth() const noexcept override { return tiling_.depth; }

    bool may_overwrite(std::size_t head) const noexcept override {
        return states().may_overwrite(head);
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
                   TilePart row_part, const TiledAxis& columns, TilePart column_part) const {
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
    because = engine::refusal_of(operands);
    if (!because.empty()) return nullptr;
    StepBoxes boxes = boxes_of(rule, chains);
    because = boxes.because;
    if (!because.empty()) return nullptr;
    index_t bytes = 0;
    std::vector<Shape> shapes;
    for (const Operand& state : operands.first(rule.states)) {
        bytes += 2 * state.dims.size() * state.dtype().size_bytes();
        shapes.push_back(to_shape(state.dims.max_shape()));
    }
    if (in_memory == 0 && bytes <= engine::tile_sizes.cache_bytes)
        because = "the states stay in the cache";
    else if (in_memory == 0 && boxes.operations >= engine::kExpensive)
        because = "its arithmetic takes longer than memory does";
    if (!because.empty()) return nullptr;
    const index_t others = engine::bytes_of_rows(operands.subspan(rule.states), shapes[0][0]);
    auto made = std::make_unique<engine::TimeTiles>(rule, chains, std::move(boxes),
                                                    std::move(shapes), operands);
    if (made->prepare(engine::tiling_of(made->states(), others, in_memory))) return made;
    because = "its rows are too long, or not read where they lie";
    return nullptr;
}

std::unique_ptr<TiledSteps> TiledSteps::make_in(const LoopRule& rule, const StateChains& chains,
                                                const StepBoxes& whole, const StateWindow& window,
                                                std::span<const Operand> operands,
                                                std::string& because) {
    because = engine::refusal_of(operands.subspan(rule.states));
    if (!because.empty()) return nullptr;
    const Shape extents = window.extents();
    const index_t others = engine::bytes_of_rows(operands.subspan(rule.states), extents[0]);
    auto made =
        std::make_unique<engine::TimeTiles>(rule, chains, boxes_in(rule, whole, window),
                                            std::vector<Shape>(rule.states, extents), operands);
    const ShapeSpan shape = static_cast<const SymbolNode&>(*rule.step->placeholders[0]).shape();
    if (made->prepare(engine::tiling_in(made->states(), others, window, shape))) return made;
    because = "its rows are not read where they lie";
    return nullptr;
}

} // namespace purview
