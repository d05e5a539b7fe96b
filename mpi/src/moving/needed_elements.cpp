#include <purview/mpi/needed_elements.hpp>

#include "distributions/axis_parts.hpp"
#include "messages/ranks.hpp"

#include <purview/mpi/errors.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::mpi {

NeededElements::NeededElements(const char* what, const Distribution& d, std::vector<index_t> needed)
    : communicator_(d.communicator()),
      number_(communicator_.ranks().agreements()),
      needed_(std::move(needed)) {
    Ranks& ranks = communicator_.ranks();
    const ExitNotice exit_notice(ranks, what);
    const AxisParts& parts = d.state().axes[0];
    const Interval block = parts.interval(ranks.rank());
    begin_ = block.begin;
    own_ = block.size();
    before_ = std::ranges::lower_bound(needed_, begin_) - needed_.begin();
    std::vector<Asked> questions;
    for (std::size_t i = 0; i < needed_.size();) {
        const index_t owner = parts.owner(needed_[i]);
        const Interval theirs = parts.interval(owner);
        FromRank from{static_cast<int>(owner), static_cast<index_t>(i), 0};
        if (from.begin >= before_) from.begin += own_;
        std::vector<index_t> places;
        for (; i < needed_.size() && needed_[i] < theirs.end; ++i)
            places.push_back(needed_[i] - theirs.begin);
        from.count = std::ssize(places);
        from_.push_back(from);
        Asked& question = questions.emplace_back();
        question.rank = from.rank;
        question.bytes.resize(places.size() * sizeof(index_t));
        std::memcpy(question.bytes.data(), places.data(), question.bytes.size());
    }
    for (const Asked& heard : ranks.ask(what, std::move(questions), Carries::nothing)) {
        ToRank& to = to_.emplace_back();
        to.rank = heard.rank;
        to.places.resize(heard.bytes.size() / sizeof(index_t));
        std::memcpy(to.places.data(), heard.bytes.data(), heard.bytes.size());
        for (const index_t place : to.places)
            if (place < 0 || place >= own_)
                throw DistributionError("a question beyond what there is");
    }
}

index_t NeededElements::place_of(index_t coordinate) const noexcept {
    if (coordinate >= begin_ && coordinate < begin_ + own_) return before_ + coordinate - begin_;
    const index_t place = std::ranges::lower_bound(needed_, coordinate) - needed_.begin();
    return coordinate < begin_ ? place : place + own_;
}

void NeededElements::gather(const char* what, const void* own, void* all, std::size_t bytes) const {
    Ranks& ranks = communicator_.ranks();
    const ExitNotice exit_notice(ranks, what);
    const auto* const block = static_cast<const std::byte*>(own);
    auto* const place = static_cast<std::byte*>(all);
    std::vector<std::vector<std::byte>> packed;
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (const ToRank& to : to_) {
        std::vector<std::byte>& message = packed.emplace_back(to.places.size() * bytes);
        for (std::size_t i = 0; i < to.places.size(); ++i)
            std::memcpy(message.data() + i * bytes,
                        block + static_cast<std::size_t>(to.places[i]) * bytes, bytes);
        out.push_back({to.rank, message.data(), std::ssize(message)});
    }
    for (const FromRank& from : from_)
        in.push_back({from.rank, place + static_cast<std::size_t>(from.begin) * bytes,
                      from.count * static_cast<index_t>(bytes)});
    ranks.exchange(what, ranks.next_tag(), out, in, Carries::elements, [&] {
        if (own_ > 0)
            std::memcpy(place + static_cast<std::size_t>(before_) * bytes, block,
                        static_cast<std::size_t>(own_) * bytes);
    });
}

void NeededElements::give_back(const char* what, const void* all, std::size_t bytes,
                               FunctionRef<void(index_t, const void*)> add) const {
    Ranks& ranks = communicator_.ranks();
    const ExitNotice exit_notice(ranks, what);
    const auto* const place = static_cast<const std::byte*>(all);
    std::vector<std::vector<std::byte>> received;
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    for (const FromRank& from : from_)
        out.push_back({from.rank, place + static_cast<std::size_t>(from.begin) * bytes,
                       from.count * static_cast<index_t>(bytes)});
    for (const ToRank& to : to_) {
        std::vector<std::byte>& message = received.emplace_back(to.places.size() * bytes);
        in.push_back({to.rank, message.data(), std::ssize(message)});
    }
    ranks.exchange(what, out, in, Carries::elements);
    for (std::size_t r = 0; r < to_.size(); ++r)
        for (std::size_t i = 0; i < to_[r].places.size(); ++i)
            add(to_[r].places[i], received[r].data() + i * bytes);
}

} // namespace purview
