#include "functional/along/numbered_rows.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The value that identifies a sequence of bytes: for up to 16 bytes all of its bytes, read by two overlapping
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

KeyWords words_of(std::string_view key) {
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

/// Numbers distinct keys in the order in which they appear first. `key_of(row)` gives the bytes of
/// a key.
template <typename KeyOf>
class ByteTable {
public:
    explicit ByteTable(KeyOf key_of) : key_of_(key_of), places_(64) {}

    std::int32_t number(std::size_t row) {
        const std::string_view key = key_of_(row);
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
    bool same(std::int32_t number, std::string_view key) const {
        const auto first = static_cast<std::size_t>(first_rows_[static_cast<std::size_t>(number)]);
        return key_of_(first) == key;
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

    KeyOf key_of_;
    std::vector<Place> places_; ///< their number is a power of two
    std::vector<index_t> first_rows_;
};

template <typename KeyOf>
NumberedRows number(const char* what, std::size_t count, KeyOf key_of) {
    if (count > std::numeric_limits<std::int32_t>::max())
        throw ShapeError(
            fmt::format("{}: {} rows are too many for keys that are not numbers", what, count));
    NumberedRows rows{std::vector<std::int32_t>(count), {}};
    ByteTable table(key_of);
    for (std::size_t row = 0; row < count; ++row) rows.numbers[row] = table.number(row);
    rows.first_rows = std::move(table).first_rows();
    return rows;
}

} // namespace

NumberedRows number_strings(const char* what, std::span<const std::string> keys) {
    return number(what, keys.size(),
                  [keys](std::size_t row) { return std::string_view(keys[row]); });
}

NumberedRows number_strings(const char* what, std::span<const std::string> keys,
                            std::span<const std::string> more) {
    return number(what, keys.size() + more.size(), [keys, more](std::size_t row) {
        return std::string_view(row < keys.size() ? keys[row] : more[row - keys.size()]);
    });
}

NumberedRows number_bytes(const char* what, const void* keys, std::size_t size, index_t count) {
    const auto* const first = static_cast<const char*>(keys);
    return number(what, static_cast<std::size_t>(count), [first, size](std::size_t row) {
        return std::string_view(first + row * size, size);
    });
}

} // namespace purview
