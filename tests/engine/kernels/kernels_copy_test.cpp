#include "kernels_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kernels_copy_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(Random& random, index_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.bits());
    return bytes;
}

/// One element, wherever it is.
void copy_element(const unsigned char* from, unsigned char* to, std::size_t size) {
    std::memcpy(to, from, size);
}

constexpr std::size_t kSizes[] = {1, 2, 4, 8};

} // namespace

TEST_CASE("Copies: strided loads and stores, and fills") {
    for (const KernelTable* const table : tested_kernels())
        for (const std::size_t size : kSizes) {
            Random random(10);
            const auto s = static_cast<index_t>(size);
            for (index_t n = 0; n <= 300; n += n < 140 ? 1 : 23)
                for (const index_t stride : {s, -s, 2 * s, 3 * s, -2 * s, index_t{0}, 5 * s + 1}) {
                    INFO(table->name << " size " << size << " count " << n << " stride " << stride);
                    // Exactly as much memory as is named, so that a sanitizer sees a step beyond it.
                    const index_t reach = n == 0 ? 0 : (n - 1) * std::abs(stride) + s;
                    const Bytes in = random_bytes(random, reach);
                    const index_t start = stride < 0 && n > 0 ? reach - s : 0;
                    Bytes out(static_cast<std::size_t>(n * s));
                    table->load_strided(size, in.data() + start, stride, out.data(), n);
                    Bytes expected(out.size());
                    for (index_t i = 0; i < n; ++i)
                        copy_element(in.data() + start + i * stride, expected.data() + i * s, size);
                    CHECK(out == expected);
                    if (stride == 0) continue;

                    Bytes scattered(in.size(), 0);
                    Bytes twin(in.size(), 0);
                    table->store_strided(size, out.data(), scattered.data() + start, stride, n);
                    for (index_t i = 0; i < n; ++i)
                        copy_element(out.data() + i * s, twin.data() + start + i * stride, size);
                    CHECK(scattered == twin);
                }
            for (index_t n = 0; n <= 700; n += 7) {
                const Bytes value = random_bytes(random, s);
                Bytes out(static_cast<std::size_t>(n * s));
                Bytes expected(out.size());
                table->fill(size, value.data(), out.data(), n);
                for (index_t i = 0; i < n; ++i)
                    copy_element(value.data(), expected.data() + i * s, size);
                CHECK(out == expected);
            }
        }
}

TEST_CASE("Copies: past the caches, at every alignment") {
    for (const KernelTable* const table : tested_kernels()) {
        Random random(11);
        for (index_t n = 0; n <= 1500; n += n < 300 ? 3 : 97)
            for (const index_t shift : {0, 1, 8, 63}) {
                const Bytes in = random_bytes(random, n + 5);
                Bytes out(static_cast<std::size_t>(n + shift + 1), 9);
                table->copy_streaming(in.data() + 5, out.data() + shift,
                                      static_cast<std::size_t>(n));
                CHECK(std::memcmp(in.data() + 5, out.data() + shift, static_cast<std::size_t>(n)) ==
                      0);
                CHECK(out.back() == 9);
            }
    }
}

TEST_CASE("Copies: transposes of every shape") {
    for (const KernelTable* const table : tested_kernels())
        for (const std::size_t size : kSizes) {
            Random random(12);
            const auto s = static_cast<index_t>(size);
            std::vector<std::array<index_t, 2>> shapes;
            for (index_t i = 0; i < 40; ++i)
                shapes.push_back({random.below(200), random.below(200)});
            for (index_t i = 0; i < 20; ++i) shapes.push_back({i, 20 - i});
            shapes.push_back({128, 128});
            shapes.push_back({256, 64});
            for (const auto& [rows, columns] : shapes)
                for (const bool streaming : {false, true})
                    for (const index_t pad : {index_t{0}, s, index_t{64}, index_t{3}}) {
                        const index_t shift = pad == 3 ? 1 : random.below(9) * s;
                        const index_t in_stride = columns * s + pad;
                        // 64-byte rows of the output are what streaming needs.
                        const index_t out_stride =
                            pad == 64 ? (rows * s + 63) / 64 * 64 : rows * s + pad;
                        const Bytes in = random_bytes(random, rows * in_stride + shift);
                        Bytes out(static_cast<std::size_t>(columns * out_stride + shift), 7);
                        Bytes expected = out;
                        table->transpose_2d(size, in.data() + shift, in_stride, out.data() + shift,
                                            out_stride, rows, columns, streaming);
                        for (index_t r = 0; r < rows; ++r)
                            for (index_t c = 0; c < columns; ++c)
                                copy_element(in.data() + shift + r * in_stride + c * s,
                                             expected.data() + shift + c * out_stride + r * s,
                                             size);
                        INFO(table->name << " size " << size << " " << rows << " x " << columns
                                         << " streaming " << streaming << " pad " << pad);
                        CHECK(out == expected);
                    }
        }
}

TEST_CASE("Copies: short rows, such as the channels of pixels") {
    for (const KernelTable* const table : tested_kernels())
        for (const std::size_t size : kSizes) {
            Random random(13);
            const auto s = static_cast<index_t>(size);
            for (int repeat = 0; repeat < 3000; ++repeat) {
                const index_t n0 = random.below(90);
                const index_t n1 = 1 + random.below(repeat % 5 == 0 ? 40 : 5);
                const index_t magnitude = s * (1 + random.below(3));
                index_t in_strides[2] = {0, random.below(2) != 0 ? magnitude : -magnitude};
                in_strides[0] = magnitude * n1 + random.below(3) * s; // rows apart
                if (random.below(4) == 0) in_strides[0] = -in_strides[0];
                if (random.below(6) == 0) in_strides[0] = s; // rows that overlap
                index_t out_strides[2] = {n1 * s, s};
                if (random.below(3) == 0) out_strides[0] += s;
                if (random.below(5) == 0) {
                    out_strides[1] = 2 * s;
                    out_strides[0] = 2 * n1 * s;
                }
                // Exactly the memory that is read, and a margin around what is written.
                index_t low = 0;
                index_t high = s;
                if (n0 > 0)
                    for (const auto& [n, stride] :
                         {std::pair{n0, in_strides[0]}, std::pair{n1, in_strides[1]}}) {
                        low += std::min(index_t{0}, (n - 1) * stride);
                        high += std::max(index_t{0}, (n - 1) * stride);
                    }
                const Bytes in = random_bytes(random, high - low);
                Bytes out(static_cast<std::size_t>(n0 * out_strides[0] + 8), 7);
                Bytes expected = out;
                table->copy_2d(size, in.data() - low, in_strides, out.data(), out_strides, n0, n1);
                for (index_t i = 0; i < n0; ++i)
                    for (index_t j = 0; j < n1; ++j)
                        copy_element(in.data() - low + i * in_strides[0] + j * in_strides[1],
                                     expected.data() + i * out_strides[0] + j * out_strides[1],
                                     size);
                INFO(table->name << " size " << size << " " << n0 << " x " << n1 << " in "
                                 << in_strides[0] << " " << in_strides[1] << " out "
                                 << out_strides[0] << " " << out_strides[1]);
                REQUIRE(out == expected);
            }
        }
}

} // namespace kernels_copy_test
