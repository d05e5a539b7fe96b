#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T>
void add_transpose(const char* dtype) {
    add(case_name("transpose", "4096x4096", dtype), [] {
        const auto matrix = random_array<Rows<T>>(4096, 4096, 1);
        return into<Rows<T>>(4096, 4096, [=](auto& out) { out = matrix->transpose(); });
    });
}

constexpr Eigen::Index kCount = 10'000'000;

void add_gather(const char* name, void (*fill_indexes)(std::int64_t*, std::size_t)) {
    add(case_name(name, "10000000", "float64"), [=] {
        const auto source = random_array<Array<double>>(kCount, 1, 1);
        const auto list = std::make_shared<Array<std::int64_t>>(kCount);
        fill_indexes(list->data(), static_cast<std::size_t>(kCount));
        return into<Array<double>>(kCount, 1, [=](auto& out) { out = (*source)(*list); });
    });
}

const Cases movement([] {
    add_transpose<double>("float64");
    add_transpose<float>("float32");
    add("rotate/4096x4096/float64", [] {
        constexpr Eigen::Index n = 4096, kDown = 1000, kRight = 37;
        const auto in = random_array<Rows<double>>(n, n, 1);
        return into<Rows<double>>(n, n, [=](auto& out) {
            out.bottomRightCorner(n - kDown, n - kRight) = in->topLeftCorner(n - kDown, n - kRight);
            out.bottomLeftCorner(n - kDown, kRight) = in->topRightCorner(n - kDown, kRight);
            out.topRightCorner(kDown, n - kRight) = in->bottomLeftCorner(kDown, n - kRight);
            out.topLeftCorner(kDown, kRight) = in->bottomRightCorner(kDown, kRight);
        });
    });
    add_gather("gather_random", fill_random_indexes);
    add_gather("gather_sorted", fill_sorted_indexes);
    add("cast_float64_uint8/10000000/uint8", [] {
        const auto x = random_array<Array<double>>(kCount, 1, 1, 255.0);
        return into<Array<std::uint8_t>>(kCount, 1,
                                         [=](auto& out) { out = x->cast<std::uint8_t>(); });
    });
    add("cast_int32_float64/10000000/float64", [] {
        const auto x = random_array<Array<std::int32_t>>(kCount, 1, 1);
        return into<Array<double>>(kCount, 1, [=](auto& out) { out = x->cast<double>(); });
    });
});

} // namespace
