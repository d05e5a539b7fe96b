#include "checks.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "per_device.hpp"
#include "run.hpp"

#include "../memory/copies.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr std::size_t kMostUnsettled = 64; ///< kernels: they keep their operands
constexpr std::uint32_t kNone = 0;

/// Unlike a `std::thread::id`, never that of a thread that has ended.
std::uint64_t own_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    thread_local const std::uint64_t own = ++last;
    return own;
}

class Counted {
public:
    explicit Counted(std::atomic<int>& count) noexcept : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::atomic<int>& count_;
};

} // namespace

FaultWord::FaultWord(DeviceState& device) : here_(device) {
    std::memcpy(here_.memory(), &kNone, sizeof kNone);
    if (here_.handle() != 0) return;
    there_ = new_buffer(device, sizeof kNone);
    copy_in(*there_, 0, &kNone, sizeof kNone);
}
Handle FaultWord::handle() const noexcept {
    return there_ != nullptr ? there_->handle() : here_.handle();
}
bool FaultWord::is_set() const {
    std::uint32_t met = kNone;
    if (there_ != nullptr)
        copy_out(&met, *there_, 0, sizeof met);
    else
        std::memcpy(&met, here_.memory(), sizeof met);
    return met != kNone;
}

Checks::Checks(DeviceState& device) : device_(device) { device.unsettled = this; }

Checks& checks_of(DeviceState& device) { return of_device<Checks>(device); }

void Checks::add(CheckedWork work, const Buffer* results, std::unique_ptr<FaultWord> word,
                 EventHandle done) {
    let_go(false);
    bool many = false;
    {
        const std::lock_guard lock(mutex_);
        many = checks_.size() >= kMostUnsettled;
        checks_.push_back({std::move(work), results, {own_number()}, std::move(word), done});
        any_ = true;
    }
    if (!many) return;
    let_go(true);
    forget_latest();
}

void Checks::forget_latest() noexcept {
    std::optional<Check> gone; // ends after the lock
    try {
        const std::lock_guard lock(mutex_);
        if (checks_.size() <= kMostUnsettled) return;
        const auto earlier = std::ranges::find(checks_, checks_.back().threads[0],
                                               [](const Check& check) { return check.threads[0]; });
        if (earlier == std::prev(checks_.end())) return;
        device_.driver->wait_on_host(checks_.back().done);
        gone = std::move(checks_.back());
        checks_.pop_back();
        device_.driver->release_event(gone->done);
    } catch (...) { // the device is lost: the next call says so
    }
}

void Checks::use(const Buffer& buffer) {
    if (!any_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    for (Check& check : checks_)
        if (check.results == &buffer && std::ranges::count(check.threads, own_number()) == 0)
            check.threads.push_back(own_number());
}

std::vector<Checks::Check> Checks::taken(FunctionRef<bool(const Check&)> wanted) {
    const std::lock_guard lock(mutex_);
    const auto first = std::stable_partition(checks_.begin(), checks_.end(),
                                             [&](const Check& check) { return !wanted(check); });
    std::vector<Check> found(std::make_move_iterator(first),
                             std::make_move_iterator(checks_.end()));
    checks_.erase(first, checks_.end());
    any_ = !checks_.empty();
    return found;
}

void Checks::put_back(std::vector<Check> checks) {
    if (checks.empty()) return;
    const std::lock_guard lock(mutex_);
    checks_.insert(checks_.begin(), std::make_move_iterator(checks.begin()),
                   std::make_move_iterator(checks.end()));
    any_ = true;
}

void Checks::settle(bool all) {
    if (!any_.load(std::memory_order_relaxed)) return;
    settle([&](const Check& check) {
        return all || std::ranges::count(check.threads, own_number()) != 0;
    });
}

void Checks::settle(FunctionRef<bool(const Check&)> wanted) {
    const OwnersStay stay;
    const std::lock_guard lock(settling_); // nobody writes what is done once more
    const Counted settles(settlers_);
    std::vector<Check> checks = taken(wanted);
    Driver& driver = *device_.driver;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        driver.wait_on_host(checks[i].done);
        const bool has_met = checks[i].word->is_set();
        driver.release_event(checks[i].done);
        if (!has_met) continue;
        const CheckedWork work = std::move(checks[i].work);
        checks.erase(checks.begin(), checks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        std::erase_if(checks, [&](const Check& check) { // other kernels of the same work
            if (check.work.source.node != work.source.node || check.work.verb != work.verb)
                return false;
            driver.wait_on_host(check.done);
            driver.release_event(check.done);
            return true;
        });
        put_back(std::move(checks));
        throw_as_host(device_, work);
    }
}

void Checks::let_go(bool waits) noexcept {
    if (waits) Execution::forget_lists(device_);
    if (!any_.load(std::memory_order_relaxed)) return;
    std::vector<Check> gone; // ends after the lock: operands may be of others
    try {
        Driver& driver = *device_.driver;
        const OwnersStay stay;
        const std::lock_guard lock(mutex_); // no check is missed meanwhile
        const auto first =
            std::stable_partition(checks_.begin(), checks_.end(), [&](const Check& check) {
                try {
                    if (waits) driver.wait_on_host(check.done);
                    return !(waits || driver.has_happened(check.done)) || check.word->is_set();
                } catch (...) { // the device is lost: the next call says so
                    return true;
                }
            });
        gone.assign(std::make_move_iterator(first), std::make_move_iterator(checks_.end()));
        checks_.erase(first, checks_.end());
        any_ = !checks_.empty();
        for (const Check& check : gone) driver.release_event(check.done);
    } catch (...) { // the host has no memory: they stay
    }
}

void Checks::settle_readers_of(const Buffer& buffer) {
    if (!any_ && settlers_ == 0) return;
    settle([&](const Check& check) { return reads_memory_of(check.work.source, buffer); });
}

void throw_as_host(DeviceState& device, const CheckedWork& work) {
    const std::vector<Operand> copied =
        rewritten({&work.source, 1}, [&](const Node& node, NodePtr own) {
            const auto* const leaf = node_as<Leaf>(node);
            Buffer* const buffer = leaf == nullptr ? nullptr : buffer_of(leaf->reader());
            if (buffer == nullptr) return own;
            const index_t size = leaf->size();
            const Operand here = cpu().results_like({}, leaf->dtype(), ShapeSpan(&size, 1));
            copy_out(leaf_of(here)->writable_memory().data, *buffer, 0,
                     static_cast<std::size_t>(size * leaf->dtype().size_bytes()));
            return here.node;
        });
    const Operand here = cpu().results_like({}, work.source.dtype(), work.results);
    cpu().run({work.verb, copied, here});
    throw DeviceError(fmt::format("{}: {} met an element that is an error, and the host does not",
                                  work.what, device.driver->label()));
}

} // namespace purview::gpu::detail
