#pragma once

#include <purview/expression/reduce.hpp>
#include <purview/reader/memory_view.hpp>

#include <memory>
#include <vector>

namespace purview {

/// When an evaluation is read: at any time, or while nothing that it reads changes.
enum class Reads : bool { at_any_time, within_one_operation };

/// An operand compiled for reading: its views carried down to the leaves, its operations in order.
/// Compiled once, in time proportional to the number of distinct (node, Dimensions) pairs below it;
/// read any number of times. It holds no elements: each read sees what its sources hold then.
///
/// Where gathers, pieces or views of views would have elements computed again and again, these are computed once, into
/// memory, for each read; with `Reads::within_one_operation` once for all reads, as nothing changes between them. Throws
/// `ShapeError` that advises `clone` where no memory holds them.
/// Safe to read from several threads unless a reader below says that it is not.
class PURVIEW_EXPORT Evaluation {
public:
    explicit Evaluation(const Operand& source, Reads reads = Reads::at_any_time);
    ~Evaluation();
    Evaluation(Evaluation&&) noexcept;
    Evaluation& operator=(Evaluation&&) noexcept;

    DType dtype() const noexcept;
    index_t size() const noexcept;
    /// False if some reader below must be called from one thread at a time.
    bool is_thread_safe() const noexcept;

    /// Assigns the elements [begin, begin + count) of the global order to constructed elements at `out`.
    void read(index_t begin, index_t count, void* out) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Writes every element of `source` to the element of `destination` at the same coordinates.
/// `destination` looks at a writable leaf; types and shapes are equal. Correct when the two overlap.
PURVIEW_EXPORT void assign(const Operand& source, const Operand& destination);

/// Folds each of `groups` equal parts of the global order to one element of `out`, which has the
/// source's type. An empty part gives the identity of the fold: infinities, or the extreme integers,
/// for minimum and maximum. Float sums run on 32 lanes whatever the machine, and are pairwise.
PURVIEW_EXPORT void reduce(Reduction reduction, const Operand& source, index_t groups, void* out);

/// Whether a write to an element of `destination` could change what `source` reads, other than at
/// the same coordinates. Exact for strided memory within a work limit, else true. It cannot see
/// through a reader that a user has written.
PURVIEW_EXPORT bool depends_on(const Operand& source, const Operand& destination);

/// Every allocation that evaluating an operand may look into.
PURVIEW_EXPORT std::vector<StorageId> storages_below(const Operand& source);

/// The depth of the deepest reader (`AnyReader::depth`) that evaluating an operand may call. O(nodes).
PURVIEW_EXPORT int reader_depth_below(const Operand& source);

/// Whether two operands can read the same memory. Exact for leaves within a work limit, else true.
PURVIEW_EXPORT bool may_overlap(const Operand& a, const Operand& b);

} // namespace purview
