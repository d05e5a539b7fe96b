#include <purview/base/config.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/reduce.hpp>

#include "layer_walker.hpp"

#include <libdivide.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace purview::inline v0_1::dimensions {
namespace {

using ExtentDivider = libdivide::divider<std::uint64_t>;

// One layer, prepared for gathering: its extents and periods are invariant divisors.
struct GatherLayer {
    struct Axis {
        ExtentDivider by_extent;
        ExtentDivider by_period;
        index_t extent;
        index_t stride;
        const AxisMap* map; // null: plain
    };
    std::vector<Axis> axes;
    index_t base;

    explicit GatherLayer(const LayerView& layer) : base(layer.base) {
        for (int a = 0; a < layer.rank(); ++a) {
            const auto i = static_cast<std::size_t>(a);
            const AxisMap* map = layer.is_plain(a) ? nullptr : &layer.maps[i];
            const index_t period = map != nullptr && map->period != 0 ? map->period : 1;
            axes.push_back({ExtentDivider(static_cast<std::uint64_t>(layer.extents[i])),
                            ExtentDivider(static_cast<std::uint64_t>(period)), layer.extents[i],
                            layer.strides[i], map});
        }
    }

    static index_t coordinate(const Axis& axis, index_t g) {
        if (axis.map == nullptr) return g;
        const AxisMap& map = *axis.map;
        if (map.period != 0) {
            const index_t sum = map.step * g + map.phase;
            // Floor division of a negative sum: -1 - sum is not negative, and
            // ⌊s/p⌋ = -1 - ⌊(-1-s)/p⌋.
            const auto positive = static_cast<std::uint64_t>(sum < 0 ? -1 - sum : sum);
            auto quotient = static_cast<index_t>(positive / axis.by_period);
            if (sum < 0) quotient = -1 - quotient;
            g = sum - quotient * map.period;
        }
        return map.table == nullptr ? g : map.table->at(map.scale * g + map.offset);
    }

    index_t local_of(index_t index) const {
        index_t address = base;
        for (std::size_t a = axes.size(); a-- > 0;) {
            const Axis& axis = axes[a];
            index_t g = index;
            if (a > 0) {
                index = static_cast<index_t>(static_cast<std::uint64_t>(index) / axis.by_extent);
                g -= index * axis.extent;
            }
            address += axis.stride * coordinate(axis, g);
        }
        return address;
    }
};

} // namespace

struct AddressStream::Plan {
    Dimensions reduced;
    index_t size;
    std::vector<LayerView> layers; // of `reduced`, the outer one first
    std::vector<GatherLayer> gathers;

    explicit Plan(const Dimensions& dims) : reduced(reduce(dims)), size(dims.size()) {
        if (size == 0) return;
        for (int k = 0; k < reduced.layer_count(); ++k) {
            layers.push_back(reduced.layer(k));
            gathers.emplace_back(layers.back());
        }
    }

    template <typename Visit>
    static void walk(std::vector<LayerWalker>& walkers, std::size_t k, index_t begin, index_t step,
                     index_t count, const Visit& visit) {
        LayerWalker& walker = walkers[k];
        walker.start(begin, step);
        while (count > 0) {
            const Run run = walker.next(count);
            count -= run.length;
            if (k + 1 == walkers.size())
                visit(run);
            else
                walk(walkers, k + 1, run.address, run.length == 1 ? 0 : run.step, run.length,
                     visit);
        }
    }

    template <typename Visit>
    void walk(index_t begin, index_t count, const Visit& visit) const {
        PURVIEW_ASSERT(begin >= 0 && count >= 0 && begin <= size && count <= size - begin);
        if (count == 0) return;
        if (layers.size() == 1) {
            LayerWalker walker(layers[0]);
            walker.start(begin, 1);
            while (count > 0) {
                const Run run = walker.next(count);
                count -= run.length;
                visit(run);
            }
            return;
        }
        std::vector<LayerWalker> walkers(layers.begin(), layers.end());
        walk(walkers, 0, begin, 1, count, visit);
    }
};

AddressStream::AddressStream(const Dimensions& dims) : plan_(std::make_shared<const Plan>(dims)) {}
AddressStream::~AddressStream() = default;
AddressStream::AddressStream(const AddressStream&) noexcept = default;
AddressStream& AddressStream::operator=(const AddressStream&) noexcept = default;

index_t AddressStream::size() const noexcept { return plan_->size; }

bool AddressStream::follows_list() const noexcept {
    if (plan_->layers.size() != 1) return false;
    const LayerView& layer = plan_->layers[0];
    const int last = layer.rank() - 1;
    if (last < 0 || layer.is_plain(last)) return false;
    const AxisMap& map = layer.maps[static_cast<std::size_t>(last)];
    return map.period == 0 && map.table->data() != nullptr;
}

std::optional<AddressStream::List> AddressStream::list() const noexcept {
    if (!follows_list()) return std::nullopt;
    const LayerView& layer = plan_->layers[0];
    if (layer.rank() != 1 || layer.maps[0].scale != 1) return std::nullopt;
    return List{layer.maps[0].table->data() + layer.maps[0].offset, layer.base, layer.strides[0]};
}

void AddressStream::read(index_t begin, std::span<index_t> out) const {
    index_t* to = out.data();
    if (out.size() > 1 && follows_list()) {
        PURVIEW_ASSERT(begin >= 0 && begin <= size() && std::ssize(out) <= size() - begin);
        LayerWalker walker(plan_->layers[0]);
        walker.start(begin, 1);
        if (walker.follows_list()) {
            index_t* const end = to + out.size();
            while (to < end) to += walker.read_list(end - to, to);
            return;
        }
    }
    plan_->walk(begin, static_cast<index_t>(out.size()), [&to](const Run& run) {
        index_t address = run.address;
        // Unsigned, because the address after the last one may overflow.
        for (index_t i = 0; i < run.length; ++i) {
            *to++ = address;
            address = static_cast<index_t>(static_cast<std::uint64_t>(address) +
                                           static_cast<std::uint64_t>(run.step));
        }
    });
}

void AddressStream::gather(std::span<const index_t> globals, std::span<index_t> out) const {
    PURVIEW_ASSERT(globals.size() == out.size());
    if (plan_->gathers.empty()) return;
    for (std::size_t i = 0; i < globals.size(); ++i) {
        index_t index = globals[i];
        for (const GatherLayer& layer : plan_->gathers) index = layer.local_of(index);
        out[i] = index;
    }
}

index_t AddressStream::begin_of_run(index_t begin, index_t count) const {
    PURVIEW_ASSERT(begin >= 0 && count > 0 && begin <= size() && count <= size() - begin);
    if (plan_->layers.size() != 1) return -1;
    if (const std::optional<List> l = list()) { // without a walker, which takes a while to make
        const index_t* const entries = l->entries + begin;
        if ((entries[count - 1] - entries[0]) * l->stride != count - 1) return -1;
    }
    LayerWalker walker(plan_->layers[0]);
    walker.start(begin, 1);
    const Run run = walker.next(count);
    return run.length == count && (run.step == 1 || count == 1) ? run.address : -1;
}

void AddressStream::visit_runs(index_t begin, index_t count, RunVisitor visit,
                               void* context) const {
    plan_->walk(begin, count,
                [&](const Run& run) { visit(context, run.address, run.step, run.length); });
}

} // namespace purview::dimensions
