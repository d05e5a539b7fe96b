#include "support/source_path.hpp"
#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/hdf5.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>

namespace pv = purview;

// Files that h5py and netCDF4 made (make_files.py).
namespace open_hdf5_test {
namespace {

const std::string kFolder = source_path("tests/hdf5/data/");

pv::index_t number(pv::index_t i) { return 37 * i % 101; }

template <typename T, typename Make>
bool has_elements(const pv::AnyTensor& x, Make make) {
    for (pv::index_t i = 0; i < x.size(); ++i)
        if (x.as<T>().read(i) != make(i)) return false;
    return true;
}

/// Whether `x` has the element that make_files.py gives each index.
bool is_as_made(const pv::AnyTensor& x, bool has_holes) {
    if (x.dtype() == pv::kDType<std::string>)
        return has_elements<std::string>(x, [](auto i) { return std::to_string(number(i)); });
    if (x.dtype() == pv::boolean)
        return has_elements<bool>(x, [](auto i) { return number(i) % 2 == 1; });
    if (x.dtype() == pv::kDType<std::chrono::sys_seconds>)
        return has_elements<std::chrono::sys_seconds>(
            x, [](auto i) { return std::chrono::sys_seconds(std::chrono::seconds(number(i))); });
    const auto complex = [&]<typename P>(std::type_identity<P>) {
        return has_elements<std::complex<P>>(
            x, [](auto i) { return std::complex<P>(P(number(i)), P(number(i) + 1)); });
    };
    if (x.dtype() == pv::kDType<std::complex<float>>) return complex(std::type_identity<float>{});
    if (x.dtype() == pv::kDType<std::complex<double>>) return complex(std::type_identity<double>{});
    return has_elements<double>(pv::cast<double>(x), [&](auto i) {
        const bool is_hole = has_holes && i / 21 < 3 && i / 3 % 7 < 4 && i % 3 < 2;
        return static_cast<double>(is_hole ? 7 : number(i));
    });
}

TEST_CASE("arrays of each type, filter and layout have the elements that were written") {
    for (const char* const file : {"old.h5", "latest.h5"}) {
        const pv::StoredGroup all = pv::open_hdf5(kFolder + file);
        pv::index_t count = 0;
        for (const std::string& name : all.groups()) {
            if (name == "refused") continue;
            const pv::StoredGroup group = all.group(name);
            for (const std::string& array : group.arrays()) {
                INFO(file << " " << name << "/" << array);
                // libhdf5 finds an external file beside the working directory alone.
                if (array == "scalar" || array == "empty" || array == "external" ||
                    array.starts_with("never"))
                    continue;
                const pv::AnyTensor x = group.array(array).values;
                CHECK(x.shape() == pv::Shape{5, 7, 3});
                CHECK(is_as_made(x, array.ends_with("holes")));
                ++count;
            }
        }
        CHECK(count > (std::string(file) == "old.h5" ? 20 : 90));
    }
}

TEST_CASE("element types are those of h5py") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "latest.h5");
    for (const std::string group : {"type/", "plain/", "big/", "plain_big/"})
        for (const pv::DType dtype :
             {pv::float16, pv::float32, pv::float64, pv::int16, pv::uint64, pv::boolean}) {
            const std::string name = dtype == pv::boolean ? "bool" : std::string(dtype.name());
            if (dtype == pv::boolean && group.find("big") != std::string::npos) continue;
            INFO(group << name);
            CHECK(all.array(group + name).values.dtype() == dtype);
        }
    CHECK(all.array("type/enumeration").values.dtype() == pv::int16);
    CHECK(all.array("type/seconds").values.dtype() == pv::kDType<std::chrono::sys_seconds>);
    CHECK(all.array("filter/nbit").values.dtype() == pv::int32);
    CHECK(all.array("filter/optional").codecs == "filter 399, gzip");
}

TEST_CASE("the chunks of an array, and what it went through, are told") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "latest.h5");
    const pv::StoredArray array = all.array("filter/gzip_shuffle_fletcher32");
    CHECK(array.chunk_shape == pv::Shape{3, 4, 2});
    CHECK(array.codecs == "shuffle, gzip, fletcher32");
    CHECK(all.array("filter/scaleoffset").codecs == "scaleoffset");
    CHECK(all.array("plain/float32").codecs.empty());
    CHECK(all.array("plain/float32").values.is_contiguous());
}

TEST_CASE("chunks that were never written have the fill") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "old.h5").group("layout");
    for (const char* const name : {"never", "never_plain"})
        CHECK(has_elements<float>(group.array(name).values, [](auto) { return 7.0F; }));
    CHECK(has_elements<std::string>(group.array("never_text").values,
                                    [](auto) { return std::string("none"); }));
    pv::reset_chunk_statistics();
    CHECK(pv::sum(group.array("never").values.as<float>()) == 7 * 105);
}

TEST_CASE("arrays without axes and without elements are read") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "latest.h5").group("layout");
    CHECK(group.array("scalar").values.as<double>().read(0) == 7);
    CHECK(group.array("scalar").values.rank() == 0);
    CHECK(group.array("empty").values.shape() == pv::Shape{0, 3});
}

TEST_CASE("links are followed, and those that lead nowhere are left out") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "old.h5").group("layout");
    const auto arrays = group.arrays();
    CHECK(std::find(arrays.begin(), arrays.end(), "soft") != arrays.end());
    CHECK(std::find(arrays.begin(), arrays.end(), "dangling") == arrays.end());
    CHECK(group.groups() == std::vector<std::string>{"loop"});
    CHECK(is_as_made(group.array("loop/loop/soft").values, false));
}

// As h5py reads them. The linking file has other elements at the same offsets.
TEST_CASE("what an external link leads to is read from the file that it lies in") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "links.h5");
    for (const char* const name : {"there", "behind_a_block", "soft", "chunks", "virtual", "pieces",
                                   "group/float64", "group/uint8", "group/bool"}) {
        INFO(name);
        CHECK(is_as_made(all.array(name).values, false));
    }
    for (const std::string& name : all.group("group").arrays()) {
        INFO(name);
        CHECK(is_as_made(all.group("group").array(name).values, false));
    }
    CHECK(has_elements<std::int64_t>(all.array("here").values, [](auto) { return 7777; }));
    // Mapped, as what lies in the file itself.
    pv::reset_chunk_statistics();
    CHECK(is_as_made(all.array("there").values, false));
    CHECK(pv::chunk_statistics().chunks_read == 0);
}

TEST_CASE("attributes are numbers, texts and lists of them") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "old.h5");
    const pv::Attributes a = all.attributes();
    CHECK(a.text("title") == "arrays");
    CHECK(a.text("fixed") == "seven");
    CHECK(a.numbers("numbers") == std::vector<double>{1, 2.5});
    CHECK(std::isnan(a.number("nothing").value()));
    CHECK(a.json() ==
          R"({"count": 9007199254740993, "empty": null, "fixed": "seven", "flag": true, )"
          R"("nothing": NaN, "numbers": [1, 2.5], "title": "arrays", )"
          R"("words": ["a", "b\"c"]})");
    CHECK(all.array("type/int8").attributes.text("units") == "m");
    CHECK(all.array("type/int8").dimension_names == std::vector<std::string>{"x", "y", "z"});
    CHECK(all.array("type/int16").dimension_names.empty());
}

TEST_CASE("integers of attributes are not rounded") {
    const pv::Attributes attributes = pv::open_hdf5(kFolder + "latest.h5").attributes();
    using Number = pv::Attributes::Number;
    CHECK(attributes.exact_numbers("count") ==
          std::vector<Number>{Number((std::int64_t{1} << 53) + 1)});
    CHECK(attributes.exact_numbers("numbers") == std::vector<Number>{Number(1.), Number(2.5)});
}

TEST_CASE("NetCDF-4: axes have the names of dimensions, which are no arrays themselves") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "scales.nc");
    const pv::StoredArray t2m = all.array("surface/daily/t2m");
    CHECK(t2m.dimension_names == std::vector<std::string>{"time", "y", "x"});
    CHECK(t2m.attributes.json() ==
          R"({"_FillValue": -1, "add_offset": 10, "scale_factor": 0.5, "units": "K"})");
    CHECK(is_as_made(t2m.values, false));
    CHECK(all.arrays() == std::vector<std::string>{"names", "time", "y"});
    CHECK(all.attributes().json() == R"({"title": "scales"})");
    CHECK(all.array("time").dimension_names == std::vector<std::string>{"time"});
    CHECK(all.array("names").values.as<std::string>().read(6) == "n6");
    const pv::StoredGroup daily = all.group("surface").group("daily");
    CHECK(daily.arrays() == std::vector<std::string>{"station", "t2m"});
    CHECK(daily.array("station").values.as<std::int32_t>().read(2) == 3);
}

TEST_CASE("cf_decoded of NetCDF-4: packed by scale_factor and add_offset") {
    const pv::StoredArray t2m = pv::open_hdf5(kFolder + "scales.nc").array("surface/daily/t2m");
    CHECK(has_elements<double>(pv::cf_decoded(t2m),
                               [](auto i) { return 0.5 * static_cast<double>(number(i)) + 10; }));
}

TEST_CASE("types that there are not, and names that lead to something else, are refused by name") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "latest.h5");
    CHECK_THROWS_AS(all.array("refused/references"), pv::DtypeError);
    CHECK_THROWS_AS(all.array("refused/lists"), pv::DtypeError);
    CHECK_THROWS_AS(all.array("refused/arrays"), pv::DtypeError);
    CHECK_THROWS_AS(all.array("refused/long_double"), pv::DtypeError);
    CHECK_THROWS_WITH(all.array("refused/compound"),
                      "open_hdf5: '" + kFolder +
                          "latest.h5', 'refused/compound': has a compound "
                          "type of 2 members ('x', 'name'), an element type "
                          "that Purview does not have");
    CHECK_THROWS_AS(all.array("refused/bzip2").values.as<double>().read(0), pv::FormatError);
    CHECK_THROWS_AS(all.array("refused/null"), pv::FormatError);
    CHECK_THROWS_AS(all.array("refused/dtype"), pv::FormatError);
    CHECK_THROWS_AS(all.array("nowhere"), pv::FormatError);
    CHECK_THROWS_AS(all.array("type"), pv::FormatError);
    CHECK_THROWS_AS(all.group("type/int8"), pv::FormatError);
    CHECK_THROWS_AS(all.array(std::string("type\0x", 6)), pv::FormatError);
    CHECK_THROWS_AS(pv::open_hdf5(kFolder + "nowhere.h5"), pv::FormatError);
    CHECK_THROWS_AS(pv::open_hdf5(kFolder + "../make_files.py"), pv::FormatError);
    CHECK_THROWS_AS(pv::open_hdf5("/dev/null"), pv::FormatError);
}

TEST_CASE("an array keeps its file open, and is read by all threads") {
    pv::AnyTensor x;
    {
        const pv::StoredGroup group = pv::open_hdf5(kFolder + "old.h5").group("filter");
        x = group.array("gzip_shuffle").values;
    }
    pv::reset_chunk_statistics();
    pv::set_threads(4);
    double expected = 0;
    for (pv::index_t i = 0; i < 105; ++i) expected += static_cast<double>(number(i));
    CHECK(pv::sum(x.as<double>()) == expected);
    pv::set_threads(0);
    CHECK(pv::chunk_statistics().chunks_read == 8);
}

} // namespace
} // namespace open_hdf5_test
