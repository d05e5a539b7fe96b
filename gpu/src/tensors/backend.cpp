// Defines tensors/device_reader.hpp.
#include "device_reader.hpp"
#include "fold.hpp"
#include "per_device.hpp"
#include "run.hpp"
#include "scan.hpp"
#include "softmax.hpp"
#include "transfers.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

namespace purview::inline v0_1::gpu::detail {
namespace {

class DeviceBackend final : public Backend {
public:
    explicit DeviceBackend(DeviceState& device) : device_(device) {}

    DeviceState& device() const noexcept { return device_; }
    std::string_view name() const noexcept override { return device_.driver->label(); }

    Operand results_like(std::span<const Operand>, DType dtype, ShapeSpan shape) const override {
        return new_on_device("results", device_, dtype, shape);
    }

    /// All of it: what has no form there is refused by name.
    bool takes(const Work&) const override { return true; }

    void run(const Work& work) const override {
        const Operand& source = work.sources.front();
        const Operand& to = work.destination;
        std::visit(
            Overloads{[&](const work::Assign&) { assign_from(source, to); },
                      [&](const work::Fold& fold) { fold_on_device(device_, fold, source, to); },
                      [&](const work::Scan& scan) { scan_on_device(device_, scan, source, to); },
                      [&](const work::Sort& sort) { refuse(sort.indexes ? "argsort" : "sort"); },
                      [&](const work::Scatter& scatter) {
                          if (leaf_of(to) == nullptr || !to.dims.is_unique()) refuse("scatter");
                          assign_from(joined(scatter.kind, to, source), to);
                      },
                      [&](const work::Softmax& softmax) {
                          softmax_on_device(device_, softmax.groups, source, to);
                      }},
            work.verb);
    }

    std::string describe(const Work& work) const override {
        std::string text = way_of(work);
        const Capabilities& can = device_.driver->capabilities();
        if (!can.denormals) text += "because denormal float32 are 0 there, bits may differ\n";
        if (!can.rounded_division)
            text += can.float64 ? "because it does not round, float32 is divided as float64 there\n"
                                : "because it does not round divisions, bits may differ\n";
        return text;
    }

    void check_host_reads(const char* what) const override {
        const bool exports = std::string_view(what).find("dlpack") != std::string_view::npos;
        throw DeviceError(
            fmt::format("{}: the elements lie in the memory of {}, which the host does "
                        "not read: {}gpu::to_host(x) is a copy here",
                        what, name(), exports ? "gpu::to_dlpack(x) hands them on, " : ""));
    }

private:
    static bool has_leaves(const Operand& source) {
        return std::ranges::any_of(nodes_below({&source, 1}),
                                   [](const Node* node) { return node->kind() == NodeKind::leaf; });
    }
    /// To a view of a leaf there, or of the host.
    void assign_from(const Operand& source, const Operand& destination) const {
        if (!destination.node->reads(Below::device))
            return copy_to_host(source, destination, "assignment");
        const bool comes_from_host = !source.node->reads(Below::device) && has_leaves(source);
        assign_on_device(device_, comes_from_host ? to_device(source, device_) : source,
                         destination, "assignment");
    }
    std::string way_of(const Work& work) const {
        const Operand& source = work.sources.front();
        try {
            return std::visit(
                Overloads{[&](const work::Assign&) {
                              return describe_assignment_on_device(device_, source,
                                                                   work.destination);
                          },
                          [&](const work::Fold& fold) {
                              return describe_fold_on_device(device_, fold, source);
                          },
                          [&](const work::Scan& scan) {
                              return describe_scan_on_device(device_, scan, source);
                          },
                          [&](const OneOf<work::Sort, work::Scatter> auto&) {
                              return fmt::format("way: none on {}: to_host(x) first\n", name());
                          },
                          [&](const work::Softmax& softmax) {
                              return describe_softmax_on_device(device_, softmax.groups, source);
                          }},
                work.verb);
        } catch (const DeviceError& error) { // it would be thrown
            return fmt::format("way: none on {}: {}\n", name(), error.what());
        }
    }

    /// What a scatter writes to elements each of which has one place.
    static Operand joined(ScatterKind kind, const Operand& before, const Operand& source) {
        if (kind == ScatterKind::assign) return source;
        const Op op = kind == ScatterKind::add     ? Op::add
                      : kind == ScatterKind::least ? Op::minimum
                                                   : Op::maximum;
        return binary_operand(op, before, source, before.dtype(), before.dtype());
    }
    [[noreturn]] void refuse(const char* what) const {
        throw DeviceError(fmt::format("{} has no form on {}: use gpu::to_host(x)", what, name()));
    }

    DeviceState& device_;
};

} // namespace

const Backend& backend_of(DeviceState& device) { return of_device<DeviceBackend>(device); }

DeviceState* device_of(const Backend& backend) noexcept {
    const auto* const own = dynamic_cast<const DeviceBackend*>(&backend);
    return own == nullptr ? nullptr : &own->device();
}

} // namespace purview::gpu::detail
