/// Copies that a careful engineer would write: tiles for transposes, streaming stores where the result
/// is larger than the caches, whole runs for rotations.

#include "transpose.hpp"

namespace {

using namespace bench;

template <typename T>
void add_transpose(const char* dtype) {
    add(case_name("transpose", "4096x4096", dtype), [] {
        constexpr std::size_t n = 4096;
        const auto matrix = random_memory<T>(n * n, 1);
        return into<T>(n * n, [=](T* out) {
            transpose_tiled(matrix.get(), n, out, n, n, n);
            finish_streaming();
        });
    });
}

void add_permutes() {
    constexpr std::size_t n = 256;
    add("permute_210/256x256x256/float64", [] {
        const auto cube = random_memory<double>(n * n * n, 1);
        return into<double>(n * n * n, [=](double* out) { // out[k, j, i] = in[i, j, k]
            for (std::size_t j = 0; j < n; ++j)
                transpose_tiled(cube.get() + j * n, n * n, out + j * n, n * n, n, n);
            finish_streaming();
        });
    });
    add("permute_120/256x256x256/float64", [] {
        const auto cube = random_memory<double>(n * n * n, 1);
        return into<double>(n * n * n, [=](double* out) { // out[j, k, i] = in[i, j, k]
            transpose_tiled(cube.get(), n * n, out, n, n, n * n);
            finish_streaming();
        });
    });
}

void add_crop() {
    add("crop_channels/2048x2048x4/uint8", [] {
        constexpr std::size_t kSide = 2048, kCrop = 1536, kBegin = 256;
        const auto image = random_memory<std::uint8_t>(kSide * kSide * 4, 1);
        return into<std::uint8_t>(kCrop * kCrop * 3, [=](std::uint8_t* out) {
            for (std::size_t i = 0; i < kCrop; ++i) {
                const std::uint8_t* pixel = image.get() + ((kBegin + i) * kSide + kBegin) * 4;
                for (std::size_t j = 0; j < kCrop; ++j, pixel += 4, out += 3) {
                    out[0] = pixel[2];
                    out[1] = pixel[1];
                    out[2] = pixel[0];
                }
            }
        });
    });
}

void add_rotate() {
    add("rotate/4096x4096/float64", [] {
        constexpr std::size_t n = 4096, kDown = 1000, kRight = 37;
        const auto matrix = random_memory<double>(n * n, 1);
        return into<double>(n * n, [=](double* out) {
            for (std::size_t i = 0; i < n; ++i) {
                const double* const row = matrix.get() + i * n;
                double* const turned = out + (i + kDown) % n * n;
                std::memcpy(turned + kRight, row, (n - kRight) * sizeof(double));
                std::memcpy(turned, row + n - kRight, kRight * sizeof(double));
            }
        });
    });
}

void add_gather(const char* name, void (*fill_indexes)(std::int64_t*, std::size_t)) {
    add(case_name(name, "10000000", "float64"), [=] {
        constexpr std::size_t n = 10'000'000, kAhead = 32;
        const auto source = random_memory<double>(n, 1);
        const auto indexes = allocate<std::int64_t>(n);
        fill_indexes(indexes.get(), n);
        return into<double>(n, [=](double* __restrict out) {
            const double* const from = source.get();
            const std::int64_t* const index = indexes.get();
            for (std::size_t i = 0; i + kAhead < n; ++i) {
                __builtin_prefetch(from + index[i + kAhead]);
                out[i] = from[index[i]];
            }
            for (std::size_t i = n - kAhead; i < n; ++i) out[i] = from[index[i]];
        });
    });
}

template <typename From, typename To>
void add_cast(const char* name, const char* dtype, From scale) {
    add(case_name(name, "10000000", dtype), [=] {
        constexpr std::size_t n = 10'000'000;
        const auto x = random_memory<From>(n, 1, scale);
        return into<To>(n, [from = x](To* __restrict out) {
            const From* const values = from.get();
            for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<To>(values[i]);
        });
    });
}

const Cases movement([] {
    add_transpose<double>("float64");
    add_transpose<float>("float32");
    add_permutes();
    add_crop();
    add_rotate();
    add_gather("gather_random", fill_random_indexes);
    add_gather("gather_sorted", fill_sorted_indexes);
    add_cast<double, std::uint8_t>("cast_float64_uint8", "uint8", 255.0);
    add_cast<std::int32_t, double>("cast_int32_float64", "float64", 1);
});

} // namespace
