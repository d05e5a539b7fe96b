// Defines purview/functional/statistics/group_by.hpp.

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/statistics/group_by.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

namespace purview {
namespace {

/// The value that identifies a string: for up to 16 bytes all of its bytes, read by two overlapping
/// loads; for longer ones two hashes.
struct KeyWords {
    std::uint64_t front;
    std::uint64_t back;
    std::uint64_t size;
    bool operator==(const KeyWords&) const = default;
};

template <typename Word>
std::uint64_t load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    a = (a ^ 0x9E37'79B9'7F4A'7C15u) * 0xD6E8'FEB8'6659'FD93u;
    b = (b ^ 0xA076'1D64'78BD'642Fu) * 0xE703'7ED1'A0B4'28DBu;
    a ^= std::rotl(b, 29);
    a *= 0x9FB2'1C65'1E98'DF25u;
    return a ^ a >> 32;
}

KeyWords words_of(const std::string& key) {
    const char* const bytes = key.data();
    const std::size_t size = key.size();
    if (size >= 8) {
        KeyWords words{load<std::uint64_t>(bytes), load<std::uint64_t>(bytes + size - 8), size};
        for (std::size_t at = 8; size > 16 && at + 8 < size; at += 8) {
            const std::uint64_t word = load<std::uint64_t>(bytes + at);
            words.front = mixed(words.front, word);
            words.back = mixed(word, words.back + at);
        }
        return words;
    }
    if (size >= 4) return {load<std::uint32_t>(bytes), load<std::uint32_t>(bytes + size - 4), size};
    if (size == 0) return {0, 0, 0};
    return {load<std::uint8_t>(bytes) | load<std::uint8_t>(bytes + size / 2) << 8 |
                load<std::uint8_t>(bytes + size - 1) << 16,
            0, size};
}

class StringTable {
public:
    explicit StringTable(std::span<const std::string> keys) : keys_(keys), places_(64) {}

    std::int32_t number(std::size_t row) {
        const std::string& key = keys_[row];
        const KeyWords words = words_of(key);
        std::size_t at = place_of(words);
        for (; places_[at].number >= 0; at = (at + 1) & (places_.size() - 1)) {
            const Place& place = places_[at];
            if (place.words == words && (words.size <= 16 || same(place.number, key)))
                return place.number;
        }
        return add(at, words, row);
    }
    std::vector<index_t> first_rows() && { return std::move(first_rows_); }

private:
    /// Small tables are kept nearly empty, so that the first place probed is nearly always the
    /// right one.
    static constexpr std::size_t kSmall = 1 << 14;

    struct Place {
        KeyWords words{};
        std::int32_t number = -1;
    };

    std::size_t place_of(const KeyWords& words) const {
        return mixed(words.front + words.size, words.back) & (places_.size() - 1);
    }
    bool same(std::int32_t number, const std::string& key) const {
        const auto first = static_cast<std::size_t>(first_rows_[static_cast<std::size_t>(number)]);
        return keys_[first] == key;
    }
    std::int32_t add(std::size_t at, const KeyWords& words, std::size_t row) {
        const auto number = static_cast<std::int32_t>(first_rows_.size());
        first_rows_.push_back(static_cast<index_t>(row));
        places_[at] = {words, number};
        if ((places_.size() <= kSmall ? 8 : 2) * first_rows_.size() > places_.size()) grow();
        return number;
    }
    void grow() {
        std::vector<Place> old(2 * places_.size());
        old.swap(places_);
        for (const Place& place : old) {
            if (place.number < 0) continue;
            std::size_t at = place_of(place.words);
            while (places_[at].number >= 0) at = (at + 1) & (places_.size() - 1);
            places_[at] = place;
        }
    }

    std::span<const std::string> keys_;
    std::vector<Place> places_; ///< their number is a power of two
    std::vector<index_t> first_rows_;
};

/// The keys of groups in the order of `places`.
KeyedRows rows_of(std::vector<std::int32_t> numbers, const std::vector<index_t>& places,
                  const std::vector<index_t>& first_rows, const Operand& flat) {
    std::vector<index_t> rows;
    for (const index_t place : places) rows.push_back(first_rows[static_cast<std::size_t>(place)]);
    return {RowGroups(std::move(numbers), places),
            take_operand(flat, tensor(std::move(rows)).operand(), 0)};
}

} // namespace

KeyedRows rows_by_strings(const Operand& given, bool ordered) {
    const Tensor<std::string> flat = contiguous(reshape(Tensor<std::string>(given), {-1}));
    const std::span<const std::string> keys = as_span(flat);
    if (keys.size() > std::numeric_limits<std::int32_t>::max())
        throw ShapeError("group_by_reduce: " + std::to_string(keys.size()) +
                         " rows are too many for keys that are strings");
    std::vector<std::int32_t> numbers(keys.size());
    StringTable table(keys);
    for (std::size_t row = 0; row < keys.size(); ++row) numbers[row] = table.number(row);
    const std::vector<index_t> first_rows = std::move(table).first_rows();
    std::vector<index_t> places(first_rows.size());
    std::iota(places.begin(), places.end(), index_t{0});
    if (ordered)
        std::ranges::sort(places, {}, [&](index_t place) -> const std::string& {
            return keys[static_cast<std::size_t>(first_rows[static_cast<std::size_t>(place)])];
        });
    return rows_of(std::move(numbers), places, first_rows, flat.operand());
}

KeyedRows keyed_rows(const SortedRuns& runs, bool ordered) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(runs.order().size()));
    const MutableTensor<std::int64_t> numbered = runs.inverse(runs.order().shape());
    for (std::size_t row = 0; const std::int64_t run : as_span(numbered))
        numbers[row++] = static_cast<std::int32_t>(run);
    const std::vector<index_t> first_rows = to_vector(runs.first_indexes());
    std::vector<index_t> places(first_rows.size());
    std::iota(places.begin(), places.end(), index_t{0});
    if (!ordered)
        std::ranges::sort(
            places, {}, [&](index_t place) { return first_rows[static_cast<std::size_t>(place)]; });
    return rows_of(std::move(numbers), places, first_rows, runs.flat());
}

} // namespace purview
