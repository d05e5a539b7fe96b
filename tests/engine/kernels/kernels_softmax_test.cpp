#include "kernels_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace kernels_softmax_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

/// The exponentials of one row, divided by their sum. How far an element lies below the greatest is rounded.
template <typename T>
std::vector<long double> naive_softmax(const T* row, std::size_t width) {
    const T greatest = *std::max_element(row, row + width);
    std::vector<long double> result;
    long double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
        const T below = row[i] - greatest;
        result.push_back(std::exp(static_cast<long double>(below)));
        sum += result.back();
    }
    for (long double& each : result) each /= sum;
    return result;
}

} // namespace

TEST_CASE("Rows: softmax of every width") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            Random random(31);
            for (const std::size_t width : std::initializer_list<std::size_t>{
                     1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 4103, 9000})
                for (const bool far : {false, true}) {
                    const std::size_t rows = width < 200 ? 5 : 2;
                    std::vector<T> values(rows * width);
                    for (T& value : values)
                        value = static_cast<T>(random.below(20000)) / 1000 * (far ? 100 : 1);
                    if (far) values[0] = -std::numeric_limits<T>::infinity();
                    if (far) values.back() = T{3000};
                    Misaligned<T> x(values);
                    table->softmax_rows(sizeof(T), x.data(), static_cast<index_t>(rows),
                                        static_cast<index_t>(width));
                    long double worst = 0;
                    for (std::size_t row = 0; row < rows; ++row) {
                        if (far && row == 0 && width == 1) continue; // of nothing but -inf
                        const auto expected = naive_softmax(&values[row * width], width);
                        for (std::size_t i = 0; i < width; ++i)
                            worst =
                                std::max(worst, std::abs(x[row * width + i] - expected[i]) /
                                                    (expected[i] + std::numeric_limits<T>::min()));
                    }
                    INFO(table->name << " " << kDType<T>.name() << " width " << width);
                    CHECK(worst <= 8 * std::numeric_limits<T>::epsilon());
                }
        });
}

TEST_CASE("Rows: NaN and inf are all of their row, and of no other") {
    for (const KernelTable* const table : available_kernels())
        for_floats([&]<typename T>(T) {
            for (const T odd :
                 {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
                for (const std::size_t width : std::initializer_list<std::size_t>{3, 16, 37})
                    for (std::size_t at = 0; at < width; ++at) {
                        std::vector<T> values(3 * width, T{1});
                        values[width + at] = odd;
                        Misaligned<T> x(values);
                        table->softmax_rows(sizeof(T), x.data(), 3, static_cast<index_t>(width));
                        INFO(table->name << " " << kDType<T>.name() << " " << odd << " at " << at);
                        for (std::size_t i = 0; i < 3 * width; ++i)
                            if ((i / width == 1) != std::isnan(x[i])) FAIL_CHECK("element " << i);
                    }
        });
}

} // namespace kernels_softmax_test
