#pragma once

#include <purview/mpi/distributed_reader.hpp>
#include <purview/mpi/distribution.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/tensor.hpp>

#include <type_traits>
#include <utility>

namespace purview::inline v0_1::mpi {

/// A tensor of which each rank has a part, of an element type known at run time. A handle: copies share
/// the elements.
class PURVIEW_MPI_EXPORT AnyDistributed {
public:
    ShapeSpan shape() const noexcept { return distribution_.shape(); }
    const Distribution& distribution() const noexcept { return distribution_; }
    DType dtype() const noexcept { return local_.dtype(); }
    /// Whether parts lie in memory; else they are read when something is computed: see `distribute_lazily`.
    bool is_in_memory() const noexcept { return !whole_.node; }
    /// This rank's part, read-only where it does not lie in memory.
    AnyTensor local() const { return AnyTensor::writable(local_); }
    /// The whole, for expressions: see `Distributed::global`.
    AnyTensor global() const { return AnyTensor(global_); }

    /// One line without elements, of which a rank has only some:
    /// "#purview.mpi.distributed<float64>[10 4] on a grid of [2]: 2 blocks of 5 x 4; rank 1 has [5, 10) x [0, 4)".
    friend PURVIEW_MPI_EXPORT std::ostream& operator<<(std::ostream& out, const AnyDistributed& x);

    // For the library. The part lies in memory.
    AnyDistributed(Operand local, Distribution distribution);
    /// Parts are views of what every rank reads by itself, `whole`.
    AnyDistributed(Operand local, Distribution distribution, Operand whole);
    const Operand& whole_operand() const noexcept { return whole_; }
    /// Throws `ReadOnlyError` naming `what` where parts do not lie in memory.
    void require_in_memory(const char* what) const;
    const Operand& local_operand() const noexcept { return local_; }
    const Operand& global_operand() const noexcept { return global_; }

protected:
    void set_leaf(NodePtr leaf) noexcept { global_.node = std::move(leaf); }

private:
    Operand local_;
    Operand whole_; ///< without a node where parts lie in memory
    Operand global_;
    Distribution distribution_;
};

/// Throws `DtypeError` naming both types.
PURVIEW_MPI_EXPORT void require_dtype(const char* what, const AnyDistributed& x, DType wanted);

/// A tensor of which each rank has a part. A handle: copies share the elements.
template <ElementType T>
class Distributed : public AnyDistributed {
public:
    using value_type = T;

    /// What functions for any type have given. Throws `DtypeError` for other elements than T.
    explicit Distributed(AnyDistributed x) : AnyDistributed(std::move(x)) {
        require_dtype("Distributed", *this, kDType<T>);
        if constexpr (!BuiltinType<T>)
            set_leaf(distributed_leaf<T>(local_operand(), distribution(), whole_operand()));
    }

    /// This rank's part: an ordinary tensor, which can be written. Throws `ReadOnlyError` where parts do not lie in memory.
    MutableTensor<T> local() const {
        require_in_memory("local");
        return MutableTensor<T>(local_operand());
    }
    /// The whole, for expressions: a lazy tensor of the global shape that `evaluate` and the other functions
    /// of all ranks read. Whatever else reads it throws `DistributionError`.
    Tensor<T> global() const { return Tensor<T>(global_operand()); }
};

/// What is evaluated over all ranks: an expression, a tensor that all ranks have, or a distributed one.
class PURVIEW_MPI_EXPORT Whole {
public:
    Whole(const AnyDistributed& x) : operand_(x.global_operand()) {}
    template <typename X>
        requires(!std::derived_from<X, AnyDistributed> && std::convertible_to<const X&, AnyTensor>)
    Whole(const X& x) : operand_(static_cast<AnyTensor>(x).operand()) {}
    const Operand& operand() const noexcept { return operand_; }

private:
    Operand operand_;
};

/// The element type of what converts to `Whole`; void where it is known only at run time.
template <typename X>
struct ElementOfWholeType {
    using type = ElementOrVoid<X>;
};
template <std::derived_from<AnyDistributed> X>
struct ElementOfWholeType<X> {
    using type = void;
};
template <typename T>
struct ElementOfWholeType<Distributed<T>> {
    using type = T;
};
template <typename X>
using ElementOfWhole = typename ElementOfWholeType<std::remove_cvref_t<X>>::type;

/// Tensors of elements of type T, or, of void, of a type known at run time.
template <typename T>
struct TensorsOf {
    using Distributed = mpi::Distributed<T>;
    using InMemory = MutableTensor<T>;
    static InMemory in_memory(Operand x) { return InMemory(std::move(x)); }
};
template <>
struct TensorsOf<void> {
    using Distributed = AnyDistributed;
    using InMemory = AnyTensor;
    static InMemory in_memory(Operand x) { return AnyTensor::writable(std::move(x)); }
};
template <typename T>
using DistributedOf = typename TensorsOf<T>::Distributed;

} // namespace purview
