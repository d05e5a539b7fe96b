#pragma once

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/functional/applied/traced_function.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "dtype/stored_types.hpp"
#include "expression/constants.hpp"
#include "functional/applied/saved/element_text.hpp"
#include "functional/applied/saved/node_builder.hpp"
#include "functional/applied/saved/places.hpp"
#include "functional/applied/saved/read_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::saved {

/// What `GraphWriter` has written, from a `BytesReader` or a `TextReader`.
template <typename In>
class GraphReader : ViewReader<In> {
    using Views = ViewReader<In>;
    using Views::builder_;
    using Views::in_;
    using Views::read_dims;
    using Views::read_shape;

public:
    GraphReader(In& in, const std::string& places) : Views(in), places_(places) {}

    std::shared_ptr<const TracedFunction> read() {
        keyword("arguments");
        std::vector<ArgumentSpec> arguments;
        for (in_.open(); in_.more();) {
            const DType dtype = read_dtype();
            Shape shape;
            for (in_.open(); in_.more();) shape.push_back(in_.extent());
            arguments.push_back({dtype, std::move(shape)});
        }
        keyword("nodes");
        const index_t count = in_.integer();
        if (count < 0) builder_.fail("there is a negative number of nodes");
        for (index_t i = 0; i < count; ++i) {
            in_.label(static_cast<std::size_t>(i));
            builder_.add(read_node(in_.word()));
        }
        keyword("programs");
        std::vector<TracedOutputs> programs;
        for (in_.open(); in_.more();) {
            keyword("program");
            if (programs.size() == TracedFunction::kMostPrograms)
                builder_.fail("there are too many programs");
            programs.push_back(read_program(arguments));
        }
        in_.end();
        check(arguments, programs);
        return std::make_shared<const TracedFunction>(std::move(arguments), std::move(programs));
    }

private:
    void keyword(std::string_view expected) {
        if (in_.word() != expected) builder_.fail(fmt::format("'{}' is missing", expected));
    }
    DType read_dtype() {
        const std::string_view name = in_.word();
        if (name != last_dtype_name_) {
            last_dtype_ = saved_dtype(name);
            last_dtype_name_ = name;
        }
        return last_dtype_;
    }

    // --- operands ---------------------------------------------------------------------------------

    Operand read_operand() {
        const std::size_t number = in_.reference();
        return builder_.operand(number, read_dims(size_of(*builder_.node(number))));
    }
    std::vector<Operand> read_operands() {
        std::vector<Operand> operands;
        for (in_.open(); in_.more();) operands.push_back(read_operand());
        return operands;
    }
    GatherAxes read_axes() {
        GatherAxes axes;
        for (in_.open(); in_.more();) {
            GatherAxis axis;
            const std::string_view how = in_.word();
            if (how != "at" && how != "along")
                builder_.fail("an axis is read neither at nor along");
            axis.computed = how == "at";
            axis.number = in_.integer();
            if (in_.option("shown")) axis.shown = in_.integer();
            if (in_.option("named")) axis.name = in_.string();
            if (in_.option("over")) axis.over = in_.string();
            axes.push_back(std::move(axis));
        }
        return axes;
    }

    // --- nodes ------------------------------------------------------------------------------------

    NodePtr read_node(std::string_view kind) {
        if (const std::optional<Op> op = op_of(kind)) return read_elementwise(*op);
        if (kind == "number") return read_number();
        if (kind == "argument") {
            const index_t slot = in_.integer();
            const DType dtype = read_dtype();
            if (slot < 0) builder_.fail("an argument has a negative number");
            NodePtr made = builder_.argument(static_cast<std::size_t>(slot), dtype, read_shape());
            arguments_.push_back(made.get());
            return made;
        }
        if (kind == "tensor") {
            const DType dtype = read_dtype();
            return read_memory(dtype, in_.integer()).node;
        }
        if (kind == "mapped") {
            const DType dtype = read_dtype();
            const index_t count = in_.integer();
            const std::string path(in_.string());
            const index_t offset = in_.integer();
            if (count < 1 || offset < 0) builder_.fail("elements of a file have no such place");
            return opened(places_, path, offset, dtype, count).node;
        }
        if (kind == "sparse") return read_sparse();
        for (const Role role : {Role::constant, Role::persistent, Role::variable})
            if (kind == name_of(role)) return read_symbol(role);
        for (const auto reduction : {Reduction::sum, Reduction::product, Reduction::minimum,
                                     Reduction::maximum, Reduction::any_of, Reduction::all_of})
            if (kind == name_of(reduction)) {
                const index_t groups = in_.integer();
                return builder_.reduce(reduction, groups, read_operand());
            }
        if (kind == "gather") {
            const std::string what(in_.string());
            const Shape shape = read_shape();
            GatherAxes axes = read_axes();
            return builder_.gather(what, shape, std::move(axes), read_operands());
        }
        if (kind == "pieces") return read_pieces();
        if (kind == "scatter") {
            ScatterPlace place;
            place.size = in_.integer();
            if (place.size < 0) builder_.fail("a scatter has a negative size");
            place.into = read_dims(place.size);
            place.axes = read_axes();
            return builder_.scatter(std::move(place), read_operands());
        }
        if (kind == "cumsum") {
            const index_t length = in_.integer();
            const index_t inner = in_.integer();
            return builder_.scan(length, inner, read_operand());
        }
        if (kind == "reducer") {
            const std::string name(in_.string());
            const bool skips_nan = in_.option("skip_nan");
            const index_t groups = in_.integer();
            return builder_.reducer(name, skips_nan, groups, read_operand());
        }
        if (kind == "stage") {
            const std::string name(in_.string());
            const Shape attributes = read_shape();
            return builder_.stage(name, attributes, read_operands());
        }
        if (kind == "loop") return read_loop();
        if (kind == "choose") {
            SharedGraph chosen = read_function();
            SharedGraph other = read_function();
            return builder_.choice(std::move(chosen), std::move(other), read_operands());
        }
        if (kind == "result") {
            const index_t number = in_.integer();
            return builder_.result(builder_.node(in_.reference()), number);
        }
        if (kind == "function" || kind == "library") {
            const std::string name(in_.string());
            const DType dtype = read_dtype();
            const Shape shape = read_shape();
            const std::span<const Operand> operands = read_usual_operands(shape);
            return kind == "function" ? builder_.registered(name, dtype, shape, operands)
                                      : builder_.library(name, dtype, shape, operands);
        }
        builder_.fail(fmt::format("there is no operation '{}'", kind.substr(0, 40)));
    }
    /// In bytes a word is the same text each time, so that it has not to be looked up again.
    std::optional<Op> op_of(std::string_view kind) {
        auto& [known, op] = ops_[reinterpret_cast<std::uintptr_t>(kind.data()) % ops_.size()];
        if (known.data() != kind.data() || known.size() != kind.size()) {
            known = kind;
            op = named_op(kind);
        }
        return op;
    }
    NodePtr read_elementwise(Op op) {
        const DType dtype = read_dtype();
        const Shape shape = read_shape();
        return builder_.elementwise(op, dtype, shape, read_usual_operands(shape));
    }
    /// Those of an operation applied to each element.
    std::span<const Operand> read_usual_operands(ShapeSpan shape) {
        if (shape.size() > static_cast<std::size_t>(kMaxRank))
            builder_.fail("a shape has too many axes");
        builder_.size(shape);
        usual_operands_.clear();
        for (in_.open(); in_.more();) {
            const std::size_t number = in_.reference();
            const Node& node = *builder_.node(number);
            usual_operands_.push_back(builder_.operand(
                number, in_.option("as") ? read_dims(size_of(node)) : usual_view(node, shape)));
        }
        return usual_operands_;
    }
    NodePtr read_pieces() {
        const std::string what(in_.string());
        const Shape shape = read_shape();
        std::vector<Shape> begins;
        for (in_.open(); in_.more();) begins.push_back(read_shape());
        return builder_.pieces(what, shape, std::move(begins), read_operands());
    }

    /// What a node calls: its arguments and outputs.
    SharedGraph read_function() {
        TracedOutputs graph;
        for (in_.open(); in_.more();) graph.placeholders.push_back(builder_.node(in_.reference()));
        graph.outputs = read_operands();
        return builder_.function(std::move(graph));
    }
    NodePtr read_loop() {
        LoopRule rule;
        rule.most = in_.integer();
        const index_t states = in_.integer();
        const index_t inputs = in_.integer();
        if (states < 0 || inputs < 0) builder_.fail("a loop has a negative number of states");
        rule.states = static_cast<std::size_t>(states);
        rule.inputs = static_cast<std::size_t>(inputs);
        rule.keep = in_.integer();
        rule.is_counted = in_.option("counted");
        rule.is_backwards = in_.option("backwards");
        rule.may_end_early = in_.option("ends");
        rule.step = read_function();
        if (in_.option("while")) rule.condition = read_function();
        return builder_.loop(std::move(rule), read_operands());
    }

    // --- elements ---------------------------------------------------------------------------------

    NodePtr read_number() {
        const DType dtype = read_dtype();
        return visit_stored_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
            T value{};
            in_.expect(dtype, 1);
            in_.elements(dtype, 1, &value);
            return block_constant(dtype, &value);
        });
    }
    /// A tensor in memory of its own.
    Operand read_memory(DType dtype, index_t count) {
        in_.expect(dtype, count);
        return visit_stored_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
            BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(count);
            in_.elements(dtype, count, buffer->writable_memory().data);
            return operand_over(std::move(buffer), Dimensions::row_major(ShapeSpan(&count, 1)));
        });
    }
    NodePtr read_sparse() {
        const DType dtype = read_dtype();
        const index_t size = in_.integer();
        std::vector<index_t> indexes;
        for (in_.open(); in_.more();) {
            const index_t index = in_.integer();
            if (index < (indexes.empty() ? 0 : indexes.back() + 1) || index >= size)
                builder_.fail("the indexes of sparse elements do not ascend within their size");
            indexes.push_back(index);
        }
        if (size < 0 || size > kLargestSparse) builder_.fail("a sparse tensor has no such size");
        return visit_stored_dtype(
            dtype, "computation", [&]<typename T>(std::type_identity<T>) -> NodePtr {
                const index_t count = std::ssize(indexes);
                in_.expect(dtype, count);
                std::vector<T> values;
                values.reserve(indexes.size());
                for (index_t i = 0; i <= count; ++i) { // the last one is the fill
                    T value{};
                    in_.expect(dtype, 1);
                    in_.elements(dtype, 1, &value);
                    if (i < count)
                        values.push_back(value);
                    else
                        return make_node<Leaf>(
                            std::shared_ptr<const AnyReader>(std::make_shared<SparseBuffer<T>>(
                                size, std::move(indexes), std::move(values), value)));
                }
                std::unreachable();
            });
    }
    NodePtr read_symbol(Role role) {
        std::string name(in_.string());
        const DType dtype = read_dtype();
        const Shape shape = read_shape();
        const index_t size = builder_.size(shape);
        if (!in_.option("is")) {
            if (role == Role::constant) builder_.fail("a constant has no value");
            return make_node<SymbolNode>(role, dtype, shape, std::move(name));
        }
        Operand value = read_memory(dtype, size);
        value.dims = Dimensions::row_major(shape);
        return make_node<SymbolNode>(role, std::move(value), std::move(name));
    }

    // --- programs ---------------------------------------------------------------------------------

    TracedOutputs read_program(const std::vector<ArgumentSpec>& arguments) {
        TracedOutputs program;
        for (in_.open(); in_.more();)
            program.placeholders.push_back(builder_.node(in_.reference()));
        if (program.placeholders.size() != arguments.size())
            builder_.fail("a program has not one node for each argument");
        for (std::size_t i = 0; i < arguments.size(); ++i)
            check(arguments[i], i, *program.placeholders[i]);
        program.outputs = read_operands();
        if (program.outputs.empty()) builder_.fail("a program has no outputs");
        const auto is_own = [&](const Node* node) {
            const std::size_t slot = static_cast<const SymbolNode*>(node)->slot();
            return slot < program.placeholders.size() && program.placeholders[slot].get() == node;
        };
        if (std::ranges::all_of(arguments_, is_own)) return program; // the usual case
        for (const Node* const node : nodes_below(program.outputs)) {
            const auto* const symbol = node_as<SymbolNode>(*node);
            if (symbol != nullptr && symbol->role() == Role::placeholder && !is_own(node))
                builder_.fail("a program reads an argument of another one");
        }
        return program;
    }
    void check(const ArgumentSpec& argument, std::size_t slot, const Node& node) {
        const auto* const symbol = node_as<SymbolNode>(node);
        bool fits = symbol != nullptr && symbol->role() == Role::placeholder &&
                    symbol->slot() == slot && symbol->dtype() == argument.dtype &&
                    symbol->shape().size() == argument.shape.size();
        for (std::size_t a = 0; fits && a < argument.shape.size(); ++a)
            fits = argument.shape[a] == any_size || argument.shape[a] == symbol->shape()[a];
        if (!fits) builder_.fail(fmt::format("argument {} of a program is another node", slot));
    }
    void check(const std::vector<ArgumentSpec>& arguments,
               const std::vector<TracedOutputs>& programs) {
        bool flexible = false;
        for (const ArgumentSpec& argument : arguments)
            for (const index_t extent : argument.shape) {
                flexible = flexible || extent == any_size;
                if (extent < any_size) builder_.fail("an argument has a negative extent");
            }
        if (!flexible && programs.size() != 1) builder_.fail("there is not one program");
        for (const TracedOutputs& program : programs)
            if (!have_equal_outputs(program, programs[0]))
                builder_.fail("programs have other outputs");
        // Which one is called would be open.
        for (std::size_t i = 1; i < programs.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (std::ranges::equal(programs[i].placeholders, programs[j].placeholders,
                                       [](const NodePtr& x, const NodePtr& y) {
                                           return std::ranges::equal(shape_of(*x), shape_of(*y));
                                       }))
                    builder_.fail("two programs are for the same shapes");
    }

    const std::string& places_;
    std::vector<const Node*> arguments_; ///< of all programs
    DType last_dtype_ = float64;
    std::string last_dtype_name_;
    std::array<std::pair<std::string_view, std::optional<Op>>, 64> ops_{};
    std::vector<Operand> usual_operands_; ///< of the node that is read
};

} // namespace purview::saved
