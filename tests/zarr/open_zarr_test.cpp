#include "support/source_path.hpp"
#include <support/catch.hpp>

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <chrono>
#include <complex>
#include <span>
#include <string>

namespace pv = purview;

// Stores that zarr-python made (make_stores.py).
namespace open_zarr_test {
namespace {

pv::StoredGroup arrays() { return pv::open_zarr_group(source_path("tests/zarr/data/arrays.zip")); }

pv::index_t number(pv::index_t i) { return 37 * i % 101; }

/// Whether `x` has the element that make_stores.py gives each index.
bool is_as_made(const pv::AnyTensor& x, bool has_holes) {
    const auto hole = [&](pv::index_t i) {
        return has_holes && i / 21 < 3 && i / 3 % 7 < 4 && i % 3 < 2;
    };
    if (x.dtype() == pv::kDType<std::string>) {
        for (pv::index_t i = 0; i < x.size(); ++i)
            if (x.as<std::string>().read(i) != std::to_string(number(i))) return false;
        return true;
    }
    if (x.dtype() == pv::boolean) {
        for (pv::index_t i = 0; i < x.size(); ++i)
            if (x.as<bool>().read(i) != (number(i) % 2 == 1)) return false;
        return true;
    }
    const auto is_complex = [&]<typename P>(std::type_identity<P>) {
        for (pv::index_t i = 0; i < x.size(); ++i)
            if (x.as<std::complex<P>>().read(i) != std::complex<P>(P(number(i)), P(number(i) + 1)))
                return false;
        return true;
    };
    if (x.dtype() == pv::kDType<std::complex<float>>)
        return is_complex(std::type_identity<float>{});
    if (x.dtype() == pv::kDType<std::complex<double>>)
        return is_complex(std::type_identity<double>{});
    if (x.dtype() == pv::kDType<std::chrono::sys_seconds>) {
        for (pv::index_t i = 0; i < x.size(); ++i)
            if (x.as<std::chrono::sys_seconds>().read(i).time_since_epoch().count() != number(i))
                return false;
        return true;
    }
    if (x.dtype() == pv::kDType<std::chrono::milliseconds>) {
        for (pv::index_t i = 0; i < x.size(); ++i)
            if (x.as<std::chrono::milliseconds>().read(i).count() != number(i)) return false;
        return true;
    }
    const pv::Tensor<double> numbers = pv::cast<double>(x).as<double>();
    for (pv::index_t i = 0; i < x.size(); ++i)
        if (numbers.read(i) != static_cast<double>(hole(i) ? 7 : number(i))) return false;
    return true;
}

TEST_CASE("arrays of each type, codec and key encoding have the elements that were written") {
    const pv::StoredGroup all = arrays();
    for (const std::string& format : all.groups()) {
        const pv::StoredGroup group = all.group(format);
        for (const std::string& name : group.arrays()) {
            if (name == "scalar" || name == "empty") continue;
            INFO(format << "/" << name);
            const pv::StoredArray array = group.array(name);
            CHECK(array.values.shape() == pv::Shape{5, 7, 3});
            const bool has_holes = name.ends_with("holes") ||
                                   (format == "v3" && name == "codec_zstd") ||
                                   (format == "v2" && name == "codec_zlib");
            CHECK(is_as_made(array.values, has_holes));
        }
    }
}

} // namespace
} // namespace open_zarr_test
