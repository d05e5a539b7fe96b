#include "device_reader.hpp"
#include "fold.hpp"
#include "run.hpp"
#include "transfers.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>

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
        const Operand& destination = work.destination;
        if (const auto* const fold = std::get_if<work::Fold>(&work.verb))
            return fold_there(device_, *fold, source, destination);
        if (!std::holds_alternative<work::Assign>(work.verb)) refuse(work.verb);
        if (!destination.node->reads(Below::device)) {
            const Operand here = to_host(source);
            return cpu().run({work.verb, {&here, 1}, destination});
        }
        const bool comes_from_host = device_below(source) == nullptr && leaf_of(source) != nullptr;
        assign_there(device_, comes_from_host ? to_device(source, device_) : source, destination,
                     "assignment");
    }

    std::string tell(const Work& work) const override {
        if (const auto* const fold = std::get_if<work::Fold>(&work.verb))
            return tell_fold_there(device_, *fold, work.sources.front());
        if (!std::holds_alternative<work::Assign>(work.verb))
            return fmt::format("way: none on {}: to_host(x) first\n", name());
        if (!work.destination.node->reads(Below::device))
            return fmt::format("way: computed on {}, and copied to the host\n", name());
        return tell_assignment_there(device_, work.sources.front(), work.destination);
    }

private:
    [[noreturn]] void refuse(const Verb& verb) const {
        const char* const what = std::visit(
            Overloads{[](const work::Assign&) { return "assignment"; },
                      [](const work::Fold& fold) { return name_of(fold.reduction).data(); },
                      [](const work::Scan&) { return "scan"; },
                      [](const work::Sort& sort) { return sort.indexes ? "argsort" : "sort"; },
                      [](const work::Scatter&) { return "scatter"; }},
            verb);
        throw DeviceError(fmt::format("{} has no form on {}: use gpu::to_host(x)", what, name()));
    }

    DeviceState& device_;
};

} // namespace

const Backend& backend_of(DeviceState& device) {
    static std::mutex mutex;
    static auto& all = *new std::map<DeviceState*, DeviceBackend*>;
    thread_local std::pair<DeviceState*, DeviceBackend*> last{nullptr, nullptr};
    if (last.first == &device) return *last.second;
    const std::lock_guard lock(mutex);
    DeviceBackend*& found = all[&device];
    if (found == nullptr) found = new DeviceBackend(device);
    last = {&device, found};
    return *found;
}

DeviceState* device_of(const Backend& backend) noexcept {
    const auto* const own = dynamic_cast<const DeviceBackend*>(&backend);
    return own == nullptr ? nullptr : &own->device();
}

} // namespace purview::gpu::detail
