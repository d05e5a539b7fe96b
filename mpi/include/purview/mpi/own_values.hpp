#pragma once

#include <purview/mpi/reductions.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace purview::inline v0_1::mpi {

// What ranks have by themselves: numbers, or tensors in memory of each. All ranks of the communicator call these functions: see moving.hpp.

/// Joins the numbers of one type that ranks have, in place: by a fold.
PURVIEW_MPI_EXPORT void join_number(Reduction fold, DType dtype, void* number,
                                    const Communicator& ranks);
/// Joins tensors of one shape, as elements of `dtype` in memory.
PURVIEW_MPI_EXPORT Operand join_any(Reduction fold, const Operand& x, DType dtype,
                                    const Communicator& ranks);
PURVIEW_MPI_EXPORT void broadcast_element(DType dtype, void* element, const Communicator& ranks,
                                          int root);
PURVIEW_MPI_EXPORT Operand broadcast_any(const Operand& x, const Communicator& ranks, int root);

/// The function object that joins what ranks have.
template <typename Operation>
struct JoinOfRanks {
    template <typename T>
        requires kReducesOverRanks<Operation, Widened<Canonical<T>>>
    auto operator()(T value, const Communicator& ranks) const {
        using R = Joined<Canonical<T>>;
        R joined = static_cast<R>(value);
        join_number(Operation::kFold, kDType<R>, &joined, ranks);
        return joined;
    }
    template <TypedTensor X>
        requires kReducesOverRanks<Operation, Widened<typename X::value_type>>
    auto operator()(const X& x, const Communicator& ranks) const {
        using R = Joined<typename X::value_type>;
        return MutableTensor<R>(join_any(Operation::kFold, x.operand(), kDType<R>, ranks));
    }

private:
    template <typename T>
    using Joined = typename Operation::template Result<Widened<T>>;
};

/// `all_sum(value, world)`: the sum of the numbers that the ranks of a communicator have, in the order of a fixed tree: the same
/// bits on all of them. Integers add up in 64 bits. Sends ⌈log₂ P⌉ messages from a rank at most.
///
/// `all_sum(x, world)`: the sum, element by element, of tensors of one shape that the ranks have, in memory of each.
/// Where one of them throws when it is evaluated, all do; `DistributionError` for shapes or types that differ.
inline constexpr JoinOfRanks<FoldOperation<SumFold>> all_sum;
/// The smallest of the numbers that ranks have, or of each element; NaN wins. Otherwise as `all_sum`.
inline constexpr JoinOfRanks<FoldOperation<MinFold>> all_min;
/// The greatest; otherwise as `all_min`.
inline constexpr JoinOfRanks<FoldOperation<MaxFold>> all_max;

/// What rank `root` has, on all of them: a number or another element, a tensor, whose shape is that of `root`'s, in new memory, or a text. Other ranks give
/// any of the type, a tensor may be empty. Sends ⌈log₂ P⌉ messages from a rank at most. Throws `IndexError` for a rank that there is
/// not, `DistributionError` for types that differ and a sparse tensor, and what evaluating the tensor does.
template <typename X>
    requires std::convertible_to<const X&, AnyTensor>
auto broadcast(const X& x, const Communicator& ranks, int root = 0) {
    return TensorsOf<ElementOfWhole<X>>::in_memory(
        broadcast_any(static_cast<AnyTensor>(x).operand(), ranks, root));
}
template <ElementType T>
    requires(!std::convertible_to<const T&, AnyTensor> &&
             !std::convertible_to<const T&, std::string_view>)
T broadcast(T value, const Communicator& ranks, int root = 0) {
    broadcast_element(kDType<T>, &value, ranks, root);
    return value;
}
PURVIEW_MPI_EXPORT std::string broadcast(std::string_view text, const Communicator& ranks,
                                         int root = 0);

/// Returns when all ranks have called it.
PURVIEW_MPI_EXPORT void barrier(const Communicator& ranks);

} // namespace purview
