#include "scan.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "run.hpp"

#include "../kernels/scan_text.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr const char* kScan = "scan";

class DeviceScan {
public:
    DeviceScan(DeviceState& device, const work::Scan& scan, const Operand& whole)
        : device_(device), scan_(scan), whole_(whole) {}

    /// `out` is a leaf's memory from its beginning on. Lanes of several parts are scanned part by part, then the totals of the parts,
    /// then what is before a part is joined to its elements.
    void run(const Operand& source, index_t length, const Operand& out) const {
        Scanning scanning = Scanning::of(scan_.reduction, length, scan_.inner);
        const index_t parts = scanning.parts();
        if (parts == 1) return launch(source, scanning, out, nullptr);
        const index_t size = source.dims.size() / length * parts;
        const Operand totals = new_on_device(kScan, device_, whole_.dtype(), ShapeSpan(&size, 1));
        scanning.totals = buffer_below(totals).handle();
        launch(source, scanning, out, &buffer_below(totals));
        run(totals, parts, totals); // in place: each tile is read before it is written
        carry(scanning, source.dims.size(), totals, out);
    }

private:
    void launch(const Operand& source, const Scanning& scanning, const Operand& out,
                Buffer* totals) const {
        LowerOptions options = options_on(device_);
        options.scanning = &scanning;
        launch_on_device(
            device_, source, out, Dimensions::row_major(source.dims.max_shape()), options, kScan,
            totals, [&] {
                return CheckedWork{scan_, whole_, to_shape(whole_.dims.max_shape()), kScan};
            });
    }

    void carry(const Scanning& scanning, index_t size, const Operand& totals,
               const Operand& out) const {
        const Stored type = *stored_type(whole_.dtype());
        const index_t width = scanning.form == Scanning::groups ? 256 : 1;
        const index_t units = size / scanning.length * (scanning.parts() - 1);
        Buffer* const buffers[] = {&buffer_below(out), &buffer_below(totals)};
        Launch launch;
        for (Buffer* const buffer : buffers)
            launch.arguments.push_back({buffer->handle(), 8, true});
        for (const index_t number : {scanning.length, scanning.inner, scanning.part,
                                     scanning.parts(), width, units * width})
            launch.arguments.push_back({static_cast<std::uint64_t>(number), 8, false});
        launch.groups = static_cast<std::size_t>((units * width + 255) / 256);
        const Execution::Use in_use;
        in_use.run(
            device_,
            fmt::format("carry {} {}", static_cast<int>(scan_.reduction), static_cast<int>(type)),
            [&] { return carry_text(scan_.reduction, type, device_.driver->dialect()); }, launch,
            buffers);
    }

    DeviceState& device_;
    const work::Scan& scan_;
    const Operand& whole_;
};

} // namespace

void scan_on_device(DeviceState& device, const work::Scan& scan, const Operand& source,
                    const Operand& destination) {
    if (source.dims.size() == 0) return;
    const DType dtype = source.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported(kScan, dtype);
    const bool in_place = destination.node->reads(Below::device) &&
                          destination.dims.is_identity() &&
                          !reads_memory_of(source, buffer_below(destination));
    to_results_on_device(device, kScan, dtype, destination, in_place, [&](const Operand& out) {
        DeviceScan(device, scan, source).run(source, scan.length, out);
    });
}

std::string describe_scan_on_device(DeviceState& device, const work::Scan& scan,
                                    const Operand& source) {
    if (source.dims.size() == 0) return "way: nothing to scan\n";
    const Scanning scanning = Scanning::of(scan.reduction, scan.length, scan.inner);
    const std::string way = scanning.form == Scanning::groups
                                ? fmt::format("lanes scanned by {} thread{} each", scanning.threads,
                                              scanning.threads == 1 ? "" : "s")
                                : "columns scanned one element after the other";
    return fmt::format("way: {}, in {} on {}\n", way,
                       scanning.parts() == 1
                           ? std::string("one pass")
                           : fmt::format("three passes over parts of {}", scanning.part),
                       device.driver->label());
}

} // namespace purview::gpu::detail
