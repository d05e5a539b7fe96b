#pragma once

#include <purview/base/hidden.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/tensor/symbol.hpp>

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// An extent that may differ from call to call.
inline constexpr index_t any_size = -1;

/// The type and shape that an argument of a computation must have.
struct ArgumentSpec {
    DType dtype;
    Shape shape; ///< an extent may be `any_size`
};

/// A function of symbols, type-erased.
class PURVIEW_EXPORT FunctionOfSymbols {
public:
    FunctionOfSymbols() = default;
    FunctionOfSymbols(const FunctionOfSymbols&) = delete;
    FunctionOfSymbols& operator=(const FunctionOfSymbols&) = delete;
    virtual ~FunctionOfSymbols();

    /// Calls the function with the arguments and returns its outputs.
    virtual std::vector<Operand> call(std::span<const Operand> arguments) const = 0;
};

/// A function and the programs compiled from it: one, if all extents are given; otherwise one for
/// each of the last few combinations of shapes that it was called with. May be used from several
/// threads.
class PURVIEW_EXPORT TracedFunction {
public:
    /// The number of combinations of shapes kept.
    static constexpr std::size_t kMostPrograms = 8;

    /// Calls the function once if all extents are given. Throws `ShapeError` for an extent below
    /// -1, and what the function throws.
    TracedFunction(std::vector<ArgumentSpec> arguments,
                   std::unique_ptr<const FunctionOfSymbols> function);
    /// What was traced before, for each combination of shapes (of the placeholders) that it can be
    /// called with: at least one. Compiled when it is first called.
    TracedFunction(std::vector<ArgumentSpec> arguments, std::vector<TracedOutputs> traced);
    ~TracedFunction();

    /// What the arguments have to be.
    const std::vector<ArgumentSpec>& arguments() const noexcept;

    /// The program for the shapes of `inputs`, which lives as long as this object or `keep`. Throws
    /// `DtypeError` and `ShapeError` naming the argument, the required type or shape and the given
    /// one; and, for a new combination of shapes, what the function throws.
    const Program& program_for(Bindings inputs, std::shared_ptr<const Program>& keep) const;

    /// What the call with `inputs` would do, as text (`Program::explain`). Throws what `program_for`
    /// throws.
    std::string explain(Bindings inputs) const;

    /// The graphs of all programs, in ascending order of their shapes. Compiles none.
    std::vector<TracedOutputs> traced() const;

    /// The symbols with role `variable` of all programs, in the order of their first use.
    std::vector<NodePtr> variables() const;

    friend PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out,
                                                   const TracedFunction& function);

private:
    struct State;
    Hidden<State> state_;
};

/// What `computation` makes of a function.
PURVIEW_EXPORT std::shared_ptr<const TracedFunction>
traced(std::initializer_list<ArgumentSpec> arguments,
       std::unique_ptr<const FunctionOfSymbols> function);

/// Nodes of symbols as symbols.
PURVIEW_EXPORT std::vector<AnySymbol> symbols_of(std::vector<NodePtr> nodes);

} // namespace purview
