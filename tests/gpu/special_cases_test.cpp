// Cases of kernels that need a test of their own: cuts, forms, formulas, destinations, and what was wrong once.
#include "gpu/same_bits.hpp"

#include <purview/expression/progression.hpp>
#include <purview/reader/range_reader.hpp>

#include <string>
#include <vector>

namespace {
using namespace gpu_tests;
using pv::Tensor;

/// Multiples of an eighth, so that sums are exact.
template <typename T>
pv::MutableTensor<T> eighths(const pv::Shape& shape, unsigned seed = 1) {
    const auto h = pv::empty<T>(shape);
    std::mt19937_64 random(seed);
    for (index_t i = 0; i < h.size(); ++i) {
        const auto number = static_cast<int>(random() % 1000) - 320;
        h.data()[i] =
            std::floating_point<T> ? static_cast<T>(number) / T(8) : static_cast<T>(number / 8);
    }
    return h;
}

/// `f` of tensors on the host, and of their copies on a device.
template <typename F, typename... X>
void check_same(const gpu::Device& d, const char* what, F f, const X&... host) {
    INFO(what);
    const auto expected = pv::clone(f(host...));
    const auto there = pv::clone(f(gpu::to_device(host, d)...));
    CHECK(gpu::device_of(there) == d);
    CHECK(difference(gpu::to_host(there), expected) == "");
}

TEST_CASE("int32 of rank 0: the lesser of m % 9 and -m") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const std::int32_t v : {35560502, -35560502, 8, 0})
            check_same(
                d, std::to_string(v).c_str(),
                [](const auto& m) {
                    const auto least = pv::minimum(m % 9, -m);
                    return pv::where(least < m % 9, least, m % 9);
                },
                pv::clone(pv::full({}, v)));
    });
}

TEST_CASE("what is too much for a kernel is cut into several") {
    on_every_computing_device([](const gpu::Device& d) {
        check_same(
            d, "1000 operations",
            [](const auto& x) {
                Tensor<float> y = x;
                for (int i = 0; i < 1000; ++i) y = i % 2 != 0 ? Tensor<float>(y + x) : y * 0.5f;
                return y;
            },
            eighths<float>({90}));
        const auto sum_of = [](const std::vector<Tensor<float>>& all) {
            Tensor<float> y = all[0];
            for (std::size_t i = 1; i < all.size(); ++i) y = y + all[i];
            return y;
        };
        std::vector<Tensor<float>> here, there;
        for (unsigned i = 0; i < 120; ++i) {
            const auto h = eighths<float>({33}, i);
            here.push_back(h), there.push_back(gpu::to_device(h, d));
        }
        CHECK(difference(gpu::to_host(pv::clone(sum_of(there))), pv::clone(sum_of(here))) == "");
        CHECK(pv::explain(sum_of(there)).find("kernels") != std::string::npos);
        check_same(
            d, "rotations of rotations",
            [](const auto& x) {
                Tensor<float> y = x;
                for (index_t i = 0; i < 12; ++i) y = y + pv::rotate(y, {i + 1, index_t{0}});
                return y;
            },
            eighths<float>({70, 90}));
        check_same(
            d, "a broadcast function",
            [](const auto& x) {
                return pv::broadcast(pv::sqrt(pv::abs(x)) + 1, {300, 90}) * 2;
            },
            eighths<float>({90}));
        check_same( // errors are those of the whole
            d, "a cut before an integer division",
            [](const auto& x) {
                Tensor<int> y = x;
                for (int i = 0; i < 300; ++i) y = y * 3 + x;
                return 1000 / (y | 1);
            },
            eighths<int>({90}));
    });
}

TEST_CASE("errors of what is cut are the host's") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::arange(90));
        const auto x = gpu::to_device(h, d);
        const auto of = [](const Tensor<int>& q) {
            Tensor<int> y = q;
            for (int i = 0; i < 300; ++i) y = i % 2 != 0 ? y - 1 : y + 1;
            return Tensor<int>(100 / (y - 57));
        };
        const std::string said = error_text([&] { pv::clone(of(h)); });
        CHECK(said != "");
        CHECK_THROWS_AS(gpu::to_host(of(x)), pv::ArithmeticError);
        CHECK(error_text([&] { gpu::to_host(of(x)); }) == said);
    });
}

TEST_CASE("progressions are formulas, single elements of the host arguments") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto range = [](auto begin, auto end, auto step) {
            const auto reader = pv::range_reader(begin, end, step);
            return pv::tensor(reader);
        };
        const auto progression = [](index_t first, index_t last) {
            return Tensor<index_t>(pv::progression_operand(first, last));
        };
        check_same(
            d, "a progression", [&](const auto& x) { return x * progression(-3, 86); },
            eighths<index_t>({90}));
        check_same(
            d, "a progression of long numbers",
            [&](const auto& x) {
                return x + progression(index_t{1} << 40, (index_t{1} << 40) + 89);
            },
            eighths<index_t>({90}));
        check_same(
            d, "of float64", [&](const auto& x) { return x + range(0., 9., 0.1); },
            eighths<double>({90}));
        check_same(
            d, "of float32", [&](const auto& x) { return x + range(0.f, 8.95f, 0.1f); },
            eighths<float>({90}));
        const Tensor<float> number = pv::clone(pv::full({}, 2.5f));
        check_same(
            d, "a tensor of rank 0", [&](const auto& x) { return x * number; },
            eighths<float>({9, 9}));
        const auto copies = gpu::to_device(pv::const_tensor(2.5, {3, 4}), d); // filled there
        CHECK(pv::equals(gpu::to_host(copies), pv::full({3, 4}, 2.5)));
    });
}

TEST_CASE("vectors have tails, and rows begin anywhere") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t n : {70001, 70002, 70007, 65536}) {
            INFO(n);
            check_same(
                d, "bytes", [](const auto& x) { return x + std::uint8_t{3}; },
                eighths<std::uint8_t>({n}));
            check_same(
                d, "of several widths",
                [](const auto& x, const auto& y) { return pv::where(x > 3, x, x + y); },
                eighths<double>({n}), eighths<std::uint8_t>({n}, 2));
            check_same(
                d, "bools", [](const auto& x) { return x > 3; }, eighths<float>({n}));
        }
        const auto odd = eighths<float>({300, 257}), even = eighths<float>({300, 256});
        check_same(
            d, "less a row", [](const auto& x, const auto& row) { return x - row; }, even,
            eighths<float>({256}));
        check_same(
            d, "rotated rows",
            [](const auto& x) {
                return x + pv::rotate(x, {0, 1});
            },
            odd);
        check_same(
            d, "inner columns", [](const auto& x) { return x(pv::all, pv::range(4, 256)) + 1; },
            even);
        check_same(
            d, "reversed rows", [](const auto& x) { return pv::flip(x, {1}) * 2; }, odd);
        check_same(
            d, "a square and its transposed", [](const auto& x) { return x + pv::transpose(x); },
            eighths<float>({130, 130}));
    });
}

TEST_CASE("computed indexes out of range are the host's errors") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = eighths<float>({70, 90});
        const auto at = pv::clone(pv::cast<index_t>(pv::arange(50) * 7 % 70));
        const auto x = gpu::to_device(h, d);
        const auto there = gpu::to_device(at, d);
        check_same(
            d, "from the end",
            [](const auto& q, const auto& i) { return pv::take(q * 2 + 1, i - 70, 0) * 3; }, h, at);
        check_same(
            d, "transposed",
            [](const auto& q, const auto& i) { return pv::transpose(pv::take(q, i, 0)); }, h, at);
        for (const index_t by : {25, -140}) {
            const std::string said = error_text([&] { pv::clone(pv::take(h, at + by, 0)); });
            CHECK(said != "");
            CHECK_THROWS_AS(gpu::to_host(pv::take(x, there + by, 0)), pv::IndexError);
            CHECK(error_text([&] { gpu::to_host(pv::take(x, there + by, 0)); }) == said);
        }
    });
}

TEST_CASE("what an error stopped is as it was, and what comes next is right") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::clone(pv::arange(6)), d);
        CHECK_THROWS_AS(gpu::to_host(6 / x), pv::ArithmeticError);
        CHECK(pv::equals(gpu::to_host(x), pv::arange(6)));
        CHECK(pv::equals(gpu::to_host(6 / (x + 1)), 6 / (pv::arange(6) + 1)));
        gpu::synchronize(d); // thrown once
        CHECK_THROWS_AS(pv::sum(6 / x), pv::ArithmeticError);
        CHECK(pv::sum(x) == 15);
    });
}

TEST_CASE("nothing at all, and one element") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const pv::Shape& shape : {pv::Shape{0}, {0, 3}, {3, 0}, {1}, {1, 1, 1}, {}}) {
            INFO(pv::to_string(shape));
            check_same(
                d, "an expression", [](const auto& x) { return x * 2 - 1; },
                pv::clone(pv::full(shape, 3.)));
            const auto x = gpu::to_device(pv::clone(pv::full(shape, 3.)), d);
            CHECK(pv::sum(x) == 3. * static_cast<double>(x.size()));
            x += 1;
            CHECK(pv::equals(gpu::to_host(x), pv::full(shape, 4.)));
        }
    });
}

} // namespace
