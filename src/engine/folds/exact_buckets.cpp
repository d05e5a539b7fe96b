#include "engine/folds/exact_buckets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace purview::inline v0_1::engine {

template <typename T>
void ExactBuckets<T>::add(const T* values, index_t count) {
    for (; count > 0; values += kBlock, count -= kBlock) {
        const index_t length = std::min(count, kBlock);
        add_block(values, length);
        if (take_words_without_leading_bit()) add_without_leading_bit(values, length);
    }
}

template <typename T>
void ExactBuckets<T>::add_block(const T* values, index_t count) {
    std::uint64_t* const words = words_.get();
    const auto add = [&](T value, std::size_t plane) {
        const auto bits = std::bit_cast<Bits>(value);
        const auto bucket = static_cast<std::size_t>(bits >> Layout::kFractionBits);
        std::uint64_t& word = words[plane * kStride + bucket];
        word += (bits & (Layout::kLeadingBit - 1)) | Layout::kLeadingBit;
        if (static_cast<std::int64_t>(word) < 0) [[unlikely]]
            spill(word, bucket);
    };
    index_t i = 0;
    for (; i + 4 <= count; i += 4) {
        add(values[i], 0);
        add(values[i + 1], 1);
        add(values[i + 2], 2);
        add(values[i + 3], 3);
    }
    for (; i < count; ++i) add(values[i], 0);
}

template <typename T>
void ExactBuckets<T>::spill(std::uint64_t& word, std::size_t bucket) {
    const auto field = static_cast<int>(bucket) % Layout::kExponents;
    sum_.add_bits(std::exchange(word, 0), Layout::place_of(field), bucket >= Layout::kExponents);
}

/// Whether a block has zeros, subnormal numbers, infinities or NaN, whose words hold leading bits
/// that they do not have; these are emptied.
template <typename T>
bool ExactBuckets<T>::take_words_without_leading_bit() {
    std::uint64_t any = 0;
    for (std::size_t plane = 0; plane < kPlanes; ++plane)
        for (const int field : {0, Layout::kNotFinite})
            for (const int sign : {0, Layout::kExponents})
                any |= std::exchange(
                    words_[plane * kStride + static_cast<std::size_t>(sign + field)], 0);
    return any != 0;
}

template <typename T>
void ExactBuckets<T>::add_without_leading_bit(const T* values, index_t count) {
    bool zeros[2] = {};
    for (index_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<Bits>(values[i]);
        const auto field =
            static_cast<int>(bits >> Layout::kFractionBits) & (Layout::kExponents - 1);
        if (static_cast<Bits>(bits << 1) == 0)
            zeros[bits != 0] = true;
        else if (field == 0 || field == Layout::kNotFinite)
            sum_.add(values[i]);
    }
    if (zeros[0]) sum_.add(T{0});
    if (zeros[1]) sum_.add(-T{0});
}

template <typename T>
ExactAccumulator ExactBuckets<T>::take() {
    for (std::size_t plane = 0; plane < kPlanes; ++plane)
        for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
            if (std::uint64_t& word = words_[plane * kStride + bucket]; word != 0)
                spill(word, bucket);
    return std::exchange(sum_, ExactAccumulator());
}

template class ExactBuckets<float>;
template class ExactBuckets<double>;

} // namespace purview::engine
