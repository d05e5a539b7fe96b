#include "io/npy_files.hpp"

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <complex>

namespace npy_stored_types_test {

namespace pv = purview;
using namespace npy_files;

template <typename T>
void check_round_trip(const char* descr) {
    const Folder folder;
    const std::string path = folder / "t.npy";
    std::vector<T> values;
    for (int i = 0; i < 6; ++i) values.push_back(T(static_cast<float>(i) - 2.5F));
    const auto t = pv::tensor(values, {2, 3});
    pv::save_npy(path, t);
    CHECK(parse(content(path)).dtype == pv::kDType<T>);
    CHECK(content(path).find(descr) != std::string::npos);
    for (const pv::Access access :
         {pv::Access::read_only, pv::Access::copy_on_write, pv::Access::in_memory}) {
        const pv::AnyTensor loaded = pv::load_npy(path, access);
        REQUIRE(loaded.shape() == pv::Shape{2, 3});
        for (pv::index_t i = 0; i < 6; ++i)
            CHECK(loaded(i / 3, i % 3).item<T>() == values[static_cast<std::size_t>(i)]);
    }
    // The same elements in the other byte order.
    std::string bytes = content(path);
    bytes[bytes.find(descr)] = descr[0] == '<' ? '>' : '<';
    constexpr std::size_t kPart = pv::ComplexElement<T> ? sizeof(T) / 2 : sizeof(T);
    for (std::size_t i = bytes.size() - 6 * sizeof(T); i < bytes.size(); i += kPart)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                     bytes.begin() + static_cast<std::ptrdiff_t>(i + kPart));
    write_file(path, bytes);
    for (const pv::Access access : {pv::Access::read_only, pv::Access::in_memory}) {
        const pv::AnyTensor loaded = pv::load_npy(path, access);
        for (pv::index_t i = 0; i < 6; ++i)
            CHECK(loaded(i / 3, i % 3).item<T>() == values[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("Complex numbers and 16-bit floats are saved as NumPy saves them, and loaded") {
    const bool little = std::endian::native == std::endian::little;
    check_round_trip<pv::Half>(little ? "<f2" : ">f2");
    check_round_trip<std::complex<float>>(little ? "<c8" : ">c8");
    check_round_trip<std::complex<double>>(little ? "<c16" : ">c16");
}

} // namespace npy_stored_types_test
