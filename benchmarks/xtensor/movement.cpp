#include "inputs.hpp"

#include <xtensor/xmanipulation.hpp>
#include <xtensor/xstrided_view.hpp>

namespace {

using namespace bench;

template <typename T>
void add_transpose(const char* dtype) {
    add(case_name("transpose", "4096x4096", dtype), [] {
        const auto matrix = random_tensor<T, 2>({4096, 4096}, 1);
        return into<T, 2>({4096, 4096},
                          [=](auto& out) { xt::noalias(out) = xt::transpose(*matrix); });
    });
}

void add_permute(const char* name, std::array<std::size_t, 3> axes) {
    add(case_name(name, "256x256x256", "float64"), [=] {
        const auto cube = random_tensor<double, 3>({256, 256, 256}, 1);
        return into<double, 3>({256, 256, 256},
                               [=](auto& out) { xt::noalias(out) = xt::transpose(*cube, axes); });
    });
}

constexpr std::size_t kCount = 10'000'000;

void add_gather(const char* name, void (*fill_indexes)(std::int64_t*, std::size_t)) {
    add(case_name(name, "10000000", "float64"), [=] {
        const auto source = random_tensor<double, 1>({kCount}, 1);
        std::vector<std::int64_t> list(kCount);
        fill_indexes(list.data(), kCount);
        const auto kept = xt::keep(list);
        return into<double, 1>({kCount},
                               [=](auto& out) { xt::noalias(out) = xt::view(*source, kept); });
    });
}

const Cases movement([] {
    add_transpose<double>("float64");
    add_transpose<float>("float32");
    add_permute("permute_210", {2, 1, 0});
    add_permute("permute_120", {1, 2, 0});
    add("crop_channels/2048x2048x4/uint8", [] {
        const auto image = random_tensor<std::uint8_t, 3>({2048, 2048, 4}, 1);
        return into<std::uint8_t, 3>({1536, 1536, 3}, [=](auto& out) {
            xt::noalias(out) =
                xt::view(*image, xt::range(256, 1792), xt::range(256, 1792), xt::keep(2, 1, 0));
        });
    });
    add("rotate/4096x4096/float64", [] {
        const auto matrix = random_tensor<double, 2>({4096, 4096}, 1);
        return made([=] { return Tensor<double, 2>(xt::roll(xt::roll(*matrix, 1000, 0), 37, 1)); });
    });
    add_gather("gather_random", fill_random_indexes);
    add_gather("gather_sorted", fill_sorted_indexes);
    add("cast_float64_uint8/10000000/uint8", [] {
        const auto x = random_tensor<double, 1>({kCount}, 1, 255.0);
        return into<std::uint8_t, 1>(
            {kCount}, [=](auto& out) { xt::noalias(out) = xt::cast<std::uint8_t>(*x); });
    });
    add("cast_int32_float64/10000000/float64", [] {
        const auto x = random_tensor<std::int32_t, 1>({kCount}, 1);
        return into<double, 1>({kCount},
                               [=](auto& out) { xt::noalias(out) = xt::cast<double>(*x); });
    });
});

} // namespace
