#include "kernels_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace kernels_accumulate_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

struct alignas(64) Accumulator {
    unsigned char bytes[kAccumulatorBytes];
};

template <typename T>
T combine(TileOp op, T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        const bool nan = std::isnan(a) || std::isnan(b);
        if (op == TileOp::add) return a + b;
        if (op == TileOp::multiply) return a * b;
        if (op == TileOp::minimum) return nan ? a + b : b < a ? b : a;
        return nan ? a + b : b > a ? b : a;
    } else {
        using U = std::make_unsigned_t<T>;
        using W = std::common_type_t<U, unsigned>;
        const auto x = static_cast<W>(static_cast<U>(a));
        const auto y = static_cast<W>(static_cast<U>(b));
        if (op == TileOp::add) return static_cast<T>(x + y);
        if (op == TileOp::multiply) return static_cast<T>(x * y);
        if (op == TileOp::minimum) return std::min(a, b);
        return std::max(a, b);
    }
}

template <typename T>
void fill_accumulator(Accumulator& accumulator, T value) {
    for (std::size_t i = 0; i < kAccumulatorBytes; i += sizeof(T))
        std::memcpy(accumulator.bytes + i, &value, sizeof(T));
}

} // namespace

TEST_CASE("Accumulations: every lane takes its elements in order, on every target") {
    for (const KernelTable* const table : available_kernels())
        for_numbers([&]<typename T>(T) {
            constexpr bool kFloat = std::is_floating_point_v<T>;
            const std::size_t lanes = accumulator_lanes(kFloat, sizeof(T));
            for (const bool hard : {false, true}) {
                Random random(hard ? 6 : 7);
                const std::size_t n = 12 * kMaxTileBytes;
                std::vector<T> values = random.values<T>(n);
                if (!hard) // sums that do not end as NaN
                    for (T& x : values) x = static_cast<T>(random.below(100) + 1) / T{3};
                Misaligned<T> x(values);
                for (const TileOp op :
                     {TileOp::add, TileOp::multiply, TileOp::minimum, TileOp::maximum})
                    for (const Form form : {Form::accumulate_last, Form::accumulate_in_b}) {
                        if (table->find(form, op, kTypeId<T>) == nullptr) {
                            CHECK(form == Form::accumulate_in_b);
                            continue;
                        }
                        Accumulator accumulator;
                        fill_accumulator(accumulator, T{1});
                        KernelProgram program(*table, kTypeId<T>);
                        if (form == Form::accumulate_in_b)
                            program.add(Form::reload_b, &accumulator);
                        program.add(Form::load_a, x.data()).add(form, op, &accumulator);
                        program.run(n, sizeof(T));
                        std::vector<T> expected(lanes, T{1});
                        for (std::size_t i = 0; i < n; ++i)
                            expected[i % lanes] = combine(op, expected[i % lanes], x[i]);
                        std::vector<T> actual(lanes);
                        std::memcpy(actual.data(), accumulator.bytes, lanes * sizeof(T));
                        INFO(table->name << " " << kDType<T>.name() << " op " << int(op) << " form "
                                         << int(form));
                        CHECK(first_difference(actual, lanes,
                                               [&](std::size_t i) { return expected[i]; }) == -1);
                    }
            }
        });
}

TEST_CASE("Accumulations: any, all and count of masks") {
    for (const KernelTable* const table : available_kernels())
        for_types<std::uint8_t, std::int16_t, float, double>([&]<typename T>(T) {
            const std::size_t n = 4 * kMaxTileBytes;
            for (const index_t odd : {index_t{-1}, index_t{0}, index_t{511}, index_t(n - 1)})
                for (const bool value : {false, true}) {
                    Misaligned<std::uint8_t> bools(
                        std::vector<std::uint8_t>(n, static_cast<std::uint8_t>(value)));
                    if (odd >= 0) bools.set(static_cast<std::size_t>(odd), !value);
                    Accumulator any{};
                    Accumulator all;
                    fill_accumulator(all, std::uint8_t{255});
                    std::uint64_t count = 5;
                    const auto accumulate = [&](TileOp op, void* accumulator) {
                        KernelProgram(*table, kTypeId<T>)
                            .add(Form::load_bools_a, bools.data())
                            .add(Form::accumulate_last, op, accumulator)
                            .run(n, sizeof(T));
                    };
                    accumulate(TileOp::logical_or, &any);
                    accumulate(TileOp::count, &count);
                    accumulate(TileOp::logical_and, &all);
                    const auto is_set = [](unsigned char byte) { return byte != 0; };
                    CHECK(std::ranges::any_of(any.bytes, is_set) == (value || odd >= 0));
                    CHECK(std::ranges::all_of(all.bytes, is_set) == (value && odd < 0));
                    const index_t trues = value ? index_t(n) - (odd >= 0) : odd >= 0;
                    CHECK(count == 5 + static_cast<std::uint64_t>(trues));
                }
        });
}

TEST_CASE("Tiles: millions of them, and long programs, fit on the stack") {
    for (const KernelTable* const table : available_kernels()) {
        const std::size_t lanes = table->tile_bytes / 8;
        const std::vector<double> x(100'000 * lanes, 1.0);
        Accumulator accumulator{};
        for (int i = 0; i < 10; ++i)
            KernelProgram(*table, TypeId::float64)
                .add(Form::load_a, x.data())
                .add(Form::accumulate_last, TileOp::add, &accumulator)
                .run(x.size(), 8);
        double total = 0;
        for (std::size_t i = 0; i < kAccumulatorBytes; i += 8) {
            double lane;
            std::memcpy(&lane, accumulator.bytes + i, 8);
            total += lane;
        }
        CHECK(total == 1e6 * static_cast<double>(lanes));

        const double one = 1;
        std::vector<double> out(lanes);
        KernelProgram program(*table, TypeId::float64);
        program.add(Form::load_a, x.data());
        for (int i = 0; i < static_cast<int>(kMaxInstructions) - 2; ++i)
            program.add(Form::a_op_constant, TileOp::add, &one);
        program.add(Form::store_last, out.data()).run(lanes, 8);
        CHECK(out[0] == kMaxInstructions - 1);
    }
}

TEST_CASE("Tiles: division of one tile by itself runs in place") {
    for (const KernelTable* const table : available_kernels()) {
        std::vector<double> x(10 * kMaxTileBytes, 3.0);
        KernelProgram(*table, TypeId::float64)
            .add(Form::load_a, x.data())
            .add(Form::a_op_memory, TileOp::divide, x.data())
            .add(Form::store_last, x.data())
            .run(x.size(), 8);
        CHECK(std::ranges::all_of(x, [](double v) { return v == 1.0; }));
    }
}

#if defined(__x86_64__)
TEST_CASE(
    "Programs leave nothing in the upper halves of registers, for which narrow code would wait") {
    if (!__builtin_cpu_supports("avx")) return;
    for (const KernelTable* const table : available_kernels()) {
        alignas(64) double x[kMaxTileBytes / sizeof(double)];
        std::fill(std::begin(x), std::end(x), 1.0);
        Accumulator sums{};
        const Instruction program[] = {
            {table->find(Form::load_a, TileOp::none, TypeId::float64), x},
            {table->find(Form::accumulate_last, TileOp::add, TypeId::float64), sums.bytes}};
        TileState state;
        std::uint64_t registers[3][4];
        table->run_tiles(program, &state, 0, 1);
        asm volatile("vmovdqu %%ymm0, (%0)\n\tvmovdqu %%ymm7, 32(%0)\n\tvmovdqu %%ymm15, 64(%0)"
                     :
                     : "r"(registers)
                     : "memory");
        for (const auto& each : registers) {
            CHECK(each[2] == 0);
            CHECK(each[3] == 0);
        }
    }
}
#endif

} // namespace kernels_accumulate_test
