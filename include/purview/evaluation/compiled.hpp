#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/node.hpp>

#include <memory>
#include <span>

namespace purview {

/// What a call puts in the place of placeholders: entry `slot` has the type and shape of placeholder
/// `slot`. Pointers, so that a call copies no operand.
using Bindings = std::span<const Operand* const>;

/// An operand over placeholders, compiled once and run for many bindings. Holds no elements; may be run
/// from several threads at once.
class PURVIEW_EXPORT Compiled {
public:
    /// Every element, in row-major order.
    explicit Compiled(const Operand& root);
    /// A fold of each of `groups` equal parts of the row-major order, as `reduce` does it.
    Compiled(Reduction reduction, const Operand& root, index_t groups);
    ~Compiled();
    Compiled(Compiled&&) noexcept;
    Compiled& operator=(Compiled&&) noexcept;

    /// Assigns the results to constructed elements at `out`, which no binding reads.
    void run(Bindings bindings, void* out) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace purview
