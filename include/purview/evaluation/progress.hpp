#pragma once

#include <purview/base/errors.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// How far an operation is, as told to the callback of `on_progress`.
struct Progress {
    /// What is done: "assignment", "sum", "sort"; valid during the call.
    std::string_view what;
    /// Of the step: an operation takes one or several, and how many is not known before. Counts
    /// from 0, and skips steps that were too short to be told of.
    std::int64_t step = 0;
    /// The part of the step that is done: between 0 and 1, never falling within a step.
    double fraction = 0;
    /// Since the operation began.
    double elapsed_seconds = 0;
};

struct ProgressOptions {
    /// Operations that take less time are not told of.
    double after_seconds = 1;
    /// The least time between two calls; the end of a step that was told of is told in any case.
    double every_seconds = 0.1;
};

/// Thrown by an operation that a callback of `on_progress` has stopped.
class PURVIEW_EXPORT Cancelled : public Error {
public:
    using Error::Error;
    Cancelled(const Cancelled&) = default;
    Cancelled& operator=(const Cancelled&) = default;
    ~Cancelled() override;
};

/// What `on_progress` has asked for, until the end of its life. It ends on the thread where it
/// began; of several, the one that began last ends first.
class [[nodiscard]] ProgressRegistration {
public:
    /// What is called: returns whether to go on.
    class Callback {
    public:
        Callback() = default;
        Callback(const Callback&) = delete;
        Callback& operator=(const Callback&) = delete;
        virtual ~Callback() = default;
        virtual bool call(const Progress& progress) = 0;
    };

    PURVIEW_EXPORT ProgressRegistration(std::unique_ptr<Callback> callback,
                                        ProgressOptions options);
    PURVIEW_EXPORT ~ProgressRegistration();
    ProgressRegistration(const ProgressRegistration&) = delete;
    ProgressRegistration& operator=(const ProgressRegistration&) = delete;

private:
    struct State;
    std::unique_ptr<State> state_;
};

template <typename F>
concept ProgressCallback = std::invocable<F&, const Progress&> &&
    (std::is_void_v<std::invoke_result_t<F&, const Progress&>> ||
     std::convertible_to<std::invoke_result_t<F&, const Progress&>, bool>);

/// While the result lives, calls `callback(progress)` during work that this thread starts and that
/// takes long; where it returns false, the work ends by `Cancelled`, and where it throws, by what it
/// has thrown. Everything is as it was then: there is no result, and the destination of an
/// assignment has the elements that it had. For that, assignments to existing elements compute into
/// new memory first while a callback is registered, and are moved over when all is computed; only
/// arrays in chunks, which need not fit memory, keep the chunks that have been written.
///
/// The callback is called on this thread, and never while it runs: it may compute, which it is not
/// called for, but not with tensors that are being computed, and must not end the registration. Work of other threads is not told of,
/// and neither is what readers and functions of the user compute meanwhile. Of nested
/// registrations, the innermost is called. Nothing is measured while nothing is registered.
///
/// Work is cut where it could be shared between threads, also if one thread does it, and between the
/// chunks that it reads, but for those that reading a chunk itself reads. A call of
/// BLAS, the sorting of one lane by comparisons or on one thread, a scatter to indexes, and sparse
/// assignments are one piece, at the end of which the callback is called, if at all.
template <ProgressCallback F>
ProgressRegistration on_progress(F callback, ProgressOptions options = {}) {
    class Held final : public ProgressRegistration::Callback {
    public:
        explicit Held(F function) : function_(std::move(function)) {}
        bool call(const Progress& progress) override {
            if constexpr (std::is_void_v<std::invoke_result_t<F&, const Progress&>>) {
                function_(progress);
                return true;
            } else {
                return static_cast<bool>(function_(progress));
            }
        }

    private:
        F function_;
    };
    return ProgressRegistration(std::make_unique<Held>(std::move(callback)), options);
}

/// A callback for `on_progress` that draws a bar with the time left on the standard error stream,
/// and clears it at the end of each step. Draws nothing if the stream is no terminal.
class TerminalBar {
public:
    enum class Draws : std::uint8_t { on_terminals, always };

    PURVIEW_EXPORT explicit TerminalBar(Draws draws = Draws::on_terminals);
    PURVIEW_EXPORT ~TerminalBar();
    TerminalBar(TerminalBar&& other) noexcept
        : draws_(std::exchange(other.draws_, false)),
          shown_(std::exchange(other.shown_, false)),
          step_(other.step_),
          step_began_(other.step_began_) {}
    TerminalBar& operator=(TerminalBar&&) = delete;

    PURVIEW_EXPORT void operator()(const Progress& progress);

    /// The text of the bar: `sum [#####               ]  25 %  3 s, 9 s left`.
    PURVIEW_EXPORT static std::string text(const Progress& progress, double step_seconds);

private:
    void clear();

    bool draws_;
    bool shown_ = false;
    std::int64_t step_ = -1;
    double step_began_ = 0; ///< after so many seconds of the operation, about
};

/// The ready-made callback: `const auto bar = pv::on_progress(pv::terminal_bar());`.
inline TerminalBar terminal_bar(TerminalBar::Draws draws = TerminalBar::Draws::on_terminals) {
    return TerminalBar(draws);
}

} // namespace purview
