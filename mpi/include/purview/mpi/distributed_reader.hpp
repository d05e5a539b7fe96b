#pragma once

#include <purview/expression/leaf.hpp>
#include <purview/mpi/distribution.hpp>
#include <purview/reader/reader.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// What the readers of distributed tensors have in common: the functions of all ranks know them by it.
class PURVIEW_MPI_EXPORT DistributedElements {
public:
    /// `whole`: what every rank can read by itself, of which `local` is a view; for parts in memory a null node.
    DistributedElements(Operand local, Distribution distribution, Operand whole);
    DistributedElements(const DistributedElements&) = default;
    virtual ~DistributedElements();

    const Operand& local() const noexcept { return local_; }
    /// All elements, where each rank reads them by itself; a null node where parts lie in memory.
    const Operand& whole() const noexcept { return whole_; }
    const Distribution& distribution() const noexcept { return distribution_; }
    /// After how many agreements of the ranks it was made: the same on all ranks for the parts of one tensor.
    std::uint64_t number() const noexcept { return number_; }

protected:
    index_t global_size() const noexcept;
    std::vector<StorageId> local_storages() const;
    static const Backend& backend_of_ranks() noexcept;
    [[noreturn]] static void throw_only_together(const char* what);

private:
    Operand local_;
    Operand whole_;
    Distribution distribution_;
    std::uint64_t number_;
};

/// The elements of all ranks by their row-major index in the global shape, none of which it reads.
template <ElementType T>
class DistributedReader final : public Reader<T>, public DistributedElements {
public:
    using DistributedElements::DistributedElements;

    index_t size() const override { return global_size(); }
    Kind kind() const noexcept override { return Kind::computed; }
    std::vector<StorageId> storages() const override { return local_storages(); }
    const Backend* backend() const noexcept override { return &backend_of_ranks(); }
    T read(index_t) const override { throw_only_together("read"); }
};

template <ElementType T>
NodePtr distributed_leaf(Operand local, Distribution distribution, Operand whole) {
    return make_node<Leaf>(std::make_shared<DistributedReader<T>>(
        std::move(local), std::move(distribution), std::move(whole)));
}

} // namespace purview
