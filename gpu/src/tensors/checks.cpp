#include "checks.hpp"

#include "device_reader.hpp"
#include "per_device.hpp"

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
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr std::size_t kMostUnsettled = 64; ///< kernels: they keep their operands
constexpr std::uint32_t kNone = 0;

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
        checks_.push_back(
            {std::move(work), results, {std::this_thread::get_id()}, std::move(word), done});
        any_ = true;
    }
    if (many) let_go(true);
}

void Checks::use(const Buffer& buffer) {
    if (!any_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    for (Check& check : checks_)
        if (check.results == &buffer &&
            std::ranges::count(check.threads, std::this_thread::get_id()) == 0)
            check.threads.push_back(std::this_thread::get_id());
}

std::vector<Checks::Check> Checks::taken(bool all) {
    const std::lock_guard lock(mutex_);
    const auto first =
        all ? checks_.begin()
            : std::stable_partition(checks_.begin(), checks_.end(), [](const Check& check) {
                  return std::ranges::count(check.threads, std::this_thread::get_id()) == 0;
              });
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
    std::vector<Check> checks = taken(all);
    Driver& driver = *device_.driver;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        driver.wait_on_host(checks[i].done);
        const bool has_met = checks[i].word->is_set();
        driver.release_event(checks[i].done);
        if (!has_met) continue;
        const CheckedWork work = std::move(checks[i].work);
        checks.erase(checks.begin(), checks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        put_back(std::move(checks));
        throw_as_host(device_, work);
    }
}

void Checks::let_go(bool waits) noexcept {
    if (!any_.load(std::memory_order_relaxed)) return;
    std::vector<Check> gone; // ends after the lock: operands may be of others
    try {
        Driver& driver = *device_.driver;
        const std::lock_guard lock(mutex_); // no check is missed meanwhile
        const auto first =
            std::stable_partition(checks_.begin(), checks_.end(), [&](const Check& check) {
                if (waits) driver.wait_on_host(check.done);
                return !(waits || driver.has_happened(check.done)) || check.word->is_set();
            });
        gone.assign(std::make_move_iterator(first), std::make_move_iterator(checks_.end()));
        checks_.erase(first, checks_.end());
        any_ = !checks_.empty();
        for (const Check& check : gone) driver.release_event(check.done);
    } catch (...) { // the device is lost, or the host has no memory: the next call says so
    }
}

void Checks::settle_readers_of(const Buffer& buffer) {
    if (!any_.load(std::memory_order_relaxed)) return;
    const auto reads = [&](const Check& check) {
        return std::ranges::any_of(nodes_below({&check.work.source, 1}), [&](const Node* node) {
            const auto* const leaf = node_as<Leaf>(*node);
            return leaf != nullptr && buffer_of(leaf->reader()) == &buffer;
        });
    };
    bool found = false;
    {
        const std::lock_guard lock(mutex_);
        found = std::ranges::any_of(checks_, reads);
    }
    if (found) settle(true);
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
