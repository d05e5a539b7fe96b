/// The loops that expressions of dims stand for.

#include "inputs.hpp"

#include <algorithm>

namespace {

using namespace bench;

constexpr std::size_t kSide = 1024, kHeight = 700, kWidth = 900, kSmall = 512;

template <std::size_t Side, std::size_t Channels, typename T>
void upsample(const T* image, T* out) {
    for (std::size_t y = 0; y < 2 * Side; ++y)
        for (std::size_t z = 0; z < 2 * Side; ++z)
            for (std::size_t c = 0; c < Channels; ++c)
                *out++ = image[(y / 2 * Side + z / 2) * Channels + c];
}

void nearest_neighbour(const float* image, float* out) {
    for (std::size_t y = 0; y < kHeight; ++y)
        for (std::size_t z = 0; z < kWidth; ++z)
            for (std::size_t c = 0; c < 3; ++c)
                *out++ = image[(y * kSmall / kHeight * kSmall + z * kSmall / kWidth) * 3 + c];
}

void bilinear(const float* image, const std::int64_t* rows, const std::int64_t* columns,
              const float* down, const float* across, float* out) {
    for (std::size_t y = 0; y < kHeight; ++y)
        for (std::size_t z = 0; z < kWidth; ++z) {
            const float* const at = image + rows[y] * kSide + columns[z];
            const float top = at[0] * (1 - across[z]) + at[1] * across[z];
            const float bottom = at[kSide] * (1 - across[z]) + at[kSide + 1] * across[z];
            *out++ = top * (1 - down[y]) + bottom * down[y];
        }
}

/// Windows of Size × Size elements, every `Step`, folded by `f` from the first one on.
template <std::size_t Size, std::size_t Step, typename F, typename G>
void pool(const double* image, double* out, F f, G finish) {
    constexpr std::size_t n = (kSide - Size) / Step + 1;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const double* const at = image + i * Step * kSide + j * Step;
            double folded = at[0];
            for (std::size_t a = 0; a < Size; ++a)
                for (std::size_t b = 0; b < Size; ++b)
                    if (a + b > 0) folded = f(folded, at[a * kSide + b]);
            *out++ = finish(folded);
        }
}

template <std::size_t Size, std::size_t Step, typename F, typename G>
void add_pool(const char* name, F f, G finish) {
    add(case_name(name, "1024x1024", "float64"), [=] {
        constexpr std::size_t n = (kSide - Size) / Step + 1;
        const auto image = random_memory<double>(kSide * kSide, 1);
        return into<double>(n * n,
                            [=](double* out) { pool<Size, Step>(image.get(), out, f, finish); });
    });
}

void add_windows() {
    const auto max = [](double x, double y) { return std::max(x, y); };
    const auto as_it_is = [](double x) { return x; };
    add_pool<2, 2>("max_pool_2x2", max, as_it_is);
    add_pool<3, 2>("max_pool_3x3", max, as_it_is);
    add_pool<3, 1>("max_of_3x3", max, as_it_is);
    add_pool<3, 1>(
        "mean_of_3x3", [](double x, double y) { return x + y; }, [](double x) { return x / 9; });
    add("mean_of_8/1000000/float64", [] {
        const auto x = random_memory<double>(1'000'007, 1);
        return into<double>(1'000'000, [=](double* out) {
            for (std::size_t i = 0; i < 1'000'000; ++i) {
                double sum = 0;
                for (std::size_t k = 0; k < 8; ++k) sum += x[i + k];
                out[i] = sum / 8;
            }
        });
    });
}

void add_resizing() {
    add("upsample/1024x1024/float64", [] {
        const auto image = random_memory<double>(kSide * kSide, 1);
        return into<double>(4 * kSide * kSide,
                            [=](double* out) { upsample<kSide, 1>(image.get(), out); });
    });
    add("upsample/512x512x3/float32", [] {
        const auto image = random_memory<float>(kSmall * kSmall * 3, 1);
        return into<float>(4 * kSmall * kSmall * 3,
                           [=](float* out) { upsample<kSmall, 3>(image.get(), out); });
    });
    add("nearest_neighbour/700x900x3/float32", [] {
        const auto image = random_memory<float>(kSmall * kSmall * 3, 1);
        return into<float>(kHeight * kWidth * 3,
                           [=](float* out) { nearest_neighbour(image.get(), out); });
    });
    add("bilinear/700x900/float32", [] {
        const auto image = random_memory<float>(kSide * kSide, 1);
        const auto down = random_memory<float>(kHeight, 2),
                   across = random_memory<float>(kWidth, 3);
        const auto rows = allocate<std::int64_t>(kHeight), columns = allocate<std::int64_t>(kWidth);
        for (std::size_t y = 0; y < kHeight; ++y)
            rows[y] = static_cast<std::int64_t>(y * (kSide - 1) / kHeight);
        for (std::size_t z = 0; z < kWidth; ++z)
            columns[z] = static_cast<std::int64_t>(z * (kSide - 1) / kWidth);
        return into<float>(kHeight * kWidth, [=](float* out) {
            bilinear(image.get(), rows.get(), columns.get(), down.get(), across.get(), out);
        });
    });
}

void add_scatters() {
    for (const std::size_t places : {1'000, 1'000'000})
        add(case_name("scatter_add", "1000000_in_" + std::to_string(places), "float64"), [=] {
            const auto values = random_memory<double>(1'000'000, 1);
            const auto ids = allocate<std::int64_t>(1'000'000);
            fill_random_indexes(ids.get(), 1'000'000, places);
            return into<double>(places, [=](double* out) {
                std::fill_n(out, places, 0.0);
                for (std::size_t i = 0; i < 1'000'000; ++i)
                    out[static_cast<std::size_t>(ids[i])] += values[i];
            });
        });
}

const Cases dims_indexes([] {
    add_resizing();
    add_windows();
    add_scatters();
});

} // namespace
