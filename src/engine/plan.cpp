#include "engine/plan.hpp"

#include "engine/kernels/selection.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace purview::engine {
namespace {

constexpr std::uint32_t kNoSegment = UINT32_MAX;

/// Operations fused into one program at most: bounds its length, and the search for its values.
constexpr std::size_t kLargestSegment = 128;

bool is_aligned(const void* address, DType dtype) {
    return reinterpret_cast<std::uintptr_t>(address) % dtype.descriptor().alignment == 0;
}

/// Nanoseconds for an element on one thread: enough to tell what is worth a second one.
double estimated_cost(const Plan& plan) {
    constexpr double kByte = 0.008; // from the second-level cache
    constexpr double kMove = 0.3;   // of an element by itself
    constexpr double kCall = 2;     // of a function or reader of somebody else's
    double cost = kByte * static_cast<double>(plan.dtype.size_bytes());
    for (const Array& array : plan.arrays) {
        if (array.value == kNoValue) continue;
        cost += kByte * static_cast<double>(array.dtype.size_bytes());
        if (array.access == Access::strided) cost += kMove;
        if (array.access == Access::streamed) cost += kCall;
    }
    for (const Step& step : plan.steps) {
        if (std::holds_alternative<MapStep>(step)) cost += kCall;
        if (std::holds_alternative<CastStep>(step)) cost += kMove;
        if (const auto* const tile = std::get_if<TileStep>(&step)) {
            constexpr double kLaneByte = 0.0025;
            cost += kLaneByte * tile->program.lane_bytes *
                    static_cast<double>(tile->program.code.size()) * kMaxTileBytes /
                    static_cast<double>(plan.kernels.tile_bytes);
        }
    }
    return cost;
}

/// Fills in a plan, part by part.
class Planner {
public:
    Planner(Plan& plan, const Values& values, const Purpose& purpose)
        : plan_(plan), values_(values), purpose_(purpose), order_(evaluation_order(values)) {}

    void run() {
        plan_.size = values_.root().view->size();
        plan_.arrays.push_back({plan_.dtype, kNoValue, Access::streamed, 0, std::nullopt, false});
        sources_.resize(values_.size());
        classify();
        lay_out();
        for (const ValueId id : order_)
            if (values_[id].operation() == nullptr) add_source(id);
        plan_segments();
        for (const ValueId id : order_)
            if (values_[id].operation() != nullptr) add_operation(id);
        if (values_.root().operation() == nullptr) add_root_without_operation();
        share_blocks();
        for (Step& step : plan_.steps)
            if (auto* const tile = std::get_if<TileStep>(&step)) place_programs(*tile);
        plan_.cost = estimated_cost(plan_);
        const bool needs_blocks = std::ranges::any_of(plan_.arrays, &Array::scratch);
        plan_.block = needs_blocks || !plan_.by_rows ? kBlock : std::numeric_limits<index_t>::max();
    }

private:
    // --- which steps read a value ---------------------------------------------------------------

    void classify() {
        forms_.resize(values_.size());
        read_by_blocks_.resize(values_.size(), false);
        for (ValueId id = 0; id < values_.size(); ++id) {
            if (values_[id].operation() == nullptr) continue;
            forms_[id] = tile_form(plan_.kernels, values_, id);
            // An element that does not fit is named by its row-major index.
            checks_ =
                checks_ || (!forms_[id].on_tiles && values_[id].operation()->op() == Op::cast);
            if (!forms_[id].on_tiles)
                for (const ValueId operand : values_.operands(id)) read_by_blocks_[operand] = true;
        }
    }

    // --- the space ------------------------------------------------------------------------------

    void lay_out() {
        std::vector<const Dimensions*> operands;
        if (purpose_.destination != nullptr) operands.push_back(purpose_.destination);
        bool in_order = purpose_.walk == Walk::in_order || checks_;
        for (const ValueId id : order_) {
            const Value& value = values_[id];
            if (value.leaf() == nullptr) continue;
            plan_.thread_safe = plan_.thread_safe && value.leaf()->is_thread_safe();
            if (value.is_strided_memory())
                operands.push_back(value.view);
            else
                in_order = true;
        }
        const Dimensions identity = operands.empty()
                                        ? Dimensions::row_major(values_.root().view->max_shape())
                                        : Dimensions();
        if (operands.empty()) operands.push_back(&identity);
        plan_.space = make_space(operands, in_order ? Walk::in_order : Walk::any_order);
        // Where memory begins is for those to say who run the plan.
        for (std::size_t k = 0; k < operands.size(); ++k)
            plan_.space.operands[k].base -= operands[k]->base();
        plan_.row = plan_.space.rank() == 0 ? 1 : plan_.space.extents.back();
        plan_.by_rows = plan_.space.rank() <= 1 || plan_.row >= kShortestRow;
        next_operand_ = purpose_.destination != nullptr ? 1 : 0;
    }

    // --- leaves ---------------------------------------------------------------------------------

    void add_source(ValueId id) {
        const Value& value = values_[id];
        const DType dtype = value.node->dtype();
        if (value.constant() != nullptr) {
            sources_[id] = {Source::Form::constant, 0, id, dtype.id()};
            return;
        }
        Array array{dtype, id, Access::streamed, 0, std::nullopt, true};
        if (value.is_strided_memory()) {
            array.operand = next_operand_++;
            array.access = access_of(id, array.operand);
            array.scratch = array.access == Access::strided;
        } else {
            array.stream.emplace(*value.view);
        }
        const auto form =
            array.access == Access::repeated ? Source::Form::repeated : Source::Form::array;
        sources_[id] = {form, static_cast<ArrayId>(plan_.arrays.size()), kNoValue, dtype.id()};
        plan_.arrays.push_back(std::move(array));
    }

    Access access_of(ValueId id, std::uint32_t operand) const {
        const Leaf& leaf = *values_[id].leaf();
        const DType dtype = leaf.dtype();
        const MemoryView memory = leaf.memory();
        // Functions of the user's read true bools, at aligned addresses.
        const bool foreign =
            read_by_blocks_[id] && (dtype == boolean || !is_aligned(memory.data, dtype));
        const Strided& strided = plan_.space.operands[operand];
        const index_t inner =
            plan_.space.rank() == 0 ? 0 : strided.strides.back() * memory.stride_bytes;
        if (!plan_.by_rows) {
            const bool contiguous =
                plan_.space.is_contiguous(operand) && memory.stride_bytes == dtype.size_bytes();
            return contiguous && !foreign ? Access::direct : Access::strided;
        }
        if (foreign) return Access::strided;
        if (inner == dtype.size_bytes() || plan_.row == 1) return Access::direct;
        if (inner == 0 && !read_by_blocks_[id] && dtype != boolean) return Access::repeated;
        return Access::strided;
    }

    /// Loads a leaf before its first user, so that scratch is not held longer than needed.
    void ensure_loaded(ValueId id) {
        const Source& source = sources_[id];
        if (values_[id].leaf() == nullptr || !plan_.arrays[source.array].scratch) return;
        if (plan_.arrays[source.array].block != kNoBlock) return;
        plan_.arrays[source.array].block = 0;
        plan_.steps.push_back(LoadStep{source.array, source.array});
    }

    // --- operations -----------------------------------------------------------------------------

    /// Puts operations into segments, from the root down: an operation joins its users if they are
    /// all in one segment of its lane width.
    void plan_segments() {
        segment_of_.resize(values_.size(), kNoSegment);
        boost::container::small_vector<std::uint32_t, 16> joined(values_.size(), kNoSegment);
        constexpr std::uint32_t kSeveral = kNoSegment - 1;
        for (std::size_t i = order_.size(); i-- > 0;) {
            const ValueId id = order_[i];
            const Value& value = values_[id];
            if (value.operation() == nullptr) continue;
            std::uint32_t segment = kNoSegment;
            if (forms_[id].on_tiles) {
                const std::uint32_t width = forms_[id].lane_bytes;
                segment = joined[id];
                const bool joins = segment < kSeveral &&
                                   (width == 0 || width == segments_[segment].lane_bytes) &&
                                   segments_[segment].values.size() < kLargestSegment;
                if (!joins) {
                    segment = static_cast<std::uint32_t>(segments_.size());
                    segments_.push_back({id, {}, width == 0 ? 1 : width});
                }
                segments_[segment].values.push_back(id);
                segment_of_[id] = segment;
            }
            for (const ValueId operand : values_.operands(id)) {
                std::uint32_t& of_operand = joined[operand];
                of_operand = of_operand == kNoSegment && segment != kNoSegment ? segment
                             : of_operand == segment && segment != kNoSegment  ? segment
                                                                               : kSeveral;
            }
        }
        for (Segment& segment : segments_) std::ranges::reverse(segment.values);
    }

    bool purpose_folds() const { return purpose_.fold != TileOp::none; }

    void add_operation(ValueId id) {
        if (segment_of_[id] == kNoSegment) return add_block_step(id);
        const Segment& segment = segments_[segment_of_[id]];
        if (segment.root == id) add_tile_step(segment);
    }

    ArrayId add_result(ValueId id) {
        const DType dtype = values_[id].node->dtype();
        const bool is_root = id == 0 && !purpose_folds();
        const ArrayId array = is_root ? kResult : static_cast<ArrayId>(plan_.arrays.size());
        if (!is_root)
            plan_.arrays.push_back({dtype, kNoValue, Access::streamed, 0, std::nullopt, true});
        sources_[id] = {Source::Form::array, array, kNoValue, dtype.id()};
        return array;
    }

    /// The array of an operand of a block step, which needs elements side by side.
    ArrayId block_operand(ValueId id) {
        ensure_loaded(id);
        const Source& source = sources_[id];
        if (source.form == Source::Form::array) return source.array;
        const auto array = static_cast<ArrayId>(plan_.arrays.size());
        plan_.arrays.push_back(
            {values_[id].node->dtype(), kNoValue, Access::streamed, 0, std::nullopt, true});
        plan_.steps.push_back(FillStep{source.constant, array});
        return array;
    }

    void add_block_step(ValueId id) {
        const Elementwise& node = *values_[id].operation();
        std::vector<ArrayId> in;
        for (const ValueId operand : values_.operands(id)) in.push_back(block_operand(operand));
        const ArrayId out = add_result(id);
        if (node.op() == Op::map) {
            plan_.steps.push_back(MapStep{id, std::move(in), out});
        } else {
            const DType from = values_[values_.operands(id)[0]].node->dtype();
            plan_.steps.push_back(CastStep{
                id, plan_.kernels.find_cast(from.id(), node.dtype().id(), node.op() == Op::cast),
                in[0], out});
        }
        if (id == 0 && purpose_folds()) fold_array(id);
    }

    SegmentEnd fold_end() const { return {Result::accumulate, 0, purpose_.fold, nullptr}; }

    void add_tile_step(const Segment& segment) {
        if (segment.values.empty()) ensure_loaded(segment.root);
        for (const ValueId id : segment.values)
            for (const ValueId operand : values_.operands(id)) ensure_loaded(operand);
        const std::span<const Source> sources(sources_.data(), sources_.size());
        if (segment.root == 0 && purpose_folds()) {
            SegmentEnd end = fold_end();
            TileStep step{compile_segment(plan_.kernels, values_, segment, sources, end),
                          std::nullopt};
            end.neutral = purpose_.neutral;
            step.tail = compile_segment(plan_.kernels, values_, segment, sources, end);
            plan_.steps.push_back(std::move(step));
            return;
        }
        const ArrayId out = add_result(segment.root);
        const SegmentEnd end{Result::store, out, TileOp::none, nullptr};
        plan_.steps.push_back(
            TileStep{compile_segment(plan_.kernels, values_, segment, sources, end), std::nullopt});
    }

    /// A segment without an operation: loads a value and accumulates it.
    void fold_array(ValueId id) {
        const DType dtype = values_[id].node->dtype();
        const Segment segment{id, {}, static_cast<std::uint32_t>(dtype.size_bytes())};
        add_tile_step(segment);
    }

    void add_root_without_operation() {
        if (purpose_folds()) return fold_array(0);
        if (values_.root().constant() != nullptr)
            plan_.steps.push_back(FillStep{0, kResult});
        else {
            plan_.arrays[sources_[0].array].scratch = false;
            plan_.steps.push_back(LoadStep{sources_[0].array, kResult});
        }
    }

    // --- scratch --------------------------------------------------------------------------------

    template <typename F>
    static void for_each_read(const Step& step, F&& f) {
        if (const auto* cast = std::get_if<CastStep>(&step)) f(cast->in);
        if (const auto* map = std::get_if<MapStep>(&step)) std::ranges::for_each(map->in, f);
        if (const auto* tile = std::get_if<TileStep>(&step))
            for (const TileProgram::Touched& touched : tile->program.touched) f(touched.array);
    }
    static ArrayId written(const Step& step) {
        if (const auto* load = std::get_if<LoadStep>(&step)) return load->to;
        if (const auto* cast = std::get_if<CastStep>(&step)) return cast->out;
        if (const auto* map = std::get_if<MapStep>(&step)) return map->out;
        if (const auto* fill = std::get_if<FillStep>(&step)) return fill->out;
        const auto& program = std::get<TileStep>(step).program;
        return program.accumulates() ? kResult : program.touched.back().array;
    }

    /// Gives each scratch array a block when it is written, and takes it back after its last reader.
    void share_blocks() {
        if (std::ranges::none_of(plan_.arrays, &Array::scratch)) return;
        std::vector<std::size_t> last_read(plan_.arrays.size(), 0);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i)
            for_each_read(plan_.steps[i], [&](ArrayId array) { last_read[array] = i; });
        std::vector<std::uint32_t> free;
        std::vector<bool> given(plan_.arrays.size(), false);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            Array& out = plan_.arrays[written(plan_.steps[i])];
            if (out.scratch) out.block = take_block(out.dtype, free);
            for_each_read(plan_.steps[i], [&](ArrayId id) {
                const Array& array = plan_.arrays[id];
                if (!array.scratch || last_read[id] != i || given[id] || &array == &out) return;
                given[id] = true;
                free.push_back(array.block);
            });
        }
    }

    std::uint32_t take_block(DType dtype, std::vector<std::uint32_t>& free) {
        const auto fits = [&](std::uint32_t block) { return plan_.blocks[block] == dtype; };
        const auto found = std::ranges::find_if(free, fits);
        if (found == free.end()) {
            plan_.blocks.push_back(dtype);
            return static_cast<std::uint32_t>(plan_.blocks.size() - 1);
        }
        const std::uint32_t block = *found;
        free.erase(found);
        return block;
    }

    // --- programs -------------------------------------------------------------------------------

    void place_programs(TileStep& step) {
        place(step.program);
        if (step.tail) place(*step.tail);
    }
    void place(TileProgram& program) {
        program.first = plan_.instructions;
        plan_.instructions += static_cast<std::uint32_t>(program.code.size());
        plan_.spill_slots = std::max(plan_.spill_slots, program.spill_slots);
    }

    Plan& plan_;
    const Values& values_;
    const Purpose& purpose_;
    std::vector<ValueId> order_;
    boost::container::small_vector<TileForm, 16> forms_;
    boost::container::small_vector<bool, 16> read_by_blocks_;
    boost::container::small_vector<Source, 16> sources_;
    boost::container::small_vector<std::uint32_t, 16> segment_of_;
    boost::container::small_vector<Segment, 4> segments_;
    std::uint32_t next_operand_ = 0;
    bool checks_ = false;
};

} // namespace

Plan::Plan(const Values& values, const Purpose& purpose)
    : kernels(engine::kernels()), dtype(values.root().node->dtype()) {
    Planner(*this, values, purpose).run();
}

} // namespace purview::engine
