#include "engine/folds/exact_buckets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// What is taken off the bits of a float to leave its fraction with the leading bit, by its sign and
/// exponent. Zeros and positive subnormal numbers have no leading bit. Negative ones, infinities and
/// NaN get one, which tells that there are some.
template <typename T>
constexpr auto kTakenOff = [] {
    using Layout = FloatLayout<T>;
    std::array<std::uint64_t, 2 * Layout::kExponents> taken{};
    for (std::size_t bucket = 1; bucket < taken.size(); ++bucket)
        taken[bucket] = (bucket - 1) << Layout::kFractionBits;
    return taken;
}();

/// Bytes from an element to the one that is fetched meanwhile: what is read from memory takes a
/// third of the time that it takes without.
constexpr std::uintptr_t kFetchedAhead = 4096;

} // namespace

template <typename T>
void ExactBuckets<T>::add(const T* values, index_t count) {
    added_ += count;
    for (; count > 0; values += kBlock, count -= kBlock) {
        const index_t length = std::min(count, kBlock);
        add_block(values, length);
        if (take_other_words()) add_others(values, length);
    }
}

template <typename T>
void ExactBuckets<T>::add_block(const T* values, index_t count) {
    std::uint64_t* const words = words_.get();
    const auto add = [&](T value, std::size_t plane) {
        const std::uint64_t bits = std::bit_cast<Bits>(value);
        const auto bucket = static_cast<std::size_t>(bits >> Layout::kFractionBits);
        std::uint64_t& word = words[plane * kStride + bucket];
        word += bits - kTakenOff<T>.data()[bucket];
        if (static_cast<std::int64_t>(word) < 0) [[unlikely]]
            spill(word, bucket);
    };
    index_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __builtin_prefetch(reinterpret_cast<const void*>(
            reinterpret_cast<std::uintptr_t>(values + i) + kFetchedAhead));
        add(values[i], 0);
        add(values[i + 1], 1);
        add(values[i + 2], 2);
        add(values[i + 3], 3);
        add(values[i + 4], 0);
        add(values[i + 5], 1);
        add(values[i + 6], 2);
        add(values[i + 7], 3);
    }
    for (; i < count; ++i) add(values[i], 0);
}

template <typename T>
void ExactBuckets<T>::spill(std::uint64_t& word, std::size_t bucket) {
    const auto field = static_cast<int>(bucket) % Layout::kExponents;
    sum_.add_bits(std::exchange(word, 0), Layout::place_of(field), bucket >= Layout::kExponents);
}

/// Whether a block has -0, negative subnormal numbers, infinities or NaN, whose words are emptied.
template <typename T>
bool ExactBuckets<T>::take_other_words() {
    std::uint64_t any = 0;
    for (std::size_t plane = 0; plane < kPlanes; ++plane)
        for (const int bucket :
             {Layout::kNotFinite, Layout::kExponents, 2 * Layout::kExponents - 1})
            any |= std::exchange(words_[plane * kStride + static_cast<std::size_t>(bucket)], 0);
    return any != 0;
}

template <typename T>
void ExactBuckets<T>::add_others(const T* values, index_t count) {
    constexpr auto kMinusZero = std::bit_cast<Bits>(-T{0});
    for (index_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<Bits>(values[i]);
        const auto bucket = static_cast<int>(bits >> Layout::kFractionBits);
        if (bits == kMinusZero)
            ++minus_zeros_;
        else if (bucket % Layout::kExponents == Layout::kNotFinite || bucket == Layout::kExponents)
            sum_.add(values[i]);
    }
}

template <typename T>
ExactAccumulator ExactBuckets<T>::take() {
    for (std::size_t plane = 0; plane < kPlanes; ++plane)
        for (std::size_t bucket = 0; bucket < kBuckets; bucket += 8) {
            std::uint64_t* const words = words_.get() + plane * kStride + bucket;
            std::uint64_t any = 0; // most are empty
            for (std::size_t k = 0; k < 8; ++k) any |= words[k];
            for (std::size_t k = 0; any != 0 && k < 8; ++k)
                if (words[k] != 0) spill(words[k], bucket + k);
        }
    const index_t minus_zeros = std::exchange(minus_zeros_, 0);
    if (minus_zeros > 0) sum_.add(-T{0});
    if (std::exchange(added_, 0) > minus_zeros) sum_.add(T{0}); // in a word, as any other
    return std::exchange(sum_, ExactAccumulator());
}

template class ExactBuckets<float>;
template class ExactBuckets<double>;

} // namespace purview::engine
