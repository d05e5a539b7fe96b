#pragma once

#include <purview/base/explained_call.hpp>
#include <purview/tensor/copy.hpp>

#include <concepts>
#include <string>

namespace purview::inline v0_1 {

/// The text of what `copy(source, destination)` would do. Throws what `copy` throws before it
/// writes.
PURVIEW_EXPORT std::string explanation_of(const CopyFunction& copy, const AnyTensor& source,
                                          const AnyTensor& destination);

/// What the engine would do, as text for people (docs/explain.md): the tree of operations and
/// leaves, the loops, what is fused, which leaves are read in place, and why others are not.
/// `explain(x)`, or `x | explain`, explains the evaluation of x into new memory, as by `clone`;
/// `explain(f, arguments…)` an eager call `f(arguments…)`: `explain(copy, x, y)`,
/// `explain(sum, x, {0})`, `explain(matmul, a, b)`; of a computation, `explain(c, x…)`. Evaluates and
/// writes nothing; where the call would throw because of shapes or types, it throws the same. Linear
/// in the size of the expression. `explain([&] { return join(left, right); })` says of any call
/// how it would read arrays of chunks (`explain_call`).
struct ExplainFunction : PipelineStage {
    PURVIEW_EXPORT std::string operator()(const AnyTensor& x) const;
    template <HasDims X>
    std::string operator()(const X& x) const {
        return (*this)(explained(x));
    }

    template <typename Operation, typename... Arguments>
        requires(!TensorLike<Operation>)
    auto operator()(const Operation& operation, const Arguments&... arguments) const
        -> decltype(explanation_of(operation, arguments...)) {
        return explanation_of(operation, arguments...);
    }
    template <std::invocable Call>
        requires(!TensorLike<Call>)
    std::string operator()(const Call& call) const {
        return explain_call([&] { (void)call(); });
    }
    template <typename Operation, TensorLike X>
        requires(!TensorLike<Operation>)
    auto operator()(const Operation& operation, const X& x, AxisValues axes) const
        -> decltype(explanation_of(operation, x, axes)) {
        return explanation_of(operation, x, axes);
    }
};
inline constexpr ExplainFunction explain;

} // namespace purview
