#pragma once

#include <purview/base/index.hpp>

#include "engine/order/recycled_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::engine {

/// The rows that have one word: the row itself if there is one, else `count` entries of a list.
struct WordRows {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// The rows of words, for as long as a copy of this exists.
struct RowLists {
    /// Row i of those that have a word.
    index_t row(const WordRows& of, index_t i) const noexcept {
        return of.count == 1 ? of.first : rows[of.first + i];
    }
    void prefetch(const WordRows& of) const noexcept {
        if (of.count > 1) __builtin_prefetch(rows.begin() + of.first);
    }

    RecycledArray<std::uint32_t> rows;
};

/// Two words of a row, which both have to be equal.
struct WordPair {
    std::uint64_t first;
    std::uint64_t second;

    friend bool operator==(const WordPair&, const WordPair&) = default;
};
struct WordPairs {
    std::span<const std::uint64_t> first;
    std::span<const std::uint64_t> second;

    std::size_t size() const noexcept { return first.size(); }
    WordPair operator[](std::size_t row) const noexcept { return {first[row], second[row]}; }
    WordPairs subspan(std::size_t from, std::size_t count) const {
        return {first.subspan(from, count), second.subspan(from, count)};
    }
};
template <typename Word>
using WordsOf =
    std::conditional_t<std::is_same_v<Word, WordPair>, WordPairs, std::span<const std::uint64_t>>;

/// Words that are put together.
template <typename Word>
struct WordStore;
template <>
struct WordStore<std::uint64_t> {
    explicit WordStore(index_t count) : words(count) {}
    void put(index_t at, std::uint64_t word) { words[at] = word; }
    std::span<const std::uint64_t> all() const { return {words.begin(), words.end()}; }

    RecycledArray<std::uint64_t> words;
};
template <>
struct WordStore<WordPair> {
    explicit WordStore(index_t count) : first(count), second(count) {}
    void put(index_t at, const WordPair& word) {
        first.put(at, word.first);
        second.put(at, word.second);
    }
    WordPairs all() const { return {first.all(), second.all()}; }

    WordStore<std::uint64_t> first;
    WordStore<std::uint64_t> second;
};

/// The rows of each distinct word of a list, or pair of words, ascending. Words are cut into parts, by hash, or by
/// size where they lie close together; each part has a stretch of a table of its own, which one
/// thread fills while it is in its cache.
template <typename Word>
class WordTable {
public:
    using Words = WordsOf<Word>;
    static constexpr bool kOneWord = std::is_same_v<Word, std::uint64_t>;

    /// Of less than kMostRows words, which are no longer needed afterwards. Their rows have these numbers, if any are
    /// given.
    static constexpr index_t kMostRows = std::numeric_limits<std::uint32_t>::max();
    [[noreturn]] static void throw_too_many(index_t rows);
    explicit WordTable(Words words, std::span<const std::uint32_t> numbers = {});

    /// The number of slots, of which some are empty.
    index_t slots() const noexcept { return slots_; }
    const WordRows& rows_at(index_t slot) const noexcept {
        return direct_ ? ranges_[slot] : places_[slot].rows;
    }
    const RowLists& lists() const noexcept { return lists_; }
    /// Calls `f(i, slot)` for each word, with its slot, or -1 where no row has it.
    template <typename F>
    void find(Words words, F f) const {
        if (slots_ == 0) {
            for (std::size_t i = 0; i < words.size(); ++i) f(i, index_t{-1});
            return;
        }
        if constexpr (kOneWord)
            if (direct_) return find_in_range(words, f);
        find_by_hash(words, f);
    }

    static std::uint64_t hash_of(std::uint64_t word) noexcept {
        // Two multiplications: after one, words with a common factor, such as days in seconds,
        // would lie close together.
        word = (word ^ word >> 32) * 0xd6e8feb86659fd93;
        word ^= word >> 32;
        return word * 0x9e3779b97f4a7c15;
    }
    static std::uint64_t hash_of(const WordPair& words) noexcept {
        return hash_of(words.first ^ std::rotl(words.second * 0x9e3779b97f4a7c15, 32));
    }

private:
    /// A word of a row while parts are made, later a slot: it is empty if it has no rows.
    struct alignas(std::is_same_v<Word, WordPair> ? 32 : 8) Place {
        Word word;
        WordRows rows;
    };
    static constexpr std::size_t kBlock = 32;

    /// The first slot to look at, and the one after a slot in its part.
    index_t slot_of(const Word& word) const noexcept {
        return static_cast<index_t>(hash_of(word) >> (64 - part_bits_ - slot_bits_));
    }
    index_t next_slot(index_t slot) const noexcept {
        const index_t last = (index_t{1} << slot_bits_) - 1;
        return (slot & ~last) | ((slot + 1) & last);
    }
    /// Whether words lie so close together that a table is indexed by them.
    bool choose_range(Words words) requires kOneWord;
    /// The words and rows of each part, part after part, in their order.
    template <typename PartOf>
    RecycledArray<Place> parted(Words words, std::span<const std::uint32_t> numbers,
                                PartOf part_of);
    void fill_ranges(const RecycledArray<Place>& parts) requires kOneWord;
    void fill_places(const RecycledArray<Place>& parts);
    /// The places in the list of the rows of words that were counted; then what is found there.
    static void begin_rows(std::span<WordRows> counted, index_t begin);
    void end_rows(WordRows& listed) const;

    class PartGroups;

    template <typename F>
    void find_in_range(Words words, F f) const {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i + kBlock < words.size()) {
                const std::uint64_t ahead = words[i + kBlock] - least_;
                __builtin_prefetch(ranges_.begin() +
                                   (ahead < static_cast<std::uint64_t>(slots_) ? ahead : 0));
            }
            const std::uint64_t slot = words[i] - least_;
            const bool any = slot < static_cast<std::uint64_t>(slots_) &&
                             ranges_[static_cast<index_t>(slot)].count > 0;
            f(i, any ? static_cast<index_t>(slot) : index_t{-1});
        }
    }
    template <typename F>
    void find_by_hash(Words words, F f) const {
        // slots are known, and on their way to the cache, kBlock words ahead
        std::array<index_t, kBlock> ahead;
        const auto begin = [&](std::size_t i) {
            const index_t slot = slot_of(words[i]);
            ahead[i % kBlock] = slot;
            __builtin_prefetch(places_.begin() + slot);
        };
        for (std::size_t i = 0; i < std::min(kBlock, words.size()); ++i) begin(i);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const Word word = words[i];
            index_t slot = ahead[i % kBlock];
            if (i + kBlock < words.size()) begin(i + kBlock);
            while (places_[slot].rows.count > 0 && !(places_[slot].word == word))
                slot = next_slot(slot);
            f(i, places_[slot].rows.count > 0 ? slot : index_t{-1});
        }
    }

    bool direct_ = false;
    std::uint64_t least_ = 0; ///< of words that index a table
    int part_bits_ = 0;
    int slot_bits_ = 0; ///< of the stretch of a part
    index_t slots_ = 0;
    std::vector<index_t> begins_;    ///< of the parts' rows
    RecycledArray<WordRows> ranges_; ///< by word
    RecycledArray<Place> places_;    ///< by hash
    RowLists lists_;
};

} // namespace purview::engine
