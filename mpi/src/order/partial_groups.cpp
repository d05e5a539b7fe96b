#include "order/partial_groups.hpp"

#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "order/ordered_key.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace purview::inline v0_1::mpi {
namespace {

template <typename T>
T joined_words(MergedBy by, T left, T right) noexcept {
    switch (by) {
    case MergedBy::sum: return left + right;
    case MergedBy::product: return left * right;
    case MergedBy::minimum:
        return left != left ? left : right != right ? right : std::min(left, right);
    case MergedBy::maximum:
        return left != left ? left : right != right ? right : std::max(left, right);
    }
    return left;
}

std::uint64_t joined_words(WordColumn column, std::uint64_t left, std::uint64_t right) noexcept {
    const auto as = [&]<typename T>(std::type_identity<T>) {
        return std::bit_cast<std::uint64_t>(
            joined_words(column.merged_by, std::bit_cast<T>(left), std::bit_cast<T>(right)));
    };
    if (column.type == WordType::float64) return as(std::type_identity<double>{});
    // Sums and products wrap, whatever the sign.
    const bool is_extreme =
        column.merged_by == MergedBy::minimum || column.merged_by == MergedBy::maximum;
    if (column.type == WordType::int64 && is_extreme) return as(std::type_identity<std::int64_t>{});
    return as(std::type_identity<std::uint64_t>{});
}

std::vector<std::byte> bytes_of(const PartialGroups& groups) {
    std::vector<std::byte> bytes;
    bytes.reserve((2 * groups.keys.size() + groups.words.size()) * sizeof(std::uint64_t));
    for (const auto* words : {&groups.order, &groups.keys, &groups.words}) {
        const auto of_words = std::as_bytes(std::span(*words));
        bytes.insert(bytes.end(), of_words.begin(), of_words.end());
    }
    return bytes;
}

PartialGroups groups_of(std::span<const std::byte> bytes, std::size_t columns) {
    const std::size_t count = bytes.size() / sizeof(std::uint64_t) / (columns + 2);
    PartialGroups groups;
    const auto take = [&](std::vector<std::uint64_t>& words, std::size_t size) {
        words.resize(size);
        if (size > 0) std::memcpy(words.data(), bytes.data(), size * sizeof(std::uint64_t));
        bytes = bytes.subspan(size * sizeof(std::uint64_t));
    };
    take(groups.order, count);
    take(groups.keys, count);
    take(groups.words, count * columns);
    return groups;
}

} // namespace

PartialGroups merged(const PartialGroups& left, const PartialGroups& right,
                     std::span<const WordColumn> columns) {
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
    result.words.reserve(columns.size() * result.keys.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto of_left = left.column(c);
        const auto of_right = right.column(c);
        for (std::size_t g = 0; g < result.keys.size(); ++g) {
            if (from_right[g] == kNone)
                result.words.push_back(of_left[from_left[g]]);
            else if (from_left[g] == kNone)
                result.words.push_back(of_right[from_right[g]]);
            else
                result.words.push_back(
                    joined_words(columns[c], of_left[from_left[g]], of_right[from_right[g]]));
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

void PartialGroups::add_column(const Operand& column) {
    const std::size_t before = words.size();
    words.resize(before + static_cast<std::size_t>(column.dims.size()));
    if (words.size() > before) read_all(column, words.data() + before);
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

void merge_all(Ranks& ranks, const char* what, std::span<const WordColumn> columns,
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
                groups = merged(groups, groups_of(each.bytes, columns.size()), columns);
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
    collective(ranks, what, [&] { groups = groups_of(bytes, columns.size()); });
}

} // namespace purview
