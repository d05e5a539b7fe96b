#include "order/partial_groups.hpp"

#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "order/ordered_key.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>

#include <bit>
#include <cstring>
#include <type_traits>

namespace purview::inline v0_1::mpi {
namespace {

std::size_t state_bytes(const Reducer& reducer) {
    return static_cast<std::size_t>(reducer.state_bytes());
}

std::vector<std::byte> bytes_of(const PartialGroups& groups) {
    std::vector<std::byte> bytes;
    const auto add = [&](std::span<const std::byte> more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
    };
    add(std::as_bytes(std::span(groups.order)));
    add(std::as_bytes(std::span(groups.keys)));
    for (const std::vector<std::byte>& states : groups.states) add(states);
    return bytes;
}

PartialGroups groups_of(std::span<const std::byte> bytes, const GroupReducers& reducers) {
    std::size_t of_group = 2 * sizeof(std::uint64_t);
    for (const auto& reducer : reducers) of_group += state_bytes(*reducer);
    const std::size_t count = bytes.size() / of_group;
    PartialGroups groups;
    const auto take = [&](auto& elements, std::size_t size) {
        elements.resize(size);
        const auto taken = std::as_writable_bytes(std::span(elements));
        if (size > 0) std::memcpy(taken.data(), bytes.data(), taken.size());
        bytes = bytes.subspan(taken.size());
    };
    take(groups.order, count);
    take(groups.keys, count);
    for (const auto& reducer : reducers)
        take(groups.states.emplace_back(), count * state_bytes(*reducer));
    return groups;
}

} // namespace

PartialGroups merged(const PartialGroups& left, const PartialGroups& right,
                     const GroupReducers& reducers) {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> from_left; // of each group of the result
    std::vector<std::size_t> from_right;
    PartialGroups result;
    for (std::size_t l = 0, r = 0; l < left.keys.size() || r < right.keys.size();) {
        const bool takes_left =
            r == right.keys.size() || (l < left.keys.size() && left.order[l] <= right.order[r]);
        const bool takes_right =
            l == left.keys.size() || (r < right.keys.size() && right.order[r] <= left.order[l]);
        result.order.push_back(takes_left ? left.order[l] : right.order[r]);
        result.keys.push_back(takes_left ? left.keys[l] : right.keys[r]);
        from_left.push_back(takes_left ? l++ : kNone);
        from_right.push_back(takes_right ? r++ : kNone);
    }
    for (std::size_t c = 0; c < reducers.size(); ++c) {
        const std::size_t bytes = state_bytes(*reducers[c]);
        std::vector<std::byte>& states = result.states.emplace_back(bytes * result.keys.size());
        std::byte* state = states.data();
        for (std::size_t g = 0; g < result.keys.size(); ++g, state += bytes) {
            const auto of = [&](const PartialGroups& groups, std::size_t at) {
                return at == kNone ? nullptr : groups.states[c].data() + at * bytes;
            };
            const std::byte* const first = of(left, from_left[g]);
            const std::byte* const next = of(right, from_right[g]);
            std::memcpy(state, first != nullptr ? first : next, bytes);
            if (first != nullptr && next != nullptr) reducers[c]->join(state, next, 1);
        }
    }
    return result;
}

void PartialGroups::set_keys(const char* what, const Operand& ascending) {
    visit_dtype(ascending.dtype(), what, [&]<typename K>(std::type_identity<K>) {
        using Key = Stored<K>;
        std::vector<Key> read(static_cast<std::size_t>(ascending.dims.size()));
        read_all(ascending, read.data());
        for (const Key key : read) {
            order.push_back(ordered_key(key));
            keys.push_back(std::bit_cast<BitsOf<Key>>(key));
        }
    });
}

Operand PartialGroups::keys_in_memory(const char* what, DType type) const {
    const index_t shape[] = {size()};
    Operand result = new_elements(what, type, shape);
    visit_dtype(type, what, [&]<typename K>(std::type_identity<K>) {
        using Key = Stored<K>;
        Key* out = reinterpret_cast<Key*>(memory_of(result));
        for (const std::uint64_t key : keys)
            *out++ = std::bit_cast<Key>(static_cast<BitsOf<Key>>(key));
    });
    return result;
}

void merge_all(Ranks& ranks, const char* what, const GroupReducers& reducers,
               PartialGroups& groups) {
    const int rank = ranks.rank();
    for (int step = 1; step < ranks.size(); step *= 2) {
        std::vector<Asked> sent;
        collective(ranks, what, [&] {
            if (rank % (2 * step) == step) sent.push_back({rank - step, bytes_of(groups)});
        });
        const std::vector<Asked> heard = ranks.ask(what, std::move(sent), Carries::elements);
        collective(ranks, what, [&] {
            for (const Asked& each : heard)
                groups = merged(groups, groups_of(each.bytes, reducers), reducers);
        });
    }
    std::vector<std::byte> bytes;
    std::uint64_t size = 0;
    collective(ranks, what, [&] {
        if (rank == 0) bytes = bytes_of(groups);
        size = bytes.size();
    });
    ranks.all_max(what, {&size, 1});
    collective(ranks, what, [&] { bytes.resize(size); });
    ranks.broadcast(what, ranks.all(), bytes, Carries::elements);
    collective(ranks, what, [&] { groups = groups_of(bytes, reducers); });
}

} // namespace purview
