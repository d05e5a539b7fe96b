#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/mpi/communicator.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Whether a message carries elements or results, for `messages()`.
enum class Carries : bool { nothing, elements };

/// Bytes for one rank, or from one.
struct Outgoing {
    int rank;
    const void* bytes;
    index_t count;
};
struct Incoming {
    int rank;
    void* bytes;
    index_t count;
};
/// Bytes that were asked for, from a rank.
struct Asked {
    int rank;
    std::vector<std::byte> bytes;
};

/// Some of the ranks, each once, ascending, and where among them this one is.
struct Group {
    std::vector<int> ranks;
    int place = 0;

    int size() const noexcept { return static_cast<int>(ranks.size()); }
    int operator[](int i) const noexcept { return ranks[static_cast<std::size_t>(i)]; }
};

class DistributedPlans; // expressions/plan.hpp

/// A duplicated communicator, and how its ranks talk: messages in slices, waiting with a timeout.
class Ranks {
public:
    /// Duplicates: a call of all ranks.
    explicit Ranks(MPI_Comm comm);
    Ranks(const Ranks&) = delete;
    ~Ranks();

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    MPI_Comm comm() const noexcept { return comm_; }

    /// How often all ranks have agreed.
    std::uint64_t agreements() const noexcept { return agreements_; }
    void count_agreement() noexcept { ++agreements_; }

    /// The greatest of what ranks have, word by word: one all-reduce.
    void all_max(const char* what, std::span<std::uint64_t> words);

    /// A tag for the messages of one function, the same on all ranks.
    int next_tag() noexcept;

    /// Sends and receives, one message for each entry, in slices. Each pair of ranks gives its messages
    /// of a tag in the same order on both sides. `meanwhile` is called when all have begun.
    void exchange(const char* what, int tag, std::span<const Outgoing> out,
                  std::span<const Incoming> in, Carries carries, FunctionRef<void()> meanwhile);
    void exchange(const char* what, std::span<const Outgoing> out, std::span<const Incoming> in,
                  Carries carries) {
        exchange(what, next_tag(), out, in, carries, [] {});
    }

    /// Asks again and again, until it is done. Throws `DistributionError` where that takes longer than the timeout.
    void wait_until(const char* what, FunctionRef<bool()> is_done);
    /// Has MPI go on with what is under way: called now and then by long work meanwhile.
    void progress() noexcept;

    /// Sends each rank named what is for it, and returns what others have sent here, in the order of
    /// their ranks. Nobody knows beforehand who sends to whom.
    std::vector<Asked> ask(const char* what, std::vector<Asked> questions, Carries carries);

    /// The exception that follows is thrown on all ranks.
    void throws_on_all(bool on_all) noexcept { throws_on_all_ = on_all; }
    /// Tells the others, who wait for this rank, that it has left by an exception of its own: they give up.
    void leave(const char* what) noexcept;

    /// What expressions/ has planned before; null at first.
    std::shared_ptr<DistributedPlans>& plans() noexcept { return plans_; }

    /// All of them.
    const Group& all() const noexcept { return all_; }
    /// All of them, `root` first.
    Group all_from(int root) const;

    /// What the first of the group has, on all of it, along a binary tree.
    void broadcast(const char* what, const Group& group, std::span<std::byte> bytes,
                   Carries carries);
    /// Joins what the ranks of a group have, of equal size, along a fixed binary tree:
    /// `join(left, right)` puts the result, of lower ranks and of higher ones, into `left`. All of the
    /// group have the same bits then.
    void join(const char* what, const Group& group, std::span<std::byte> bytes, Carries carries,
              FunctionRef<void(std::byte* left, const std::byte* right)> join);
    /// The same, where the first of the group alone has the result then; others have some of it.
    void join_at_first(const char* what, const Group& group, std::span<std::byte> bytes,
                       Carries carries,
                       FunctionRef<void(std::byte* left, const std::byte* right)> join);
    /// What each rank has, on all of them.
    std::vector<std::vector<std::byte>> all_gather(const char* what, std::span<const std::byte> own,
                                                   Carries carries);
    /// A text of one rank, on all.
    std::string text_of(const char* what, int root, std::string own);

private:
    void wait(const char* what, std::vector<MPI_Request>& requests);
    /// What a rank has said of its waiting: see messages/giving_up.cpp.
    struct Said {
        char kind = 0;
        std::uint64_t stage = 0; ///< how many agreements it had seen
        std::string what;        ///< the function in which it is
    };
    /// Now and then while this rank waits: tells others that it does when the timeout is near, and gives up at
    /// the timeout, or where another one has.
    void look_round(const char* what, std::chrono::steady_clock::duration waited);
    [[noreturn]] void give_up(const char* what);
    void notify(std::string_view text) const noexcept; ///< which has to live on
    void notify(char kind, const char* what) const;
    void hear();
    bool is_heard_of(const Said& said) const noexcept;
    std::string who_waited(bool with_this) const;
    void check_usable(const char* what) const;
    void send_slices(const Outgoing& out, int tag, std::vector<MPI_Request>& requests,
                     Carries carries);
    void receive_slices(const Incoming& in, int tag, std::vector<MPI_Request>& requests);

    MPI_Comm comm_ = MPI_COMM_NULL;
    std::uint64_t agreements_ = 0;
    int rank_ = 0;
    int size_ = 1;
    int tag_ = 0;
    Group all_;
    std::shared_ptr<DistributedPlans> plans_;
    bool throws_on_all_ = false;
    std::vector<Said> said_; ///< by each rank
    std::uint64_t roll_stage_ =
        ~std::uint64_t{0}; ///< in which this rank has said last that it waits
    std::chrono::steady_clock::time_point roll_time_{}; ///< and when
    std::string broken_;                                ///< why it cannot be used any more
};

/// While it lives, an exception that leaves this rank alone, such as for want of memory, does not leave the others waiting. For what
/// is done between two agreements.
class ExitNotice {
public:
    ExitNotice(Ranks& ranks, const char* what) noexcept
        : ranks_(ranks), what_(what), exceptions_(std::uncaught_exceptions()) {}
    ExitNotice(const ExitNotice&) = delete;
    ~ExitNotice() {
        if (std::uncaught_exceptions() > exceptions_) ranks_.leave(what_);
    }

private:
    Ranks& ranks_;
    const char* what_;
    int exceptions_;
};

/// Runs `f`, whose work is this rank's alone, and then has all ranks know whether it has thrown: what
/// it throws on one rank is thrown on all, as an `Error` that names the lowest such rank, of the type that was
/// thrown there if that is one of the library's. Where all
/// ranks throw exceptions of one type, each throws its own.
void collective(Ranks& ranks, const char* what, FunctionRef<void()> f);

/// What a call of a function of all ranks is about, for the agreement.
class CallText {
public:
    void add(std::string_view name, std::string_view value);
    void add(std::string_view name, index_t value);
    /// What has this hash, in words where they are wanted.
    void add(std::uint64_t hash, std::function<std::string()> text);
    /// Only hashed.
    void add_hash(std::uint64_t hash) noexcept;

    std::uint64_t hash() const noexcept { return hash_; }
    std::string text() const;

private:
    std::vector<std::function<std::string()>> texts_;
    std::uint64_t hash_ = 14695981039346656037ULL;
};

/// Begins a function of all ranks: `describe` checks the arguments, and says what is called with which.
/// Throws what it throws, as `collective` does, and a `DistributionError` with both texts where ranks
/// call different functions, or with other arguments. One all-reduce.
void agree(Ranks& ranks, const char* what, FunctionRef<void(CallText&)> describe);

/// The same, with a yes or no of each rank: whether all say yes.
bool agree_on(Ranks& ranks, const char* what, FunctionRef<bool(CallText&)> describe);

} // namespace purview
