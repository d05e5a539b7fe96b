#pragma once

#include <purview/base/hidden.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/reader/memory_view.hpp>

#include <vector>

namespace purview::inline v0_1 {

/// When the reads of an evaluation happen: at any time, or all within one operation, during which
/// the sources do not change.
enum class Reads : bool { at_any_time, within_one_operation };

/// An operand compiled for reading: its views composed with the leaves, its operations in
/// evaluation order. Compiled once, in time proportional to the number of distinct (node,
/// Dimensions) pairs below it, and read any number of times. It caches no elements: each read sees
/// the current elements of its sources.
///
/// Where gathers, pieces or views of views would compute elements repeatedly, these elements are
/// computed once, into memory, for each read; with `Reads::within_one_operation` once for all
/// reads, as the sources do not change between them. Throws `ShapeError` advising `clone` if they
/// do not fit into memory.
/// Safe to read from several threads unless a reader below says that it is not.
class PURVIEW_EXPORT Evaluation {
public:
    explicit Evaluation(const Operand& source, Reads reads = Reads::at_any_time);
    ~Evaluation();
    Evaluation(Evaluation&&) noexcept;
    Evaluation& operator=(Evaluation&&) noexcept;

    DType dtype() const noexcept;
    index_t size() const noexcept;
    /// False if a reader below must be called from one thread at a time.
    bool is_thread_safe() const noexcept;

    /// Assigns the elements [begin, begin + count) of the global order to constructed elements at
    /// `out`.
    void read(index_t begin, index_t count, void* out) const;

private:
    struct State;
    Hidden<State> state_;
};

/// Writes every element of `source` to the element of `destination` at the same coordinates.
/// `destination` is a view of a writable leaf; types and shapes are equal. Correct also when the
/// two overlap.
PURVIEW_EXPORT void assign(const Operand& source, const Operand& destination);

/// Assigns every element of `source`, in row-major order, to constructed elements at `out`, which
/// are not what it reads: `Evaluation(source).read` of all of them, in a fraction of the time where
/// they are few.
PURVIEW_EXPORT void read_all(const Operand& source, void* out);

/// Reduces each of `groups` equal parts of the global order to one element of `out`, which has the
/// source's type. An empty part gives the identity of the reduction: for minimum and maximum an
/// infinity, or the extreme integer. Float sums are pairwise over 32 lanes, on every machine.
PURVIEW_EXPORT void reduce_groups(Reduction reduction, const Operand& source, index_t groups,
                                  const Destination& out);

/// The mean of each of `groups` equal parts of floats: the sum as `reduce_groups` gives it, divided by the
/// number of elements. An empty part gives NaN.
PURVIEW_EXPORT void average(const Operand& source, index_t groups, const Destination& out);

/// Whether writing an element of `destination` could change what `source` reads at other
/// coordinates. Exact for strided memory within a work limit, else true. Overlaps hidden inside a
/// user-written reader are not seen.
PURVIEW_EXPORT bool depends_on(const Operand& source, const Operand& destination);

/// Every allocation that evaluating an operand may read.
PURVIEW_EXPORT std::vector<StorageId> storages_below(const Operand& source);

/// The depth of the deepest reader (`AnyReader::depth`) that evaluating an operand may call.
/// O(nodes).
PURVIEW_EXPORT int reader_depth_below(const Operand& source);
/// The one backend that readers below name; null if they name none, or several. O(1) for none.
PURVIEW_EXPORT const Backend* reader_backend_below(const Operand& source);

/// Whether two operands may read the same memory. Exact for leaves within a work limit, else true.
PURVIEW_EXPORT bool may_overlap(const Operand& a, const Operand& b);

} // namespace purview
