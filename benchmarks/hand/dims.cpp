/// What first-class dimensions are compared with, as loops.

#include "inputs.hpp"

#include <algorithm>

namespace {

using namespace bench;

constexpr std::size_t kSide = 4096;

const Cases dims([] {
    add("pixel_shuffle/8x64x128x128/float32", [] {
        constexpr std::size_t kImages = 8 * 16, kHeight = 128, kWidth = 128;
        const auto image = random_memory<float>(kImages * 4 * kHeight * kWidth, 1);
        return into<float>(kImages * 4 * kHeight * kWidth, [=](float* out) {
            for (std::size_t n = 0; n < kImages; ++n)
                for (std::size_t h = 0; h < kHeight; ++h)
                    for (std::size_t h2 = 0; h2 < 2; ++h2) {
                        const float* even = image.get() + ((n * 4 + h2 * 2) * kHeight + h) * kWidth;
                        const float* odd = even + kHeight * kWidth;
                        float* row = out + ((n * kHeight + h) * 2 + h2) * 2 * kWidth;
                        for (std::size_t w = 0; w < kWidth; ++w) {
                            row[2 * w] = even[w];
                            row[2 * w + 1] = odd[w];
                        }
                    }
        });
    });
    add("embedding_bag/100000x64/float32", [] {
        constexpr std::size_t kRows = 100'000, kFeatures = 64, kBags = 4096, kLength = 32;
        const auto table = random_memory<float>(kRows * kFeatures, 1);
        const auto ids = allocate<std::int64_t>(kBags * kLength);
        fill_random_indexes(ids.get(), kBags * kLength, kRows);
        return into<float>(kBags * kFeatures, [=](float* out) {
            for (std::size_t bag = 0; bag < kBags; ++bag, out += kFeatures) {
                std::fill_n(out, kFeatures, 0.0F);
                for (std::size_t s = 0; s < kLength; ++s) {
                    const auto row = static_cast<std::size_t>(ids[bag * kLength + s]);
                    for (std::size_t f = 0; f < kFeatures; ++f)
                        out[f] += table[row * kFeatures + f];
                }
            }
        });
    });
    add("triu/4096x4096/float64", [] {
        const auto a = random_memory<double>(kSide * kSide, 1);
        return into<double>(kSide * kSide, [=](double* out) {
            for (std::size_t i = 0; i < kSide; ++i, out += kSide) {
                std::fill_n(out, i, 0.0);
                std::copy_n(a.get() + i * kSide + i, kSide - i, out + i);
            }
        });
    });
    add("diff/4096x4096/float64", [] {
        const auto a = random_memory<double>(kSide * kSide, 1);
        return into<double>(kSide * kSide, [=](double* out) {
            for (std::size_t i = 0; i < kSide; ++i, out += kSide) {
                const double* row = a.get() + i * kSide;
                out[0] = row[0];
                for (std::size_t j = 1; j < kSide; ++j) out[j] = row[j] - row[j - 1];
            }
        });
    });
    add("sequence_mask/4096x4096/float64", [] {
        const auto values = random_memory<double>(kSide * kSide, 1);
        const auto lengths = allocate<std::int64_t>(kSide);
        fill_random_indexes(lengths.get(), kSide);
        return into<double>(kSide * kSide, [=](double* out) {
            for (std::size_t i = 0; i < kSide; ++i, out += kSide) {
                const auto length = static_cast<std::size_t>(lengths[i]);
                std::copy_n(values.get() + i * kSide, length, out);
                std::fill_n(out + length, kSide - length, 0.0);
            }
        });
    });
});

} // namespace
