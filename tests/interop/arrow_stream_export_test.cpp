#include <support/catch.hpp>

#include <purview/interop/arrow_stream.hpp>
#include <purview/purview.hpp>

#include <cerrno>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace arrow_stream_export_test {

namespace pv = purview;
namespace arrow = pv::arrow;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

/// The columns of what is exported, walked by hand.
struct Consumer {
    arrow::Stream stream{};

    explicit Consumer(arrow::StreamExport given) { given.move_to(&stream); }
    ~Consumer() {
        if (stream.release != nullptr) stream.release(&stream);
    }
    /// The errno, with the format of a column.
    std::pair<int, std::string> schema(std::size_t column = 0) {
        arrow::Export out;
        const int answer = stream.get_schema(&stream, &out.schema);
        return {answer, answer == 0 ? out.schema.children[column]->format : ""};
    }
    /// The rows of the next batch, -1 at the end, -2 with an error.
    std::int64_t next() {
        arrow::Export out;
        if (code = stream.get_next(&stream, &out.array); code != 0) return -2;
        return out.array.release == nullptr ? -1 : out.array.length;
    }
    std::string error() {
        const char* const text = stream.get_last_error(&stream);
        return text == nullptr ? "" : text;
    }
    int code = 0;
};

pv::Columns table_of(const std::vector<double>& values, const Texts& words) {
    return {{"x", values}, {"t", words}};
}

TEST_CASE("What is exported comes back batch by batch") {
    const std::vector<pv::Columns> given{table_of({1, 2}, {"a", "b"}), table_of({}, {}),
                                         table_of({3}, {"ä"})};
    const auto is_same = [](arrow::Batches batches) {
        const pv::Columns all = batches.read_all();
        CHECK(pv::to_vector(all.get<double>("x")) == std::vector<double>{1, 2, 3});
        CHECK(pv::to_vector(all["t"].values.as<std::string>()) == Texts{"a", "b", "ä"});
    };
    arrow::StreamExport out = pv::to_arrow_stream(given);
    is_same(pv::from_arrow_stream(&out.stream));
    CHECK(out.stream.release == nullptr);
    out = pv::to_arrow_stream(std::list<pv::Columns>(given.begin(), given.end()));
    is_same(pv::from_arrow_stream(&out.stream));
    // A stream of a stream, asked of nothing before it is asked.
    auto asked = std::make_unique<int>(0);
    int* const count = asked.get();
    out = pv::to_arrow_stream([&given, asked = std::move(asked)]() -> std::optional<pv::Columns> {
        const auto k = static_cast<std::size_t>((*asked)++);
        return k < given.size() ? std::optional(given[k]) : std::nullopt;
    });
    CHECK(*count == 0);
    arrow::Batches first = pv::from_arrow_stream(&out.stream);
    CHECK(*count == 1);
    arrow::StreamExport second = pv::to_arrow_stream(std::move(first));
    is_same(pv::from_arrow_stream(&second.stream));

    Consumer walk(pv::to_arrow_stream(given));
    CHECK(walk.schema() == std::pair<int, std::string>(0, "g"));
    CHECK(walk.schema(1) == std::pair<int, std::string>(0, "u"));
    for (const std::int64_t rows : {2, 0, 1, -1, -1}) CHECK(walk.next() == rows);
    CHECK(walk.error().empty());
    CHECK(walk.schema().first == 0);
}

/// As a C header declares it: another type of the same layout.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, arrow::Schema*);
    int (*get_next)(ArrowArrayStream*, arrow::Array*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

TEST_CASE("A stream of the header's own type is taken, and given") {
    ArrowArrayStream stream;
    pv::to_arrow_stream(std::vector{table_of({1, 2}, {"a", "b"})}).move_to(&stream);
    CHECK(pv::from_arrow_stream(&stream).read_all().rows() == 2);
    CHECK(stream.release == nullptr);
}

TEST_CASE("An empty stream has the columns that it is given") {
    arrow::StreamExport out = pv::to_arrow_stream(std::vector<pv::Columns>());
    arrow::Batches none = pv::from_arrow_stream(&out.stream);
    CHECK(none.schema().size() == 0);
    CHECK(!none.next());
    out = pv::to_arrow_stream(std::vector<pv::Columns>(), {.schema = table_of({}, {})});
    const pv::Columns table = pv::from_arrow_stream(&out.stream).read_all();
    CHECK(table["x"].dtype() == pv::float64);
    CHECK(table["t"].dtype() == pv::kDType<std::string>);
    CHECK_THROWS_AS(pv::to_arrow_stream(
                        std::vector<pv::Columns>(),
                        {.schema = pv::Columns{{"z", pv::tensor({std::complex<double>(1, 2)})}}}),
                    pv::DtypeError);
}

TEST_CASE("A stream of a stream without batches has its columns") {
    using namespace std::chrono;
    pv::Column when("when", pv::tensor(std::vector<sys_seconds>()));
    when.time_zone = "Europe/Vienna";
    const pv::Columns given{pv::Column("x", pv::tensor(std::vector<double>())),
                            pv::Column("t", pv::tensor(std::vector<std::string>())),
                            when,
                            pv::Column("local", pv::tensor(std::vector<local_seconds>())),
                            pv::Column("b", pv::tensor(std::vector<bool>())),
                            pv::Column("rows", pv::zeros<float>({0, 3}))};
    // Once as a schema without batches, and once through another stream.
    arrow::StreamExport out = pv::to_arrow_stream(std::vector<pv::Columns>(), {.schema = given});
    for (int passed = 0; passed < 3; ++passed) {
        arrow::Batches batches = pv::from_arrow_stream(&out.stream);
        const pv::Columns said = batches.schema();
        REQUIRE(said.size() == given.size());
        for (pv::index_t c = 0; c < given.size(); ++c) {
            CHECK(said.begin()[c].name == given.begin()[c].name);
            CHECK(said.begin()[c].dtype() == given.begin()[c].dtype());
            CHECK(said.begin()[c].values.shape() == given.begin()[c].values.shape());
            CHECK(said.begin()[c].time_zone == given.begin()[c].time_zone);
        }
        out = pv::to_arrow_stream(std::move(batches));
    }
    Consumer walk(std::move(out));
    CHECK(walk.schema() == std::pair<int, std::string>(0, "g"));
    CHECK(walk.next() == -1);
    // What the caller says goes before what the range says.
    arrow::StreamExport first = pv::to_arrow_stream(std::vector<pv::Columns>(), {.schema = given});
    arrow::StreamExport other =
        pv::to_arrow_stream(pv::from_arrow_stream(&first.stream), {.schema = table_of({}, {})});
    CHECK(pv::from_arrow_stream(&other.stream).schema().size() == 2);
}

TEST_CASE("Batches that differ from the first are errors that name the column") {
    const auto refused = [](pv::Columns second, const char* words) {
        pv::Columns first{{"x", std::vector{1.5}}, {"l", pv::zeros({1, 2})}};
        Consumer walk(pv::to_arrow_stream(std::vector{first, second, first}));
        CHECK(walk.next() == 1);
        for (int i = 0; i < 2; ++i) {
            CHECK(walk.next() == -2);
            CHECK(walk.code == EINVAL);
            CHECK_THAT(walk.error(), ContainsSubstring(words) && ContainsSubstring("batch 1"));
        }
        CHECK(walk.schema().first == EINVAL);
    };
    const std::vector<double> x{1.5};
    refused({{"x", std::vector{1}}, {"l", pv::zeros({1, 2})}}, "'x'");
    refused({{"x", x}, {"l", pv::zeros({1, 3})}}, "'+w:3'");
    refused({{"x", x}, {"l", pv::arange(2) | pv::reshape({1, 2})}}, "column 'l'");
    refused({{"x", x}, {"m", pv::zeros({1, 2})}}, "'m'");
    refused({{"x", x}}, "lacks the column 'l'");
    refused({{"x", x}, {"l", pv::zeros({1, 2})}, {"y", x}}, "'y'");
    const auto zoned = [](std::string zone) {
        pv::Column when("when", pv::tensor(std::vector{sys_seconds(5s)}));
        when.time_zone = std::move(zone);
        return pv::Columns{when};
    };
    Consumer walk(pv::to_arrow_stream(std::vector{zoned("UTC"), zoned(""), zoned("+01:00")}));
    for (const std::int64_t rows : {1, 1, -2}) CHECK(walk.next() == rows);
    CHECK_THAT(walk.error(), ContainsSubstring("'when'") && ContainsSubstring("'tss:+01:00'"));
}

TEST_CASE("Texts of all batches have one type") {
    const auto words = [](std::string word) { return pv::Columns{{"t", Texts{std::move(word)}}}; };
    const std::string bytes = "\xFF";
    Consumer late(pv::to_arrow_stream(std::vector{words("a"), words(bytes)}));
    CHECK(late.schema().second == "u");
    CHECK(late.next() == 1);
    CHECK(late.next() == -2);
    CHECK(late.code == EINVAL);
    CHECK_THAT(late.error(), ContainsSubstring("'t'") && ContainsSubstring("UTF-8"));
    Consumer early(pv::to_arrow_stream(std::vector{words(bytes), words("a")}));
    CHECK(early.schema().second == "z");
    for (const std::int64_t rows : {1, 1, -1}) CHECK(early.next() == rows);
    const std::pair<pv::ArrowText, const char*> all[] = {{pv::ArrowText::utf8, "u"},
                                                         {pv::ArrowText::binary, "z"},
                                                         {pv::ArrowText::large_utf8, "U"},
                                                         {pv::ArrowText::large_binary, "Z"}};
    for (const auto& [text, format] : all) {
        const std::vector batches{words("ä"), words("b"), words(bytes)};
        arrow::StreamExport out = pv::to_arrow_stream(batches, {.text = text});
        arrow::Export said;
        REQUIRE(out.stream.get_schema(&out.stream, &said.schema) == 0);
        CHECK(std::string(said.schema.children[0]->format) == format);
        arrow::Batches back = pv::from_arrow_stream(&out.stream);
        CHECK(std::string(back.next()->get<std::string>("t")(0)) == "ä");
        CHECK(std::string(back.next()->get<std::string>("t")(0)) == "b");
        if (text == pv::ArrowText::utf8 || text == pv::ArrowText::large_utf8)
            CHECK_THROWS_WITH(back.next(), ContainsSubstring("'t'"));
        else
            CHECK(std::string(back.next()->get<std::string>("t")(0)) == bytes);
    }
    // Within lists, too.
    const pv::Columns pairs{{"p", pv::tensor(Texts{"a", bytes}) | pv::reshape({1, 2})}};
    const pv::Columns plain{{"p", pv::tensor(Texts{"a", "b"}) | pv::reshape({1, 2})}};
    Consumer lists(pv::to_arrow_stream(std::vector{pairs, plain}));
    for (const std::int64_t rows : {1, 1, -1}) CHECK(lists.next() == rows);
    Consumer refused(pv::to_arrow_stream(std::vector{plain, pairs}));
    for (const std::int64_t rows : {1, -2}) CHECK(refused.next() == rows);
}

TEST_CASE("What a generator throws becomes errno and text, and destroys it") {
    const auto failing = [](std::function<void()> fail) {
        auto lives = std::make_shared<int>(0);
        const std::weak_ptr<int> seen = lives;
        Consumer walk(pv::to_arrow_stream(
            [fail = std::move(fail), lives = std::move(lives)]() -> std::optional<pv::Columns> {
                if (++*lives == 2) fail();
                return table_of({1}, {"a"});
            }));
        CHECK(walk.next() == 1);
        CHECK(!seen.expired());
        CHECK(walk.next() == -2);
        CHECK(seen.expired());
        return std::pair(walk.code, walk.error());
    };
    using Answer = std::pair<int, std::string>;
    CHECK(failing([] { throw pv::CastError("x"); }) == Answer(EINVAL, "x"));
    CHECK(failing([] { throw std::runtime_error("y"); }) == Answer(EIO, "y"));
    CHECK(failing([] { throw std::bad_alloc(); }).first == ENOMEM);
    CHECK(failing([] { throw std::system_error(ENOENT, std::system_category(), "z"); }).first ==
          ENOENT);
    CHECK(failing([] { throw 1; }) == Answer(EIO, "what was thrown is no std::exception"));
    CHECK(failing([] { throw std::runtime_error(""); }) == Answer(EIO, "an error without a text"));
    // Before the schema.
    Consumer walk(pv::to_arrow_stream(
        []() -> std::optional<pv::Columns> { throw std::runtime_error("early"); }));
    CHECK(walk.schema().first == EIO);
    CHECK(walk.error() == "early");
    CHECK(walk.next() == -2);
}

TEST_CASE("Release frees what is exported once, and what follows are errors") {
    auto lives = std::make_shared<int>(0);
    const std::weak_ptr<int> seen = lives;
    arrow::Stream stream{};
    pv::to_arrow_stream([lives = std::move(lives)]() {
        return std::optional<pv::Columns>();
    }).move_to(&stream);
    const auto release = stream.release;
    CHECK(!seen.expired());
    release(&stream);
    CHECK(seen.expired());
    CHECK((stream.release == nullptr && stream.private_data == nullptr));
    release(&stream);
    arrow::Schema schema;
    arrow::Array array;
    CHECK(stream.get_schema(&stream, &schema) == EINVAL);
    CHECK(stream.get_next(&stream, &array) == EINVAL);
    CHECK(stream.get_last_error(&stream) != nullptr);
    CHECK((schema.release == nullptr && array.release == nullptr));
    // A batch that lives longer than its stream.
    arrow::StreamExport out = pv::to_arrow_stream(std::vector{table_of({1, 2}, {"a", "b"})});
    arrow::Export batch;
    REQUIRE(out.stream.get_schema(&out.stream, &batch.schema) == 0);
    REQUIRE(out.stream.get_next(&out.stream, &batch.array) == 0);
    out = {};
    CHECK(double(pv::from_arrow(&batch.array, &batch.schema).get<double>("x")(1)) == 2);
}

TEST_CASE("Names and zones that Arrow would cut off are refused") {
    const std::string cut("a\0b", 3);
    CHECK_THROWS_WITH(pv::to_arrow(pv::Column(cut, pv::arange(3))), ContainsSubstring("name"));
    const pv::Columns table{{cut, pv::arange(3)}};
    CHECK_THROWS_AS(pv::to_arrow(table), pv::FormatError);
    pv::Column when("when", pv::tensor(std::vector{sys_seconds(5s)}));
    when.time_zone = cut;
    CHECK_THROWS_WITH(pv::to_arrow(when),
                      ContainsSubstring("'when'") && ContainsSubstring("time zone"));
}

} // namespace arrow_stream_export_test
