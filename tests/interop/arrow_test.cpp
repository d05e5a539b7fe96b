#include <support/catch.hpp>

#include <interop/arrow_producer.hpp>

#include <purview/dtype/half.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace arrow_test {

namespace pv = purview;
namespace arrow = pv::arrow;
using namespace std::chrono;
using arrow_producer::bits_of;
using arrow_producer::bytes_of;
using arrow_producer::Counts;
using arrow_producer::Node;
using arrow_producer::text_of;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using Bools = std::vector<bool>;

/// A column as it should come out.
using Check = std::function<void(const pv::Column&)>;

template <typename T>
void same_values(const pv::Column& column, const std::vector<T>& expected, const Bools& valid) {
    CHECK(column.dtype() == pv::kDType<T>);
    REQUIRE(column.rows() == std::ssize(valid));
    const pv::Tensor<T> values = column.values.as<T>();
    const pv::Tensor<T> flat = pv::reshape(values, {values.size()});
    const auto width = valid.empty() ? 1 : expected.size() / valid.size();
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (valid[i / width])
            CHECK(pv::same_element(T(flat.read(static_cast<index_t>(i))), expected[i]));
    for (std::size_t i = 0; i < valid.size(); ++i)
        CHECK(column.missing(static_cast<index_t>(i)) == !valid[i]);
}

/// Columns of random types, as arrays and as what is expected of rows [offset, offset + rows).
class RandomColumns {
public:
    RandomColumns(std::mt19937& random, index_t offset, index_t rows)
        : random_(&random), offset_(offset), rows_(rows) {}

    std::vector<Node> nodes;
    std::vector<Check> checks;

    template <typename T, typename Stored = T>
    void fixed(
        std::string format,
        const std::function<T(Stored)>& seen = [](Stored x) { return static_cast<T>(x); }) {
        const std::int64_t own = number(0, 9);
        std::vector<Stored> all(total(own));
        for (Stored& x : all) x = static_cast<Stored>(number(-100, 100));
        std::vector<T> expected;
        for (const Stored x : part(all, own)) expected.push_back(seen(x));
        add(std::move(format), own, {bytes_of(all)}, std::move(expected));
    }
    void bools() {
        const std::int64_t own = number(0, 9);
        Bools all(total(own));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = number(0, 1) == 1;
        add("b", own, {bits_of(all)}, part(all, own));
    }
    template <typename Offset>
    void texts(std::string format) {
        const std::int64_t own = number(0, 9);
        std::vector<std::string> all(total(own));
        for (std::string& text : all) text.assign(static_cast<std::size_t>(number(0, 30)), 'x');
        auto [offsets, bytes] = text_of<Offset>(all);
        add(std::move(format), own, {offsets, bytes}, part(all, own));
    }
    void lists() {
        const std::int64_t own = number(0, 9);
        std::vector<std::int16_t> all(2 * total(own));
        for (std::int16_t& x : all) x = static_cast<std::int16_t>(number(-100, 100));
        Node child{.format = "s", .length = std::ssize(all), .buffers = {{}, bytes_of(all)}};
        add("+w:2", own, {},
            std::vector<std::int16_t>(all.begin() + 2 * (own + offset_),
                                      all.begin() + 2 * (own + offset_ + rows_)));
        nodes.back().children.push_back(std::move(child));
    }
    template <typename Index>
    void dictionary(std::string format) {
        const std::vector<std::string> words{"one", "two", "", "three"};
        const std::int64_t own = number(0, 9);
        std::vector<Index> all(total(own));
        std::vector<std::string> expected;
        for (Index& x : all) x = static_cast<Index>(number(0, 3));
        for (const Index x : part(all, own)) expected.push_back(words[static_cast<std::size_t>(x)]);
        add(std::move(format), own, {bytes_of(all)}, std::move(expected));
        auto [offsets, bytes] = text_of<std::int32_t>(words);
        nodes.back().dictionary.push_back(
            {.format = "u", .length = 4, .buffers = {{}, offsets, bytes}});
    }

private:
    std::int64_t number(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution(low, high)(*random_);
    }
    std::size_t total(std::int64_t own) const {
        return static_cast<std::size_t>(own + offset_ + rows_);
    }
    template <typename V>
    V part(const V& all, std::int64_t own) const {
        return V(all.begin() + own + offset_, all.end());
    }
    template <typename T>
    void add(std::string format, std::int64_t own, std::vector<arrow_producer::Bytes> buffers,
             std::vector<T> expected) {
        Node node{.format = std::move(format),
                  .name = std::to_string(nodes.size()),
                  .length = offset_ + rows_,
                  .offset = own};
        const int kind = static_cast<int>(number(0, 2));
        Bools bits(total(own), true);
        for (std::size_t i = 0; kind > 0 && i < bits.size(); ++i) bits[i] = number(0, 3) > 0;
        const Bools valid = part(bits, own);
        node.null_count = number(0, 1) == 0 ? -1 : kind == 0 ? 0 : std::ranges::count(valid, false);
        // None are missing where the count says so, whatever the bitmap says.
        if (node.null_count == 0) bits.assign(bits.size(), number(0, 1) == 0);
        const Bools seen = node.null_count == 0 ? Bools(valid.size(), true) : valid;
        if (kind == 0)
            node.buffers.emplace_back();
        else
            node.buffers.emplace_back(bits_of(bits));
        for (auto& buffer : buffers) node.buffers.emplace_back(std::move(buffer));
        nodes.push_back(std::move(node));
        checks.push_back([expected = std::move(expected), seen](const pv::Column& column) {
            same_values(column, expected, seen);
        });
    }

    std::mt19937* random_;
    index_t offset_, rows_;
};

/// A batch of every type.
RandomColumns random_columns(std::mt19937& random, index_t offset, index_t rows) {
    RandomColumns columns(random, offset, rows);
    columns.fixed<std::int8_t>("c");
    columns.fixed<std::uint8_t>("C");
    columns.fixed<std::int16_t>("s");
    columns.fixed<std::uint16_t>("S");
    columns.fixed<std::int32_t>("i");
    columns.fixed<std::uint32_t>("I");
    columns.fixed<std::int64_t>("l");
    columns.fixed<std::uint64_t>("L");
    columns.fixed<float>("f");
    columns.fixed<double>("g");
    columns.fixed<pv::Half, std::uint16_t>("e", pv::Half::from_bits);
    columns.bools();
    columns.texts<std::int32_t>("u");
    columns.texts<std::int32_t>("z");
    columns.texts<std::int64_t>("U");
    columns.texts<std::int64_t>("Z");
    columns.fixed<sys_days, std::int32_t>("tdD", [](int x) { return sys_days(days(x)); });
    const auto point = []<typename P>(std::type_identity<P>) {
        return std::function<P(std::int64_t)>(
            [](std::int64_t x) { return P(typename P::duration(x)); });
    };
    const auto length = []<typename D>(std::type_identity<D>) {
        return std::function<D(std::int64_t)>([](std::int64_t x) { return D(x); });
    };
    columns.fixed<sys_time<milliseconds>, std::int64_t>(
        "tdm", point(std::type_identity<sys_time<milliseconds>>{}));
    columns.fixed<sys_seconds, std::int64_t>("tss:UTC", point(std::type_identity<sys_seconds>{}));
    columns.fixed<sys_time<nanoseconds>, std::int64_t>(
        "tsn:Europe/Vienna", point(std::type_identity<sys_time<nanoseconds>>{}));
    columns.fixed<local_time<milliseconds>, std::int64_t>(
        "tsm:", point(std::type_identity<local_time<milliseconds>>{}));
    columns.fixed<local_time<microseconds>, std::int64_t>(
        "tsu:", point(std::type_identity<local_time<microseconds>>{}));
    columns.fixed<seconds, std::int32_t>("tts", [](int x) { return seconds(x); });
    columns.fixed<milliseconds, std::int32_t>("ttm", [](int x) { return milliseconds(x); });
    columns.fixed<microseconds, std::int64_t>("ttu", length(std::type_identity<microseconds>{}));
    columns.fixed<nanoseconds, std::int64_t>("ttn", length(std::type_identity<nanoseconds>{}));
    columns.fixed<seconds, std::int64_t>("tDs", length(std::type_identity<seconds>{}));
    columns.fixed<nanoseconds, std::int64_t>("tDn", length(std::type_identity<nanoseconds>{}));
    columns.lists();
    columns.dictionary<std::int8_t>("c");
    columns.dictionary<std::uint32_t>("I");
    return columns;
}

TEST_CASE(
    "Batches of every type, with offsets and gaps, are read as they are, and again when exported") {
    std::mt19937 random(1);
    Counts counts;
    for (int round = 0; round < 60; ++round) {
        const index_t offset = round % 3 == 0 ? 0 : static_cast<index_t>(random() % 12);
        const index_t rows = round % 10 == 0 ? 0 : static_cast<index_t>(random() % 40);
        RandomColumns columns = random_columns(random, offset, rows);
        Node batch{.format = "+s",
                   .length = rows,
                   .null_count = 0,
                   .offset = offset,
                   .buffers = {{}},
                   .children = std::move(columns.nodes)};
        arrow::Array array = arrow_producer::made_array(batch, counts);
        arrow::Schema schema = arrow_producer::made_schema(batch, counts);
        pv::Columns table = pv::from_arrow(&array, &schema);
        CHECK((array.release == nullptr && schema.release == nullptr));
        CHECK(counts.schemas == 0);
        REQUIRE(table.size() == std::ssize(columns.checks));
        CHECK(table.rows() == rows);
        std::size_t c = 0;
        for (const pv::Column& column : table) columns.checks[c++](column);
        CHECK(table["18"].time_zone == "UTC");
        CHECK(table["19"].time_zone == "Europe/Vienna");
        CHECK(table["20"].time_zone.empty());

        arrow::Export out = pv::to_arrow(table);
        table = {};
        const pv::Columns again = pv::from_arrow(&out.array, &out.schema);
        c = 0;
        for (const pv::Column& column : again) columns.checks[c++](column);
        CHECK(again["19"].time_zone == "Europe/Vienna");
    }
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

} // namespace arrow_test
