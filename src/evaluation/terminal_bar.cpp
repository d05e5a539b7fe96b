// Defines purview/evaluation/progress.hpp.

#include <purview/evaluation/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

constexpr int kBarWidth = 30;

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

} // namespace

TerminalBar::TerminalBar(Draws draws)
    : draws_(draws == Draws::always || ::isatty(STDERR_FILENO) == 1) {}

TerminalBar::~TerminalBar() { clear(); }

void TerminalBar::clear() {
    if (!std::exchange(shown_, false)) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
}

std::string TerminalBar::text(const Progress& progress, double step_seconds) {
    const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(fraction * kBarWidth);
    const std::string step =
        progress.step > 0 ? fmt::format(", step {}", progress.step + 1) : std::string();
    std::string text =
        fmt::format("{}{} [{:<{}}] {:3.0f} %  {}", progress.what, step, std::string(filled, '#'),
                    kBarWidth, 100 * fraction, duration_text(progress.elapsed_seconds));
    if (fraction > 0 && fraction < 1)
        text += fmt::format(", {} left", duration_text(step_seconds / fraction * (1 - fraction)));
    return text;
}

void TerminalBar::operator()(const Progress& progress) {
    if (!draws_) return;
    if (progress.fraction >= 1) return clear();
    // The first step began with the operation; a later one where the one before it ended.
    if (progress.step != step_ || progress.elapsed_seconds < step_began_)
        step_began_ = progress.step == 0 ? 0 : progress.elapsed_seconds;
    step_ = progress.step;
    fmt::print(stderr, "\r{}\x1b[K", text(progress, progress.elapsed_seconds - step_began_));
    std::fflush(stderr);
    shown_ = true;
}

} // namespace purview
