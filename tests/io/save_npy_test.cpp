#include "io/npy_files.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <csignal>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace save_npy_test {

namespace pv = purview;
using namespace npy_files;
using pv::load_npy;
using pv::save_npy;

namespace {

template <typename T>
void check_round_trip(const Folder& folder, const pv::Tensor<T>& tensor) {
    const std::string file = folder / "round trip.npy";
    save_npy(file, tensor);
    for (const pv::Access access : {pv::Access::read_only, pv::Access::in_memory}) {
        const pv::AnyTensor loaded = load_npy(file, access);
        REQUIRE(loaded.shape() == tensor.shape());
        REQUIRE(pv::to_vector(loaded.as<T>()) == pv::to_vector(tensor));
    }
    REQUIRE(folder.file_count() == 1);
}

::mode_t permissions(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

} // namespace

using Save = decltype(save_npy);
static_assert(std::invocable<Save, std::string, pv::AnyTensor>);
static_assert(std::invocable<Save, const char*, pv::MutableTensor<bool>>);
static_assert(std::invocable<Save, fs::path, pv::Tensor<float>>);
static_assert(!std::invocable<Save, std::string, pv::Tensor<std::string>>);

TEMPLATE_LIST_TEST_CASE("A file is byte for byte NumPy's", "", Types) {
    const Folder folder;
    const std::string file = folder / "a.npy";
    const std::string name{pv::kDType<TestType>.name()};
    const auto values = golden_tensor<TestType>({2, 3});
    save_npy(file, values);
    CHECK(content(file) == content(golden(name)));
    save_npy(file, pv::transpose(pv::clone(pv::transpose(values)))); // column-major, and saved so
    CHECK(content(file).find("'fortran_order': True, 'shape': (2, 3), }") != std::string::npos);
    CHECK(pv::to_vector(load_npy<TestType>(file)) == pv::to_vector(values));
    CHECK(load_npy<TestType>(file).strides() == pv::Shape{1, 2});
    if (sizeof(TestType) > 1) {
        save_npy(file, load_npy(golden(name + "_big_endian")));
        CHECK(content(file) == content(golden(name)));
    }
}

TEST_CASE("Files of other shapes and layouts are byte for byte NumPy's") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    const auto same = [&](const pv::AnyTensor& tensor, const std::string& name) {
        INFO(name);
        tensor | save_npy(file);
        CHECK(content(file) == content(golden(name)));
    };
    same(golden_tensor<double>({}), "rank_0");
    same(golden_tensor<std::int32_t>({5}), "rank_1");
    same(golden_tensor<std::uint8_t>({1, 2, 1, 3, 1, 2, 2, 1}), "rank_8");
    same(golden_tensor<std::int64_t>({3, 0, 2}), "no_elements");
    const auto columns = pv::empty<float>({2, 3, 4}, pv::Order::column_major);
    pv::copy(golden_tensor<float>({2, 3, 4}), columns);
    same(columns, "column_major");
    same(load_npy(golden("column_major")), "column_major");
}

TEMPLATE_LIST_TEST_CASE("Every layout of every rank comes back", "", Types) {
    using T = TestType;
    const Folder folder;
    constexpr pv::index_t kExtents[] = {2, 3, 1, 2, 4, 1, 2};
    for (std::size_t rank = 0; rank <= 7; ++rank) {
        const pv::Shape shape(kExtents, kExtents + rank);
        const pv::Tensor<T> x = golden_tensor<T>(shape);
        check_round_trip<T>(folder, x);
        check_round_trip<T>(folder, pv::transpose(x));
        const auto columns = pv::empty<T>(shape, pv::Order::column_major);
        pv::copy(x, columns);
        check_round_trip<T>(folder, columns);
        check_round_trip<T>(folder, pv::rotate(x, pv::Shape(rank, 1)));
        check_round_trip<T>(folder, pv::transpose(pv::rotate(columns, pv::Shape(rank, -1))));
        pv::Shape wide = shape;
        for (pv::index_t& extent : wide) extent *= 2;
        check_round_trip<T>(folder, pv::broadcast(x, wide));
        check_round_trip<T>(folder, pv::const_tensor(golden_value<T>(1), wide));
        if (rank > 0) {
            check_round_trip<T>(folder, x(pv::range(1, 2)));
            check_round_trip<T>(folder, x(pv::range(1, 1)));
            check_round_trip<T>(folder, x(pv::range(1, -10, -1), pv::ellipsis));
            check_round_trip<T>(folder, x(pv::indexes({1, 0, 0, 1})));
        }
        if constexpr (!std::same_as<T, bool>)
            check_round_trip<T>(folder, x + pv::transpose(pv::transpose(x)));
    }
}

TEST_CASE("Lazy tensors of many blocks are evaluated on the way") {
    const Folder folder;
    const auto computed = pv::compute_tensor({1000, 700}, [](pv::index_t i, pv::index_t j) {
        return static_cast<double>(i * 1000 + j);
    });
    check_round_trip<double>(folder, pv::transpose(computed) * 2.0);
    const auto x = pv::clone(computed);
    check_round_trip<double>(folder, x);
    check_round_trip<double>(folder, pv::transpose(x));
    check_round_trip<double>(folder, x(pv::all, pv::range(0, 700, 3)) - 1.0);
}

TEST_CASE("Bools are written as 0 and 1") {
    const Folder folder;
    const char bytes[] = {0, 1, 2, -1};
    save_npy(folder / "a.npy", pv::borrow(reinterpret_cast<const bool*>(bytes), {4}));
    CHECK(content(folder / "a.npy").ends_with(std::string("\0\1\1\1", 4)));
}

TEST_CASE("A file can be saved over itself") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    save_npy(file, pv::arange(500'000.0));
    const pv::Tensor<double> before = load_npy<double>(file);
    for (int i = 0; i < 3; ++i) save_npy(file, load_npy<double>(file) * 2.0);
    CHECK(load_npy<double>(file)(499'999) == 8 * 499'999.0);
    CHECK(before(499'999) == 499'999.0);
    CHECK(folder.file_count() == 1);
}

TEST_CASE("Whatever is thrown while saving, the old file stays and no other does") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    const auto failing = pv::compute_tensor({400'000}, [](pv::index_t i) -> double {
        if (i == 300'000) throw std::runtime_error("half way");
        return 1.0;
    });
    CHECK(message_of<std::runtime_error>([&] { save_npy(file, failing); }) == "half way");
    CHECK(folder.file_count() == 0);
    save_npy(file, pv::arange(3.0));
    const std::string old = content(file);
    CHECK(message_of<std::runtime_error>([&] { failing | save_npy(file); }) == "half way");
    CHECK_THROWS_AS(save_npy(file, pv::cast<std::int8_t>(pv::arange(300'000))), pv::CastError);
    CHECK_THROWS_AS(save_npy(file, pv::AnyTensor(pv::tensor({"a", "b"}))), pv::DtypeError);
    CHECK(content(file) == old);
    CHECK(folder.file_count() == 1);
}

TEST_CASE("A disk that is full leaves the old file") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    save_npy(file, pv::arange(3.0));
    const std::string old = content(file);
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit limit{1'500'000, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    std::string direct;
    std::string lazy;
    try {
        const auto x = pv::ones<double>({400'000});
        direct = message_of<pv::FormatError>([&] { save_npy(file, x); });
        lazy = message_of<pv::FormatError>([&] { save_npy(file, x + x); });
    } catch (...) {}
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(direct == "save_npy: cannot write '" + file + "': File too large");
    CHECK(lazy == direct);
    CHECK(content(file) == old);
    CHECK(folder.file_count() == 1);
}

TEST_CASE("Links stay, and what they lead to is replaced") {
    const Folder folder;
    fs::create_directory(folder / "data");
    fs::create_directory(folder / "links");
    const std::string target = folder / "data/a.npy";
    const std::string link = folder / "links/first";
    const std::string second = folder / "second";
    fs::create_symlink("../data/a.npy", link);
    fs::create_symlink(link, second);
    for (double value : {1.0, 2.0}) { // dangling at first
        save_npy(second, pv::full({3}, value));
        CHECK(load_npy<double>(target)(0) == value);
        CHECK(fs::is_symlink(link));
        CHECK(fs::is_symlink(second));
    }
    CHECK(std::distance(fs::directory_iterator(folder / "links"), fs::directory_iterator()) == 1);
    CHECK(std::distance(fs::directory_iterator(folder / "data"), fs::directory_iterator()) == 1);
    const std::string round = folder / "round";
    fs::create_symlink(round, round);
    CHECK(message_of<pv::FormatError>([&] { save_npy(round, pv::arange(3)); }) ==
          "save_npy: cannot follow '" + round + "': Too many levels of symbolic links");
    fs::create_hard_link(target, folder / "hard");
    save_npy(target, pv::full({3}, 3.0));
    CHECK(load_npy<double>(folder / "hard")(0) == 2.0);
}

TEST_CASE("Permissions are those of the file replaced, or the usual ones") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    const ::mode_t mask = ::umask(027);
    save_npy(file, pv::arange(3));
    ::umask(mask);
    CHECK(permissions(file) == 0640);
    REQUIRE(::chmod(file.c_str(), 0604) == 0);
    save_npy(file, pv::arange(4));
    CHECK(permissions(file) == 0604);
    CHECK(load_npy(file).size() == 4);
    if (::geteuid() == 0) return; // who may write anything
    REQUIRE(::chmod(file.c_str(), 0444) == 0);
    CHECK(message_of<pv::FormatError>([&] { save_npy(file, pv::arange(3)); }) ==
          "save_npy: cannot write '" + file + "': Permission denied");
    CHECK(load_npy(file).size() == 4);
}

TEST_CASE("Names under which nothing can be saved are refused") {
    const Folder folder;
    const auto refused = [&](const std::string& path) {
        return message_of<pv::FormatError>([&] { save_npy(path, pv::arange(3)); });
    };
    const std::string inside = folder / "absent/";
    CHECK(refused(inside + "a.npy") ==
          "save_npy: cannot create a file in '" + inside + "': No such file or directory");
    CHECK(refused(folder / "") == "save_npy: '" + (folder / "") + "' is not a regular file");
    CHECK(refused(inside) == "save_npy: cannot write '" + inside + "': No such file or directory");
    CHECK(refused("/dev/null") == "save_npy: '/dev/null' is not a regular file");
    CHECK(refused("") == "save_npy: cannot write '': No such file or directory");
    CHECK(refused(std::string("a\0b", 3)) ==
          "save_npy: cannot write 'a…': the path has a zero byte in it");
    CHECK(folder.file_count() == 0);
}

TEST_CASE("A name without a folder lies in the current one") {
    const Folder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder / "");
    save_npy("a.npy", pv::arange(3));
    fs::current_path(before);
    CHECK(load_npy(folder / "a.npy").size() == 3);
    CHECK(folder.file_count() == 1);
}

} // namespace save_npy_test
