#pragma once

#include <purview/base/index.hpp>

#include "evaluation/exact_accumulator.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace purview::inline v0_1::engine {

/// An exact sum of many floats: fractions, with their leading bits, are added to a word for each
/// sign and exponent, as in the large superaccumulator of Neal (2015). A word that is half full goes
/// to the digits: leading bits are in it, so that its own bits tell when, without Neal's counts.
///
/// Neighbours go to different planes of words, so that an addition does not wait for the one before
/// it, to the same word. 0.6 ns for an element; about 10 µs in `take`. 134 KB for float64.
template <typename T>
class ExactBuckets {
public:
    ExactBuckets() : words_(std::make_unique<std::uint64_t[]>(kPlanes * kStride)) {}

    void add(const T* values, index_t count);
    /// The sum of what was added since the last call.
    ExactAccumulator take();

private:
    using Layout = FloatLayout<T>;
    using Bits = typename Layout::Bits;
    static constexpr std::size_t kPlanes = 4;
    static constexpr std::size_t kBuckets = 2 * Layout::kExponents;
    static constexpr std::size_t kStride = kBuckets + 64; ///< planes do not share sets of a cache
    /// Elements: so few that none of the words that are empty before a block is half full after it.
    static constexpr index_t kBlock = 1024;

    void add_block(const T* values, index_t count);
    bool take_other_words();
    void add_others(const T* values, index_t count);
    void spill(std::uint64_t& word, std::size_t bucket);

    std::unique_ptr<std::uint64_t[]> words_;
    ExactAccumulator sum_;
    index_t added_ = 0;
    index_t minus_zeros_ = 0; ///< of these
};

extern template class ExactBuckets<float>;
extern template class ExactBuckets<double>;

} // namespace purview::engine
