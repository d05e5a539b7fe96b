#include "support/walled_backend.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/progression.hpp>
#include <purview/purview.hpp>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace oracle {
namespace {

namespace pv = purview;
using pv::index_t;
using pv::Operand;

std::atomic<int> works_behind_wall{0};
std::atomic<std::uint64_t> bytes_out_of_wall{0};

[[noreturn]] void refuse_access(const char* what) {
    throw pv::DeviceError(std::string(what) +
                          ": the elements lie behind a wall, which the host does not " + what +
                          ": gpu::to_host(x) is a copy here");
}

/// What a reader behind the wall has, whatever its type.
class Hidden {
public:
    explicit Hidden(pv::NodePtr inside) : inside_(std::move(inside)) {}
    virtual ~Hidden() = default;
    /// A leaf over the memory, of the same addresses.
    const pv::NodePtr& inside() const noexcept { return inside_; }

protected:
    pv::NodePtr inside_;
};

template <typename T>
class Walled final : public pv::ReadWriter<T>, public Hidden {
public:
    using Hidden::Hidden;

    index_t size() const override { return pv::size_of(*inside_); }
    const pv::Backend* backend() const noexcept override { return &walled_backend(); }
    pv::StorageId storage() const noexcept override { return {this, 1}; }
    std::vector<pv::StorageId> storages() const override { return {storage()}; }

    T read(index_t) const override { refuse_access("read"); }
    void read_block(index_t, index_t, std::span<T>) const override { refuse_access("read"); }
    void gather(std::span<const index_t>, std::span<T>) const override { refuse_access("read"); }
    using pv::Writer<T>::write;
    void write(index_t, const T&) override { refuse_access("write"); }
    void write_block(index_t, index_t, std::span<const T>) override { refuse_access("write"); }
    void scatter(std::span<const index_t>, std::span<const T>) override { refuse_access("write"); }
};

const Hidden* hidden_of(const pv::Node& node) {
    const auto* const leaf = pv::node_as<pv::Leaf>(node);
    return leaf == nullptr ? nullptr : dynamic_cast<const Hidden*>(&leaf->reader());
}

/// Behind the wall: uninitialised.
Operand new_behind_wall(const char* what, pv::DType dtype, pv::ShapeSpan shape) {
    const Operand inside = pv::cpu().results_like({}, dtype, shape);
    const auto made = [&]<typename T>(std::type_identity<T>) {
        return pv::operand_over(std::make_shared<Walled<T>>(inside.node), inside.dims);
    };
    if (dtype == pv::kDType<pv::Half>) return made(std::type_identity<pv::Half>{});
    if (dtype == pv::kDType<pv::BFloat16>) return made(std::type_identity<pv::BFloat16>{});
    if (!dtype.is_builtin())
        throw pv::DtypeError(std::string(what) + ": elements of type " + std::string(dtype.name()) +
                             " have no form behind a wall: gpu::to_host(x)");
    return pv::visit_dtype(dtype, what, made);
}

/// The leaf that small ranges are views of.
const pv::Node* indexes_of_small_ranges() {
    static const pv::NodePtr table = pv::progression_operand(0, 0).node;
    return table.get();
}

/// The same over plain leaves. Throws for what a kernel would not have: a user's function, another leaf of more than one element
/// that is no range, a type that devices do not have.
Operand behind_wall(const Operand& x) {
    const auto plain = [](const pv::Node& node, pv::NodePtr now) {
        if (const Hidden* const hidden = hidden_of(node)) return hidden->inside();
        if (const auto* const leaf = pv::node_as<pv::Leaf>(node);
            leaf != nullptr && leaf->memory() && leaf->size() > 1 &&
            leaf != indexes_of_small_ranges())
            throw pv::DeviceError("mixed places: an operand lies in the host's memory, one behind "
                                  "a wall: gpu::to_device(x) or gpu::to_host(x) first");
        if (const auto* const operation = pv::node_as<pv::Elementwise>(node);
            operation != nullptr && operation->op() == pv::Op::map)
            throw pv::DeviceError("emap has no form behind a wall: gpu::to_host(x) first");
        const bool has_form = node.dtype().is_builtin() || node.dtype() == pv::kDType<pv::Half> ||
                              node.dtype() == pv::kDType<pv::BFloat16>;
        if (!has_form)
            throw pv::DeviceError("elements of type " + std::string(node.dtype().name()) +
                                  " have no form behind a wall: gpu::to_host(x) first");
        return now;
    };
    return pv::rewritten({&x, 1}, plain).front();
}

class WalledBackend final : public pv::Backend {
public:
    std::string_view name() const noexcept override { return "a wall"; }

    Operand results_like(std::span<const Operand>, pv::DType dtype,
                         pv::ShapeSpan shape) const override {
        return new_behind_wall("results", dtype, shape);
    }

    bool takes(const pv::Work&) const override { return true; }

    void run(const pv::Work& work) const override {
        check_form(work);
        const Operand& from = work.sources.front();
        const bool only_copies =
            !from.node->reads(pv::Below::device) && pv::leaf_of(from) != nullptr;
        const Operand source = only_copies ? from : behind_wall(from);
        const bool stays = work.destination.node->reads(pv::Below::device);
        const Operand to = stays ? behind_wall(work.destination) : work.destination;
        pv::cpu().run({work.verb, {&source, 1}, to});
        ++works_behind_wall;
        if (!stays)
            bytes_out_of_wall +=
                static_cast<std::uint64_t>(to.dims.size() * to.dtype().size_bytes());
    }

    std::string describe(const pv::Work& work) const override {
        try {
            check_form(work);
            behind_wall(work.sources.front());
            return "way: behind a wall\n";
        } catch (const pv::DeviceError& error) { // it would be thrown
            return "way: none on a wall: " + std::string(error.what()) + "\n";
        }
    }

    void check_host_reads(const char* what) const override {
        const bool exports = std::string_view(what).find("dlpack") != std::string_view::npos;
        throw pv::DeviceError(std::string(what) +
                              ": the elements lie behind a wall, which the host does not read: " +
                              (exports ? "gpu::to_dlpack(x) hands them on, " : "") +
                              "gpu::to_host(x) is a copy here");
    }

private:
    /// Throws for verbs that devices do not have.
    static void check_form(const pv::Work& work) {
        const auto refuse = [](const char* what) {
            throw pv::DeviceError(std::string(what) +
                                  " has no form behind a wall: use gpu::to_host(x)");
        };
        if (const auto* const sort = std::get_if<pv::work::Sort>(&work.verb))
            refuse(sort->indexes ? "argsort" : "sort");
        const bool has_places =
            pv::leaf_of(work.destination) != nullptr && work.destination.dims.is_unique();
        if (std::holds_alternative<pv::work::Scatter>(work.verb) && !has_places) refuse("scatter");
    }
};

} // namespace

const pv::Backend& walled_backend() {
    static const WalledBackend backend;
    return backend;
}

Operand walled(const Operand& x) {
    const Operand made = new_behind_wall("to_device", x.dtype(), x.dims.max_shape());
    pv::assign(x, made);
    return made;
}

std::uint64_t walled_bytes_out() noexcept { return bytes_out_of_wall; }
int walled_done() noexcept { return works_behind_wall; }

} // namespace oracle
