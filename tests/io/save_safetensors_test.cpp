#include "io/safetensors_files.hpp"

#include <support/settings.hpp>

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/io/open_safetensors.hpp>
#include <purview/io/save_safetensors.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <chrono>
#include <complex>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace save_safetensors_test {

namespace pv = purview;
using namespace npy_files;
using namespace safetensors_files;
using pv::open_safetensors;
using pv::save_safetensors;

namespace {

template <typename T>
void check_round_trip(const Folder& folder, const pv::Tensor<T>& tensor) {
    const std::string file = folder / "round trip";
    save_safetensors(file, {{"x", tensor}});
    const auto loaded = open_safetensors(file).get<T>("x");
    REQUIRE(loaded.shape() == tensor.shape());
    REQUIRE(pv::to_vector(loaded) == pv::to_vector(tensor));
    REQUIRE(folder.file_count() == 1);
}

template <typename T>
void check_layouts(const Folder& folder) {
    std::vector<T> values;
    for (int i = 0; i < 24; ++i) values.push_back(static_cast<T>(static_cast<float>(i * i % 7)));
    const pv::Tensor<T> x = pv::tensor(std::move(values), {2, 3, 4});
    check_round_trip<T>(folder, x);
    check_round_trip<T>(folder, pv::transpose(x));
    check_round_trip<T>(folder, x(pv::all, pv::range(2, -10, -1), pv::range(0, 4, 3)));
    check_round_trip<T>(folder, pv::broadcast(x, {4, 3, 4}));
    check_round_trip<T>(folder, x(pv::range(1, 1)));
    check_round_trip<T>(folder, pv::reshape(x(1, 2, pv::range(3, 4)), {}));
}

} // namespace

TEST_CASE("A safetensors file is written byte by byte as the format has it") {
    const Folder folder;
    const std::string file = folder / "a.safetensors";
    const auto bytes = pv::tensor<std::uint8_t>({1, 2, 3});
    const auto words = pv::tensor<std::int16_t>({{256, -2}});
    save_safetensors(file, {{"b", bytes}, {"a \"\n", words}, {"c", bytes + bytes}},
                     {.metadata = {{"format", "pt"}}});
    const std::string header = R"({"__metadata__":{"format":"pt"},)"
                               R"("a \"\u000a":{"dtype":"I16","shape":[1,2],"data_offsets":[0,4]},)"
                               R"("b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
                               R"("c":{"dtype":"U8","shape":[3],"data_offsets":[7,10]}})";
    const std::string space((8 - header.size() % 8) % 8, ' ');
    CHECK(content(file) ==
          bytes_of(header + space, std::string("\x00\x01\xfe\xff\x01\x02\x03\x02\x04\x06", 10)));
    const pv::SafetensorsFile arrays = open_safetensors(file);
    CHECK(arrays.names() == std::vector<std::string>{"a \"\n", "b", "c"});
    CHECK(arrays.metadata() == pv::SafetensorsMetadata{{"format", "pt"}});
    for (const pv::SafetensorsEntry& each : arrays)
        CHECK(each.offset % arrays[each.name].dtype().size_bytes() == 0);

    save_safetensors(file, {});
    CHECK(content(file) == bytes_of("{}      "));
}

TEST_CASE("Every type and layout of a safetensors file comes back") {
    const Folder folder;
    check_layouts<bool>(folder);
    check_layouts<std::int8_t>(folder);
    check_layouts<std::uint8_t>(folder);
    check_layouts<std::int16_t>(folder);
    check_layouts<std::uint16_t>(folder);
    check_layouts<std::int32_t>(folder);
    check_layouts<std::uint32_t>(folder);
    check_layouts<std::int64_t>(folder);
    check_layouts<std::uint64_t>(folder);
    check_layouts<pv::Half>(folder);
    check_layouts<pv::BFloat16>(folder);
    check_layouts<float>(folder);
    check_layouts<double>(folder);
    check_layouts<std::complex<float>>(folder);
}

TEST_CASE("Arrays in chunks and computed ones are saved block by block") {
    const Folder folder;
    const auto computed = pv::compute_tensor({1000, 700}, [](pv::index_t i, pv::index_t j) {
        return static_cast<double>(i * 1000 + j);
    });
    check_round_trip<double>(folder, pv::transpose(computed) * 2.0);
    {
        const oracle::MemoryLimit limit(pv::index_t{2} << 20); // of 5.6 MB
        pv::reset_chunk_statistics();
        check_round_trip<double>(folder, pv::tensor(pv::chunked(computed, {100, 128})));
        CHECK(pv::chunk_statistics().peak_bytes <= pv::index_t{2} << 20);
        CHECK(pv::chunk_statistics().chunks_read >= 60);
    }
    const char bytes[] = {0, 1, 2, -1};
    save_safetensors(folder / "round trip",
                     {{"x", pv::borrow(reinterpret_cast<const bool*>(bytes), {4})}});
    CHECK(content(folder / "round trip").ends_with(std::string("\0\1\1\1", 4)));
}

TEST_CASE("A safetensors file can be saved over itself, and keeps its mapping") {
    const Folder folder;
    const std::string file = folder / "a";
    save_safetensors(file, {{"x", pv::arange(300'000.0)}, {"y", pv::ones<float>({3})}});
    const auto before = open_safetensors(file).get<double>("x");
    for (int i = 0; i < 3; ++i) {
        const pv::SafetensorsFile arrays = open_safetensors(file);
        save_safetensors(file, {{"x", arrays.get<double>("x") * 2.0}, {"y", arrays["y"]}});
    }
    CHECK(open_safetensors(file).get<double>("x")(299'999) == 8 * 299'999.0);
    CHECK(open_safetensors(file).get<float>("y")(2) == 1);
    CHECK(before(299'999) == 299'999.0);
    CHECK(folder.file_count() == 1);
}

TEST_CASE("What a safetensors file cannot hold is refused by its name, and the old file stays") {
    const Folder folder;
    const std::string file = folder / "a";
    const auto x = pv::arange(3.0);
    save_safetensors(file, {{"x", x}});
    const std::string old = content(file);
    const auto refused = [&]<typename E>(std::type_identity<E>,
                                         const std::vector<pv::SafetensorsArray>& arrays,
                                         const pv::SafetensorsOptions& options = {}) {
        const std::string message = message_of<E>([&] { save_safetensors(file, arrays, options); });
        CHECK(content(file) == old);
        CHECK(folder.file_count() == 1);
        const std::string where = "save_safetensors: '" + file + "': ";
        REQUIRE(message.starts_with(where));
        return message.substr(where.size());
    };
    static constexpr std::type_identity<pv::DtypeError> kDtype;
    static constexpr std::type_identity<pv::FormatError> kFormat;
    CHECK(refused(kDtype, {{"x", x}, {"z", pv::cast<std::complex<double>>(x)}}) ==
          "array 'z' has elements of complex128, which safetensors has not");
    CHECK(refused(kDtype, {{"s", pv::AnyTensor(pv::tensor({"a", "b"}))}})
              .starts_with("array 's' has elements of "));
    CHECK(refused(kDtype, {{"t", pv::tensor({std::chrono::sys_seconds{}})}})
              .starts_with("array 't' has elements of datetime64[s]"));
    CHECK(refused(kFormat, {{"x", x}, {"x", x}}) == "the name 'x' is taken");
    CHECK(refused(kFormat, {{"__metadata__", x}}) == "the name '__metadata__' is taken");
    CHECK(refused(kFormat, {{"\xff", x}}) == "'?' is no UTF-8");
    CHECK(refused(kFormat, {{"x", x}}, {.metadata = {{"a", "\xed\xa0\x80"}}}) == "'??"
                                                                                 "?' is no UTF-8");
    const auto failing = pv::compute_tensor({400'000}, [](pv::index_t i) -> double {
        if (i == 300'000) throw std::runtime_error("half way");
        return 1.0;
    });
    CHECK(message_of<std::runtime_error>([&] {
              save_safetensors(file, {{"x", x}, {"y", failing}});
          }) == "half way");
    CHECK(content(file) == old);
    CHECK(folder.file_count() == 1);
    CHECK(message_of<pv::FormatError>([&] {
              save_safetensors(folder / "no/a", {{"x", x}});
          }).starts_with("save_safetensors: cannot create a file in "));
}

} // namespace save_safetensors_test
