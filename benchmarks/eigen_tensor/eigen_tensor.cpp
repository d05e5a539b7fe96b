/// Eigen's Tensor module, where it says what its arrays cannot, or says it otherwise.

#include "../support/cases.hpp"

#include <unsupported/Eigen/CXX11/Tensor>

#include <array>

namespace {

using namespace bench;

template <typename T, int Rank>
using Tensor = Eigen::Tensor<T, Rank, Eigen::RowMajor>;

/// A braced list of extents becomes this, and Dimensions only on request.
template <typename X>
using Shape = std::array<Eigen::Index, X::NumDimensions>;

template <typename X>
std::shared_ptr<X> random_tensor(Shape<X> shape, std::uint64_t seed) {
    const auto tensor = std::make_shared<X>(typename X::Dimensions(shape));
    fill_random(tensor->data(), static_cast<std::size_t>(tensor->size()), seed,
                typename X::Scalar(1));
    return tensor;
}

template <typename X, typename Run>
auto into(Shape<X> shape, Run run) {
    const auto out = std::make_shared<X>(typename X::Dimensions(shape));
    return Task{[=] { run(*out); },
                [=] { return summary_of(out->data(), static_cast<std::size_t>(out->size())); }};
}

template <typename T>
void add_transpose(const char* dtype) {
    add(case_name("transpose", "4096x4096", dtype), [] {
        const auto matrix = random_tensor<Tensor<T, 2>>({4096, 4096}, 1);
        return into<Tensor<T, 2>>({4096, 4096}, [=](auto& out) {
            out = matrix->shuffle(std::array<int, 2>{1, 0});
        });
    });
}

void add_permute(const char* name, std::array<int, 3> axes) {
    add(case_name(name, "256x256x256", "float64"), [=] {
        const auto cube = random_tensor<Tensor<double, 3>>({256, 256, 256}, 1);
        return into<Tensor<double, 3>>({256, 256, 256},
                                       [=](auto& out) { out = cube->shuffle(axes); });
    });
}

constexpr Eigen::Index kSide = 4096;

/// A vector repeated to the size of the matrix, by `times`, from `shape`.
void add_with_vector(const char* name, std::array<Eigen::Index, 2> shape,
                     std::array<Eigen::Index, 2> times) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<Tensor<double, 2>>({kSide, kSide}, 1);
        const auto vector = random_tensor<Tensor<double, 2>>(shape, 2);
        return into<Tensor<double, 2>>(
            {kSide, kSide}, [=](auto& out) { out = *matrix + vector->broadcast(times); });
    });
    add(case_name(std::string(name) + "_sum", "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<Tensor<double, 2>>({kSide, kSide}, 1);
        const auto vector = random_tensor<Tensor<double, 2>>(shape, 2);
        const auto run = [=] {
            const Tensor<double, 0> sum = (*matrix + vector->broadcast(times)).sum();
            return sum();
        };
        return Task{run, [=] { return Summary{run()}; }};
    });
}

const Cases tensors([] {
    add_transpose<double>("float64");
    add_transpose<float>("float32");
    add_permute("permute_210", {2, 1, 0});
    add_permute("permute_120", {1, 2, 0});
    add("crop_channels/2048x2048x4/uint8", [] {
        const auto image = random_tensor<Tensor<std::uint8_t, 3>>({2048, 2048, 4}, 1);
        using Three = std::array<Eigen::Index, 3>;
        return into<Tensor<std::uint8_t, 3>>({1536, 1536, 3}, [=](auto& out) {
            out = image->slice(Three{256, 256, 0}, Three{1536, 1536, 3})
                      .reverse(std::array<bool, 3>{false, false, true});
        });
    });
    add_with_vector("add_row", {1, kSide}, {kSide, 1});
    add_with_vector("add_column", {kSide, 1}, {1, kSide});
});

} // namespace
