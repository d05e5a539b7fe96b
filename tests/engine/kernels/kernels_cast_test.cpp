#include "kernels_oracle.hpp"

#include <purview/dtype/cast.hpp>

namespace kernels_cast_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

template <typename F>
void for_all(F f) {
    f(bool{});
    for_numbers(f);
}

/// A foreign bool may be any byte; in memory they are bytes.
template <typename T>
using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

template <typename T>
T value_of(Stored<T> stored) {
    if constexpr (std::same_as<T, bool>)
        return stored != 0;
    else
        return stored;
}

/// What is asked of a cast of `From`. The type that it is to is known at run time, so that what follows is compiled for each
/// type and not for each pair of them.
template <typename From>
struct Asked {
    TypeId to;
    std::string name;
    std::size_t size;
    bool (*fits)(From);
    void (*convert)(From, void*);
    bool (*same)(const void*, const void*);
};

template <typename From, typename To>
Asked<From> asked() {
    return {.to = kTypeId<To>,
            .name = std::string(kDType<From>.name()) + " to " + std::string(kDType<To>.name()),
            .size = sizeof(To),
            .fits = [](From x) { return fits<To>(x); },
            .convert =
                [](From x, void* out) {
                    const auto y = static_cast<Stored<To>>(wrapping_cast<To>(x));
                    std::memcpy(out, &y, sizeof(y));
                },
            .same =
                [](const void* a, const void* b) {
                    Stored<To> x, y;
                    std::memcpy(&x, a, sizeof(x));
                    std::memcpy(&y, b, sizeof(y));
                    return test::same(x, y);
                }};
}

/// The first of n elements that is not what `in` converts to, or -1.
template <typename From, typename In>
index_t first_wrong(const Asked<From>& to, const void* out, std::size_t n, const In& in) {
    unsigned char expected[sizeof(std::uint64_t)];
    for (std::size_t i = 0; i < n; ++i) {
        to.convert(value_of<From>(in[i]), expected);
        if (!to.same(static_cast<const unsigned char*>(out) + i * to.size, expected))
            return static_cast<index_t>(i);
    }
    return -1;
}

template <typename From>
void check_cast(const KernelTable& table, const Asked<From>& to) {
    const auto fits = [&](Stored<From> x) { return to.fits(value_of<From>(x)); };
    const std::vector<Stored<From>> hard = hard_values<Stored<From>>();
    std::vector<Stored<From>> fitting;
    for (const auto x : hard)
        if (fits(x)) fitting.push_back(x);
    const CastBlock wrap = table.find_cast(kTypeId<From>, to.to, false);
    const CastBlock check = table.find_cast(kTypeId<From>, to.to, true);
    REQUIRE(wrap != nullptr);
    REQUIRE(check != nullptr);
    Random random(8);
    INFO(table.name << " " << to.name);

    for (std::size_t n = 0; n <= 300; n += n < 150 ? 1 : 29) {
        // Everything, unchecked.
        std::vector<Stored<From>> values(n);
        for (auto& x : values) x = random.value(hard);
        Misaligned<Stored<From>> in(values);
        Misaligned<unsigned char> out((n + 1) * to.size, 3);
        const std::vector<unsigned char> beyond(to.size, 77);
        unsigned char* const end = static_cast<unsigned char*>(out.data()) + n * to.size;
        std::memcpy(end, beyond.data(), to.size);
        CHECK(wrap(in.data(), out.data(), static_cast<index_t>(n)) == -1);
        const index_t wrong = first_wrong(to, out.data(), n, in);
        INFO("count " << n << " element " << wrong);
        CHECK(wrong == -1);
        CHECK(std::memcmp(end, beyond.data(), to.size) == 0);

        // What fits, checked, and then with one that does not.
        for (std::size_t i = 0; i < n; ++i) in.set(i, fitting[random.bits() % fitting.size()]);
        CHECK(check(in.data(), out.data(), static_cast<index_t>(n)) == -1);
        CHECK(first_wrong(to, out.data(), n, in) == -1);
        if (n == 0 || fitting.size() == hard.size()) continue;
        const std::size_t at = random.bits() % n;
        Stored<From> misfit = hard[0];
        while (fits(misfit)) misfit = hard[random.bits() % hard.size()];
        in.set(at, misfit);
        CHECK(check(in.data(), out.data(), static_cast<index_t>(n)) == static_cast<index_t>(at));
        CHECK(first_wrong(to, out.data(), at / 64 * 64, in) == -1);
    }
    if (sizeof(From) == to.size) { // in place
        const std::vector<Stored<From>> values = random.values<Stored<From>>(1000);
        std::vector<Stored<From>> memory = values;
        CHECK(wrap(memory.data(), memory.data(), 1000) == -1);
        CHECK(first_wrong(to, memory.data(), 1000, values) == -1);
    }
    // Each hard value alone, in a block of ones.
    for (const auto x : hard) {
        std::vector<Stored<From>> values(64, 1);
        values[17] = x;
        std::vector<unsigned char> out(64 * to.size);
        CHECK(check(values.data(), out.data(), 64) == (fits(x) ? -1 : 17));
        CHECK(wrap(values.data(), out.data(), 64) == -1);
        CHECK(first_wrong(to, out.data(), 64, values) == -1);
    }
}

} // namespace

TEST_CASE("Casts: all pairs of types agree with dtype/cast.hpp") {
    for (const KernelTable* const table : available_kernels())
        for_all([&]<typename From>(From) {
            for_all([&]<typename To>(To) { check_cast<From>(*table, asked<From, To>()); });
        });
}

TEST_CASE("Casts: tiles of one width") {
    for (const KernelTable* const table : available_kernels())
        for_numbers([&]<typename From>(From) {
            for_numbers([&]<typename To>(To) {
                if constexpr (sizeof(From) == sizeof(To)) {
                    const bool floating = std::is_floating_point_v<To>;
                    if (floating && std::is_floating_point_v<From>) return;
                    const TileOp wrap = floating               ? TileOp::to_float
                                        : std::is_signed_v<To> ? TileOp::to_signed
                                                               : TileOp::to_unsigned;
                    Random random(9);
                    const std::size_t lanes = table->tile_bytes / sizeof(From);
                    const std::vector<From> hard = hard_values<From>();
                    INFO(table->name << " " << kDType<From>.name() << " to " << kDType<To>.name());
                    for (int repeat = 0; repeat < 300; ++repeat) {
                        // Of numbers that fit, that nearly fit, and that do not.
                        std::vector<From> in(lanes, From{1});
                        for (int i = 0; i < repeat % 3; ++i)
                            in[random.bits() % lanes] = random.value(hard);
                        if (repeat % 7 == 0) in = random.values<From>(lanes);
                        std::vector<To> out(lanes);
                        KernelProgram program(*table, kTypeId<From>);
                        program.add(Form::load_a, in.data())
                            .add(Form::unary, wrap, nullptr)
                            .add(Form::store_last, out.data())
                            .run(lanes, sizeof(From));
                        CHECK(first_difference(out, lanes, [&](std::size_t i) {
                                  return wrapping_cast<To>(in[i]);
                              }) == -1);
                        CHECK(program.state.flags == 0);
                    }
                }
            });
        });
}

} // namespace kernels_cast_test
