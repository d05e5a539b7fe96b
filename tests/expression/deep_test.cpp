#include <support/catch.hpp>
#include <support/sanitizers.hpp>
#include <support/tensors.hpp>

#include <chrono>
#include <cstdint>

#include <sys/resource.h>

namespace deep_test {

// Expressions as deep as a program may build them: neither stack nor time explodes.

namespace {

namespace pv = purview;

/// The most memory this process has held, in MB.
long peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

constexpr int kDeep = UNDER_A_SANITIZER ? 250'000 : 1'000'000;

} // namespace

TEST_CASE(
    "a chain of a million additions, or of a quarter under a sanitizer, is built, evaluated and destroyed") {
    {
        pv::Tensor<std::int64_t> x = pv::zeros<std::int64_t>({3});
        for (int i = 0; i < kDeep; ++i) x = x + 1;
        CHECK(x(1) == kDeep);
        CHECK(pv::sum(x(pv::range(0, 1))) == kDeep);
    }
    CHECK(peak_megabytes() < 4000);
}

TEST_CASE("right-leaning, unary and mixed chains too") {
    pv::Tensor<std::int64_t> right = pv::zeros<std::int64_t>({2});
    for (int i = 0; i < 100'000; ++i) right = 1 - right;
    CHECK(right(0) == 0);
    pv::Tensor<std::int64_t> unary = pv::ones<std::int64_t>({2});
    for (int i = 0; i < 100'001; ++i) unary = -unary;
    CHECK(unary(0) == -1);
    pv::Tensor<std::int64_t> chosen = pv::zeros<std::int64_t>({2});
    const auto one = pv::ones<std::int64_t>({2});
    for (int i = 0; i < 100'000; ++i) chosen = pv::where(chosen < 50'000, chosen + one, chosen);
    CHECK(chosen(1) == 50'000);
    pv::AnyTensor any = pv::zeros<float>({2});
    for (int i = 0; i < 50'000; ++i) any = any + 1;
    CHECK(pv::max(any).item<float>() == 50'000.0F);
    pv::Tensor<double> mapped = pv::zeros({2});
    for (int i = 0; i < 50'000; ++i) mapped = pv::emap([](double a) { return a + 1; }, mapped);
    CHECK(mapped(1) == 50'000.0);
}

TEST_CASE("views between the operations of a deep chain") {
    pv::Tensor<std::int64_t> x = pv::arange(std::int64_t{4});
    for (int i = 0; i < 20'000; ++i) x = pv::flip(x) + 1;
    CHECK(pv::to_vector(x) == std::vector<std::int64_t>{20'000, 20'001, 20'002, 20'003});
    pv::Tensor<std::int64_t> rotated = pv::arange(std::int64_t{4});
    for (int i = 0; i < 10'000; ++i) rotated = pv::rotate(rotated, {1}) + 1;
    CHECK(pv::to_vector(rotated) == std::vector<std::int64_t>{10'000, 10'001, 10'002, 10'003});
    pv::Tensor<std::int64_t> turned = pv::reshape(pv::arange(std::int64_t{4}), {2, 2});
    for (int i = 0; i < 10'001; ++i) turned = pv::transpose(turned) + 1;
    CHECK(pv::to_vector(turned) == std::vector<std::int64_t>{10'001, 10'003, 10'002, 10'004});
}

TEST_CASE("x + x thirty times has thirty nodes") {
    pv::Tensor<std::int64_t> x = pv::ones<std::int64_t>({10});
    for (int i = 0; i < 30; ++i) x = x + x;
    CHECK(x(9) == std::int64_t{1} << 30);
    CHECK(pv::sum(x) == 10 * (std::int64_t{1} << 30));
    pv::Tensor<std::int64_t> views = pv::ones<std::int64_t>({10});
    for (int i = 0; i < 30; ++i) views = views + pv::flip(views);
    CHECK(views(0) == std::int64_t{1} << 30);
    pv::Tensor<std::int64_t> turned = pv::ones<std::int64_t>({8, 8});
    for (int i = 0; i < 30; ++i) turned = turned + pv::transpose(turned);
    CHECK(turned(3, 4) == std::int64_t{1} << 30);
    // Walking it for a copy onto its own source is thirty steps too.
    const auto source = pv::ones<std::int64_t>({10});
    pv::Tensor<std::int64_t> sum = source;
    for (int i = 0; i < 60; ++i) sum = sum + sum;
    CHECK(pv::may_overlap(sum, source));
    pv::copy(sum, source);
    CHECK(source(0) == std::int64_t{1} << 60);
    // And onto memory apart, of however many steps (2^40 readings, were each met again).
    const auto apart = pv::ones<std::int64_t>({10});
    for (int steps = 1; steps <= 40; ++steps) {
        pv::Tensor<std::int64_t> doubled = apart;
        for (int i = 0; i < steps; ++i) doubled = doubled + doubled;
        pv::copy(doubled, source);
        CHECK(source(9) == std::int64_t{1} << steps);
    }
}

TEST_CASE("a deep chain of views of one tensor stays flat") {
    pv::Tensor<double> x = pv::reshape(pv::arange(12.0), {3, 4});
    for (int i = 0; i < 100'001; ++i) x = pv::transpose(x);
    CHECK(x.shape() == pv::Shape{4, 3});
    CHECK(x(3, 2) == 11.0);
    for (int i = 0; i < 3; ++i) x = pv::rotate(x, {1, 1});
    CHECK(x(0, 0) == 1.0);
}

} // namespace deep_test
