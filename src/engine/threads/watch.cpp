// Defines purview/evaluation/progress.hpp.
#include <purview/evaluation/parallel.hpp>

#include "engine/threads/watch.hpp"

#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace engine {
namespace {

/// Parts that took less time are followed by parts of twice the length.
constexpr auto kShortPart = std::chrono::milliseconds(4);

double seconds(Watch::Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

} // namespace

constinit thread_local Watch* watch_of_thread = nullptr;

constinit thread_local const PartOfStep* part_of_thread = nullptr;

namespace {

[[noreturn]] void throw_cancelled(const Watch& watch) {
    throw Cancelled(fmt::format("{}: stopped by the callback of on_progress", watch.what));
}

/// Within a part of a step: throws `Stopped` where the rest of it is not needed.
void look_in_part(Watch::Clock::time_point now) {
    part_of_thread->step->look(now);
    for (const PartOfStep* part = part_of_thread; part != nullptr; part = part->outer)
        if (part->failed->load(std::memory_order_relaxed)) throw Stopped();
}

/// Steps within a part of another step. What they come to is not told of, but whether to go on is asked: after the
/// first, and then after twice as many each time, until these take some milliseconds.
void steps_in_part(index_t count, FunctionRef<bool(index_t)> f) {
    if (count == 1) return static_cast<void>(f(0));
    auto looked = Watch::Clock::now();
    index_t length = 1;
    for (index_t i = 0, next = 0; i < count && f(i); ++i) {
        if (i != next || i == count - 1) continue;
        const auto now = Watch::Clock::now();
        look_in_part(now);
        if (now - looked < kShortPart) length *= 2;
        looked = now;
        next += length;
    }
}

/// Between two chunks, whose reading takes any time.
void look() {
    if (part_of_thread != nullptr) return look_in_part(Watch::Clock::now());
    Watch* const watch = watch_of_thread;
    if (watch == nullptr || watch->what == nullptr || !watch->is_due(Watch::Clock::now())) return;
    if (!std::exchange(watch->is_between_steps, true)) ++watch->step;
    if (!watch->call(0)) throw_cancelled(*watch);
}

} // namespace

void end_if_stopped() {
    if (part_of_thread != nullptr) look_in_part(Watch::Clock::now());
}

bool Watch::is_due(Clock::time_point now) const noexcept {
    return seconds(now - began) >= options.after_seconds &&
           (!was_called || seconds(now - last_call) >= options.every_seconds);
}

bool Watch::call(double fraction) {
    const Unwatched callback_computes;
    last_call = Clock::now();
    was_called = true;
    return callback->call({.what = what,
                           .step = step,
                           .fraction = fraction,
                           .elapsed_seconds = seconds(last_call - began)});
}

void WatchedOperation::begin(const char* what) noexcept {
    Watch* const watch = watch_of_thread;
    if (watch->what != nullptr) return;
    begun_ = watch;
    watch->what = what;
    watch->began = Watch::Clock::now();
    watch->was_called = false;
    watch->step = -1;
    watch->is_between_steps = false;
}

Unwatched::Unwatched() noexcept
    : hidden_(std::exchange(watch_of_thread, nullptr)),
      hidden_part_(std::exchange(part_of_thread, nullptr)) {}
Unwatched::~Unwatched() {
    watch_of_thread = hidden_;
    part_of_thread = hidden_part_;
}

WatchedStep::WatchedStep(Watch& watch, index_t count) noexcept
    : watch_(watch), count_(count), caller_(std::this_thread::get_id()) {}

void WatchedStep::run(index_t begin, index_t end, index_t grain, PartFunction f) {
    const bool reports = std::this_thread::get_id() == caller_;
    for (index_t length = grain; begin < end;) {
        if (stopped_.load(std::memory_order_relaxed)) return;
        const index_t stop = length < end - begin ? begin + length : end;
        const auto started = Watch::Clock::now();
        f(begin, stop);
        done_.fetch_add(stop - begin, std::memory_order_relaxed);
        if (length < end - stop && Watch::Clock::now() - started < kShortPart) length *= 2;
        begin = stop;
        if (reports) report(Watch::Clock::now());
    }
}

void WatchedStep::look(Watch::Clock::time_point now) {
    if (std::this_thread::get_id() == caller_) report(now);
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
}

void WatchedStep::report(Watch::Clock::time_point now) {
    const index_t done = done_.load(std::memory_order_relaxed);
    if (done == count_ || exception_ != nullptr) return; // `finish` reports
    if (watch_.is_due(now)) call(static_cast<double>(done) / static_cast<double>(count_));
}

void WatchedStep::call(double fraction) noexcept {
    if (!std::exchange(reported_, true)) ++watch_.step;
    watch_.is_between_steps = false;
    try {
        if (!watch_.call(fraction)) throw_cancelled(watch_);
    } catch (...) {
        exception_ = std::current_exception();
        stopped_.store(true, std::memory_order_relaxed);
    }
}

void WatchedStep::finish() {
    if (exception_ == nullptr && (reported_ || watch_.is_due(Watch::Clock::now()))) call(1);
    if (exception_ != nullptr) std::rethrow_exception(exception_);
}

} // namespace engine

void watched_steps(const char* what, index_t count, FunctionRef<bool(index_t)> f) {
    const engine::WatchedOperation operation(what);
    if (!engine::is_watched()) {
        if (engine::part_of_thread != nullptr) return engine::steps_in_part(count, f);
        for (index_t i = 0; i < count && f(i); ++i) {}
        return;
    }
    bool goes_on = true;
    engine::WatchedStep step(*engine::watch_of_thread, count);
    step.whole([&] {
        step.run(0, count, 1, [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end && goes_on; ++i) goes_on = f(i);
        });
    });
    step.finish();
}

Cancelled::~Cancelled() = default;

struct ProgressRegistration::State {
    std::unique_ptr<Callback> callback;
    engine::Watch watch;
    engine::Watch* before;
};

ProgressRegistration::ProgressRegistration(std::unique_ptr<Callback> callback,
                                           ProgressOptions options)
    : state_(new State{std::move(callback), {}, engine::watch_of_thread}) {
    state_->watch.callback = state_->callback.get();
    state_->watch.options = options;
    engine::watch_of_thread = &state_->watch;
    before_chunk.store(&engine::look, std::memory_order_relaxed);
}

ProgressRegistration::~ProgressRegistration() {
    PURVIEW_ASSERT(engine::watch_of_thread == &state_->watch);
    engine::watch_of_thread = state_->before;
}

} // namespace purview
