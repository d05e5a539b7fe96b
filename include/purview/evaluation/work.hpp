#pragma once

#include <purview/evaluation/scatter.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/expression/reduce.hpp>

#include <span>
#include <variant>

namespace purview::inline v0_1 {

// Work as a value: what is to be done, with which operands, and where results go. The functions of
// evaluate.hpp, lanes.hpp, sorting.hpp, scatter.hpp and softmax.hpp say what each verb does.

namespace work {

/// `assign`: every element of the source to the element of the destination at the same coordinates.
struct Assign {
    friend bool operator==(const Assign&, const Assign&) = default;
};

/// `reduce_groups`, or, with `averages`, `average`, of each of `groups` equal parts of the source.
struct Fold {
    Reduction reduction = Reduction::sum;
    index_t groups = 1;
    bool averages = false;

    friend bool operator==(const Fold&, const Fold&) = default;
};

/// `scan_lanes`: along the middle axis of a source seen as `[outer, length, inner]`.
struct Scan {
    Reduction reduction = Reduction::sum;
    index_t length = 1;
    index_t inner = 1;

    friend bool operator==(const Scan&, const Scan&) = default;
};

/// `sort_groups`, or, with `indexes`, `argsort_groups`.
struct Sort {
    SortOrder order = SortOrder::ascending;
    index_t groups = 1;
    bool indexes = false;

    friend bool operator==(const Sort&, const Sort&) = default;
};

/// `scatter`: to a destination that is a view of a gather, or of a leaf.
struct Scatter {
    ScatterKind kind = ScatterKind::assign;

    friend bool operator==(const Scatter&, const Scatter&) = default;
};

/// `softmax_elements`.
struct Softmax {
    index_t groups = 1;

    friend bool operator==(const Softmax&, const Softmax&) = default;
};

} // namespace work

using Verb =
    std::variant<work::Assign, work::Fold, work::Scan, work::Sort, work::Scatter, work::Softmax>;

/// Sources are borrowed. The destination is writable; of other verbs than `Assign` and `Scatter`, it
/// is the results one after the other.
struct Work {
    Verb verb;
    std::span<const Operand> sources;
    Operand destination;
};

} // namespace purview
