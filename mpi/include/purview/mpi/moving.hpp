#pragma once

#include <purview/mpi/distributed.hpp>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same types, shapes and distributions: a difference is a `DistributionError`. What one
// rank's work throws is thrown on all, as an `Error`, of its type if that is one of the library's, that names the rank.

PURVIEW_MPI_EXPORT AnyDistributed distribute_any(const Whole& x, const Distribution& d);
PURVIEW_MPI_EXPORT AnyDistributed distribute_lazily_any(const Whole& x, const Distribution& d);
PURVIEW_MPI_EXPORT AnyDistributed zeros_any(DType dtype, const Distribution& d);
PURVIEW_MPI_EXPORT AnyDistributed scatter_any(const Operand& x, const Distribution& d, int root);
PURVIEW_MPI_EXPORT AnyDistributed from_local_any(const AnyTensor& part, const Distribution& d);
PURVIEW_MPI_EXPORT Operand all_gather_any(const AnyDistributed& x);
PURVIEW_MPI_EXPORT Operand gather_any(const AnyDistributed& x, int root);
PURVIEW_MPI_EXPORT AnyDistributed redistribute_any(const AnyDistributed& x, const Distribution& d);

/// Each rank evaluates its part of what all have: a tensor, or an expression over such. Sends no
/// elements. Throws `ShapeError` for another shape than the distribution's.
template <typename X>
    requires std::convertible_to<const X&, Whole>
auto distribute(const X& x, const Distribution& d) {
    return DistributedOf<ElementOfWhole<X>>(distribute_any(x, d));
}

/// The same without evaluating anything: a distributed tensor whose parts are views of x, which each rank reads by itself when something
/// is computed: an array in chunks, through the memory limit. Reductions are folded on the rank in whose part elements
/// are; a stencil reads beyond its part, without a message. Parts are read-only. Throws `ShapeError` for another shape than the
/// distribution's, `DistributionError` where x is distributed itself, and sparse.
template <typename X>
    requires std::convertible_to<const X&, Whole>
auto distribute_lazily(const X& x, const Distribution& d) {
    return DistributedOf<ElementOfWhole<X>>(distribute_lazily_any(x, d));
}

/// New elements, all 0: `zeros<float>(d)`. Other ones: `distribute(purview::full(d.shape(), value), d)`.
template <BuiltinType T = double>
Distributed<T> zeros(const Distribution& d) {
    return Distributed<T>(zeros_any(kDType<T>, d));
}

/// Gives each rank its part of what `root` has. Other ranks give any tensor of the type, an empty one too. Sends each
/// element at most once.
template <typename X>
    requires std::convertible_to<const X&, AnyTensor>
auto scatter(const X& x, const Distribution& d, int root = 0) {
    return DistributedOf<ElementOfWhole<X>>(scatter_any(AnyTensor(x).operand(), d, root));
}

/// A distributed tensor whose parts are what ranks have in memory already, which is not copied: writes show on
/// both sides. Throws `ShapeError` for a part of another shape than `d.local_shape()`, `ReadOnlyError` for one that cannot be written,
/// `DistributionError` for one that readers of the program's own compute.
template <typename X>
    requires std::convertible_to<const X&, AnyTensor>
auto from_local(const X& part, const Distribution& d) {
    return DistributedOf<ElementOfWhole<X>>(from_local_any(AnyTensor(part), d));
}

/// The whole, on every rank: a `MutableTensor<T>`, or an `AnyTensor`. Throws `DistributionError` above `set_gather_limit`.
template <std::derived_from<AnyDistributed> X>
auto all_gather(const X& x) {
    return TensorsOf<ElementOfWhole<X>>::in_memory(all_gather_any(x));
}
/// The whole, on `root`; an empty tensor of shape [0] elsewhere.
template <std::derived_from<AnyDistributed> X>
auto gather(const X& x, int root = 0) {
    return TensorsOf<ElementOfWhole<X>>::in_memory(gather_any(x, root));
}

/// The same elements in another distribution of the same shape and communicator. Each element is sent at most once, and not where
/// it lies already.
template <std::derived_from<AnyDistributed> X>
X redistribute(const X& x, const Distribution& d) {
    return X(redistribute_any(x, d));
}

/// The most bytes that `gather` and `all_gather` put together on a rank: more is refused, with both
/// numbers. The default is half of the machine's memory.
PURVIEW_MPI_EXPORT void set_gather_limit(index_t bytes);

} // namespace purview
