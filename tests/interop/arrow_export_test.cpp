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

namespace arrow_export_test {

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

/// As a C header declares them: other types of the same layout.
struct ArrowSchema {
    const char *format, *name, *metadata;
    std::int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

TEST_CASE("The header's own types are taken, and given") {
    ArrowArray array;
    ArrowSchema schema;
    pv::to_arrow(pv::Columns{{"x", pv::arange(3)}}).move_to(&array, &schema);
    CHECK(array.length == 3);
    CHECK(pv::from_arrow(&array, &schema).get<std::int64_t>("x")(2) == 2);
    CHECK(array.release == nullptr);
    pv::to_arrow(pv::arange(4)).move_to(&array, &schema);
    CHECK(pv::column_from_arrow(&array, &schema).rows() == 4);
}

TEST_CASE("What lies in memory is exported as it is, and kept alive") {
    arrow::Export out;
    const void* data = nullptr;
    {
        const auto x = pv::tensor({1.5, 2.5, 3.5, 4.5});
        data = pv::as_span(x).data();
        out = pv::to_arrow(x(pv::range(1, 4)));
        CHECK(pv::to_arrow(x(pv::range(0, 4, 2))).array.buffers[1] != data);
    }
    CHECK(out.array.buffers[1] == static_cast<const double*>(data) + 1);
    CHECK(static_cast<const double*>(out.array.buffers[1])[2] == 4.5);
    CHECK((out.array.buffers[0] == nullptr && out.array.null_count == 0));
    CHECK(std::string(out.schema.format) == "g");
    CHECK_THROWS_AS(pv::to_arrow(pv::tensor(1.0)), pv::ShapeError);
    CHECK_THROWS_WITH(pv::to_arrow(pv::Column("z", pv::tensor({std::complex<double>(1, 2)}))),
                      ContainsSubstring("'z'"));
}

TEST_CASE("A consumer may move children out, and release the rest first") {
    arrow::Export out = pv::to_arrow(pv::Columns{{"a", pv::arange(3) * 2}, {"b", pv::arange(3)}});
    arrow::Export child;
    std::swap(child.array, *out.array.children[0]);
    std::swap(child.schema, *out.schema.children[0]);
    out = {};
    const pv::Column column = pv::column_from_arrow(&child.array, &child.schema);
    CHECK(column.name == "a");
    CHECK(column.as<std::int64_t>()(2) == 4);
}

template <typename T>
pv::Column exchanged(const pv::Column& column, const char* format) {
    arrow::Export out = pv::to_arrow(column);
    CHECK(std::string(out.schema.format) == format);
    pv::Column back = pv::column_from_arrow(&out.array, &out.schema);
    CHECK(back.name == column.name);
    CHECK(back.dtype() == pv::kDType<T>);
    return back;
}

TEST_CASE("Times of other units, texts and tensors are laid out as Arrow has them") {
    using D = days;
    const auto day = pv::tensor(std::vector<sys_days>{sys_days(D(5)), sys_days::min()});
    const pv::Column dates = exchanged<sys_days>({"d", day, Bools{false, true}}, "tdD");
    CHECK(sys_days(dates.values.as<sys_days>()(0)) == sys_days(D(5)));
    CHECK(pv::to_vector(dates.missing) == Bools{false, true});
    CHECK_THROWS_WITH(pv::to_arrow(pv::Column("d", day)), ContainsSubstring("column 'd', row 1"));
    const auto local = pv::tensor(std::vector<local_time<weeks>>{local_time<weeks>(weeks(2))});
    CHECK(sys_days(exchanged<sys_days>({"d", local}, "tdD").values.as<sys_days>()(0)) ==
          sys_days(D(14)));
    const auto hour = pv::tensor(std::vector<hours>{hours(2), hours(-1)});
    CHECK(seconds(exchanged<seconds>({"h", hour}, "tDs").values.as<seconds>()(0)) == 2h);
    const auto minute = pv::tensor(std::vector<sys_time<minutes>>{sys_time<minutes>(3min)});
    CHECK(exchanged<sys_seconds>({"m", minute}, "tss:UTC").time_zone == "UTC");
    CHECK_THROWS_AS(pv::to_arrow(pv::tensor(std::vector<hours>{hours::max()})), pv::CastError);

    const std::vector<std::string> words{"ä", "", "z€𝄞"};
    const pv::Column texts = exchanged<std::string>({"t", words, Bools{false, false, true}}, "u");
    CHECK(pv::to_vector(texts.values.as<std::string>()) == std::vector<std::string>{"ä", "", ""});
    for (const std::string bad :
         {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
        const pv::Column binary = exchanged<std::string>({"t", std::vector{bad}}, "z");
        CHECK(std::string(binary.values.as<std::string>()(0)) == bad);
    }

    const auto cube = pv::transpose(pv::reshape(pv::arange(std::int64_t{24}), {4, 3, 2}));
    const pv::Column tensors = exchanged<std::int64_t>({"c", cube, Bools{false, true}}, "+w:3");
    CHECK(pv::equals(tensors.values, cube));
    CHECK(pv::to_vector(tensors.missing) == Bools{false, true});
    CHECK(exchanged<double>({"c", pv::zeros({0, 2, 3})}, "+w:2").values.shape() ==
          pv::Shape{0, 2, 3});
    CHECK(exchanged<double>({"c", pv::zeros({2, 0})}, "+w:0").values.shape() == pv::Shape{2, 0});
    CHECK(exchanged<bool>({"b", pv::arange(10) < 4}, "b").as<bool>()(3));
    CHECK(exchanged<bool>({"b", pv::arange(8'001) == 8'000}, "b").as<bool>()(8'000));
}

} // namespace arrow_export_test
