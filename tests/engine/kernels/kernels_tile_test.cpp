#include "kernels_oracle.hpp"

#include <cmath>

namespace kernels_tile_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

template <typename T>
using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <typename T>
T naive(TileOp op, T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
        const bool nan = std::isnan(x) || std::isnan(y);
        switch (op) {
        case TileOp::add: return x + y;
        case TileOp::subtract: return x - y;
        case TileOp::multiply: return x * y;
        case TileOp::divide: return x / y;
        case TileOp::remainder: return std::fmod(x, y);
        case TileOp::minimum: return nan ? x + y : y < x ? y : x;
        case TileOp::maximum: return nan ? x + y : y > x ? y : x;
        default: return T{};
        }
    } else {
        const auto a = static_cast<Wide<T>>(x);
        const auto b = static_cast<Wide<T>>(y);
        switch (op) {
        case TileOp::add: return static_cast<T>(a + b);
        case TileOp::subtract: return static_cast<T>(a - b);
        case TileOp::multiply: return static_cast<T>(a * b);
        case TileOp::minimum: return y < x ? y : x;
        case TileOp::maximum: return y > x ? y : x;
        case TileOp::divide:
            if (y == 0) return 0;
            if (std::is_signed_v<T> && y == static_cast<T>(-1))
                return static_cast<T>(Wide<T>{0} - a);
            return static_cast<T>(x / y);
        case TileOp::remainder:
            if (y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1))) return 0;
            return static_cast<T>(x % y);
        default: return T{};
        }
    }
}

template <typename T>
bool naive_comparison(TileOp op, T x, T y) {
    switch (op) {
    case TileOp::equal: return x == y;
    case TileOp::not_equal: return x != y;
    case TileOp::less: return x < y;
    case TileOp::less_equal: return x <= y;
    case TileOp::greater: return x > y;
    default: return x >= y;
    }
}

constexpr TileOp kArithmetic[] = {TileOp::add,    TileOp::subtract,  TileOp::multiply,
                                  TileOp::divide, TileOp::remainder, TileOp::minimum,
                                  TileOp::maximum};
constexpr TileOp kComparisons[] = {TileOp::equal,      TileOp::not_equal, TileOp::less,
                                   TileOp::less_equal, TileOp::greater,   TileOp::greater_equal};
constexpr Form kForms[] = {Form::a_op_b,       Form::b_op_a,        Form::a_op_memory,
                           Form::memory_op_a,  Form::a_op_constant, Form::constant_op_a,
                           Form::a_op_scratch, Form::scratch_op_a};

bool is_reversed(Form form) {
    return form == Form::b_op_a || form == Form::memory_op_a || form == Form::constant_op_a ||
           form == Form::scratch_op_a;
}
bool is_constant(Form form) { return form == Form::a_op_constant || form == Form::constant_op_a; }

/// x op y in a form; a constant is y's first element.
template <typename T>
KernelProgram with_form(const KernelTable& table, Form form, TileOp op, Misaligned<T>& x,
                        Misaligned<T>& y, ScratchTile& scratch) {
    KernelProgram program(table, kTypeId<T>);
    if (form == Form::a_op_scratch || form == Form::scratch_op_a)
        program.add(Form::load_b, y.data()).add(Form::spill_b, &scratch);
    if (form == Form::a_op_b || form == Form::b_op_a) program.add(Form::load_b, y.data());
    program.add(Form::load_a, x.data());
    const bool scratched = form == Form::a_op_scratch || form == Form::scratch_op_a;
    program.add(form, op, scratched ? static_cast<void*>(&scratch) : y.data());
    return program;
}

} // namespace

TEST_CASE("Tiles: arithmetic in every form agrees with scalars") {
    for (const KernelTable* const table : tested_kernels())
        for_numbers([&]<typename T>(T) {
            const Pairs<T> pairs(1);
            Misaligned<T> x(pairs.x);
            Misaligned<T> y(pairs.y, 3);
            Misaligned<T> out(x.size());
            ScratchTile scratch;
            for (const TileOp op : kArithmetic)
                for (const Form form : kForms) {
                    // Another constant each time, among them 0, -1 and NaN.
                    const std::vector<T> hard = hard_values<T>();
                    for (const T constant : is_constant(form) ? hard : std::vector<T>{T{}}) {
                        if (is_constant(form)) y.set(0, constant);
                        KernelProgram program = with_form(*table, form, op, x, y, scratch);
                        program.add(Form::store_last, out.data()).run(x.size(), sizeof(T));
                        bool by_zero = false;
                        const index_t wrong = first_difference(out, x.size(), [&](std::size_t i) {
                            T a = x[i];
                            T b = is_constant(form) ? constant : y[i];
                            if (is_reversed(form)) std::swap(a, b);
                            by_zero = by_zero || b == T{0};
                            return naive(op, a, b);
                        });
                        const bool divides = !std::is_floating_point_v<T> &&
                                             (op == TileOp::divide || op == TileOp::remainder);
                        INFO(table->name << " " << kDType<T>.name() << " op " << int(op) << " form "
                                         << int(form) << " element " << wrong);
                        CHECK(wrong == -1);
                        if (wrong == -1)
                            CHECK((program.state.flags == kDivisionByZero) == (divides && by_zero));
                    }
                    y.set(0, pairs.y[0]);
                }
        });
}

TEST_CASE("Tiles: comparisons in every form, as masks and as bools") {
    for (const KernelTable* const table : tested_kernels())
        for_numbers([&]<typename T>(T) {
            const Pairs<T> pairs(2);
            Misaligned<T> x(pairs.x);
            Misaligned<T> y(pairs.y);
            Misaligned<std::uint8_t> bools(x.size());
            using Mask = std::conditional_t<
                sizeof(T) == 1, std::uint8_t,
                std::conditional_t<
                    sizeof(T) == 2, std::uint16_t,
                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
            Misaligned<Mask> masks(x.size());
            ScratchTile scratch;
            for (const TileOp op : kComparisons)
                for (const Form form : kForms) {
                    with_form(*table, form, op, x, y, scratch)
                        .add(Form::store_bools_last, bools.data())
                        .run(x.size(), sizeof(T));
                    with_form(*table, form, op, x, y, scratch)
                        .add(Form::store_last, masks.data())
                        .run(x.size(), sizeof(T));
                    const auto expected = [&](std::size_t i) {
                        T a = x[i];
                        T b = is_constant(form) ? y[0] : y[i];
                        if (is_reversed(form)) std::swap(a, b);
                        return naive_comparison(op, a, b);
                    };
                    INFO(table->name << " " << kDType<T>.name() << " op " << int(op) << " form "
                                     << int(form));
                    CHECK(first_difference(bools, x.size(), [&](std::size_t i) {
                              return static_cast<std::uint8_t>(expected(i));
                          }) == -1);
                    CHECK(first_difference(masks, x.size(), [&](std::size_t i) {
                              return expected(i) ? static_cast<Mask>(-1) : Mask{0};
                          }) == -1);
                }
        });
}

TEST_CASE("Tiles: unary operations agree with scalars") {
    for (const KernelTable* const table : tested_kernels())
        for_numbers([&]<typename T>(T) {
            const Pairs<T> pairs(3);
            Misaligned<T> x(pairs.x);
            Misaligned<T> out(x.size());
            const auto check = [&](TileOp op, auto f) {
                KernelProgram program(*table, kTypeId<T>);
                program.add(Form::load_a, x.data())
                    .add(Form::unary, op, nullptr)
                    .add(Form::store_last, out.data())
                    .run(x.size(), sizeof(T));
                INFO(table->name << " " << kDType<T>.name() << " op " << int(op));
                CHECK(first_difference(out, x.size(), [&](std::size_t i) { return f(x[i]); }) ==
                      -1);
            };
            check(TileOp::square, [](T v) { return naive(TileOp::multiply, v, v); });
            if constexpr (std::is_floating_point_v<T>) {
                check(TileOp::negative, [](T v) { return -v; });
                check(TileOp::absolute, [](T v) { return std::fabs(v); });
                check(TileOp::square_root, [](T v) { return std::sqrt(v); });
            } else {
                const auto negative = [](T v) { return naive(TileOp::subtract, T{0}, v); };
                check(TileOp::negative, negative);
                check(TileOp::absolute, [=](T v) { return v < T{0} ? negative(v) : v; });
                CHECK(table->find(Form::unary, TileOp::square_root, kTypeId<T>) == nullptr);
            }
        });
}

TEST_CASE("Tiles: masks from bools, logic, choices of every kind") {
    for (const KernelTable* const table : tested_kernels())
        for_numbers([&]<typename T>(T) {
            Random random(4);
            const std::size_t n = 3 * kMaxTileBytes;
            Misaligned<T> x(random.values<T>(n));
            Misaligned<T> y(random.values<T>(n));
            Misaligned<T> out(n);
            Misaligned<std::uint8_t> p(n);
            Misaligned<std::uint8_t> q(n, 5);
            Misaligned<std::uint8_t> bools(n);
            for (std::size_t i = 0; i < n; ++i) { // any byte but 0 is true
                p.set(i, random.below(2) != 0 ? static_cast<std::uint8_t>(random.bits())
                                              : std::uint8_t{0});
                q.set(i, random.below(2) != 0 ? static_cast<std::uint8_t>(1U << i % 8)
                                              : std::uint8_t{0});
            }
            ScratchTile scratch;
            const T constant = y[7];
            INFO(table->name << " " << kDType<T>.name());

            for (const TileOp op : {TileOp::logical_and, TileOp::logical_or, TileOp::logical_xor}) {
                KernelProgram(*table, kTypeId<T>)
                    .add(Form::load_bools_a, p.data())
                    .add(Form::load_bools_b, q.data())
                    .add(Form::a_op_b, op, nullptr)
                    .add(Form::unary, TileOp::logical_not, nullptr)
                    .add(Form::store_bools_last, bools.data())
                    .run(n, sizeof(T));
                CHECK(first_difference(bools, n, [&](std::size_t i) {
                          const bool a = p[i] != 0;
                          const bool b = q[i] != 0;
                          const bool value = op == TileOp::logical_and  ? a && b
                                             : op == TileOp::logical_or ? a || b
                                                                        : a != b;
                          return static_cast<std::uint8_t>(!value);
                      }) == -1);
            }

            // A or B the mask; the other x; y from memory, a constant or scratch.
            struct Case {
                Form form;
                bool mask_in_a;
                bool x_if_true;
                int source;
            };
            const Case cases[] = {{Form::a_chooses_b_or_memory, true, true, 0},
                                  {Form::a_chooses_memory_or_b, true, false, 0},
                                  {Form::b_chooses_a_or_memory, false, true, 0},
                                  {Form::b_chooses_memory_or_a, false, false, 0},
                                  {Form::a_chooses_b_or_constant, true, true, 1},
                                  {Form::a_chooses_constant_or_b, true, false, 1},
                                  {Form::b_chooses_a_or_constant, false, true, 1},
                                  {Form::b_chooses_constant_or_a, false, false, 1},
                                  {Form::a_chooses_b_or_scratch, true, true, 2},
                                  {Form::a_chooses_scratch_or_b, true, false, 2},
                                  {Form::b_chooses_a_or_scratch, false, true, 2},
                                  {Form::b_chooses_scratch_or_a, false, false, 2}};
            for (const Case& c : cases) {
                const void* const operands[] = {y.data(), &constant, &scratch};
                KernelProgram program(*table, kTypeId<T>);
                program.add(Form::load_a, y.data()).add(Form::spill_a, &scratch);
                program.add(c.mask_in_a ? Form::load_bools_a : Form::load_bools_b, p.data());
                program.add(c.mask_in_a ? Form::load_b : Form::load_a, x.data());
                program.add(c.form, operands[c.source]).add(Form::store_last, out.data());
                program.run(n, sizeof(T));
                INFO("form " << int(c.form));
                CHECK(first_difference(out, n, [&](std::size_t i) {
                          const T other = c.source == 1 ? constant : y[i];
                          return (p[i] != 0) == c.x_if_true ? x[i] : other;
                      }) == -1);
            }
        });
}

TEST_CASE("Tiles: moves between tiles, scratch and constants") {
    for (const KernelTable* const table : tested_kernels())
        for_numbers([&]<typename T>(T) {
            Random random(5);
            const std::size_t n = 2 * kMaxTileBytes;
            Misaligned<T> x(random.values<T>(n));
            Misaligned<T> y(random.values<T>(n));
            Misaligned<T> first(n);
            Misaligned<T> second(n);
            Misaligned<T> third(n);
            ScratchTile scratch;
            const T constant = x[3];
            INFO(table->name << " " << kDType<T>.name());
            const auto swapped = [&] {
                KernelProgram program(*table, kTypeId<T>);
                program.add(Form::load_a, x.data()).add(Form::load_b, y.data()).add(Form::swap);
                return program;
            };
            swapped().add(Form::store_last, first.data()).run(n, sizeof(T)); // y
            swapped()
                .add(Form::constant_b, &constant)
                .add(Form::b_to_a)
                .add(Form::store_last, second.data()) // constant
                .run(n, sizeof(T));
            swapped()
                .add(Form::spill_b, &scratch) // x
                .add(Form::reload_b, &scratch)
                .add(Form::constant_a, &constant)
                .add(Form::b_to_a)
                .add(Form::a_to_b)
                .add(Form::reload_a, &scratch)
                .add(Form::store_last, third.data()) // x
                .run(n, sizeof(T));
            CHECK(first_difference(first, n, [&](std::size_t i) { return y[i]; }) == -1);
            CHECK(first_difference(second, n, [&](std::size_t) { return constant; }) == -1);
            CHECK(first_difference(third, n, [&](std::size_t i) { return x[i]; }) == -1);

            const std::size_t lanes = table->tile_bytes / sizeof(T);
            for (std::size_t valid = 0; valid <= lanes; ++valid) {
                KernelProgram program(*table, kTypeId<T>);
                program.state.valid_lanes = valid;
                program.add(Form::load_a, x.data())
                    .add(Form::keep_valid, &constant)
                    .add(Form::store_last, first.data())
                    .run(lanes, sizeof(T));
                CHECK(first_difference(first, lanes, [&](std::size_t i) {
                          return i < valid ? x[i] : constant;
                      }) == -1);
            }
        });
}

} // namespace kernels_tile_test
