// Tests memory/copies.hpp.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace gpu_tests;
using detail::copy_in;
using detail::copy_out;
using detail::new_buffer;

namespace {
std::vector<std::byte> random_bytes(std::size_t n, std::mt19937_64& random) {
    std::vector<std::byte> bytes(n);
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    return bytes;
}
} // namespace

TEST_CASE("what is copied in comes out, in part and whole, directly and through pinned blocks") {
    std::mt19937_64 random(Catch::getSeed());
    on_every_device([&](const gpu::Device& d) {
        for (const bool staged : {false, true}) {
            d.state().staging.always = staged;
            for (int round = 0; round < 40; ++round) {
                // Of every order of magnitude; in the last rounds around the size of two blocks.
                const std::size_t n =
                    round < 36 ? 1 + random() % (std::size_t{1} << (round % 22))
                               : (std::size_t{8} << 20) - 2 + static_cast<std::size_t>(round - 36);
                auto expected = random_bytes(n, random);
                const auto buffer = new_buffer(d.state(), n);
                copy_in(*buffer, 0, expected.data(), n);
                const std::size_t at = random() % n, part = random() % (n - at + 1);
                const auto other = random_bytes(part, random);
                copy_in(*buffer, at, other.data(), part);
                std::copy(other.begin(), other.end(),
                          expected.begin() + static_cast<std::ptrdiff_t>(at));
                std::vector<std::byte> whole(n);
                copy_out(whole.data(), *buffer, 0, n);
                REQUIRE(whole == expected);
                const std::size_t from = random() % n, length = random() % (n - from + 1);
                std::vector<std::byte> some(length);
                copy_out(some.data(), *buffer, from, length);
                REQUIRE(std::equal(some.begin(), some.end(),
                                   expected.begin() + static_cast<std::ptrdiff_t>(from)));
            }
            d.state().staging.always = false;
        }
    });
}

TEST_CASE("copies within a device, and fills of every width") {
    std::mt19937_64 random(Catch::getSeed());
    on_every_device([&](const gpu::Device& d) {
        const std::size_t n = 10'000;
        auto expected = random_bytes(n, random);
        const auto a = new_buffer(d.state(), n), b = new_buffer(d.state(), n);
        copy_in(*a, 0, expected.data(), n);
        copy_within(*b, 0, *a, 0, n);
        copy_within(*b, 17, *a, 4000, 5001);
        std::copy_n(std::vector(expected).begin() + 4000, 5001, expected.begin() + 17);
        for (const std::size_t width : {1U, 2U, 4U, 8U, 16U})
            for (const bool equal_words : {true, false}) {
                auto pattern = random_bytes(16, random);
                if (equal_words)
                    for (std::size_t i = 4; i < 16; ++i) pattern[i] = pattern[i - 4];
                const std::size_t at = 16 * (random() % 100), length = 16 * (1 + random() % 300);
                {
                    detail::DeviceTurn turn(d.state());
                    turn.use(*b);
                    d.state().driver->fill(turn.stream(), b->handle(), at,
                                           std::span(pattern).first(width), length);
                }
                for (std::size_t i = 0; i < length; ++i) expected[at + i] = pattern[i % width];
            }
        std::vector<std::byte> found(n);
        copy_out(found.data(), *b, 0, n);
        CHECK(found == expected);
    });
}

TEST_CASE("statistics count the bytes that are copied") {
    on_every_device([](const gpu::Device& d) {
        const auto buffer = new_buffer(d.state(), 3 << 20);
        std::vector<std::byte> host(3 << 20);
        for (const bool staged : {false, true}) {
            d.state().staging.always = staged;
            const gpu::Statistics before = gpu::statistics(d);
            copy_in(*buffer, 0, host.data(), host.size());
            copy_out(host.data(), *buffer, 5, 1000);
            copy_out(host.data(), *buffer, 0, 0);
            const gpu::Statistics after = gpu::statistics(d);
            CHECK(after.bytes_in - before.bytes_in == host.size());
            CHECK(after.bytes_out - before.bytes_out == 1000);
        }
        d.state().staging.always = false;
    });
}
