#include "expressions/fetch.hpp"

#include "messages/counted.hpp"
#include "messages/stream.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <list>
#include <map>
#include <optional>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

/// Reads what another rank has asked for, as `write_question` has written it.
class QuestionReader {
public:
    explicit QuestionReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
    bool at_end() const noexcept { return at_ >= bytes_.size(); }
    index_t next() {
        index_t number = 0;
        if (bytes_.size() - at_ < sizeof(number))
            throw DistributionError("a question that is cut off");
        std::memcpy(&number, bytes_.data() + at_, sizeof(number));
        at_ += sizeof(number);
        return number;
    }
    /// One that lies in [0, limit).
    index_t next_below(index_t limit) {
        const index_t number = next();
        if (number < 0 || number >= limit)
            throw DistributionError("a question beyond what there is");
        return number;
    }

private:
    const std::vector<std::byte>& bytes_;
    std::size_t at_ = 0;
};

void add_number(std::vector<std::byte>& bytes, index_t number) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(number));
    std::memcpy(bytes.data() + at, &number, sizeof(number));
}

/// Calls `f(places, indexes)` for each combination of places that have coordinates along each axis.
template <typename F>
void for_each_owner(const std::vector<std::vector<Runs>>& by_place, F f) {
    const std::size_t rank = by_place.size();
    std::vector<std::vector<index_t>> places(rank);
    for (std::size_t a = 0; a < rank; ++a)
        for (std::size_t p = 0; p < by_place[a].size(); ++p)
            if (!by_place[a][p].empty()) places[a].push_back(static_cast<index_t>(p));
    Shape at(rank, 0);
    Shape chosen(rank, 0);
    for (const auto& each : places)
        if (each.empty()) return;
    while (true) {
        for (std::size_t a = 0; a < rank; ++a)
            chosen[a] = places[a][static_cast<std::size_t>(at[a])];
        f(chosen);
        std::size_t a = rank;
        while (a-- > 0) {
            if (++at[a] < std::ssize(places[a])) break;
            at[a] = 0;
        }
        if (a == static_cast<std::size_t>(-1)) return;
    }
}

} // namespace

index_t Fetch::Piece::size() const noexcept {
    index_t size = 1;
    for (const Runs& runs : axes) size *= count_of(runs);
    return size;
}

Fetch::Fetch(Ranks& ranks, const char* what, std::span<const Distribution> sources,
             std::vector<Want> wants)
    : wants_(std::move(wants)) {
    ask(ranks, what, sources);
}

void Fetch::ask(Ranks& ranks, const char* what, std::span<const Distribution> sources) {
    std::map<int, FromRank> incoming; // by distance downwards
    for (std::size_t w = 0; w < wants_.size(); ++w) {
        const Want& want = wants_[w];
        source_of_.push_back(want.source);
        if (size_of(want.region) == 0) continue;
        const Distribution::State& state = sources[want.source].state();
        std::vector<std::vector<Runs>> by_place;
        for (std::size_t a = 0; a < want.region.size(); ++a)
            by_place.push_back(runs_by_place(want.region[a], state.axes[a]));
        for_each_owner(by_place, [&](const Shape& places) {
            Piece piece{w, {}};
            for (std::size_t a = 0; a < places.size(); ++a)
                piece.axes.push_back(by_place[a][static_cast<std::size_t>(places[a])]);
            const int rank = state.rank_at(places);
            if (rank == ranks.rank()) return own_.push_back(std::move(piece));
            FromRank& from = incoming[(ranks.rank() - rank + ranks.size()) % ranks.size()];
            from.rank = rank;
            from.pieces.push_back(std::move(piece));
        });
    }
    std::vector<Asked> questions;
    for (auto& [distance, from] : incoming) {
        Asked& question = questions.emplace_back();
        question.rank = from.rank;
        for (const Piece& piece : from.pieces) {
            add_number(question.bytes, static_cast<index_t>(wants_[piece.number].source));
            for (const Runs& runs : piece.axes) {
                add_number(question.bytes, std::ssize(runs));
                for (const Run& run : runs)
                    for (const index_t number : {run.local, run.step, run.count})
                        add_number(question.bytes, number);
            }
        }
        incoming_.push_back(std::move(from));
    }
    for (const Asked& heard : ranks.ask(what, std::move(questions), Carries::nothing)) {
        FromRank& to = outgoing_.emplace_back();
        to.rank = heard.rank;
        for (QuestionReader in(heard.bytes); !in.at_end();) {
            Piece& piece = to.pieces.emplace_back();
            piece.number = static_cast<std::size_t>(in.next_below(std::ssize(sources)));
            for (const index_t extent : sources[piece.number].local_shape()) {
                Runs& runs = piece.axes.emplace_back();
                for (index_t left = in.next(); left > 0; --left) {
                    Run run{0, in.next_below(extent), in.next(), in.next()};
                    index_t last = 0;
                    if (run.count < 1 || __builtin_mul_overflow(run.count - 1, run.step, &last) ||
                        __builtin_add_overflow(run.local, last, &last) || last < 0 ||
                        last >= extent)
                        throw DistributionError("a question beyond what there is");
                    runs.push_back(run);
                }
            }
        }
    }
    std::ranges::sort(outgoing_, {}, [&](const FromRank& to) {
        return (to.rank - ranks.rank() + ranks.size()) % ranks.size();
    });
}

void Fetch::run(Ranks& ranks, const char* what, std::span<const Operand> parts,
                std::span<const Operand> targets, FunctionRef<void()> meanwhile) const {
    std::optional<ExitNotice> exit_notice(std::in_place, ranks,
                                          what); // while others count on messages
    const auto in_part = [&](std::size_t source, const Piece& piece) {
        const Operand& part = parts[source];
        return seen_through(view_of_runs(part.dims.max_shape(), piece.axes, RunEnd::local), part);
    };
    const auto in_target = [&](const Piece& piece) {
        const DistributedRegion& region = wants_[piece.number].region;
        return seen_through(view_of_runs(counts_of(region), piece.axes, RunEnd::position),
                            targets[piece.number]);
    };
    const auto all_of = [](const FromRank& rank, const auto& operand_of) {
        std::vector<Operand> all;
        for (const Piece& piece : rank.pieces) all.push_back(operand_of(piece));
        return all;
    };
    const auto distance = [&](int from, int to) {
        return (to - from + ranks.size()) % ranks.size();
    };

    // Ranks at equal distance send and receive at a time, a few distances at once: the shortest that is not done has both its ranks
    // at work, so that none waits for one that waits for it.
    struct AtDistance {
        int distance;
        Stream stream;
    };
    const int tag = ranks.next_tag();
    std::list<AtDistance> active;
    auto to = outgoing_.begin();
    auto from = incoming_.begin();
    const auto refill = [&] {
        while (true) {
            const int next = std::min(
                to == outgoing_.end() ? ranks.size() : distance(ranks.rank(), to->rank),
                from == incoming_.end() ? ranks.size() : distance(from->rank, ranks.rank()));
            if (next == ranks.size() ||
                (!active.empty() && next >= active.front().distance + kDistances))
                return;
            if (from != incoming_.end() && distance(from->rank, ranks.rank()) == next) {
                active.push_back({next, Stream(Stream::Direction::receive, from->rank, tag,
                                               all_of(*from, in_target))});
                ++from;
            }
            if (to != outgoing_.end() && distance(ranks.rank(), to->rank) == next) {
                active.push_back({next, Stream(Stream::Direction::send, to->rank, tag,
                                               all_of(*to, [&](const Piece& piece) {
                                                   return in_part(piece.number, piece);
                                               }))});
                count_message(active.back().stream.bytes(), Carries::elements);
                ++to;
            }
        }
    };
    std::exception_ptr thrown; // what has begun has to end all the same
    const auto keep_thrown = [&](const std::exception_ptr& exception) {
        if (!thrown) thrown = exception;
    };
    const auto advance = [&] {
        refill();
        for (auto each = active.begin(); each != active.end();) {
            const bool is_done = each->stream.advance(ranks);
            if (is_done) keep_thrown(each->stream.thrown());
            each = is_done ? active.erase(each) : std::next(each);
        }
        refill();
        return active.empty();
    };
    advance();
    try {
        for (const Piece& piece : own_) {
            const Operand own = in_part(source_of_[piece.number], piece);
            const Operand target = in_target(piece);
            if (own.node != target.node || own.dims != target.dims) purview::assign(own, target);
        }
    } catch (...) {
        keep_thrown(std::current_exception());
    }
    try {
        meanwhile(); // which may call functions of all ranks
    } catch (...) {
        keep_thrown(std::current_exception());
    }
    try {
        ranks.wait_until(what, advance);
    } catch (...) {
        for (AtDistance& each : active) each.stream.cancel();
        throw;
    }
    exit_notice.reset();
    if (thrown) std::rethrow_exception(thrown);
}

} // namespace purview
