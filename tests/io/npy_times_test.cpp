#include "io/npy_files.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <limits>
#include <string_view>

namespace npy_times_test {

namespace {

namespace pv = purview;
using namespace npy_files;
using namespace std::chrono;
using namespace std::string_literals;

/// What NumPy writes, but for the blanks of its header.
std::string numpy_file(const std::string& descr, const std::string& shape,
                       const std::vector<std::int64_t>& counts, bool big_endian = false) {
    std::string dict = npy_dict("'" + descr + "'", shape);
    dict.append(64 * 2 - 10 - dict.size() - 1, ' ');
    dict += '\n';
    std::string data;
    for (const std::int64_t count : counts)
        for (int i = 0; i < 8; ++i)
            data += static_cast<char>(static_cast<std::uint64_t>(count) >>
                                      (8 * (big_endian ? 7 - i : i)));
    return npy_bytes(dict, data);
}

template <typename T>
void check_file(const std::string& descr) {
    INFO(descr);
    using Duration = typename pv::TimeType<T>::Duration;
    const std::vector<std::int64_t> counts{0, 18321, -1, std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min()};
    std::vector<T> times;
    for (const std::int64_t count : counts) times.push_back(T(Duration(count)));
    const Folder folder;
    const std::string file = folder / "times.npy";
    pv::save_npy(file, pv::tensor(std::vector<T>(times)));
    CHECK(content(file) == numpy_file("<" + descr, "(5,)", counts));
    CHECK(pv::to_vector(pv::load_npy<T>(file)) == times);
    const pv::AnyTensor any = pv::load_npy(file, pv::Access::in_memory);
    CHECK(any.dtype() == pv::kDType<T>);
    CHECK(pv::to_vector(any.as<T>()) == times);
    pv::save_npy(folder / "again.npy", any);
    CHECK(content(folder / "again.npy") == content(file));

    write_file(file, numpy_file(">" + descr, "(5,)", counts, true));
    CHECK(pv::to_vector(pv::load_npy<T>(file)) == times);
    CHECK(pv::to_vector(pv::load_npy<T, pv::Access::in_memory>(file)) == times);
    CHECK_THROWS_AS(pv::load_npy<std::int64_t>(file), pv::DtypeError);
}

} // namespace

using Save = decltype(pv::save_npy);
static_assert(!std::invocable<Save, std::string, pv::Tensor<months>>);
static_assert(!std::invocable<Save, std::string, pv::Tensor<duration<double>>>);
static_assert(!std::invocable<Save, std::string, pv::Tensor<duration<int>>>);
static_assert(!std::invocable<Save, std::string, pv::Tensor<steady_clock::time_point>>);

TEST_CASE("Times are saved as NumPy saves them, and loaded") {
    check_file<sys_time<weeks>>("M8[W]");
    check_file<sys_days>("M8[D]");
    check_file<sys_time<hours>>("M8[h]");
    check_file<sys_time<minutes>>("M8[m]");
    check_file<sys_seconds>("M8[s]");
    check_file<sys_time<milliseconds>>("M8[ms]");
    check_file<sys_time<microseconds>>("M8[us]");
    check_file<sys_time<nanoseconds>>("M8[ns]");
    check_file<days>("m8[D]");
    check_file<milliseconds>("m8[ms]");
    check_file<nanoseconds>("m8[ns]");
}

TEST_CASE("A file of dates is NumPy's to the last byte") {
    // numpy.save of np.array(['2020-02-29', '1969-12-31'], dtype='datetime64[D]'), NumPy 2.4.6
    const std::string expected =
        "\x93NUMPY\x01\x00v\x00"s + "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (2,), }" +
        std::string(57, ' ') + "\n\x91G\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"s;
    const Folder folder;
    const std::string file = folder / "dates.npy";
    const auto dates = pv::tensor({sys_days(2020y / 2 / 29), sys_days(1969y / 12 / 31)});
    dates | pv::save_npy(file);
    CHECK(content(file) == expected);
    write_file(file, expected);
    CHECK(pv::to_vector(pv::load_npy<sys_days>(file)) == pv::to_vector(dates));
}

TEST_CASE("Files of times: lazy, written through, of any shape, and what is refused") {
    const Folder folder;
    const std::string file = folder / "t.npy";
    const auto table =
        pv::reshape(pv::from_ticks<sys_seconds>(pv::arange(std::int64_t{6})), {2, 3});
    pv::save_npy(file, pv::transpose(table + hours(1)));
    const auto loaded = pv::load_npy<sys_seconds>(file);
    CHECK(loaded.shape() == pv::Shape{3, 2});
    CHECK(loaded.read(1) == sys_seconds(3603s));
    CHECK(pv::load_npy(file).dtype().name() == "datetime64[s]");
    {
        auto writable = pv::load_npy<sys_seconds, pv::Access::read_write>(file);
        writable(2, 1) = sys_seconds(7s);
    }
    CHECK(pv::load_npy<sys_seconds>(file).read(5) == sys_seconds(7s));
    CHECK_THROWS_AS(pv::load_npy<sys_days>(file), pv::DtypeError);
    CHECK_THROWS_AS(pv::load_npy<seconds>(file), pv::DtypeError);
    pv::save_npy(file,
                 pv::tensor({local_days(days(3))})); // local ones are times without a zone too
    CHECK(pv::load_npy<sys_days>(file).read(0) == sys_days(days(3)));
    CHECK_THROWS_AS(pv::save_npy(file, pv::AnyTensor(pv::tensor({months(3)}))), pv::DtypeError);
    CHECK(pv::load_npy<sys_days>(file).read(0) == sys_days(days(3)));
    pv::save_npy(file, pv::reshape(pv::tensor({milliseconds(5)}), {}));
    CHECK(pv::load_npy<milliseconds>(file).item() == milliseconds(5));
    pv::save_npy(file, pv::tensor(std::vector<nanoseconds>{}));
    CHECK(pv::load_npy<nanoseconds>(file).size() == 0);
}

} // namespace npy_times_test
