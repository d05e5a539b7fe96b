#pragma once

#include <purview/expression/graph.hpp>
#include <purview/expression/node.hpp>
#include <purview/expression/opaque_stage.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A function that a node calls: a graph over placeholders of its own, which reads nothing but these and
/// numbers, so that equal functions have equal graphs.
using SharedGraph = std::shared_ptr<const TracedOutputs>;

/// How a loop calls its step. Its operands are a count, if it has one, the first states, inputs, and what
/// the step reads besides.
struct LoopRule {
    /// Of the states, a row of each input, and the others: the next states, of the same types and shapes,
    /// and a row of each output.
    SharedGraph step;
    /// Of the states after a step, those before it, and the others: a bool, whether to go on. Null where
    /// all steps are taken.
    SharedGraph condition;
    index_t most = 0; ///< steps; all of them, unless the condition or the count says less
    std::size_t states = 0;
    std::size_t inputs = 0;    ///< of `most` rows each, along their first axis: one for each step
    bool is_counted = false;   ///< the first operand, an int64 of rank 0, is the number of steps
    bool is_backwards = false; ///< takes rows from the last step's on, and puts them there
    index_t keep = 1;          ///< the states before each `keep`-th step are results, too
    bool may_end_early =
        false; ///< `most` steps are enough; else an error where the condition holds

    std::size_t outputs() const noexcept { return step->outputs.size() - states; }
    /// What makes such loops: "iterate".
    PURVIEW_EXPORT const char* name() const noexcept;
    /// How many states are kept of each.
    index_t kept() const noexcept { return most / keep + (most % keep > 0); }
};

/// How many steps lie between kept states, if nothing else is asked for: about the square root of all, a divisor of
/// these where there is one nearby.
PURVIEW_EXPORT index_t steps_between_kept(index_t most) noexcept;

/// A loop in a traced computation. Its own element is the number of steps that it took; its results
/// (`StageResult`) are the last states, then the outputs, each of `most` rows, 0 where no step came, then
/// the kept states, row i those before the step i * keep.
class PURVIEW_EXPORT Loop final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::loop;
    Loop(LoopRule rule, std::vector<Operand> operands)
        : Node(kKind, kDType<index_t>, Kind::computed, Below::symbol),
          rule_(std::move(rule)),
          operands_(std::move(operands)) {}

    const LoopRule& rule() const noexcept { return rule_; }
    std::span<const Operand> operands() const noexcept { return operands_; }
    /// Operands of the step: all but the count.
    std::span<const Operand> step_operands() const noexcept {
        return operands().subspan(rule_.is_counted ? 1 : 0);
    }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    LoopRule rule_;
    std::vector<Operand> operands_;
};

/// One of two functions in a traced computation: the first where the first operand, a bool of rank 0, is
/// true. The other operands are the arguments of both. Its own element is that bool; its results
/// (`StageResult`) those of the function that is called.
class PURVIEW_EXPORT Choice final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::choice;
    Choice(SharedGraph chosen, SharedGraph other, std::vector<Operand> operands)
        : Node(kKind, boolean, Kind::computed, Below::symbol),
          functions_{std::move(chosen), std::move(other)},
          operands_(std::move(operands)) {}

    /// That of `true` is the first.
    std::span<const SharedGraph, 2> functions() const noexcept { return functions_; }
    std::span<const Operand> operands() const noexcept { return operands_; }
    std::span<const Operand> arguments() const noexcept { return operands().subspan(1); }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    std::array<SharedGraph, 2> functions_;
    std::vector<Operand> operands_;
};

/// One of the results of a loop, a choice or an opaque stage. Its address space is its shape, row-major.
class PURVIEW_EXPORT StageResult final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::result;
    StageResult(Operand source, std::size_t number);

    /// The loop, choice or stage.
    const Node& source() const noexcept { return *source_.node; }
    const Operand& operand() const noexcept { return source_; }
    std::size_t number() const noexcept { return number_; }
    ShapeSpan shape() const noexcept { return shape_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    Operand source_;
    std::size_t number_;
    Shape shape_;
};

/// Of a loop, a choice or an opaque stage: how many results it has besides its own elements, and what one of them is;
/// of other nodes 0.
PURVIEW_EXPORT std::size_t result_count(const Node& source) noexcept;
PURVIEW_EXPORT ResultType result_type(const Node& source, std::size_t number);

/// The own elements of a loop, a choice or an opaque stage, and one of its results. Lazy: computed when the computation is called.
PURVIEW_EXPORT Operand own_operand(NodePtr source);
PURVIEW_EXPORT Operand result_operand(NodePtr source, std::size_t number);

} // namespace purview
