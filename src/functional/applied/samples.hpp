#pragma once

#include <purview/functional/applied/random.hpp>
#include <purview/reader/reader.hpp>

#include "reader/seeded.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {

/// A reader of samples: `Sample` computes a number from a random word.
template <typename T, typename Sample>
class SampleReader final : public Reader<T>, public Seeded {
public:
    SampleReader(index_t size, std::uint64_t given, Sample draw)
        : Seeded{given}, size_(size), sample_(std::move(draw)) {}
    index_t size() const noexcept override { return size_; }
    T read(index_t i) const override { return number(i); }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = number(begin + static_cast<index_t>(i) * step);
    }

private:
    T number(index_t i) const {
        return static_cast<T>(sample_(random_word(seed, static_cast<std::uint64_t>(i))));
    }

    index_t size_;
    Sample sample_;
};

template <typename T, typename Sample>
Operand samples(ShapeSpan shape, std::uint64_t seed, Sample draw) {
    const index_t size = Dimensions::row_major(shape).size();
    return tensor(std::make_shared<const SampleReader<T, Sample>>(size, seed, std::move(draw)),
                  AxisValues(to_shape(shape)))
        .operand();
}

/// The samples of a seed that is a symbol, as the function of the library that is called `name` makes
/// them of these operands, when a computation is loaded; null if there is none of these types.
Operand samples_named(std::string_view name, DType dtype, std::span<const Operand> x);

} // namespace purview
