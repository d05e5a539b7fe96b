#include "distributions/distributed_elements.hpp"

#include "messages/ranks.hpp"

#include "dtype/stored_types.hpp"

#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/reader/allocation.hpp>

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <variant>

namespace purview::inline v0_1::mpi {
namespace {

/// Functions of tensors in memory that have a namesake for all ranks.
constexpr std::string_view kOverRanks =
    " sum product mean variance sample_variance standard_deviation sample_standard_deviation norm min "
    "max any_of all_of count_true argmin argmax sort argsort cumsum dot matmul group_by_reduce median "
    "quantile percentile histogram unique unique_all save_npy ";

[[noreturn]] void throw_not_alone(std::string_view what) {
    const std::string_view instead = what == "magnitude" ? "norm" : what;
    const bool has_namesake =
        kOverRanks.find(fmt::format(" {} ", instead)) != std::string_view::npos;
    throw DistributionError(fmt::format(
        "{0}: elements of a distributed tensor lie on several ranks, which compute together: "
        "purview::mpi::{1} does so, and purview::mpi::all_gather(x) is the whole as an ordinary tensor",
        what, has_namesake ? instead : "evaluate(expression, distribution)"));
}

/// Refuses all work: expressions over distributed tensors are given to functions that all ranks call.
class DistributedBackend final : public Backend {
public:
    std::string_view name() const noexcept override { return "several ranks"; }
    Operand results_like(std::span<const Operand>, DType, ShapeSpan) const override {
        throw_not_alone(
            "new elements"); // after check_results, unless somebody asks the backend itself
    }
    bool takes(const Work& work) const override { throw_not_alone(name_of(work.verb)); }
    void run(const Work& work) const override { throw_not_alone(name_of(work.verb)); }
    std::string describe(const Work&) const override {
        return "way: refused here: elements lie on several ranks; mpi::evaluate has each compute its part\n";
    }
    void check_host_reads(const char* what) const override { throw_not_alone(what); }
    void check_results(const char* what) const override { throw_not_alone(what); }

private:
    static std::string_view name_of(const Verb& verb) noexcept {
        using Name = std::string_view;
        return std::visit(Overloads{[](const work::Assign&) -> Name { return "assign"; },
                                    [](const work::Fold& fold) -> Name {
                                        return fold.averages ? "mean"
                                                             : purview::name_of(fold.reduction);
                                    },
                                    [](const work::Scan&) -> Name { return "cumsum"; },
                                    [](const work::Sort& sort) -> Name {
                                        return sort.indexes ? "argsort" : "sort";
                                    },
                                    [](const work::Scatter&) -> Name { return "scatter"; },
                                    [](const work::Softmax&) -> Name { return "softmax"; }},
                          verb);
    }
};

const DistributedBackend& distributed_backend() {
    static const DistributedBackend* const backend =
        new DistributedBackend; // lives as long as the process
    return *backend;
}

/// Memory of elements of a type that is known at run time alone.
class OwnedElements final : public AnyReader, public AnyWriter {
public:
    OwnedElements(DType dtype, index_t count)
        : dtype_(dtype),
          count_(count),
          memory_(new std::byte[static_cast<std::size_t>(
              checked_bytes(count, dtype.size_bytes(), "distribute"))]()) {}

    DType dtype() const noexcept override { return dtype_; }
    DType written_dtype() const noexcept override { return dtype_; }
    index_t size() const override { return count_; }
    MemoryView memory() const noexcept override { return {memory_.get(), dtype_.size_bytes()}; }
    MutableMemoryView writable_memory() noexcept override {
        return {memory_.get(), dtype_.size_bytes()};
    }
    StorageId storage() const noexcept override {
        return {memory_.get(), count_ * dtype_.size_bytes()};
    }

    void read_into(index_t begin, index_t step, index_t count, void* out) const override {
        for (index_t i = 0; i < count; ++i)
            copy(at(begin + i * step), static_cast<std::byte*>(out) + i * dtype_.size_bytes());
    }
    void gather_into(std::span<const index_t> indexes, void* out) const override {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            copy(at(indexes[i]),
                 static_cast<std::byte*>(out) + static_cast<index_t>(i) * dtype_.size_bytes());
    }
    void write_from(index_t begin, index_t step, index_t count, const void* values) override {
        for (index_t i = 0; i < count; ++i)
            copy(static_cast<const std::byte*>(values) + i * dtype_.size_bytes(),
                 at(begin + i * step));
    }
    void scatter_from(std::span<const index_t> indexes, const void* values) override {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            copy(static_cast<const std::byte*>(values) +
                     static_cast<index_t>(i) * dtype_.size_bytes(),
                 at(indexes[i]));
    }

private:
    std::byte* at(index_t i) const noexcept { return memory_.get() + i * dtype_.size_bytes(); }
    void copy(const std::byte* from, std::byte* to) const { dtype_.descriptor().copy(from, to, 1); }

    DType dtype_;
    index_t count_;
    std::unique_ptr<std::byte[]> memory_;
};

} // namespace

DistributedElements::DistributedElements(Operand local, Distribution distribution, Operand whole)
    : local_(std::move(local)),
      whole_(std::move(whole)),
      distribution_(std::move(distribution)),
      number_(distribution_.communicator().ranks().agreements()) {}
DistributedElements::~DistributedElements() = default;

index_t DistributedElements::global_size() const noexcept {
    index_t size = 1;
    for (const index_t extent : distribution_.shape()) size *= extent;
    return size;
}
std::vector<StorageId> DistributedElements::local_storages() const {
    return storages_below(local_);
}
const Backend& DistributedElements::backend_of_ranks() noexcept { return distributed_backend(); }
void DistributedElements::throw_only_together(const char* what) { throw_not_alone(what); }

const DistributedElements* distributed_elements(const Node& node) noexcept {
    const Leaf* const leaf = node_as<Leaf>(node);
    if (leaf == nullptr || leaf->reader().backend() != &distributed_backend()) return nullptr;
    return dynamic_cast<const DistributedElements*>(&leaf->reader());
}

void require_sendable(const char* what, DType dtype) {
    if (!dtype.descriptor().trivial)
        throw DtypeError(fmt::format(
            "{}: elements of type {} are not trivially copyable, so that they cannot be sent", what,
            dtype.name()));
}

Operand new_elements(const char* what, DType dtype, ShapeSpan shape) {
    require_sendable(what, dtype);
    if (dtype.is_builtin()) return results_like(what, constant_operand(0.0), dtype, shape);
    const Dimensions dims = Dimensions::row_major(shape);
    const auto elements = std::make_shared<OwnedElements>(dtype, dims.size());
    return {make_node<Leaf>(elements, *elements), dims};
}

void require_dtype(const char* what, const AnyDistributed& x, DType wanted) {
    if (x.dtype() != wanted)
        throw DtypeError(fmt::format("{}: elements of type {} where {} is wanted", what,
                                     x.dtype().name(), wanted.name()));
}

namespace {

/// Elements of a type that only programs know: `Distributed<T>` has a reader of them.
class ElementsOfUnknownType final : public AnyReader, public DistributedElements {
public:
    using DistributedElements::DistributedElements;

    DType dtype() const noexcept override { return local().dtype(); }
    index_t size() const override { return global_size(); }
    Kind kind() const noexcept override { return Kind::computed; }
    std::vector<StorageId> storages() const override { return local_storages(); }
    const Backend* backend() const noexcept override { return &backend_of_ranks(); }
    void read_into(index_t, index_t, index_t, void*) const override { throw_only_together("read"); }
    void gather_into(std::span<const index_t>, void*) const override {
        throw_only_together("gather");
    }
};

NodePtr global_leaf(const Operand& local, const Distribution& distribution, const Operand& whole) {
    bool is_stored = local.dtype().is_builtin();
    for_each_stored(
        [&]<typename T>(std::type_identity<T>) { is_stored |= local.dtype() == kDType<T>; });
    if (!is_stored)
        return make_node<Leaf>(std::make_shared<ElementsOfUnknownType>(local, distribution, whole));
    return visit_stored_dtype(local.dtype(), "Distributed", [&]<typename T>(std::type_identity<T>) {
        return distributed_leaf<T>(local, distribution, whole);
    });
}

} // namespace

AnyDistributed::AnyDistributed(Operand local, Distribution distribution)
    : AnyDistributed(std::move(local), std::move(distribution), Operand()) {}

AnyDistributed::AnyDistributed(Operand local, Distribution distribution, Operand whole)
    : local_(std::move(local)),
      whole_(std::move(whole)),
      global_{global_leaf(local_, distribution, whole_),
              Dimensions::row_major(distribution.shape())},
      distribution_(std::move(distribution)) {}

void AnyDistributed::require_in_memory(const char* what) const {
    if (is_in_memory()) return;
    throw ReadOnlyError(fmt::format(
        "{}: a part of {} of {}, which does not lie in memory but is read when something is computed: "
        "evaluate(x.global(), x.distribution()) puts the parts into memory",
        what, purview::to_string(local_.dims.max_shape()), to_string(distribution_)));
}

const Communicator* communicator_below(const Operand& x) {
    std::vector<const Node*> nodes = nodes_below({&x, 1});
    for (const Node* const node : nodes)
        if (const DistributedElements* const elements = distributed_elements(*node))
            return &elements->distribution().communicator();
    return nullptr;
}

} // namespace purview
