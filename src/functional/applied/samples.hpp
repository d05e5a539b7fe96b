#pragma once

#include <purview/functional/applied/random.hpp>
#include <purview/reader/reader.hpp>

#include <memory>
#include <span>
#include <utility>

namespace purview::inline v0_1 {

/// A reader of samples: `Sample` computes a number from a random word.
template <typename T, typename Sample>
class SampleReader final : public Reader<T> {
public:
    SampleReader(index_t size, std::uint64_t seed, Sample draw)
        : size_(size), seed_(seed), sample_(std::move(draw)) {}
    index_t size() const noexcept override { return size_; }
    T read(index_t i) const override { return number(i); }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = number(begin + static_cast<index_t>(i) * step);
    }

private:
    T number(index_t i) const {
        return static_cast<T>(sample_(random_word(seed_, static_cast<std::uint64_t>(i))));
    }

    index_t size_;
    std::uint64_t seed_;
    Sample sample_;
};

template <typename T, typename Sample>
Operand samples(ShapeSpan shape, std::uint64_t seed, Sample draw) {
    const index_t size = Dimensions::row_major(shape).size();
    return tensor(std::make_shared<const SampleReader<T, Sample>>(size, seed, std::move(draw)),
                  AxisValues(to_shape(shape)))
        .operand();
}
} // namespace purview
