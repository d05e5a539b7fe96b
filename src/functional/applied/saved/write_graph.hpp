#pragma once

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include "expression/node_map.hpp"
#include "functional/applied/saved/element_text.hpp"
#include "functional/applied/saved/functions.hpp"
#include "functional/applied/saved/leaf_parts.hpp"
#include "functional/applied/saved/node_builder.hpp"
#include "functional/applied/saved/write_views.hpp"
#include "functional/reductions/reducer_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace purview::inline v0_1::saved {

/// Writes a computation as tokens, to a `BytesWriter` or a `TextWriter`.
template <typename Out>
class GraphWriter : ViewWriter<Out> {
    using Views = ViewWriter<Out>;
    using Views::out_;
    using Views::write;
    using Views::write_extents;
    using Views::write_list;

public:
    /// `what` is called, for messages.
    GraphWriter(const char* what, Out& out, const SaveOptions& options)
        : Views(out), what_(what), options_(options) {}

    void write(std::span<const ArgumentSpec> arguments, std::span<const TracedOutputs> programs) {
        check_outputs(programs);
        out_.word("arguments");
        out_.open(arguments.size());
        for (const ArgumentSpec& argument : arguments) {
            write(argument.dtype);
            write_extents(argument.shape);
        }
        out_.close();
        out_.line();
        number(programs);
        parts_.emplace(order_, graphs_, options_.places);
        out_.word("nodes");
        out_.integer(std::ssize(order_));
        out_.line();
        for (std::size_t i = 0; i < order_.size(); ++i) {
            at_ = i;
            if (is_too_large(*order_[i]))
                refuse(fmt::format("has {} elements, which are too many", size_of(*order_[i])));
            out_.label(i);
            visit(*order_[i], [&](const auto& node) { write(node); });
            out_.line();
        }
        out_.word("programs");
        out_.open(programs.size());
        out_.line();
        for (const TracedOutputs& program : programs) {
            out_.word("program");
            write(program);
            out_.line();
        }
        out_.close();
        out_.line();
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw FormatError(fmt::format("{}: node {} {}", what_, at_, what));
    }

    void check_outputs(std::span<const TracedOutputs> programs) const {
        for (const TracedOutputs& program : programs)
            if (!have_equal_outputs(program, programs[0]))
                throw FormatError(
                    fmt::format("{}: for some shapes of the arguments, the outputs are others in "
                                "number or type than for others",
                                what_));
    }
    void number(std::span<const TracedOutputs> programs) {
        for (const TracedOutputs& program : programs) number(program);
    }
    /// Nodes behind those that they read, and behind the functions that they call. As deep as these are nested.
    void number(const TracedOutputs& graph, int depth = 0) {
        if (depth > kDeepest)
            throw FormatError(
                fmt::format("{}: functions are nested deeper than {}", what_, kDeepest));
        if (!seen_.insert(&graph).second) return;
        const auto add = [&](const Node& node) {
            if (numbers_.try_emplace(&node, order_.size()).second) order_.push_back(&node);
        };
        graphs_.push_back(graph);
        for (const NodePtr& placeholder : graph.placeholders) add(*placeholder);
        for (const Node* const node : nodes_below(graph.outputs)) {
            if (numbers_.contains(node)) continue;
            if (const auto* const loop = node_as<Loop>(*node)) {
                number(*loop->rule().step, depth + 1);
                if (loop->rule().condition != nullptr) number(*loop->rule().condition, depth + 1);
            }
            if (const auto* const choice = node_as<Choice>(*node))
                for (const SharedGraph& function : choice->functions())
                    number(*function, depth + 1);
            add(*node);
        }
    }
    std::size_t number_of(const Node& node) const { return *numbers_.find(&node); }

    void write(DType dtype) {
        if (!has_text(dtype))
            refuse(fmt::format("has elements of type {}, which are not saved", dtype.name()));
        out_.word(dtype.name());
    }

    // --- operands ---------------------------------------------------------------------------------

    void write(const Operand& operand) {
        out_.reference(number_of(*operand.node));
        Dimensions room;
        write(parts_->dims_of(operand, room));
    }

    // --- nodes ------------------------------------------------------------------------------------

    void write(const Leaf& leaf) {
        const LeafPart& part = parts_->of(leaf);
        const index_t count = part.view ? part.view->size() : part.count;
        const bool sparse = leaf.known_storage_kind() == Kind::sparse;
        out_.word(part.place ? "mapped" : sparse ? "sparse" : "tensor");
        write(leaf.dtype());
        out_.integer(count);
        if (part.place) {
            out_.string(part.place->path);
            out_.integer(part.place->offset);
        } else if (sparse) {
            write_pairs(leaf, part);
        } else if (part.view) {
            write_elements(leaf, *part.view, 0, count);
        } else {
            write_elements(leaf, part.first, count);
        }
    }
    void write_pairs(const Leaf& leaf, const LeafPart& part) {
        const SparsePairs pairs = listed_pairs(leaf.reader());
        const auto at = [&](index_t address) {
            return std::ranges::lower_bound(pairs.indexes, address + pairs.offset) -
                   pairs.indexes.begin();
        };
        const index_t begin = at(part.first);
        const index_t stored = at(part.first + part.count) - begin;
        check_size(stored * (leaf.dtype().size_bytes() + index_t{sizeof(index_t)}));
        out_.open(static_cast<std::size_t>(stored));
        for (index_t i = begin; i < begin + stored; ++i)
            out_.integer(pairs.indexes[static_cast<std::size_t>(i)] - pairs.offset - part.first);
        out_.close();
        std::vector<std::byte> values = room(leaf.dtype(), stored);
        const auto size = static_cast<std::size_t>(leaf.dtype().size_bytes());
        for (index_t i = 0; i < stored; ++i)
            std::memcpy(values.data() + static_cast<std::size_t>(i) * size,
                        static_cast<const std::byte*>(pairs.values.data) +
                            (begin + i) * pairs.values.stride_bytes,
                        size);
        out_.elements(leaf.dtype(), values.data(), stored);
        out_.elements(leaf.dtype(), pairs.fill, 1);
    }
    void write(const Constant& constant) {
        out_.word("number");
        write(constant.dtype());
        out_.elements(constant.dtype(), constant.value(), 1);
    }
    void write(const SymbolNode& symbol) {
        if (symbol.role() == Role::placeholder) {
            out_.word("argument");
            out_.integer(static_cast<index_t>(symbol.slot()));
        } else {
            out_.word(name_of(symbol.role()));
            out_.string(symbol.name());
        }
        write(symbol.dtype());
        write_list(symbol.shape());
        if (symbol.role() == Role::placeholder) return;
        const bool has_value =
            symbol.value().node != nullptr && (options_.values || symbol.role() == Role::constant);
        if (out_.option("is", has_value))
            write_elements(static_cast<const Leaf&>(*symbol.value().node), 0, size_of(symbol));
    }
    void write(const Elementwise& operation) {
        const LibraryFunction* const library = library_function(operation);
        if (operation.op() != Op::map) {
            out_.word(name_of(operation.op()));
        } else if (library != nullptr) {
            if (!is_loadable(operation))
                refuse(fmt::format("is the function '{}', which is not saved", library->name()));
            out_.word("library");
            out_.string(library->name());
        } else {
            const std::string_view name = operation.function()->registered_name();
            if (name.empty())
                refuse("is a function given to emap, which has no name: give it one by "
                       "register_function");
            if (!is_registered(operation))
                refuse(fmt::format("is the function '{}' of other types than it is registered with",
                                   name));
            out_.word("function");
            out_.string(name);
        }
        write(operation.dtype());
        const ShapeSpan shape = operation.shape();
        write_list(shape);
        out_.open(operation.inputs().size());
        for (std::size_t i = 0; i < operation.inputs().size(); ++i) {
            const Operand operand = operation.operand(i);
            out_.reference(number_of(*operand.node));
            Dimensions room;
            const Dimensions& dims = parts_->dims_of(operand, room);
            if (out_.option("as", dims != usual_view(*operand.node, shape))) write(dims);
        }
        out_.close();
    }
    void write(const GatherAxes& axes) {
        out_.open(axes.size());
        for (const GatherAxis& axis : axes) {
            out_.word(axis.computed ? "at" : "along");
            out_.integer(axis.number);
            if (out_.option("shown", axis.shown != -1)) out_.integer(axis.shown);
            if (out_.option("named", !axis.name.empty())) out_.string(axis.name);
            if (out_.option("over", !axis.over.empty())) out_.string(axis.over);
        }
        out_.close();
    }
    void write_operands(const Node& node) {
        out_.open(operand_count(node));
        for (const Operand& operand : operands_of(node)) write(operand);
        out_.close();
    }
    void write(const Gather& gather) {
        out_.word("gather");
        out_.string(gather.what());
        write_list(gather.shape());
        write(gather.axes());
        write_operands(gather);
    }
    void write(const Piecewise& pieces) {
        out_.word("pieces");
        out_.string(pieces.what());
        write_list(pieces.shape());
        out_.open(pieces.begins().size());
        for (const Shape& begin : pieces.begins()) write_list(begin);
        out_.close();
        write_operands(pieces);
    }
    void write(const Reduce& fold) {
        out_.word(name_of(fold.reduction()));
        out_.integer(fold.groups());
        write(fold.operand());
    }
    void write(const Scatter& scatter) {
        out_.word("scatter");
        out_.integer(scatter.place().size);
        write(scatter.place().into);
        write(scatter.place().axes);
        write_operands(scatter);
    }
    void write(const ScanNode& scan) {
        out_.word("cumsum");
        out_.integer(scan.length());
        out_.integer(scan.inner());
        write(scan.operand());
    }

    /// Arguments and outputs.
    void write(const TracedOutputs& graph) {
        out_.open(graph.placeholders.size());
        for (const NodePtr& each : graph.placeholders) out_.reference(number_of(*each));
        out_.close();
        out_.open(graph.outputs.size());
        for (const Operand& each : graph.outputs) write(each);
        out_.close();
    }
    void write(const Loop& loop) {
        const LoopRule& rule = loop.rule();
        if (rule.most > kMostElements)
            refuse(fmt::format("takes {} steps, which are too many", rule.most));
        check_results(loop);
        out_.word("loop");
        out_.integer(rule.most);
        out_.integer(static_cast<index_t>(rule.states));
        out_.integer(static_cast<index_t>(rule.inputs));
        out_.integer(rule.keep);
        out_.option("counted", rule.is_counted);
        out_.option("backwards", rule.is_backwards);
        out_.option("ends", rule.may_end_early);
        write(*rule.step);
        if (out_.option("while", rule.condition != nullptr)) write(*rule.condition);
        write_operands(loop);
    }
    /// Those that nobody reads, too.
    void check_results(const Node& source) const {
        if (const auto i = too_large_result(source))
            refuse(fmt::format("has a result {} of too many elements", *i));
    }
    void write(const Choice& choice) {
        check_results(choice);
        out_.word("choose");
        for (const SharedGraph& function : choice.functions()) write(*function);
        write_operands(choice);
    }
    void write(const StageResult& result) {
        out_.word("result");
        out_.integer(static_cast<index_t>(result.number()));
        out_.reference(number_of(result.source()));
    }

    void write(const OpaqueStage& stage) {
        if (const auto attributes = stage.function().attributes()) {
            check_results(stage);
            out_.word("stage");
            out_.string(stage.function().name());
            write_list(*attributes);
            return write_operands(stage);
        }
        const auto* const reducer = dynamic_cast<const ReducerStage*>(&stage.function());
        const std::string name = reducer == nullptr ? "" : name_of_reducer(reducer->own());
        if (name.empty())
            refuse(fmt::format("is the reducer '{}', which is not registered: give it a name by "
                               "register_reducer",
                               stage.function().name()));
        out_.word("reducer");
        out_.string(name);
        out_.option("skip_nan", reducer->skips_nan());
        out_.integer(reducer->groups());
        write(stage.operands()[0]);
    }

    // --- elements ---------------------------------------------------------------------------------

    void check_size(index_t bytes) const {
        if (bytes > options_.largest_tensor)
            refuse(fmt::format("has {} bytes of elements, and largest_tensor is {}", bytes,
                               options_.largest_tensor));
    }
    static std::vector<std::byte> room(DType dtype, index_t count) {
        return std::vector<std::byte>(static_cast<std::size_t>(count * dtype.size_bytes()));
    }
    /// `count` elements of a leaf, from an address on.
    void write_elements(const Leaf& leaf, index_t first, index_t count) {
        const MemoryView memory = leaf.memory();
        const index_t size = leaf.dtype().size_bytes();
        if (!memory || (memory.stride_bytes != size && count > 1)) {
            const index_t all = leaf.size();
            return write_elements(leaf, Dimensions::row_major(ShapeSpan(&all, 1)), first, count);
        }
        check_elements(leaf.dtype(), count);
        out_.elements(leaf.dtype(),
                      static_cast<const std::byte*>(memory.data) + first * memory.stride_bytes,
                      count);
    }
    /// The same of a view of it.
    void write_elements(const Leaf& leaf, const Dimensions& view, index_t first, index_t count) {
        check_elements(leaf.dtype(), count);
        std::vector<std::byte> elements = room(leaf.dtype(), count);
        if (count > 0) leaf.read(view, first, count, elements.data());
        out_.elements(leaf.dtype(), elements.data(), count);
    }
    void check_elements(DType dtype, index_t count) const {
        if (count > options_.largest_tensor / dtype.size_bytes())
            check_size(count * dtype.size_bytes());
    }

    const char* what_;
    const SaveOptions& options_;
    std::vector<const Node*> order_;
    std::vector<TracedOutputs> graphs_;             ///< programs, and the functions that nodes call
    std::unordered_set<const TracedOutputs*> seen_; ///< these
    NodeMap<std::size_t> numbers_;
    std::optional<LeafParts> parts_;
    std::size_t at_ = 0;
};

} // namespace purview::saved
