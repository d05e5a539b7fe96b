#include "engine/compile/plan.hpp"

#include "engine/compile/lowering.hpp"
#include "engine/compile/open_block_source.hpp"
#include "engine/compile/plan_resources.hpp"
#include "engine/compile/rows_in_place.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/unfolded_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::uint32_t kNoSegment = UINT32_MAX;

/// The most operations that are fused into one program: bounds its length, and the linear search
/// for its values.
constexpr std::size_t kLargestSegment = 128;

class Planner {
public:
    Planner(Plan& plan, const Values& values, const Purpose& purpose)
        : plan_(plan), values_(values), purpose_(purpose), order_(evaluation_order(values)) {}

    void run() {
        plan_.size = values_.root().view->size();
        plan_.arrays[add_scratch(plan_.dtype)].scratch = false; // kResult
        sources_.resize(values_.size());
        classify();
        lay_out();
        for (const ValueId id : order_)
            if (values_[id].operation() == nullptr) add_source(id);
        plan_segments();
        for (const ValueId id : order_)
            if (values_[id].operation() != nullptr) add_operation(id);
        if (values_.root().operation() == nullptr) add_root_without_operation();
        share_blocks(plan_);
        for (Step& step : plan_.steps)
            if (auto* const tile = std::get_if<TileStep>(&step)) {
                place(tile->program);
                if (tile->tail) place(*tile->tail);
            }
        plan_.cost = estimated_cost(plan_);
        plan_.block = largest_block(plan_, values_, purpose_.walk);
        plan_.rows_in_place = purpose_.destination != nullptr && has_rows_in_place(plan_);
    }

private:
    // --- which steps read a value ---------------------------------------------------------------

    void classify() {
        forms_.resize(values_.size());
        read_by_blocks_.resize(values_.size(), false);
        for (ValueId id = 0; id < values_.size(); ++id) {
            if (values_[id].operation() == nullptr) continue;
            forms_[id] = tile_form(plan_.kernels, values_, id);
            // A misfit is reported by its row-major index, so that row-major order is needed.
            checks_ = checks_ || is_checked(values_, id);
            const Op op = values_[id].operation()->op();
            plan_.divides_integers =
                plan_.divides_integers || ((op == Op::divide || op == Op::remainder) &&
                                           values_[id].node->dtype().is_integer());
            if (!forms_[id].on_tiles)
                for (const ValueId operand : values_.operands(id)) read_by_blocks_[operand] = true;
        }
    }

    // --- the space ------------------------------------------------------------------------------

    void lay_out() {
        std::vector<const Dimensions*> operands;
        if (purpose_.destination != nullptr) operands.push_back(purpose_.destination);
        plan_.order = purpose_.walk == Walk::in_order ? SpaceOrder::asked
                      : checks_                       ? SpaceOrder::conversion
                                                      : SpaceOrder::free;
        for (const ValueId id : order_) {
            const Value& value = values_[id];
            if (value.is_block_source() && plan_.order == SpaceOrder::free)
                plan_.order = SpaceOrder::leaf;
            if (value.leaf() == nullptr) continue;
            plan_.thread_safe = plan_.thread_safe && value.leaf()->is_thread_safe();
            if (value.is_strided_memory())
                operands.push_back(value.view);
            else if (plan_.order == SpaceOrder::free)
                plan_.order = SpaceOrder::leaf;
        }
        const Dimensions identity = operands.empty()
                                        ? Dimensions::row_major(values_.root().view->max_shape())
                                        : Dimensions();
        if (operands.empty()) operands.push_back(&identity);
        plan_.space = make_space(operands, plan_.order == SpaceOrder::free ? Walk::any_order
                                                                           : Walk::in_order);
        // Relative to the bases of the Dimensions: a plan knows no addresses.
        for (std::size_t k = 0; k < operands.size(); ++k)
            plan_.space.operands[k].base -= operands[k]->base();
        plan_.row = plan_.space.rank() == 0 ? 1 : plan_.space.extents.back();
        plan_.by_rows =
            plan_.space.rank() <= 1 || plan_.row >= kShortestRow ||
            (purpose_.destination != nullptr && are_short_rows_in_place(plan_, values_, order_));
        next_operand_ = purpose_.destination != nullptr ? 1 : 0;
        if (plan_.order != SpaceOrder::free) return;
        if (plan_.by_rows)
            find_panels();
        else if (next_operand_ == 1)
            exchange_inner_axes();
    }

    /// Exchanges the two innermost axes if `has_scattered_rows`: the short axis becomes panels.
    void exchange_inner_axes() {
        if (plan_.dtype.size_bytes() > 8 || !has_scattered_rows(plan_.space)) return;
        move_axis(plan_.space, plan_.space.rank() - 2, plan_.space.rank() - 1);
        plan_.panel_rows = plan_.row;
        plan_.row = plan_.space.extents.back();
        plan_.by_rows = true;
        plan_.inner_axes_exchanged = true;
    }

    /// Why a strided leaf cannot be read where it lies, whatever its strides: steps on blocks (user
    /// functions, conversions) need bools that are 0 or 1, and aligned addresses.
    ScratchReason block_step_reason(ValueId id) const {
        const Leaf& leaf = *values_[id].leaf();
        if (!read_by_blocks_[id]) return ScratchReason::none;
        if (leaf.dtype() == boolean) return ScratchReason::user_bool;
        return is_aligned(leaf.memory().data, leaf.dtype()) ? ScratchReason::none
                                                            : ScratchReason::user_alignment;
    }

    index_t stride_bytes(ValueId id, std::uint32_t operand, std::size_t axis) const {
        return plan_.space.operands[operand].strides[axis] *
               values_[id].leaf()->memory().stride_bytes;
    }

    /// An operand of words with a stride of at least 64 bytes along rows, and contiguous along another
    /// axis, wastes most of each cache line it reads. The first such axis is moved next to the
    /// innermost one, for panels.
    void find_panels() {
        std::uint32_t operand = next_operand_;
        for (const ValueId id : order_) {
            if (!values_[id].is_strided_memory()) continue;
            const index_t size = values_[id].node->dtype().size_bytes();
            const std::size_t inner = plan_.space.rank() - 1;
            for (std::size_t axis = 0; axis < inner && plan_.space.rank() > 1; ++axis) {
                const index_t rows = std::max(index_t{8}, 128 / size);
                if (size > 8 || block_step_reason(id) != ScratchReason::none ||
                    stride_bytes(id, operand, axis) != size ||
                    std::abs(stride_bytes(id, operand, inner)) < 64 ||
                    plan_.space.extents[axis] < rows)
                    continue;
                move_axis(plan_.space, axis, inner - 1);
                plan_.panel_rows = rows;
                return;
            }
            ++operand;
        }
    }

    // --- leaves ---------------------------------------------------------------------------------

    void add_source(ValueId id) {
        const Value& value = values_[id];
        const DType dtype = value.node->dtype();
        if (value.constant() != nullptr) {
            sources_[id] = {TileSource::Form::constant, 0, id, dtype.id()};
            return;
        }
        Array array{dtype, id};
        if (value.is_strided_memory()) {
            array.operand = next_operand_++;
            array.way = load_way_of(id, array.operand, array.scratch_reason);
            array.scratch = array.way == LoadWay::strided;
        } else if (value.is_block_source()) {
            array.way = LoadWay::gathered;
            array.source = open_block_source(value);
            plan_.thread_safe = plan_.thread_safe && array.source->is_thread_safe();
        } else {
            array.stream.emplace(*value.view);
            if (value.leaf()->memory() && is_of_words(dtype)) array.rows = rows_of(*value.view);
            array.scratch_reason = !value.leaf()->memory() ? ScratchReason::reader
                                   : !dtype.is_builtin()   ? ScratchReason::element_type
                                                           : ScratchReason::view;
        }
        const auto form =
            array.way == LoadWay::repeated ? TileSource::Form::repeated : TileSource::Form::array;
        sources_[id] = {form, static_cast<ArrayId>(plan_.arrays.size()), kNoValue, dtype.id()};
        plan_.arrays.push_back(std::move(array));
    }

    /// The rows of a view that has no strides, but whose elements, in their order, have some. Nothing
    /// where they are long, which the stream goes through run by run or reads where they lie; nor of
    /// so few elements that finding rows takes longer than reading them one by one.
    static std::optional<Space> rows_of(const Dimensions& view) {
        constexpr index_t kFewElements = 128;
        constexpr index_t kLongRun = 256;
        if (view.size() < kFewElements) return std::nullopt;
        const std::optional<Dimensions> strided = strides_in_order(view);
        if (!strided) return std::nullopt;
        Space space = make_space(std::array{&*strided}, Walk::in_order);
        if (space.rank() < 2 || space.extents[space.rank() - 1] >= kLongRun) return std::nullopt;
        return space;
    }

    LoadWay load_way_of(ValueId id, std::uint32_t operand, ScratchReason& reason) const {
        const DType dtype = values_[id].node->dtype();
        const index_t size = dtype.size_bytes();
        const std::size_t rank = plan_.space.rank();
        reason = block_step_reason(id);
        if (!plan_.by_rows) {
            const bool contiguous = plan_.space.is_contiguous(operand) &&
                                    values_[id].leaf()->memory().stride_bytes == size;
            if (!contiguous) reason = ScratchReason::short_rows;
            return reason == ScratchReason::none ? LoadWay::direct : LoadWay::strided;
        }
        if (reason != ScratchReason::none) return LoadWay::strided;
        const index_t inner = rank == 0 ? 0 : stride_bytes(id, operand, rank - 1);
        if (inner == size || plan_.row == 1) return LoadWay::direct;
        const bool is_repeated = inner == 0 && size <= 8 && dtype != boolean;
        if (is_repeated && !read_by_blocks_[id]) return LoadWay::repeated;
        reason = inner != 0         ? ScratchReason::stride
                 : dtype == boolean ? ScratchReason::repeated_bool
                                    : ScratchReason::user_repetition;
        if (size <= 8 && plan_.panel_rows > 0 && stride_bytes(id, operand, rank - 2) == size &&
            (plan_.inner_axes_exchanged || std::abs(inner) >= 64))
            return LoadWay::panel;
        return LoadWay::strided;
    }

    /// Loads a leaf before its first user, so that scratch is not held longer than needed.
    void ensure_loaded(ValueId id) {
        const TileSource& source = sources_[id];
        if (values_[id].operation() != nullptr || values_[id].constant() != nullptr ||
            !plan_.arrays[source.array].scratch)
            return;
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

    ArrayId add_scratch(DType dtype) {
        plan_.arrays.push_back({dtype});
        return static_cast<ArrayId>(plan_.arrays.size() - 1);
    }
    ArrayId add_result(ValueId id) {
        const DType dtype = values_[id].node->dtype();
        const ArrayId array = id == 0 && !purpose_folds() ? kResult : add_scratch(dtype);
        sources_[id] = {TileSource::Form::array, array, kNoValue, dtype.id()};
        return array;
    }

    /// The array of an operand of a block step. Its elements have to be contiguous, so that a
    /// constant is repeated.
    ArrayId block_operand(ValueId id) {
        ensure_loaded(id);
        const TileSource& source = sources_[id];
        if (source.form == TileSource::Form::array) return source.array;
        const ArrayId array = add_scratch(values_[id].node->dtype());
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
            const bool checked = is_checked(values_, id);
            const CastBlock cast = find_conversion(plan_.kernels, from, node.dtype(), checked);
            plan_.steps.push_back(CastStep{id, checked, cast, in[0], out});
        }
        if (id == 0 && purpose_folds()) fold_array(id);
    }

    void add_tile_step(const Segment& segment) {
        if (segment.values.empty()) ensure_loaded(segment.root);
        for (const ValueId id : segment.values)
            for (const ValueId operand : values_.operands(id)) ensure_loaded(operand);
        SegmentValues lowered = lower(values_, segment, {sources_.data(), sources_.size()});
        const std::vector<ArrayId> prefetched =
            segment.root == 0 ? far_arrays(plan_, values_) : std::vector<ArrayId>();
        if (segment.root == 0 && purpose_folds()) {
            SegmentEnd end{0, purpose_.fold, nullptr, prefetched};
            TileStep step{compile_segment(plan_.kernels, lowered, end), std::nullopt,
                          segment.values};
            end.neutral = purpose_.neutral;
            step.tail = compile_segment(plan_.kernels, std::move(lowered), end);
            plan_.steps.push_back(std::move(step));
            return;
        }
        const ArrayId out = add_result(segment.root);
        SegmentEnd end{out, TileOp::none, nullptr, prefetched};
        end.streams = segment.root == 0 && plan_.size >= kStreamedBytes / plan_.dtype.size_bytes();
        plan_.steps.push_back(TileStep{compile_segment(plan_.kernels, std::move(lowered), end),
                                       std::nullopt, segment.values});
    }

    /// A segment without an operation: loads a value and accumulates it.
    void fold_array(ValueId id) {
        const auto lane_bytes = static_cast<std::uint32_t>(values_[id].node->dtype().size_bytes());
        add_tile_step({id, {}, lane_bytes});
    }

    void add_root_without_operation() {
        if (purpose_folds()) return fold_array(0);
        if (values_.root().constant() != nullptr) {
            plan_.steps.push_back(FillStep{0, kResult});
        } else {
            plan_.arrays[sources_[0].array].scratch = false;
            plan_.steps.push_back(LoadStep{sources_[0].array, kResult});
        }
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
    boost::container::small_vector<TileSource, 16> sources_;
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
