// Matrix products and softmax on a device, beside the host's.
#include "gpu/same_bits.hpp"

#include <support/rounds.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace {
using namespace gpu_tests;

/// Small integers, whose sums of products are exact in every type.
template <typename T>
pv::MutableTensor<T> integers(const pv::Shape& shape, std::mt19937::result_type seed) {
    std::mt19937 random(seed);
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    const auto x = pv::empty<T>(pv::AxisValues(shape));
    for (index_t i = 0; i < size; ++i)
        x.data()[i] = static_cast<T>(static_cast<int>(random() % 13) - 6);
    return x;
}

template <typename X, typename Y>
std::string differs(const X& there, const Y& here) {
    if (!gpu::device_of(there)) return "it lies on the host";
    return difference(gpu::to_host(there), pv::clone(here));
}

TEMPLATE_TEST_CASE("matrix products of every shape and layout are the host's", "", float, double,
                   std::int8_t, std::int32_t, std::uint64_t) {
    using T = TestType;
    on_every_computing_device([](const gpu::Device& d) {
        std::mt19937 random(7);
        for (int round = 0; round < oracle::rounds(12) / 2; ++round) {
            const auto extent = [&](index_t most) {
                return 1 + static_cast<index_t>(random()) % most;
            };
            const index_t m = extent(90), n = extent(90), k = extent(50);
            INFO(m << ' ' << n << ' ' << k);
            const auto a = integers<T>({m, k}, random()), b = integers<T>({k, n}, random());
            const auto x = gpu::to_device(a, d), y = gpu::to_device(b, d);
            CHECK(differs(pv::matmul(x, y), pv::matmul(a, b)) == "");
            CHECK(differs(pv::matmul(pv::transpose(y), pv::transpose(x)),
                          pv::matmul(pv::transpose(b), pv::transpose(a))) == "");
            // Factors that no leading dimension describes, and ones that are computed.
            CHECK(differs(pv::matmul(pv::flip(x, 1), pv::flip(y, 0)), pv::matmul(a, b)) == "");
            CHECK(differs(pv::matmul(x + x, pv::rotate(y, {1, 2})),
                          pv::matmul(a + a, pv::rotate(b, {1, 2}))) == "");
            const auto wide = pv::range(0, k, 2);
            CHECK(differs(pv::matmul(x(pv::all, wide), y(wide, pv::all)),
                          pv::matmul(a(pv::all, wide), b(wide, pv::all))) == "");
        }
    });
}

TEST_CASE("batches, several axes and scales of products on a device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto a = integers<double>({3, 4, 10, 6}, 1), b = integers<double>({3, 4, 6, 12}, 2);
        const auto x = gpu::to_device(a, d), y = gpu::to_device(b, d);
        CHECK(differs(pv::matmul(x, y), pv::matmul(a, b)) == "");
        CHECK(differs(pv::matmul(x * 2, -y), pv::matmul(a * 2, -b)) == "");
        for (const char* const sums : {"abik,abkj->abij", "abik,abkj->baji", "abik,abkj->ij",
                                       "abik,abkj->aibj", "abik,cbkj->acij"}) {
            INFO(sums);
            CHECK(differs(pv::einsum(sums, x, y), pv::einsum(sums, a, b)) == "");
        }
        pv::Dim i, j, k;
        const auto h = integers<float>({20, 30}, 3);
        const auto g = gpu::to_device(h, d);
        const auto gram = [&](const auto& z) {
            return pv::Tensor<float>(
                pv::order(pv::sum(z(i, k) * z(j, k) * 0.5f, k), {j, i}).operand());
        };
        CHECK(differs(gram(g), gram(h)) == "");
        // Several factors, pair by pair.
        const auto chain = [](const auto& z) { return pv::einsum("ij,kj,kl,ml->im", z, z, z, z); };
        const auto c = integers<double>({40, 30}, 5);
        CHECK(differs(chain(gpu::to_device(c, d)), chain(c)) == "");
        // To memory that is there already, and of the host.
        auto into = gpu::to_device(pv::zeros<double>({20, 20}), d);
        const auto hd = pv::clone(pv::cast<double>(h));
        const auto gd = gpu::to_device(hd, d);
        into(pv::all, pv::all) = pv::matmul(gd, pv::transpose(gd));
        CHECK(differs(into, pv::matmul(hd, pv::transpose(hd))) == "");
    });
}

TEST_CASE("matrices in place are multiplied by a BLAS where there is one") {
    // So is what CUDA's is asked for, on the stand-in for it, which builds no kernels.
    on_every_device([](const gpu::Device& d) {
        if (d.state().driver->blas().empty()) return;
        const auto check = [&]<typename T>(T scale) {
            const auto a = integers<T>({3, 20, 12}, 1), b = integers<T>({3, 12, 33}, 2);
            const auto x = gpu::to_device(a, d), y = gpu::to_device(b, d);
            CHECK(differs(pv::matmul(x, y), pv::matmul(a, b)) == "");
            CHECK(differs(pv::matmul(x(1, pv::all) * scale, y(2, pv::all)),
                          pv::matmul(a(1, pv::all) * scale, b(2, pv::all))) == "");
            const auto turned = [](const auto& z) { return pv::transpose(z, {0, 2, 1}); };
            CHECK(differs(pv::matmul(turned(y), turned(x)), pv::matmul(turned(b), turned(a))) ==
                  "");
            const auto inside = [](const auto& z) {
                return z(pv::all, pv::range(1, 11), pv::range(2, 12));
            };
            CHECK(differs(pv::matmul(inside(x), inside(y)), pv::matmul(inside(a), inside(b))) ==
                  "");
        };
        check(2.f);
        check(3.);
        CHECK(pv::explain(pv::matmul, gpu::to_device(pv::zeros({20, 20}), d),
                          gpu::to_device(pv::zeros({20, 20}), d))
                  .find("by " + d.state().driver->blas()) != std::string::npos);
    });
}

TEST_CASE("explain says what multiplies on a device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::zeros<float>({64, 32}), d);
        const std::string text = pv::explain(pv::matmul, x, pv::transpose(x));
        INFO(text);
        CHECK(text.find("1 matrix product 64x64x32 by ") != std::string::npos);
        CHECK(text.find(d.state().driver->label()) != std::string::npos);
        // One factor is a vector: at the memory's speed as a fold.
        CHECK(pv::explain(pv::matmul, x, x(0, pv::all)).find("matrix product") ==
              std::string::npos);
    });
}

TEMPLATE_TEST_CASE("softmax on a device is the host's within the functions' error", "", float,
                   double) {
    using T = TestType;
    on_every_computing_device([](const gpu::Device& d) {
        for (const auto& [rows, columns] : std::vector<std::pair<index_t, index_t>>{
                 {1, 1}, {7, 3}, {5, 33}, {3, 257}, {40, 64}, {2, 3000}, {1, 16384}, {2, 17000}}) {
            INFO(rows << ' ' << columns);
            const auto line = pv::sin(pv::arange(static_cast<double>(rows * columns)));
            const auto h = pv::clone(pv::cast<T>(pv::reshape(line, {rows, columns}) * 9));
            const auto x = gpu::to_device(h, d);
            for (const int axis : {0, 1}) {
                const auto y = pv::clone(pv::softmax(x, axis));
                CHECK(gpu::device_of(y) == d);
                const auto expected = pv::clone(pv::softmax(h, axis));
                const auto error = pv::abs(gpu::to_host(y) - expected) / expected;
                CHECK(pv::max(error) <= 64 * std::numeric_limits<T>::epsilon());
            }
            CHECK(pv::equals(gpu::to_host(pv::softmax(pv::transpose(x) * 2, 0)),
                             pv::softmax(pv::transpose(h) * 2, 0), 1e-5));
        }
        const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
        const auto h = pv::tensor(
            {{T(1), -inf, T(2)}, {inf, T(0), T(0)}, {nan, T(0), T(1)}, {-inf, -inf, -inf}});
        const auto found = gpu::to_host(pv::softmax(gpu::to_device(h, d), 1));
        const auto expected = pv::clone(pv::softmax(h, 1));
        CHECK(difference(found, expected, 4) == "");
        // The host's error for elements that are errors.
        const auto integers = pv::tensor({1, 0, 3});
        const std::string text = error_text([&] { pv::clone(pv::softmax(6 / integers, 0)); });
        CHECK(text != "");
        CHECK(error_text([&] { gpu::to_host(pv::softmax(6 / gpu::to_device(integers, d), 0)); }) ==
              text);
    });
}

} // namespace
