#include "evaluation/row_passes.hpp"

#include "evaluation/reducers.hpp"
#include "evaluation/row_blocks.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/announce_chunks.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/reader/chunks.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Bytes of the rows of arrays in chunks that are in memory at a time; where their chunks want it, four times as many.
constexpr index_t kBlockBytes = index_t{8} << 20;

/// What a stage evaluates: its root, or, of a reduction, the reduction's operand.
Operand evaluated(const Operand& root) {
    const auto* const fold = node_as<Reduce>(*root.node);
    return fold != nullptr ? fold->operand() : root;
}

bool is_chunked_leaf(const Node& node) {
    return node.kind() == NodeKind::leaf && node.reads(Below::blocks);
}

/// How many elements each row has of what a node is, where it has as many rows as the arrays; nothing where it has others.
using RowSizes = FunctionRef<std::optional<index_t>(const Node& node)>;

/// Along which axis of an expression the rows run of all that has rows.
class RowAxis {
public:
    RowAxis(index_t rows, RowSizes sizes) : rows_(rows), sizes_(sizes) {}

    /// Nothing below has rows; what has them is read in another way, or by more than element-wise work.
    static constexpr int kNowhere = -1, kMixed = -2;

    int of(const Operand& e) {
        axis_ = kNowhere;
        follow(*e.node, e.dims);
        return axis_;
    }

private:
    void follow(const Node& node, const Dimensions& view) {
        if (axis_ == kMixed) return;
        if (const std::optional<index_t> size = sizes_(node)) return add(axis_of(view, *size));
        if (node.kind() == NodeKind::elementwise) {
            if (++steps_ > kMostSteps) return add(kMixed);
            for (const Operand& operand : operands_of(node))
                follow(*operand.node, dimensions::compose(view, operand.dims));
        } else if (std::ranges::any_of(nodes_below({{{NodePtr(&node), Dimensions()}}}),
                                       [&](const Node* below) {
                                           return sizes_(*below) || is_chunked_leaf(*below);
                                       })) {
            add(kMixed);
        }
    }
    void add(int axis) { axis_ = axis_ == kNowhere || axis_ == axis ? axis : kMixed; }
    /// A row for each coordinate along an axis, whatever the others show of it.
    int axis_of(const Dimensions& view, index_t row_size) const {
        if (!view.is_strided() || view.base() < 0) return kMixed;
        int found = kMixed;
        index_t within = view.base();
        for (int a = 0; a < view.rank(); ++a) {
            const index_t extent = view.max_shape()[static_cast<std::size_t>(a)];
            const index_t stride = view.strides()[static_cast<std::size_t>(a)];
            if (found == kMixed && extent == rows_ && stride == row_size && rows_ > 1)
                found = a;
            else if (stride < 0)
                return kMixed;
            else
                within += std::max<index_t>(extent - 1, 0) * stride;
        }
        return within < row_size ? found : kMixed;
    }

    static constexpr int kMostSteps = 4096;
    index_t rows_;
    RowSizes sizes_;
    int axis_ = kNowhere;
    int steps_ = 0;
};

Operand rows_of(const Operand& e, int axis, index_t begin, index_t end) {
    return {e.node, dimensions::select(e.dims, index_t{axis}, range(begin, end))};
}

/// Elements in memory of which the first is element `first` of a row-major whole, in the place of that.
Operand as_whole(const Operand& some, ShapeSpan whole, index_t first) {
    return {some.node, Dimensions::strided(whole, Dimensions::row_major(whole).strides(), -first)};
}
Operand new_memory(DType dtype, ShapeSpan shape) {
    return results_like("computation", constant_operand(0.0), dtype, shape);
}

} // namespace

bool RowPasses::add_array(std::size_t slot, const Operand& source) {
    const ShapeSpan shape = source.dims.max_shape();
    if (shape.empty() || shape[0] < 2 || source.dims.size() == 0 || !source.dtype().is_builtin())
        return false;
    if (!arrays_.empty() && shape[0] != rows_) return false;
    rows_ = shape[0];
    // The chunks of a row have room, so that none is read twice.
    bool fits = true;
    const auto size = [&](const Node& node) -> std::optional<index_t> {
        if (!is_chunked_leaf(node)) return {};
        const Chunks* const chunks = static_cast<const Leaf&>(node).reader().chunks();
        if (chunks == nullptr || chunks->grid().shape[0] != rows_) return {};
        const index_t row = chunks->element_count() / rows_;
        const index_t bytes = chunks->grid().chunk[0] * row * node.dtype().size_bytes();
        fits &= bytes <= memory_limit() / 4;
        return row;
    };
    if (RowAxis(rows_, size).of(source) != 0 || !fits) return false;
    arrays_.push_back({slot, source});
    return true;
}

bool RowPasses::add_arrays(std::span<const ProgramStage> stages, Bindings inputs,
                           std::size_t slots) {
    slots_ = slots;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot)
        if (inputs[slot]->node->reads(Below::blocks) && !add_array(slot, *inputs[slot]))
            return false;
    std::map<const Node*, NodePtr> placeholders;
    for (const ProgramStage& stage : stages) {
        for (const Node* const node : nodes_below({&stage.root, 1})) {
            if (!is_chunked_leaf(*node) || placeholders.contains(node)) continue;
            const Chunks* const chunks = static_cast<const Leaf*>(node)->reader().chunks();
            if (chunks == nullptr) return false;
            const ShapeSpan shape = chunks->grid().shape;
            const std::size_t slot = slots + placeholders.size();
            if (!add_array(slot, {NodePtr(node), Dimensions::row_major(shape)})) return false;
            placeholders[node] = placeholder_operand(node->dtype(), shape, slot).node;
        }
        roots_.push_back(rewritten({&stage.root, 1}, [&](const Node& node, NodePtr now) {
            const auto found = placeholders.find(&node);
            return found == placeholders.end() ? now : found->second;
        })[0]);
    }
    return !arrays_.empty();
}

std::optional<RowPasses::Member> RowPasses::member(const ProgramStage& stage, std::size_t number,
                                                   RowSizes sizes) const {
    const Operand& root = roots_[number];
    const auto* const fold = node_as<Reduce>(*root.node);
    if (!stage.results.empty() || (!fold && root.node->kind() != NodeKind::elementwise)) return {};
    const Operand e = evaluated(root);
    const int axis = RowAxis(rows_, sizes).of(e);
    if (axis < 0) return {};
    if (axis == 0 && (!fold || (fold->groups() >= rows_ && fold->groups() % rows_ == 0)))
        return Member{number, axis, /*is_folded=*/false, /*is_kept=*/stage.own.output != kNone};
    index_t outer = 1; // axes before that of the rows: all that are groups have to be among them
    for (int a = 0; a < axis; ++a) outer *= e.dims.max_shape()[static_cast<std::size_t>(a)];
    if (!fold || outer < fold->groups() || !e.dtype().is_builtin()) return {};
    return Member{number, axis, /*is_folded=*/true, /*is_kept=*/true};
}

std::optional<RowPasses> RowPasses::find(std::span<const ProgramStage> stages, Bindings inputs,
                                         std::size_t slots) {
    RowPasses found;
    if (!found.add_arrays(stages, inputs, slots)) return {};
    std::map<std::size_t, index_t> row_sizes; // by slot, also of results
    for (const Array& array : found.arrays_)
        row_sizes[array.slot] = array.source.dims.size() / found.rows_;
    const auto size = [&](const Node& node) -> std::optional<index_t> {
        if (!is_placeholder(node)) return {};
        const auto known = row_sizes.find(static_cast<const SymbolNode&>(node).slot());
        return known == row_sizes.end() ? std::nullopt : std::optional(known->second);
    };
    const auto reads_arrays = [&](std::size_t stage) {
        const std::vector<std::size_t> read = slots_below(evaluated(found.roots_[stage]));
        return std::ranges::any_of(found.arrays_, [&](const Array& array) {
            return std::ranges::find(read, array.slot) != read.end();
        });
    };

    std::map<std::size_t, std::size_t> made_by; // of slots the stages
    for (std::size_t i = 0; i < stages.size(); ++i) {
        made_by[stages[i].own.slot] = i;
        for (const StageOutput& part : stages[i].results) made_by[part.slot] = i;
    }
    enum class State { left, taken, done };
    std::vector<State> states(stages.size(), State::left);
    /// The latest state of those whose results a stage reads. Sums over rows are known when a pass is done.
    const auto ready = [&](const ProgramStage& stage, bool within_pass) {
        return std::ranges::all_of(stage.reads, [&](std::size_t slot) {
            const auto maker = made_by.find(slot);
            if (maker == made_by.end() || states[maker->second] == State::done) return true;
            return within_pass && states[maker->second] == State::taken && row_sizes.contains(slot);
        });
    };
    bool gains = false;
    for (std::size_t left = stages.size(); left > 0;) {
        Pass pass;
        std::ptrdiff_t reading = 0;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (states[i] != State::left || !ready(stages[i], true)) continue;
            if (const std::optional<Member> member = found.member(stages[i], i, size)) {
                if (!member->is_folded && stages[i].own.slot != kNone)
                    row_sizes[stages[i].own.slot] = stages[i].own.count / found.rows_;
                reading += reads_arrays(i);
                pass.members.push_back(*member);
                states[i] = State::taken;
                --left;
            } else if (ready(stages[i], false)) {
                found.passes_.push_back({{Member{i, RowAxis::kNowhere, false, true}}, false});
                states[i] = State::done;
                --left;
            }
        }
        if (pass.members.empty()) continue;
        gains |= reading > 1;
        for (const Member& member : pass.members) states[member.stage] = State::done;
        for (Member& member : pass.members)
            for (std::size_t i = 0; i < stages.size(); ++i)
                member.is_kept |=
                    states[i] == State::left &&
                    std::ranges::find(stages[i].reads, stages[member.stage].own.slot) !=
                        stages[i].reads.end();
        found.passes_.push_back(std::move(pass));
    }
    if (!gains) return {};
    return found;
}

void RowPasses::run(const Pass& pass, std::span<const ProgramStage> stages, Bindings bindings,
                    std::span<const Destination> outs) const {
    std::vector<Operand> arrays;
    index_t row_bytes = 1;
    for (const Array& array : arrays_) {
        arrays.push_back(array.source);
        row_bytes += array.source.dims.size() / rows_ * array.source.dtype().size_bytes();
    }
    const index_t most = std::max<index_t>(kBlockBytes / row_bytes, 1);
    const Shape ends = row_block_ends(arrays, most, 4 * most);

    struct Work {
        const Reduce* fold;
        std::vector<Operand> operand; ///< what is evaluated, over placeholders
        std::optional<Substitution> bound;
        Operand results; ///< of all rows, where they are kept
        std::unique_ptr<const Reducer> reducer;
        std::vector<std::byte> states, of_block;
    };
    std::vector<Work> works(pass.members.size());
    std::vector<const Operand*> now(bindings.begin(), bindings.end());
    now.resize(slots_ + arrays_.size());
    std::map<std::size_t, Operand> replaced;
    for (std::size_t m = 0; m < works.size(); ++m) {
        const ProgramStage& stage = stages[pass.members[m].stage];
        Work& work = works[m];
        const Operand& root = roots_[pass.members[m].stage];
        work.fold = node_as<Reduce>(*root.node);
        work.operand.push_back(evaluated(root));
        work.bound.emplace(work.operand);
        if (pass.members[m].is_folded) {
            work.reducer =
                fold_reducer(name_of(work.fold->reduction()).data(), work.fold->reduction(),
                             work.operand[0].dtype(), false, false);
            work.states.resize(
                static_cast<std::size_t>(work.fold->groups() * work.reducer->state_bytes()));
            work.of_block = work.states;
            work.reducer->clear(work.states.data(), work.fold->groups());
        } else if (pass.members[m].is_kept) {
            work.results = outs[m].elements(stage.own.dtype, Shape{rows_, stage.own.count / rows_});
        }
    }
    index_t begin = 0;
    for (std::size_t block = 0; block < ends.size(); begin = ends[block++]) {
        const index_t end = ends[block], count = end - begin;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (block + 1 < ends.size())
                announce_chunks(rows_of(arrays[i], 0, end, ends[block + 1]));
            const Operand rows = rows_of(arrays[i], 0, begin, end);
            const Operand memory = new_memory(rows.dtype(), rows.dims.max_shape());
            assign(rows, memory);
            replaced[arrays_[i].slot] = as_whole(memory, arrays[i].dims.max_shape(),
                                                 begin * (arrays[i].dims.size() / rows_));
            now[arrays_[i].slot] = &replaced[arrays_[i].slot];
        }
        for (std::size_t m = 0; m < works.size(); ++m) {
            const RowPasses::Member& member = pass.members[m];
            const ProgramStage& stage = stages[member.stage];
            Work& work = works[m];
            const Operand e = rows_of((*work.bound)(now)[0], member.axis, begin, end);
            if (member.is_folded) {
                const index_t groups = work.fold->groups(), first = begin;
                work.reducer->clear(work.of_block.data(), groups);
                const auto place = [&](index_t, index_t at) { return first + at; };
                work.reducer->fold({e, groups, place}, work.of_block.data());
                work.reducer->join(work.states.data(), work.of_block.data(), groups);
                continue;
            }
            const index_t row = stage.own.count / rows_;
            const Operand results = member.is_kept ? rows_of(work.results, 0, begin, end)
                                                   : new_memory(stage.own.dtype, Shape{count, row});
            if (work.fold)
                reduce_groups(work.fold->reduction(), e, count * row, results);
            else
                assign(e, seen_through(Dimensions::row_major(e.dims.max_shape()), results));
            if (stage.own.slot == kNone) continue;
            replaced[stage.own.slot] =
                member.is_kept ? work.results : as_whole(results, stage.own.shape(), begin * row);
            now[stage.own.slot] = &replaced[stage.own.slot];
        }
    }
    for (std::size_t m = 0; m < works.size(); ++m) {
        if (!pass.members[m].is_folded) continue;
        const StageOutput& own = stages[pass.members[m].stage].own;
        const index_t elements = works[m].operand[0].dims.size() / works[m].fold->groups();
        compute_into(outs[m], own.dtype, own.count, [&](void* out) {
            works[m].reducer->finish(works[m].states.data(), works[m].fold->groups(), elements,
                                     out);
        });
    }
}

} // namespace purview
