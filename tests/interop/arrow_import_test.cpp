#include <support/catch.hpp>

#include <interop/arrow_producer.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace arrow_import_test {

namespace pv = purview;
namespace arrow = pv::arrow;
using namespace std::chrono;
using arrow_producer::batch_of;
using arrow_producer::bits_of;
using arrow_producer::bytes_of;
using arrow_producer::Counts;
using arrow_producer::imported;
using arrow_producer::imported_column;
using arrow_producer::Node;
using arrow_producer::text_of;
using arrow_producer::three;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using Bools = std::vector<bool>;

TEST_CASE("The last tensor releases the array, on any thread, and an error before it is thrown") {
    Counts counts;
    {
        pv::AnyTensor last =
            imported(batch_of({three(), three([](Node& n) { n.name = "m"; })}), counts)["m"].values;
        CHECK(counts.arrays == 3);
        CHECK(last.is_read_only());
        std::thread([t = std::move(last)]() mutable {
            CHECK(t.as<std::int64_t>()(2) == 3);
            t = pv::AnyTensor();
        }).join();
    }
    CHECK(counts.arrays == 0);
    // Lazy tensors and masks keep it, too.
    const Node gaps = three([](Node& n) { n.buffers[0] = bits_of({true, false, true}); });
    {
        const pv::Tensor<bool> mask = imported_column(gaps, counts).missing;
        CHECK(counts.arrays == 1);
        CHECK(mask(1));
    }
    CHECK(counts.arrays == 0);
    // A batch of which the second column is refused.
    CHECK_THROWS_AS(imported(batch_of({three(), three([](Node& n) { n.format = "+l"; })}), counts),
                    pv::DtypeError);
    CHECK_THROWS_WITH(imported(batch_of({three(), three()}), counts),
                      ContainsSubstring("two columns"));
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

TEST_CASE("Structures that hold nothing are refused, and what the other holds is released") {
    Counts counts;
    arrow::Array nothing{};
    arrow::Schema unsaid{};
    arrow::Array array = arrow_producer::made_array(batch_of({}), counts);
    CHECK_THROWS_AS(pv::from_arrow(&array, &unsaid), pv::FormatError);
    array = arrow_producer::made_array(batch_of({}), counts);
    CHECK_THROWS_AS(pv::from_arrow(&array, static_cast<arrow::Schema*>(nullptr)), pv::FormatError);
    arrow::Schema schema = arrow_producer::made_schema(batch_of({}), counts);
    CHECK_THROWS_AS(pv::from_arrow(&nothing, &schema), pv::FormatError);
    schema = arrow_producer::made_schema(batch_of({}), counts);
    CHECK_THROWS_AS(pv::from_arrow(static_cast<arrow::Array*>(nullptr), &schema), pv::FormatError);
    CHECK((counts.arrays == 0 && counts.schemas == 0));
    // A child that was moved out.
    const Node batch = batch_of({three()});
    array = arrow_producer::made_array(batch, counts);
    schema = arrow_producer::made_schema(batch, counts);
    arrow::Array child = *array.children[0];
    array.children[0]->release = nullptr;
    CHECK_THROWS_WITH(pv::from_arrow(&array, &schema), ContainsSubstring("moved out"));
    CHECK(counts.arrays == 1);
    child.release(&child);
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

TEST_CASE("Structs give columns of longer names, whose gaps are theirs and the struct's") {
    Counts counts;
    Node inner = batch_of({three([](Node& n) {
                               n.buffers[0] = bits_of({true, true, false});
                           }),
                           three([](Node& n) { n.name = "m"; })});
    inner.name = "s";
    inner.length = 2;
    inner.offset = 1;
    inner.null_count = 1;
    inner.buffers[0] = bits_of({true, false, true});
    const pv::Columns table = imported(batch_of({inner}), counts);
    CHECK(table.rows() == 2);
    CHECK(pv::to_vector(table.get<std::int64_t>("s.n")) == std::vector<std::int64_t>{2, 3});
    CHECK(pv::to_vector(table["s.n"].missing) == Bools{true, true});
    CHECK(pv::to_vector(table["s.m"].missing) == Bools{true, false});
    CHECK(imported(batch_of({}), counts).size() == 0);
}

TEST_CASE("Gaps are filled if asked for, lazily") {
    Counts counts;
    const Bools valid{true, false, true};
    const auto gaps = [&](Node& n) { n.buffers[0] = bits_of(valid); };
    const Node floats{.format = "f",
                      .name = "x",
                      .length = 3,
                      .buffers = {bits_of(valid), bytes_of(std::vector<float>{1, 2, 3})}};
    const Node bools{.format = "b",
                     .name = "b",
                     .length = 3,
                     .buffers = {bits_of(valid), bits_of({true, true, true})}};
    const Node halves{.format = "e",
                      .name = "e",
                      .length = 3,
                      .buffers = {bits_of(valid), bytes_of(std::vector<std::uint16_t>{0, 0, 0})}};
    const Node batch = batch_of({three(gaps), floats, bools, halves});
    const pv::Columns as_is = imported(batch, counts);
    CHECK(as_is.get<float>("x")(1) == 2);
    CHECK_FALSE(as_is["x"].is_filled);
    CHECK(std::isnan(as_is.get<double>("n")(1)));
    const pv::Columns nan = imported(batch, counts, {.fill = NAN});
    CHECK(std::isnan(nan.get<float>("x")(1)));
    CHECK(nan.get<std::int64_t>("n")(1) == 2);
    CHECK((nan["x"].is_filled && !nan["n"].is_filled));
    const pv::Columns one = imported(batch, counts, {.fill = 1});
    CHECK(pv::to_vector(one.get<std::int64_t>("n")) == std::vector<std::int64_t>{1, 1, 3});
    CHECK((one.get<bool>("b")(1) && float(pv::Half(one["e"].values.as<pv::Half>()(1))) == 1));
    CHECK(one["n"].missing(1));
    CHECK_THROWS_WITH(imported(batch, counts, {.fill = 0.5}),
                      ContainsSubstring("column 'n' is int64") && ContainsSubstring("0.5"));
    CHECK_THROWS_AS(imported(batch, counts, {.fill = 1e30}), pv::CastError);
}

TEST_CASE("Elements of lists that are missing are NaN, filled, or refused") {
    Counts counts;
    const auto list = [](Node child, Bools valid) {
        return Node{.format = "+w:2",
                    .name = "n",
                    .length = 2,
                    .buffers = {bits_of(valid)},
                    .children = {std::move(child)}};
    };
    Node doubles{
        .format = "g",
        .length = 4,
        .buffers = {bits_of({true, false, true, true}), bytes_of(std::vector<double>{1, 2, 3, 4})}};
    const pv::Column column = imported_column(list(doubles, {true, true}), counts);
    CHECK(column.values.shape() == pv::Shape{2, 2});
    CHECK((std::isnan(column.as<double>()(0, 1)) && column.as<double>()(1, 1) == 4));
    CHECK(imported_column(list(doubles, {true, true}), counts, {.fill = 7}).as<double>()(0, 1) ==
          7);
    Node integers = doubles;
    integers.format = "l";
    CHECK_THROWS_WITH(imported_column(list(integers, {true, true}), counts),
                      ContainsSubstring("column 'n'"));
    CHECK(imported_column(list(integers, {false, true}), counts).missing(0));
    CHECK(imported_column(list(integers, {true, true}), counts, {.fill = 5})
              .as<std::int64_t>()(0, 1) == 5);
}

TEST_CASE("Dictionaries may miss indexes, values, or have none") {
    Counts counts;
    Node values{.format = "l",
                .length = 2,
                .buffers = {bits_of({true, false}), bytes_of(std::vector<std::int64_t>{5, 6})}};
    Node node{
        .format = "C",
        .name = "n",
        .length = 3,
        .buffers = {bits_of({true, true, false}), bytes_of(std::vector<std::uint8_t>{0, 1, 255})},
        .dictionary = {values}};
    const pv::Column column = imported_column(node, counts);
    CHECK(pv::to_vector(column.missing) == Bools{false, true, true});
    CHECK(column.as<std::int64_t>()(0) == 5);
    node.dictionary[0].length = 0;
    CHECK_THROWS_AS(imported_column(node, counts), pv::FormatError);
    node.buffers[0] = bits_of({false, false, false});
    CHECK(pv::to_vector(imported_column(node, counts).missing) == Bools(3, true));
}

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

/// The digits of an integer.
std::string digits_of(Int128 number) {
    std::string digits;
    for (auto left = number < 0 ? -static_cast<Unsigned128>(number)
                                : static_cast<Unsigned128>(number);
         left != 0 || digits.empty(); left /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    return (number < 0 ? "-" : "") + digits;
}

template <typename Integer>
void check_decimals(int scale, int bits, std::mt19937_64& engine) {
    constexpr index_t kCount = 40;
    std::vector<Integer> integers;
    for (index_t i = 0; i < kCount; ++i) {
        const auto high = static_cast<Unsigned128>(engine()) << 64;
        integers.push_back(
            static_cast<Integer>(static_cast<Int128>(high | engine()) >> (engine() % 128)));
    }
    Node node = three();
    node.format = "d:9," + std::to_string(scale) + "," + std::to_string(bits);
    node.length = kCount;
    std::vector<Integer> stored; // of 256 bits, in halves
    for (const Integer integer : integers) {
        stored.push_back(integer);
        if (bits == 256) stored.push_back(integer < 0 ? Integer(-1) : Integer(0));
    }
    node.buffers[1] = bytes_of(stored);
    Counts counts;
    const auto values = imported_column(node, counts).values.as<double>();
    for (index_t i = 0; i < kCount; ++i) {
        const std::string text =
            digits_of(integers[static_cast<std::size_t>(i)]) + "e" + std::to_string(-scale);
        CAPTURE(text);
        CHECK(values(i) == std::strtod(text.c_str(), nullptr));
    }
}

TEST_CASE("Decimals are the nearest float64") {
    std::mt19937_64 engine(3);
    for (const int scale : {0, 2, 9, 22, 23, 38, -5, -300, 350}) {
        check_decimals<std::int32_t>(scale, 32, engine);
        check_decimals<std::int64_t>(scale, 64, engine);
        check_decimals<Int128>(scale, 128, engine);
        check_decimals<Int128>(scale, 256, engine);
    }
}

} // namespace arrow_import_test
