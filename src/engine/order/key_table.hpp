#pragma once

#include <purview/base/index.hpp>

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// Numbers distinct words in the order in which they appear first. A hash table with open
/// addressing, at most half full; while it is small, at most an eighth.
class KeyTable {
public:
    KeyTable() : places_(std::size_t{1} << kFewBits) {}

    /// The most words of one call of `number`, which writes the number of each word.
    static constexpr index_t kBlock = 64;
    void number(const std::uint64_t* words, index_t count, index_t first_row,
                std::int32_t* numbers) {
        std::size_t at[kBlock];
        for (index_t i = 0; i < count; ++i) {
            at[i] = place_of(words[i]);
            __builtin_prefetch(&places_[at[i]]);
        }
        const std::size_t size = places_.size();
        for (index_t i = 0; i < count; ++i) {
            std::size_t place = size == places_.size() ? at[i] : place_of(words[i]);
            while (places_[place].number >= 0 && places_[place].word != words[i])
                place = (place + 1) & (places_.size() - 1);
            if (places_[place].number < 0) {
                places_[place] = {words[i], static_cast<std::int32_t>(words_.size())};
                words_.push_back(words[i]);
                rows_.push_back(first_row + i);
                numbers[i] = static_cast<std::int32_t>(words_.size() - 1);
                if (is_full()) grow();
            } else {
                numbers[i] = places_[place].number;
            }
        }
    }

    /// The distinct words, by number.
    const std::vector<std::uint64_t>& words() const noexcept { return words_; }
    /// The row in which each distinct word appears first, by number.
    const std::vector<index_t>& rows() const noexcept { return rows_; }

private:
    static constexpr int kFewBits = 10;
    static constexpr int kSparseBits = 15;

    struct Place {
        std::uint64_t word = 0;
        std::int32_t number = -1;
    };

    std::size_t place_of(std::uint64_t word) const noexcept {
        // Two multiplications: after one, words with a common factor, such as days in seconds,
        // would lie close together.
        word = (word ^ word >> 32) * 0xd6e8feb86659fd93;
        word ^= word >> 32;
        return static_cast<std::size_t>(word * 0x9e3779b97f4a7c15 >> (64 - bits_));
    }

    /// Small tables stay nearly empty: the first place that is looked at is nearly always the right
    /// one, so that branches are predicted.
    bool is_full() const noexcept {
        return (bits_ < kSparseBits ? 8 : 2) * words_.size() > places_.size();
    }
    void grow() {
        ++bits_;
        std::vector<Place> larger(std::size_t{1} << bits_);
        for (const Place& old : places_) {
            if (old.number < 0) continue;
            std::size_t place = place_of(old.word);
            while (larger[place].number >= 0) place = (place + 1) & (larger.size() - 1);
            larger[place] = old;
        }
        places_ = std::move(larger);
    }

    int bits_ = kFewBits;
    std::vector<Place> places_;
    std::vector<std::uint64_t> words_;
    std::vector<index_t> rows_;
};

} // namespace purview::engine
