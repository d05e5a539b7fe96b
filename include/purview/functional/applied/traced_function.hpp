#pragma once

#include <purview/evaluation/program.hpp>

#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

namespace purview {

/// An extent that may differ from call to call.
inline constexpr index_t any_size = -1;

/// What an argument of a computation has to be.
struct ArgumentSpec {
    DType dtype;
    Shape shape; ///< an extent may be `any_size`
};

/// A function of symbols, erased.
class PURVIEW_EXPORT FunctionOfSymbols {
public:
    FunctionOfSymbols() = default;
    FunctionOfSymbols(const FunctionOfSymbols&) = delete;
    FunctionOfSymbols& operator=(const FunctionOfSymbols&) = delete;
    virtual ~FunctionOfSymbols();

    /// The outputs for some arguments.
    virtual std::vector<Operand> call(std::span<const Operand> arguments) const = 0;
};

/// A function with the programs made of it: one, if all extents are given; otherwise one for each of
/// the last few combinations of shapes that it was called with. May be used from several threads.
class PURVIEW_EXPORT TracedFunction {
public:
    /// Shapes kept at a time.
    static constexpr std::size_t kMostPrograms = 8;

    /// Calls the function once if all extents are given. Throws `ShapeError` for an extent below -1, and
    /// what the function throws.
    TracedFunction(std::vector<ArgumentSpec> arguments,
                   std::unique_ptr<const FunctionOfSymbols> function);
    ~TracedFunction();

    /// The program for some inputs, which lives as long as this object or `keep`. Throws `DtypeError`
    /// and `ShapeError` naming the argument, what it has to be and what it is; and, for shapes that are
    /// new, what the function throws.
    const Program& program_for(Bindings inputs, std::shared_ptr<const Program>& keep) const;

    /// The symbols with role `variable` of all programs, in the order in which they are first used.
    std::vector<NodePtr> variables() const;

    friend PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out,
                                                   const TracedFunction& function);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace purview
