#pragma once

#include "messages/ranks.hpp"

#include <purview/expression/reduce.hpp>

#include <vector>

namespace purview::inline v0_1::mpi {

/// What ranks have reduced of their parts, each to results in memory, until these are joined: together, as late as
/// something reads one of them.
class PartialResults {
public:
    PartialResults(const char* what, Ranks& ranks) noexcept : what_(what), ranks_(ranks) {}

    /// Keeps results in row-major memory, in which they come to lie, and returns their node.
    NodePtr add(Reduction reduction, const Operand& results);
    /// Has no expression below these read what is not joined. A call of all ranks.
    void join_for(const Operand& e);
    /// All of them, in one message for each level of the tree.
    void join();

private:
    struct Partial {
        Reduction reduction;
        Operand results;
    };

    const char* what_;
    Ranks& ranks_;
    std::vector<Partial> left_;
};

/// What a reduction leaves of no elements, so that joining it changes nothing: constants of a shape.
Operand neutral_constant(Reduction reduction, DType dtype, ShapeSpan shape);

} // namespace purview
