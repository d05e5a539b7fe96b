#include "engine/order/word_table.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/row_matches.hpp>

#include "engine/places/costs.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>

namespace purview::inline v0_1::engine {
namespace {

/// Words within a range of at most so many for each row index a table: it is as large as one by
/// hash would be.
constexpr std::uint64_t kWordsOfRow = 4;
constexpr std::uint64_t kSmallRange = 1 << 16;

/// A part has about so many rows, or words of a range: its stretch stays in the second-level cache.
constexpr index_t kRowsOfPart = index_t{1} << 14;
constexpr int kRangeOfPart = 16; ///< as a power of two
constexpr int kMostPartBits = 10;

/// Rows are parted in pieces, of which each is read by one thread.
constexpr index_t kRowsOfPiece = index_t{1} << 15;
constexpr index_t kMostPieces = 64;

/// The number of bits of a number.
int bits_of(std::uint64_t number) { return static_cast<int>(std::bit_width(number)); }

} // namespace

/// Groups the rows of one part after the other.
template <typename Word>
class WordTable<Word>::PartGroups {
public:
    explicit PartGroups(const WordTable& table) : table_(table) {}

    /// Lists the rows of a part, and leaves the slots of its distinct words at its beginning.
    /// Returns how many they are.
    index_t group(std::span<Place> part, index_t begin) {
        clear();
        for (Place& place : part) {
            const std::uint32_t number = number_of(place.word);
            ++groups_[number].rows.count;
            place.rows.count = number;
        }
        index_t next = begin;
        for (Place& each : groups_) {
            each.rows.first = static_cast<std::uint32_t>(next);
            next += each.rows.count;
        }
        for (const Place& place : part)
            table_.lists_.rows[groups_[place.rows.count].rows.first++] = place.rows.first;
        for (Place& each : groups_) table_.end_rows(each.rows);
        std::ranges::copy(groups_, part.begin());
        return std::ssize(groups_);
    }

private:
    /// Parts have about as many distinct words: the table is begun as large as the last one needs.
    void clear() {
        bits_ = std::max(8, bits_of(2 * groups_.size()));
        numbers_.assign(std::size_t{1} << bits_, {});
        groups_.clear();
    }
    std::size_t place_of(const Word& word) const noexcept {
        return static_cast<std::size_t>(hash_of(word) << table_.part_bits_ >> (64 - bits_));
    }
    std::uint32_t number_of(const Word& word) {
        std::size_t at = place_of(word);
        for (; numbers_[at].rows.count > 0; at = (at + 1) & (numbers_.size() - 1))
            if (numbers_[at].word == word) return numbers_[at].rows.first;
        const auto number = static_cast<std::uint32_t>(groups_.size());
        numbers_[at] = {word, {number, 1}};
        groups_.push_back({word, {}});
        if (2 * groups_.size() > numbers_.size()) grow();
        return number;
    }
    void grow() {
        ++bits_;
        numbers_.assign(std::size_t{1} << bits_, {});
        for (std::uint32_t number = 0; const Place& each : groups_) {
            std::size_t at = place_of(each.word);
            while (numbers_[at].rows.count > 0) at = (at + 1) & (numbers_.size() - 1);
            numbers_[at] = {each.word, {number++, 1}};
        }
    }

    const WordTable& table_;
    int bits_ = 8;
    std::vector<Place> numbers_; ///< by hash
    std::vector<Place> groups_;  ///< by number
};

template <typename Word>
void WordTable<Word>::throw_too_many(index_t rows) {
    throw ShapeError(
        fmt::format("join: {} rows on the right are too many to be joined in memory", rows));
}

template <typename Word>
WordTable<Word>::WordTable(Words words, std::span<const std::uint32_t> numbers) {
    const auto rows = static_cast<index_t>(words.size());
    if (rows >= kMostRows) throw_too_many(rows);
    if (rows == 0) return;
    lists_.rows = RecycledArray<std::uint32_t>(rows);
    if constexpr (kOneWord) {
        direct_ = choose_range(words);
        if (direct_) {
            fill_ranges(
                parted(words, numbers, [least = least_, bits = slot_bits_](std::uint64_t word) {
                    return static_cast<std::size_t>((word - least) >> bits);
                }));
            return;
        }
    }
    part_bits_ =
        std::min(kMostPartBits, bits_of(static_cast<std::uint64_t>((rows - 1) / kRowsOfPart)));
    fill_places(parted(words, numbers, [bits = part_bits_](const Word& word) {
        return static_cast<std::size_t>(bits == 0 ? 0 : hash_of(word) >> (64 - bits));
    }));
}

template <typename Word>
bool WordTable<Word>::choose_range(Words words) requires kOneWord {
    const WordLimits limits = limits_of_words(words);
    if (limits.apart >= std::max(kSmallRange, kWordsOfRow * words.size())) return false;
    least_ = limits.least;
    slots_ = static_cast<index_t>(limits.apart) + 1;
    const int bits = bits_of(limits.apart);
    part_bits_ = std::clamp(bits - kRangeOfPart, 0, kMostPartBits);
    slot_bits_ = bits - part_bits_;
    return true;
}

template <typename Word>
template <typename PartOf>
RecycledArray<typename WordTable<Word>::Place>
WordTable<Word>::parted(Words words, std::span<const std::uint32_t> numbers, PartOf part_of) {
    const auto rows = static_cast<index_t>(words.size());
    const index_t pieces = std::clamp(rows / kRowsOfPiece, index_t{1}, kMostPieces);
    const std::size_t parts = std::size_t{1} << part_bits_;
    const double cost = static_cast<double>(rows);
    std::vector<index_t> next(static_cast<std::size_t>(pieces) * parts);
    const auto for_pieces = [&](double each, auto work) {
        parallel_ranges(pieces, 1, each * cost, [&](index_t begin, index_t end) {
            for (index_t p = begin; p < end; ++p)
                work(&next[static_cast<std::size_t>(p) * parts],
                     static_cast<std::size_t>(p * rows / pieces),
                     static_cast<std::size_t>((p + 1) * rows / pieces));
        });
    };
    for_pieces(1, [&](index_t* counts, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) ++counts[part_of(words[row])];
    });
    begins_.assign(parts + 1, 0);
    index_t at = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        begins_[part] = at;
        for (std::size_t p = part; p < next.size(); p += parts) at += std::exchange(next[p], at);
    }
    begins_[parts] = at;
    RecycledArray<Place> places(rows);
    for_pieces(3, [&](index_t* to, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            places[to[part_of(words[row])]++] = {
                words[row], {numbers.empty() ? static_cast<std::uint32_t>(row) : numbers[row], 0}};
    });
    return places;
}

template <typename Word>
void WordTable<Word>::begin_rows(std::span<WordRows> counted, index_t begin) {
    for (WordRows& each : counted) {
        each.first = static_cast<std::uint32_t>(begin);
        begin += each.count;
    }
}

template <typename Word>
void WordTable<Word>::end_rows(WordRows& listed) const {
    listed.first -= listed.count;
    if (listed.count == 1) listed.first = lists_.rows[listed.first];
}

template <typename Word>
void WordTable<Word>::fill_ranges(const RecycledArray<Place>& parts) requires kOneWord {
    ranges_ = RecycledArray<WordRows>(slots_);
    parallel_ranges(std::ssize(begins_) - 1, 1, 4 * static_cast<double>(parts.size() + slots_),
                    [&](index_t first, index_t last) {
                        for (index_t part = first; part < last; ++part) {
                            const index_t from = std::min(part << slot_bits_, slots_);
                            const index_t to = std::min((part + 1) << slot_bits_, slots_);
                            const std::span<WordRows> stretch(ranges_.begin() + from,
                                                              ranges_.begin() + to);
                            const std::span<const Place> rows(
                                parts.begin() + begins_[static_cast<std::size_t>(part)],
                                parts.begin() + begins_[static_cast<std::size_t>(part) + 1]);
                            const auto at = [&](const Place& place) -> WordRows& {
                                return ranges_[static_cast<index_t>(place.word - least_)];
                            };
                            std::ranges::fill(stretch, WordRows{});
                            for (const Place& place : rows) ++at(place).count;
                            begin_rows(stretch, begins_[static_cast<std::size_t>(part)]);
                            for (const Place& place : rows)
                                lists_.rows[at(place).first++] = place.rows.first;
                            for (WordRows& each : stretch)
                                if (each.count > 0) end_rows(each);
                        }
                    });
}

template <typename Word>
void WordTable<Word>::fill_places(const RecycledArray<Place>& parts) {
    const index_t count = std::ssize(begins_) - 1;
    std::vector<index_t> distinct(static_cast<std::size_t>(count));
    const auto part_at = [&](index_t part) {
        return std::span<Place>(parts.begin() + begins_[static_cast<std::size_t>(part)],
                                parts.begin() + begins_[static_cast<std::size_t>(part) + 1]);
    };
    parallel_ranges(
        count, 1, 10 * static_cast<double>(parts.size()), [&](index_t first, index_t last) {
            PartGroups groups(*this);
            for (index_t part = first; part < last; ++part)
                distinct[static_cast<std::size_t>(part)] =
                    groups.group(part_at(part), begins_[static_cast<std::size_t>(part)]);
        });
    const auto most = static_cast<std::uint64_t>(*std::ranges::max_element(distinct));
    // Small tables stay nearly empty: the first place that is looked at is nearly always the right
    // one, so that branches are predicted.
    slot_bits_ = bits_of(2 * most - 1);
    if (count == 1) slot_bits_ = std::clamp(slot_bits_ + 2, slot_bits_, std::max(slot_bits_, 15));
    slots_ = count << slot_bits_;
    places_ = RecycledArray<Place>(slots_);
    parallel_ranges(count, 1, 4 * static_cast<double>(slots_), [&](index_t first, index_t last) {
        for (index_t part = first; part < last; ++part) {
            std::fill_n(places_.begin() + (part << slot_bits_), index_t{1} << slot_bits_, Place{});
            const auto own = static_cast<std::size_t>(distinct[static_cast<std::size_t>(part)]);
            for (const Place& each : part_at(part).first(own)) {
                index_t slot = slot_of(each.word);
                while (places_[slot].rows.count > 0) slot = next_slot(slot);
                places_[slot] = each;
            }
        }
    });
}

template class WordTable<std::uint64_t>;
template class WordTable<WordPair>;

} // namespace purview::engine
