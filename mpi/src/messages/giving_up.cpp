// Defines messages/ranks.hpp.
#include "messages/ranks.hpp"

#include "messages/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace purview::inline v0_1::mpi {

bool Ranks::others_gave_up() const {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, kGiveUpTag, comm_, &found, MPI_STATUS_IGNORE);
    return found != 0;
}

void Ranks::tell_that_it_gives_up(bool by_exception) const noexcept {
    static const char nothing = 0;
    for (int other = 0; other < size_; ++other) {
        MPI_Request request;
        if (other == rank_) continue;
        MPI_Isend(&nothing, by_exception ? 1 : 0, MPI_CHAR, other, kGiveUpTag, comm_, &request);
        MPI_Request_free(&request);
    }
}

void Ranks::leave(const char* what) noexcept {
    if (throws_on_all_ || !broken_.empty() || size_ == 1 || mpi_is_finalized()) return;
    tell_that_it_gives_up(true);
    try {
        broken_ = fmt::format("this rank has left {} by an exception", what);
    } catch (...) {
        broken_ = "left";
    }
}

void Ranks::give_up(const char* what) {
    // Whoever waits as well hears of it, answers, and gives up too: who does not answer is missing.
    tell_that_it_gives_up(false);
    std::vector<bool> here(static_cast<std::size_t>(size_), false);
    here[static_cast<std::size_t>(rank_)] = true;
    std::vector<int> left;
    int missing = size_ - 1;
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double> grace(std::min(5.0, 0.5 + 0.25 * timeout_seconds()));
    while (missing > 0 && std::chrono::steady_clock::now() - begin < grace) {
        int found = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, kGiveUpTag, comm_, &found, &status);
        if (found == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        char nothing = 0;
        int by_exception = 0;
        MPI_Get_count(&status, MPI_CHAR, &by_exception);
        MPI_Recv(&nothing, 1, MPI_CHAR, status.MPI_SOURCE, kGiveUpTag, comm_, MPI_STATUS_IGNORE);
        here[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
        if (by_exception != 0) left.push_back(status.MPI_SOURCE);
        --missing;
    }
    std::vector<int> absent;
    for (int other = 0; other < size_; ++other)
        if (!here[static_cast<std::size_t>(other)]) absent.push_back(other);
    if (!left.empty())
        broken_ = fmt::format("rank{} {} left by an exception", left.size() > 1 ? "s" : "",
                              fmt::join(left, ", "));
    else if (absent.empty())
        broken_ = fmt::format("other ranks have waited for more than {} s, and given up",
                              timeout_seconds());
    else
        broken_ = fmt::format("rank{} {} did not come within {} s", absent.size() > 1 ? "s" : "",
                              fmt::join(absent, ", "), timeout_seconds());
    throw DistributionError(fmt::format("{}: {}", what, broken_));
}

} // namespace purview
