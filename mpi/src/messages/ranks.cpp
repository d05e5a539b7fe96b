#include "messages/ranks.hpp"

#include "messages/counted.hpp"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTags = 8191;

void check(int code, const char* what, const char* function) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw DistributionError(fmt::format("{}: {}: {}", what, function,
                                        std::string_view(text, static_cast<std::size_t>(length))));
}

/// Gives the processor away for longer the longer it has waited: ranks may share one.
class Pause {
public:
    void operator()() {
        ++turns_;
        if (turns_ < 64) return;
        if (turns_ < 20'000)
            ::sched_yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }

private:
    int turns_ = 0;
};

} // namespace

Ranks::Ranks(MPI_Comm comm) {
    check(MPI_Comm_dup(comm, &comm_), "Communicator", "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    all_.ranks.resize(static_cast<std::size_t>(size_));
    std::iota(all_.ranks.begin(), all_.ranks.end(), 0);
    all_.place = rank_;
    said_.resize(all_.ranks.size());
}

Ranks::~Ranks() {
    // By the standard a call of all ranks; neither Open MPI nor MPICH waits for the others in it.
    if (broken_.empty() && !mpi_is_finalized()) MPI_Comm_free(&comm_);
}

void Ranks::check_usable(const char* what) const {
    if (!broken_.empty()) throw DistributionError(fmt::format("{}: {}", what, broken_));
    if (mpi_is_finalized()) throw DistributionError(fmt::format("{}: MPI is finalised", what));
}

int Ranks::next_tag() noexcept { return tag_ = 1 + tag_ % kTags; }

void Ranks::wait_until(const char* what, FunctionRef<bool()> is_done) {
    Pause pause;
    const auto begin = Clock::now();
    for (unsigned turn = 1; !is_done(); ++turn) {
        pause();
        if (turn % 256 != 0) continue;
        check_usable(what); // given up meanwhile, by a function within
        look_round(what, Clock::now() - begin);
    }
}

void Ranks::wait(const char* what, std::vector<MPI_Request>& requests) {
    try {
        wait_until(what, [&] {
            int done = 0;
            check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                              MPI_STATUSES_IGNORE),
                  what, "MPI_Testall");
            return done != 0;
        });
    } catch (...) {
        // What has not come must not be written to memory that the caller frees.
        for (MPI_Request& request : requests) {
            if (request == MPI_REQUEST_NULL) continue;
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
        throw;
    }
}

void Ranks::all_max(const char* what, std::span<std::uint64_t> words) {
    check_usable(what);
    if (size_ == 1) return;
    // MPI may write to it for as long as it runs.
    auto kept = std::make_unique<std::vector<std::uint64_t>>(words.begin(), words.end());
    MPI_Request request;
    check(MPI_Iallreduce(MPI_IN_PLACE, kept->data(), static_cast<int>(kept->size()), MPI_UINT64_T,
                         MPI_MAX, comm_, &request),
          what, "MPI_Iallreduce");
    count_message(std::ssize(words) * index_t{sizeof(std::uint64_t)}, Carries::nothing);
    try {
        wait_until(what, [&] {
            int done = 0;
            check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what, "MPI_Test");
            return done != 0;
        });
    } catch (...) {
        static std::mutex mutex;
        static auto& left = *new std::vector<decltype(kept)>; // never destroyed
        const std::lock_guard lock(mutex);
        left.push_back(std::move(kept));
        throw;
    }
    std::ranges::copy(*kept, words.begin());
}

void Ranks::send_slices(const Outgoing& out, int tag, std::vector<MPI_Request>& requests,
                        Carries carries) {
    const auto* from = static_cast<const std::byte*>(out.bytes);
    for (index_t left = out.count; left > 0;) {
        const index_t slice = std::min(left, slice_bytes());
        requests.emplace_back();
        check(MPI_Isend(from, static_cast<int>(slice), MPI_BYTE, out.rank, tag, comm_,
                        &requests.back()),
              "send", "MPI_Isend");
        from += slice;
        left -= slice;
    }
    count_message(out.count, carries);
}

void Ranks::receive_slices(const Incoming& in, int tag, std::vector<MPI_Request>& requests) {
    auto* to = static_cast<std::byte*>(in.bytes);
    for (index_t left = in.count; left > 0;) {
        const index_t slice = std::min(left, slice_bytes());
        requests.emplace_back();
        check(
            MPI_Irecv(to, static_cast<int>(slice), MPI_BYTE, in.rank, tag, comm_, &requests.back()),
            "receive", "MPI_Irecv");
        to += slice;
        left -= slice;
    }
}

void Ranks::exchange(const char* what, int tag, std::span<const Outgoing> out,
                     std::span<const Incoming> in, Carries carries, FunctionRef<void()> meanwhile) {
    check_usable(what);
    std::vector<MPI_Request> requests;
    auto own = in.begin();
    for (const Incoming& each : in)
        if (each.rank != rank_) receive_slices(each, tag, requests);
    for (const Outgoing& each : out) {
        if (each.rank != rank_) {
            if (each.count > 0) send_slices(each, tag, requests, carries);
            continue;
        }
        own = std::find_if(own, in.end(), [&](const Incoming& i) { return i.rank == rank_; });
        PURVIEW_ASSERT(own != in.end() && own->count == each.count);
        std::copy_n(static_cast<const std::byte*>(each.bytes), each.count,
                    static_cast<std::byte*>(own->bytes));
        ++own;
    }
    std::exception_ptr thrown;
    try {
        meanwhile();
    } catch (...) { // what has begun has to end all the same
        thrown = std::current_exception();
    }
    wait(what, requests);
    if (thrown) std::rethrow_exception(thrown);
}

void Ranks::progress() noexcept {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, kGiveUpTag, comm_, &found, MPI_STATUS_IGNORE);
}

std::vector<Asked> Ranks::ask(const char* what, std::vector<Asked> questions, Carries carries) {
    check_usable(what);
    const int tag = next_tag();
    std::vector<Asked> heard;
    std::vector<MPI_Request> sending;
    std::vector<MPI_Request> receiving;
    // The first slice begins with the number of all bytes.
    for (Asked& question : questions) {
        const index_t count = std::ssize(question.bytes);
        if (question.rank == rank_) {
            heard.push_back(std::move(question));
            continue;
        }
        std::vector<std::byte>& bytes = question.bytes;
        bytes.insert(bytes.begin(), sizeof(index_t), std::byte{});
        std::memcpy(bytes.data(), &count, sizeof(count));
        for (index_t at = 0; at < std::ssize(bytes); at += slice_bytes()) {
            const index_t slice = std::min(slice_bytes(), std::ssize(bytes) - at);
            sending.emplace_back();
            check(MPI_Issend(bytes.data() + at, static_cast<int>(slice), MPI_BYTE, question.rank,
                             tag, comm_, &sending.back()),
                  what, "MPI_Issend");
        }
        count_message(std::ssize(bytes), carries);
    }
    const auto listen = [&] {
        int found = 0;
        MPI_Status status;
        check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &found, &status), what, "MPI_Iprobe");
        if (found == 0) return;
        int first = 0;
        MPI_Get_count(&status, MPI_BYTE, &first);
        std::vector<std::byte> slice(static_cast<std::size_t>(first));
        check(MPI_Recv(slice.data(), first, MPI_BYTE, status.MPI_SOURCE, tag, comm_,
                       MPI_STATUS_IGNORE),
              what, "MPI_Recv");
        index_t count = 0;
        std::memcpy(&count, slice.data(), sizeof(count));
        Asked& asked = heard.emplace_back();
        asked.rank = status.MPI_SOURCE;
        asked.bytes.resize(static_cast<std::size_t>(count));
        const index_t here = first - index_t{sizeof(count)};
        std::copy(slice.begin() + sizeof(count), slice.end(), asked.bytes.begin());
        receive_slices({asked.rank, asked.bytes.data() + here, count - here}, tag, receiving);
    };
    const auto all_done = [&](std::vector<MPI_Request>& requests) {
        int done = 0;
        check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                          MPI_STATUSES_IGNORE),
              what, "MPI_Testall");
        return done != 0;
    };
    // When all that this rank sent is being received, it comes to a barrier: once all ranks have, nothing is under way.
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool in_barrier = false;
    wait_until(what, [&] {
        listen();
        if (!in_barrier) {
            if (!all_done(sending)) return false;
            check(MPI_Ibarrier(comm_, &barrier), what, "MPI_Ibarrier");
            in_barrier = true;
        }
        int done = 0;
        check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), what, "MPI_Test");
        return done != 0;
    });
    wait(what, receiving);
    std::ranges::stable_sort(heard, {}, &Asked::rank);
    return heard;
}

void Ranks::broadcast(const char* what, const Group& group, std::span<std::byte> bytes,
                      Carries carries) {
    check_usable(what);
    const int tag = next_tag();
    const index_t count = std::ssize(bytes);
    int step = 1;
    while (step < group.size()) step *= 2;
    std::vector<MPI_Request> requests;
    bool has = group.place == 0;
    for (step /= 2; step > 0; step /= 2) {
        if (has && group.place + step < group.size()) {
            send_slices({group[group.place + step], bytes.data(), count}, tag, requests, carries);
        } else if (!has && group.place % (2 * step) == step) {
            receive_slices({group[group.place - step], bytes.data(), count}, tag, requests);
            wait(what, requests);
            requests.clear();
            has = true;
        }
    }
    wait(what, requests);
}

void Ranks::join(const char* what, const Group& group, std::span<std::byte> bytes, Carries carries,
                 FunctionRef<void(std::byte* left, const std::byte* right)> join) {
    join_at_first(what, group, bytes, carries, join);
    broadcast(what, group, bytes, carries);
}

void Ranks::join_at_first(const char* what, const Group& group, std::span<std::byte> bytes,
                          Carries carries,
                          FunctionRef<void(std::byte* left, const std::byte* right)> join) {
    check_usable(what);
    const int tag = next_tag();
    const index_t count = std::ssize(bytes);
    std::vector<std::byte> right;
    for (int step = 1; step < group.size(); step *= 2) {
        std::vector<MPI_Request> requests;
        if (group.place % (2 * step) != 0) {
            send_slices({group[group.place - step], bytes.data(), count}, tag, requests, carries);
            wait(what, requests);
            break;
        }
        if (group.place + step >= group.size()) continue;
        right.resize(bytes.size());
        receive_slices({group[group.place + step], right.data(), count}, tag, requests);
        wait(what, requests);
        join(bytes.data(), right.data());
    }
}

std::vector<std::vector<std::byte>>
Ranks::all_gather(const char* what, std::span<const std::byte> own, Carries carries) {
    check_usable(what);
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<std::uint64_t> counts(ranks, 0);
    counts[static_cast<std::size_t>(rank_)] = own.size();
    all_max(what, counts);
    std::vector<std::vector<std::byte>> all(ranks);
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (int other = 0; other < size_; ++other) {
        std::vector<std::byte>& bytes = all[static_cast<std::size_t>(other)];
        bytes.resize(counts[static_cast<std::size_t>(other)]);
        out.push_back({other, own.data(), std::ssize(own)});
        in.push_back({other, bytes.data(), std::ssize(bytes)});
    }
    exchange(what, out, in, carries);
    return all;
}

std::string Ranks::text_of(const char* what, int root, std::string own) {
    std::uint64_t length = rank_ == root ? own.size() : 0;
    all_max(what, {&length, 1});
    own.resize(length);
    broadcast(what, all_from(root), std::as_writable_bytes(std::span(own)), Carries::nothing);
    return own;
}

Group Ranks::all_from(int root) const {
    Group group = all_;
    std::ranges::rotate(group.ranks, group.ranks.begin() + root);
    group.place = (rank_ - root + size_) % size_;
    return group;
}

} // namespace purview
