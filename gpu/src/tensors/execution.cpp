#include "execution.hpp"
#include "per_device.hpp"

#include "../kernels/text.hpp"
#include "../memory/copies.hpp"
#include "../memory/pinned_word.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <optional>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// Index lists on a device, those that were used last.
class ListCopies {
public:
    /// The copy of a list, int64 by int64.
    BufferPtr find(DeviceState& device, const std::shared_ptr<const IndexSequence>& list) {
        {
            const std::lock_guard lock(mutex_);
            for (auto at = copies_.begin(); at != copies_.end(); ++at)
                if (at->list == list) {
                    copies_.splice(copies_.begin(), copies_, at);
                    return at->copy;
                }
        }
        std::vector<index_t> entries(static_cast<std::size_t>(list->size()));
        list->read(0, entries);
        BufferPtr copy = new_buffer(device, entries.size() * sizeof(index_t));
        copy_in(*copy, 0, entries.data(), entries.size() * sizeof(index_t));
        const std::lock_guard lock(mutex_);
        copies_.push_front({list, copy});
        if (copies_.size() > kMost) copies_.pop_back();
        return copy;
    }

    void forget() noexcept {
        std::list<Copy> gone; // ends after the lock
        const std::lock_guard lock(mutex_);
        gone.swap(copies_);
    }

private:
    static constexpr std::size_t kMost = 64;
    struct Copy {
        std::shared_ptr<const IndexSequence> list;
        BufferPtr copy;
    };
    std::mutex mutex_;
    std::list<Copy> copies_;
};

/// What the kernels of a device need.
struct DeviceKernels {
    explicit DeviceKernels(DeviceState& device) : kernels(*device.driver) {}
    KernelCache kernels;
    ListCopies lists;
};

} // namespace

int& OnlyBuilds::depth() noexcept {
    thread_local int depth = 0;
    return depth;
}

Execution& Execution::of_this_thread() {
    thread_local Execution own;
    return own;
}
KernelCache& Execution::kernels(DeviceState& device) {
    return of_device<DeviceKernels>(device).kernels;
}
void Execution::forget_lists(DeviceState& device) noexcept {
    of_device<DeviceKernels>(device).lists.forget();
}

Execution::Use::Use() : execution_(of_this_thread()), parts_(std::move(execution_.idle_)) {
    if (parts_ == nullptr) parts_ = std::make_unique<Parts>();
}
Execution::Use::~Use() {
    parts_->lowered.cut = nullptr;
    execution_.idle_ = std::move(parts_);
}

void Execution::Use::run(DeviceState& device, const Lowered& x, std::span<Buffer* const> buffers,
                         FunctionRef<CheckedWork()> work) const {
    DeviceKernels& own = of_device<DeviceKernels>(device);
    Driver& driver = *device.driver;
    key_of(x, parts_->key);
    const KernelPtr kernel =
        own.kernels.find(parts_->key, [&] { return source_of(x, driver.dialect()); });
    if (OnlyBuilds::here()) return;

    Checks& checks = checks_of(device);
    const Buffer* results = nullptr;
    for (const Buffer* const buffer : buffers) {
        checks.use(*buffer);
        if (buffer->handle() == x.uses[0].place.handle) results = buffer;
    }
    if (results != nullptr) checks.settle_readers_of(*results);
    std::unique_ptr<FaultWord> word;
    if (x.checked) word = std::make_unique<FaultWord>(device);
    Launch& launch = parts_->launch;
    launch_of(x, x.checked ? word->handle() : 0, launch);
    std::vector<BufferPtr> lists;
    for (const Launch::Table& table : launch.tables) {
        const auto map = std::ranges::find(x.maps, table.list,
                                           [](const MapUse& use) { return use.map.table.get(); });
        lists.push_back(own.lists.find(device, map->map.table));
        launch.arguments[table.argument].bits = lists.back()->handle();
    }
    EventHandle done = nullptr;
    {
        DeviceTurn turn(device);
        for (Buffer* const buffer : buffers) turn.use(*buffer);
        for (const BufferPtr& list : lists) turn.use(*list);
        if (x.checked && word->buffer() != nullptr) turn.use(*word->buffer());
        driver.launch(turn.stream(), *kernel, launch.groups, launch.group_size, launch.arguments);
        if (x.checked) done = driver.record(turn.stream());
    }
    if (x.checked) checks.add(work(), results, std::move(word), done);
}

void Execution::Use::run(DeviceState& device, const std::string& key,
                         FunctionRef<std::string()> source, const Launch& launch,
                         std::span<Buffer* const> buffers) const {
    const KernelPtr kernel = of_device<DeviceKernels>(device).kernels.find(key, source);
    if (OnlyBuilds::here()) return;
    for (Buffer* const buffer : buffers) checks_of(device).use(*buffer);
    DeviceTurn turn(device);
    for (Buffer* const buffer : buffers) turn.use(*buffer);
    device.driver->launch(turn.stream(), *kernel, launch.groups, launch.group_size,
                          launch.arguments);
}

} // namespace purview::gpu::detail
