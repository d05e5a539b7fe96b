#include "engine/order/radix_sort.hpp"

#include "engine/order/sorted_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Bits of a digit: at most kMostBits, so that its counters stay in the first-level cache beside
/// the lines that are written; kFewBits for fewer than kFewWords words, which are not worth as many
/// counters.
constexpr int kMostBits = 10;
constexpr int kFewBits = 8;
constexpr index_t kFewWords = 1 << 13;

using DigitCounts = std::array<index_t, std::size_t{1} << kMostBits>;

struct WordDigit {
    int low;
    int bits;

    std::size_t operator()(std::uint64_t word) const noexcept {
        return static_cast<std::size_t>(word >> low & ((std::uint64_t{1} << bits) - 1));
    }
    std::size_t values() const noexcept { return std::size_t{1} << bits; }
};

/// Digits of about equal width, the lowest first.
std::vector<WordDigit> digits_of(int low, int bits, int most) {
    const int passes = (bits + most - 1) / most;
    std::vector<WordDigit> digits;
    for (int pass = 0; pass < passes; ++pass) {
        const int begin = bits * pass / passes;
        digits.push_back({low + begin, bits * (pass + 1) / passes - begin});
    }
    return digits;
}

template <typename Word>
void scatter(const Word* from, index_t begin, index_t end, WordDigit digit, DigitCounts& places,
             Word* to) {
    for (index_t i = begin; i < end; ++i) to[places[digit(from[i])]++] = from[i];
}

/// Counts `passes` digits of all words: as many as are known when compiling have their loop
/// unrolled.
template <std::size_t passes, typename Word>
void count_digits(const Word* words, index_t count, const WordDigit* given, DigitCounts* counts) {
    std::array<WordDigit, passes> digits;
    std::copy_n(given, passes, digits.begin());
    for (index_t i = 0; i < count; ++i) {
        const Word word = words[i];
        for (std::size_t d = 0; d < passes; ++d) ++counts[d][digits[d](word)];
    }
}

/// Replaces the count of each value of a digit by the place of its first word; returns false if all
/// words have the same value.
bool counts_to_places(DigitCounts& counts, std::size_t values, index_t count) {
    index_t place = 0;
    for (std::size_t value = 0; value < values; ++value) {
        if (counts[value] == count) return false;
        place += std::exchange(counts[value], place);
    }
    return true;
}

/// Sorts on one thread: all digits are counted in one pass over the words.
template <typename Word>
Word* serial_radix_sort(Word* words, Word* other, index_t count,
                        const std::vector<WordDigit>& digits) {
    std::vector<DigitCounts> counts(digits.size());
    for (std::size_t d = 0; d < digits.size(); ++d)
        std::fill_n(counts[d].begin(), digits[d].values(), 0);
    for (std::size_t d = 0; d < digits.size(); d += 2) {
        if (d + 1 < digits.size())
            count_digits<2>(words, count, &digits[d], &counts[d]);
        else
            count_digits<1>(words, count, &digits[d], &counts[d]);
    }
    for (std::size_t d = 0; d < digits.size(); ++d) {
        if (!counts_to_places(counts[d], digits[d].values(), count)) continue;
        scatter(words, 0, count, digits[d], counts[d], other);
        std::swap(words, other);
    }
    return words;
}

/// Sorts on several threads, each of which counts and moves the words of a share of its own. Words
/// with the same value of a digit are placed in the order of the shares, so that the sort is
/// stable.
template <typename Word>
Word* parallel_radix_sort(Word* words, Word* other, index_t count,
                          const std::vector<WordDigit>& digits, int threads) {
    std::vector<DigitCounts> counts(static_cast<std::size_t>(threads));
    for (const WordDigit digit : digits) {
        for_each_share(count, threads, [&](std::size_t share, index_t begin, index_t end) {
            DigitCounts& own = counts[share];
            std::fill_n(own.begin(), digit.values(), 0);
            for (index_t i = begin; i < end; ++i) ++own[digit(words[i])];
        });
        index_t place = 0;
        for (std::size_t value = 0; value < digit.values(); ++value)
            for (DigitCounts& own : counts) place += std::exchange(own[value], place);
        for_each_share(count, threads, [&](std::size_t share, index_t begin, index_t end) {
            scatter(words, begin, end, digit, counts[share], other);
        });
        std::swap(words, other);
    }
    return words;
}

} // namespace

template <typename Word>
Word* radix_sort(Word* words, Word* other, index_t count, int low, int bits, int threads) {
    const std::vector<WordDigit> digits =
        digits_of(low, bits, count < kFewWords ? kFewBits : kMostBits);
    return threads > 1 ? parallel_radix_sort(words, other, count, digits, threads)
                       : serial_radix_sort(words, other, count, digits);
}

template std::uint8_t* radix_sort(std::uint8_t*, std::uint8_t*, index_t, int, int, int);
template std::uint16_t* radix_sort(std::uint16_t*, std::uint16_t*, index_t, int, int, int);
template std::uint32_t* radix_sort(std::uint32_t*, std::uint32_t*, index_t, int, int, int);
template std::uint64_t* radix_sort(std::uint64_t*, std::uint64_t*, index_t, int, int, int);

} // namespace purview::engine
