// Defines messages/ranks.hpp.
#include "messages/ranks.hpp"

#include "messages/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <thread>

namespace purview::inline v0_1::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr char kWaits = 'w';
constexpr char kGivesUp = 'g';
constexpr char kHasLeft = 'x';

/// How long before the timeout ranks tell each other that they wait, so that when it comes it is known who does.
Seconds lead() { return Seconds(std::min(5.0, 0.5 * timeout_seconds())); }

std::string ranks_in_words(const std::vector<int>& ranks) {
    return fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "));
}

} // namespace

void Ranks::notify(std::string_view text) const noexcept {
    for (int other = 0; other < size_; ++other) {
        MPI_Request request;
        if (other == rank_) continue;
        MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, other, kGiveUpTag, comm_,
                  &request);
        MPI_Request_free(&request);
    }
}

void Ranks::notify(char kind, const char* what) const {
    // MPI may read them at any time from now on. Few: ranks that wait for long say so.
    static std::deque<std::string>* const said = new std::deque<std::string>;
    notify(said->emplace_back(fmt::format("{}{} {}", kind, agreements_, what)));
}

void Ranks::hear() {
    for (int found = 1;;) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, kGiveUpTag, comm_, &found, &status);
        if (found == 0) return;
        int length = 0;
        MPI_Get_count(&status, MPI_CHAR, &length);
        std::string text(static_cast<std::size_t>(length), ' ');
        MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, kGiveUpTag, comm_,
                 MPI_STATUS_IGNORE);
        Said& said = said_[static_cast<std::size_t>(status.MPI_SOURCE)];
        said.kind = text[0];
        if (text.size() == 1) continue;
        const std::size_t space = text.find(' ');
        said.stage = std::stoull(text.substr(1, space - 1));
        said.what = text.substr(space + 1);
    }
}

bool Ranks::is_heard_of(const Said& said) const noexcept {
    return said.kind == kGivesUp || said.kind == kHasLeft ||
           (said.kind == kWaits && said.stage == agreements_);
}

void Ranks::look_round(const char* what, Clock::duration waited) {
    hear();
    const auto gives_up = [](const Said& said) {
        return said.kind == kGivesUp || said.kind == kHasLeft;
    };
    const bool is_over =
        Seconds(waited).count() > timeout_seconds() || std::ranges::any_of(said_, gives_up);
    // Whoever hears that another one waits says so too, once while all are between the same two agreements.
    const bool is_asked = std::ranges::any_of(said_, [&](const Said& s) { return is_heard_of(s); });
    if (roll_stage_ != agreements_ &&
        (is_over || is_asked || Seconds(waited) > Seconds(timeout_seconds()) - lead())) {
        roll_stage_ = agreements_;
        roll_time_ = Clock::now();
        notify(kWaits, what);
    }
    if (is_over) give_up(what);
}

void Ranks::leave(const char* what) noexcept {
    static const char has_left = kHasLeft; // no memory is asked for: there may be none
    if (throws_on_all_ || !broken_.empty() || size_ == 1 || mpi_is_finalized()) return;
    notify(std::string_view(&has_left, 1));
    try {
        broken_ = fmt::format("this rank has left {} by an exception", what);
    } catch (...) {
        broken_ = "left";
    }
}

std::string Ranks::who_waited(bool with_this) const {
    std::map<std::string, std::vector<int>> ranks; // by the function in which they are
    for (int r = 0; r < size_; ++r)
        if (const Said& said = said_[static_cast<std::size_t>(r)];
            (with_this || r != rank_) && is_heard_of(said))
            ranks[said.what].push_back(r);
    std::string text;
    for (const auto& [what, them] : ranks)
        text +=
            fmt::format("{}{} waited in {}", text.empty() ? "" : ", ", ranks_in_words(them), what);
    return text;
}

void Ranks::give_up(const char* what) {
    notify(kGivesUp, what);
    // Who does not answer is missing.
    const auto end = roll_time_ + std::max(lead(), Seconds(0.5));
    const auto is_missing = [&](const Said& said) {
        return !is_heard_of(said) && &said != &said_[static_cast<std::size_t>(rank_)];
    };
    while (std::ranges::any_of(said_, is_missing) && Clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        hear();
    }
    said_[static_cast<std::size_t>(rank_)] = {kGivesUp, agreements_, what};
    std::vector<int> left;
    std::vector<int> absent;
    for (int r = 0; r < size_; ++r) {
        const Said& said = said_[static_cast<std::size_t>(r)];
        if (said.kind == kHasLeft) left.push_back(r);
        if (!is_heard_of(said)) absent.push_back(r);
    }
    if (!left.empty())
        broken_ = fmt::format("{} left by an exception", ranks_in_words(left));
    else if (absent.empty())
        broken_ = fmt::format("others have given up: {} for more than {} s", who_waited(false),
                              timeout_seconds());
    else
        broken_ = fmt::format("{} did not come within {} s, while {}", ranks_in_words(absent),
                              timeout_seconds(), who_waited(true));
    throw DistributionError(fmt::format("{}: {}", what, broken_));
}

} // namespace purview
