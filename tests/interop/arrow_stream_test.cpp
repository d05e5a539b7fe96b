#include <support/catch.hpp>

#include <interop/arrow_producer.hpp>

#include <purview/interop/arrow_stream.hpp>
#include <purview/purview.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace arrow_stream_test {

namespace pv = purview;
namespace arrow = pv::arrow;
using namespace std::chrono;
using arrow_producer::batch_of;
using arrow_producer::bytes_of;
using arrow_producer::Counts;
using arrow_producer::Node;
using arrow_producer::text_of;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using Bools = std::vector<bool>;
using Texts = std::vector<std::string>;

static_assert(std::input_iterator<arrow::Batches::Iterator>);
static_assert(std::ranges::input_range<arrow::Batches>);
static_assert(!std::copy_constructible<arrow::Batches>);

/// A stream as another library would make it.
struct Producer {
    Node schema;
    std::vector<Node> batches;
    std::size_t failing = ~std::size_t{0}; ///< the batch instead of which an error comes
    const char* text = "the disk\nis on fire";
    int schema_error = 0;
    bool gives_schema = true;

    Counts counts{};
    int released = 0;
    std::size_t asked = 0;

    arrow::Stream stream() {
        return {[](arrow::Stream* self, arrow::Schema* out) {
                    Producer& own = of(self);
                    if (own.schema_error != 0) return own.schema_error;
                    *out = own.gives_schema ? arrow_producer::made_schema(own.schema, own.counts)
                                            : arrow::Schema{};
                    return 0;
                },
                [](arrow::Stream* self, arrow::Array* out) {
                    Producer& own = of(self);
                    const std::size_t k = own.asked++;
                    if (k == own.failing) return EIO;
                    *out = k < own.batches.size()
                               ? arrow_producer::made_array(own.batches[k], own.counts)
                               : arrow::Array{};
                    return 0;
                },
                [](arrow::Stream* self) { return of(self).text; },
                [](arrow::Stream* self) {
                    ++of(self).released;
                    self->release = nullptr;
                },
                this};
    }
    arrow::Batches taken(const pv::ArrowOptions& options = {}) {
        arrow::Stream own = stream();
        return pv::from_arrow_stream(&own, options);
    }
    bool is_all_released() const {
        return released == 1 && counts.arrays == 0 && counts.schemas == 0;
    }

private:
    static Producer& of(arrow::Stream* self) { return *static_cast<Producer*>(self->private_data); }
};

Node numbers(const std::vector<std::int64_t>& values, const Bools& valid = {}) {
    Node node{.format = "l", .name = "n", .length = std::ssize(values)};
    node.buffers.emplace_back();
    if (!valid.empty()) node.buffers[0] = arrow_producer::bits_of(valid);
    node.buffers.emplace_back(bytes_of(values));
    return node;
}
Node texts(const Texts& values) {
    auto [offsets, bytes] = text_of<std::int32_t>(values);
    return {
        .format = "u", .name = "t", .length = std::ssize(values), .buffers = {{}, offsets, bytes}};
}
/// Batches of a number and a text: 1 2, -, 3.
Producer three_batches() {
    return {.schema = batch_of({numbers({}), texts({})}),
            .batches = {batch_of({numbers({1, 2}, {true, false}), texts({"a", ""})}),
                        batch_of({numbers({}), texts({})}),
                        batch_of({numbers({3}), texts({"ccc"})})}};
}

TEST_CASE("A stream is walked batch by batch, and released at its end") {
    Producer producer = three_batches();
    arrow::Stream stream = producer.stream();
    arrow::Batches batches = pv::from_arrow_stream(&stream);
    CHECK(stream.release == nullptr);
    CHECK(producer.asked == 0);
    REQUIRE(batches.schema().size() == 2);
    CHECK(batches.schema().rows() == 0);
    CHECK(batches.schema()["n"].dtype() == pv::int64);
    CHECK(batches.schema()["t"].dtype() == pv::kDType<std::string>);
    std::vector<index_t> rows;
    std::vector<pv::Columns> kept;
    for (const pv::Columns& batch : batches) {
        rows.push_back(batch.rows());
        kept.push_back(batch);
        CHECK(producer.asked == rows.size());
    }
    CHECK(rows == std::vector<index_t>{2, 0, 1});
    CHECK(producer.released == 1);
    CHECK(!batches.next());
    CHECK((batches.begin() == batches.end()));
    CHECK(producer.asked == 4);
    CHECK(producer.counts.schemas == 0);
    CHECK(producer.counts.arrays == 3 * 3);
    CHECK(kept[0]["n"].missing(1));
    CHECK(std::string(kept[2]["t"].values.as<std::string>()(0)) == "ccc");
    kept.clear();
    CHECK(producer.is_all_released());
}

TEST_CASE("A batch may be released on another thread, after its stream") {
    Producer producer = three_batches();
    std::optional<pv::Columns> batch = producer.taken().next();
    CHECK(producer.released == 1);
    CHECK(producer.counts.arrays == 3);
    std::thread([&] { batch.reset(); }).join();
    CHECK(producer.is_all_released());
}

TEST_CASE("All batches become one table") {
    Producer producer = three_batches();
    pv::Columns table = producer.taken().read_all();
    CHECK(producer.released == 1);
    CHECK(table.rows() == 3);
    CHECK(pv::to_vector(table["n"].missing) == Bools{false, true, false});
    CHECK(pv::to_vector(table["t"].values.as<std::string>()) == Texts{"a", "", "ccc"});
    CHECK(std::int64_t(table.get<std::int64_t>("n")(2)) == 3);
    table = {};
    CHECK(producer.is_all_released());

    Producer filled = three_batches();
    table = filled.taken({.fill = -1}).read_all();
    CHECK(pv::to_vector(table.get<std::int64_t>("n")) == std::vector<std::int64_t>{1, -1, 3});
    CHECK(table["n"].is_filled);

    Producer empty{.schema = batch_of({numbers({}), texts({})}), .batches = {}};
    table = empty.taken().read_all();
    CHECK((table.rows() == 0 && table.size() == 2));
    CHECK(table["t"].dtype() == pv::kDType<std::string>);
    CHECK(empty.is_all_released());

    Producer begun = three_batches();
    arrow::Batches batches = begun.taken();
    CHECK(batches.next()->rows() == 2);
    CHECK(batches.read_all().rows() == 1);
}

TEST_CASE("An error of the producer ends the stream, and stays") {
    for (std::size_t k = 0; k < 4; ++k) {
        Producer producer = three_batches();
        producer.failing = k;
        arrow::Batches batches = producer.taken();
        for (std::size_t i = 0; i < k; ++i) CHECK(batches.next());
        const std::string where = "batch " + std::to_string(k);
        CHECK_THROWS_WITH(batches.next(), ContainsSubstring(where) &&
                                              ContainsSubstring("errno 5") &&
                                              ContainsSubstring("the disk\nis on fire"));
        CHECK(producer.is_all_released());
        CHECK_THROWS_AS(batches.next(), pv::FormatError);
        CHECK_THROWS_AS(batches.begin(), pv::FormatError);
        CHECK(producer.asked == k + 1);
        Producer again = three_batches();
        again.failing = k;
        CHECK_THROWS_AS(again.taken().read_all(), pv::FormatError);
        CHECK(again.is_all_released());
    }
    Producer silent = three_batches();
    silent.failing = 0;
    silent.text = nullptr;
    CHECK_THROWS_WITH(silent.taken().next(), ContainsSubstring("errno 5"));
    Producer refusing = three_batches();
    refusing.schema_error = ENOSYS;
    CHECK_THROWS_WITH(refusing.taken(),
                      ContainsSubstring("the schema") && ContainsSubstring("on fire"));
    CHECK(refusing.is_all_released());
}

TEST_CASE("Streams that are dropped, moved or contradict themselves are released once") {
    Producer dropped = three_batches();
    {
        arrow::Batches batches = dropped.taken();
        CHECK(batches.next());
        arrow::Batches moved = std::move(batches);
        CHECK(moved.next());
        CHECK(!batches.next()); // NOLINT: what was moved from is at its end
    }
    CHECK(dropped.is_all_released());

    Producer differing = three_batches();
    differing.batches[1] = batch_of({numbers({1})});
    {
        arrow::Batches batches = differing.taken();
        CHECK(batches.next());
        CHECK_THROWS_AS(batches.next(), pv::FormatError);
        CHECK(differing.is_all_released());
        CHECK_THROWS_AS(batches.next(), pv::FormatError);
    }
    Producer other{.schema = batch_of({numbers({})}), .batches = {batch_of({texts({"a"})})}};
    CHECK_THROWS_WITH(other.taken().next(), ContainsSubstring("'n'"));
    CHECK(other.is_all_released());

    Producer list{.schema =
                      batch_of({Node{.format = "+l", .name = "odd", .children = {texts({})}}}),
                  .batches = {}};
    CHECK_THROWS_WITH(list.taken(), ContainsSubstring("'odd'"));
    CHECK((list.is_all_released() && list.asked == 0));
    Producer no_table{.schema = numbers({}), .batches = {}};
    CHECK_THROWS_AS(no_table.taken(), pv::DtypeError);
    CHECK(no_table.is_all_released());
    Producer without = three_batches();
    without.gives_schema = false;
    CHECK_THROWS_AS(without.taken(), pv::FormatError);
    CHECK(without.is_all_released());

    arrow::Stream nothing{};
    CHECK_THROWS_AS(pv::from_arrow_stream(&nothing), pv::FormatError);
    CHECK_THROWS_AS(pv::from_arrow_stream(static_cast<arrow::Stream*>(nullptr)), pv::FormatError);
}

TEST_CASE("A schema says all types before there is a batch") {
    Node words = numbers({});
    words.name = "d";
    words.dictionary.push_back(Node{.format = "tss:Europe/Vienna", .buffers = {{}, {}}});
    Node lists{.format = "+w:2", .name = "l", .buffers = {{}}, .children = {numbers({})}};
    Node inner = batch_of({texts({}), lists, Node{.format = "n", .name = "z"}});
    inner.name = "s";
    Producer producer{.schema = batch_of({words, inner}), .batches = {}};
    const pv::Columns schema = producer.taken().schema();
    CHECK(schema["d"].dtype() == pv::kDType<sys_seconds>);
    CHECK(schema["d"].time_zone == "Europe/Vienna");
    CHECK(schema["s.l"].values.shape() == pv::Shape{0, 2});
    CHECK(schema["s.t"].dtype() == pv::kDType<std::string>);
    CHECK(schema["s.z"].dtype() == pv::float64);
    CHECK(producer.is_all_released());
}

TEST_CASE("Pieces of one column come as one column: a series of Polars or pandas") {
    Producer producer{.schema = numbers({}),
                      .batches = {numbers({1, 2}, {true, false}), numbers({}), numbers({3})}};
    arrow::Stream stream = producer.stream();
    {
        const pv::Column column = pv::column_from_arrow_stream(&stream);
        CHECK(column.values.size() == 3);
        CHECK(pv::to_vector(pv::clone(column.missing)) == Bools{false, true, false});
        CHECK(pv::to_vector(pv::Tensor<std::int64_t>(column.values.operand()))[2] == 3);
    }
    CHECK(producer.is_all_released());
    Producer empty{.schema = numbers({}), .batches = {}};
    stream = empty.stream();
    CHECK(pv::column_from_arrow_stream(&stream).values.dtype() == pv::int64);
    CHECK(empty.is_all_released());
    Producer failing{.schema = numbers({}), .batches = {numbers({1})}, .failing = 1};
    stream = failing.stream();
    CHECK_THROWS_WITH(pv::column_from_arrow_stream(&stream), ContainsSubstring("batch 1"));
    CHECK(failing.is_all_released());
    Producer table = three_batches();
    stream = table.stream();
    CHECK_THROWS_AS(pv::column_from_arrow_stream(&stream), pv::DtypeError);
    CHECK(table.is_all_released());
    CHECK_THROWS_AS(pv::column_from_arrow_stream(static_cast<arrow::Stream*>(nullptr)),
                    pv::FormatError);
}

} // namespace arrow_stream_test
