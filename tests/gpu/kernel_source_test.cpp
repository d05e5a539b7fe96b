// Tests gpu/kernel_source.hpp: texts in both dialects, which the compilers take that are found.
#include "gpu/devices.hpp"

#include <driver/nvrtc.hpp>
#include <kernels/fold_text.hpp>
#include <kernels/launch.hpp>
#include <kernels/product_text.hpp>
#include <kernels/scan_text.hpp>
#include <kernels/text.hpp>

#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

/// The compilers that there are, one for each dialect at most.
class Compilers {
public:
    Compilers() {
        try {
            nvrtc_ = std::make_unique<detail::Nvrtc>(0);
        } catch (const pv::DeviceError&) {
            WARN("there is no NVRTC: CUDA's texts are not compiled");
        }
        for (const gpu::Device& d : gpu::devices())
            if (d.backend() == "opencl") opencl_ = d.state().driver.get();
    }
    void compile(const std::string& text, detail::Dialect dialect) const {
        INFO(text);
        if (dialect == detail::Dialect::opencl) {
            if (opencl_ != nullptr) CHECK_FALSE(opencl_->compile(text).empty());
        } else if (nvrtc_ != nullptr) {
            CHECK_FALSE(nvrtc_->compile(text, 80, "cuda:0").empty());
        }
    }
    void compile(const pv::AnyTensor& x) const {
        for (const char* dialect : {"cuda", "opencl"}) {
            const std::string all = gpu::kernel_source(x, dialect);
            const auto name = *dialect == 'c' ? detail::Dialect::cuda : detail::Dialect::opencl;
            const std::string mark = "// kernel ";
            for (std::size_t from = 0; from < all.size();) {
                const std::size_t to = std::min(all.find(mark, from + 1), all.size());
                compile(all.substr(from, to - from), name);
                from = to;
            }
        }
    }

private:
    std::unique_ptr<detail::Nvrtc> nvrtc_;
    detail::Driver* opencl_ = nullptr;
};

TEST_CASE("kernel_source: the text of an expression's kernel, without a device") {
    const auto x = pv::clone(pv::arange(6.));
    const std::string cuda = gpu::kernel_source(x * 2 + 1, "cuda");
    CHECK_THAT(cuda, ContainsSubstring("__global__") && ContainsSubstring("purview_kernel"));
    const std::string opencl = gpu::kernel_source(x * 2 + 1, "opencl");
    CHECK_THAT(opencl, ContainsSubstring("__kernel") && ContainsSubstring("purview_kernel"));
    // Structure alone is in it.
    CHECK(gpu::kernel_source(pv::clone(pv::arange(9.)) * 7 + 3, "cuda") == cuda);
    CHECK(gpu::kernel_source(x, "opencl") != opencl);
    CHECK_FALSE(gpu::kernel_source(pv::zeros<float>(pv::Shape{0, 3}) + 1.f, "cuda").empty());
}

TEST_CASE("kernel_source is what a device is given") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::arange(6.));
        const auto x = gpu::to_device(h, d);
        const std::string name(d.backend());
        CHECK(gpu::kernel_source(x * 2 + 1, name) == gpu::kernel_source(h * 2 + 1, name));
    });
}

TEST_CASE("kernel_source: other dialects and what has no form are errors") {
    const auto x = pv::clone(pv::arange(6.));
    CHECK(device_error([&] { gpu::kernel_source(x, "metal"); }) ==
          "kernel_source: there is no dialect 'metal', but cuda and opencl");
    CHECK_THAT(
        device_error([&] { gpu::kernel_source(pv::emap([](double v) { return v; }, x), "cuda"); }),
        ContainsSubstring("kernel_source: emap has no form"));
    CHECK_THAT(device_error([&] { gpu::kernel_source(pv::cast<std::complex<double>>(x), "cuda"); }),
               ContainsSubstring("complex128"));
}

TEST_CASE("kernel_source: texts of all forms are taken by the compilers") {
    const Compilers compilers;
    const auto x = pv::clone(pv::reshape(pv::arange(60000.), {200, 300}));
    const auto f = pv::clone(pv::cast<float>(x));
    const auto i = pv::clone(pv::reshape(pv::arange(60000), {200, 300}));
    const auto square = f(pv::all, pv::range(0, 200));
    compilers.compile(pv::sqrt(x) * 2 - 1);
    compilers.compile(square + pv::transpose(square)); // tiles
    compilers.compile(f - f(0, pv::all));              // rows
    compilers.compile(i / (i % 7 + 1) + (i << 3));
    compilers.compile(pv::cast<std::int8_t>(i) > std::int8_t{3});
    compilers.compile(pv::rotate(f, {3, 4}) + pv::cast<float>(pv::cast<pv::Half>(f)));
    compilers.compile(f(std::vector<index_t>{5, 3, 8}, pv::all) * pv::arange(300));
    compilers.compile(pv::take(f, i(pv::all, 0) % 200, 0));
    compilers.compile(pv::concat(f, f * 2, 0));
    pv::Tensor<float> y = f;
    for (int k = 0; k < 300; ++k) y = y * 3 + f;
    const std::string cut = gpu::kernel_source(y, "cuda");
    CHECK_THAT(cut,
               Catch::Matchers::StartsWith("// kernel 1\n") && ContainsSubstring("// kernel 3\n"));
    compilers.compile(y);
}

class AllThere final : public detail::Places {
    bool find(const pv::AnyReader& reader, detail::Place& place) const override {
        place.handle = reinterpret_cast<std::uintptr_t>(&reader);
        return true;
    }
};

TEST_CASE("texts of products and of softmax are taken by the compilers") {
    const Compilers compilers;
    // PoCL's are run by products_test.cpp.
    constexpr auto dialect = detail::Dialect::cuda;
    for (const auto type : {detail::Stored::float32, detail::Stored::float64, detail::Stored::int8,
                            detail::Stored::uint64})
        for (const int side : {64, 128})
            if (side == 64 || type != detail::Stored::float64)
                compilers.compile(detail::product_text(type, side, dialect), dialect);
    const auto check = [&]<typename T>(T) {
        for (const index_t length : {3, 100, 3000, 16384}) {
            const auto x = pv::clone(pv::zeros<T>(pv::Shape{4, length}));
            const auto rows = detail::RowSoftmax::of(length, 1024);
            REQUIRE(rows);
            detail::LowerOptions options;
            options.softmax = &*rows;
            options.wide = length == 100;
            detail::Lowered low;
            detail::lower(low, (pv::transpose(pv::transpose(x)) * T{2}).operand(),
                          {{}, pv::Dimensions::row_major(x.operand().dims.max_shape())}, AllThere(),
                          options);
            CHECK(low.form == detail::Form::softmax);
            detail::Launch launch;
            detail::launch_of(low, 0, launch);
            CHECK(launch.groups > 0);
            compilers.compile(detail::source_of(low, dialect), dialect);
        }
    };
    check(float{});
    check(double{});
    CHECK_FALSE(detail::RowSoftmax::of(16385, 1024));
    CHECK_FALSE(detail::RowSoftmax::of(5000, 256));
}

TEST_CASE("texts of scans are taken by the compilers, for every type") {
    const Compilers compilers;
    const auto check = [&]<typename T>(T) {
        const auto line = pv::clone(pv::zeros<T>(pv::Shape{20000}));
        const auto table = pv::clone(pv::zeros<T>(pv::Shape{600, 64}));
        for (const auto& [x, inner] : {std::pair<pv::Operand, index_t>{line.operand(), 1},
                                       {line(pv::range(0, 100)).operand(), 1},
                                       {table.operand(), 64}})
            for (const pv::Reduction reduction : {pv::Reduction::sum, pv::Reduction::maximum}) {
                const bool adds = reduction == pv::Reduction::sum;
                if (adds && sizeof(T) < 4) continue;
                const auto scanning = detail::Scanning::of(reduction, x.dims.size() / inner, inner);
                detail::LowerOptions options;
                options.scanning = &scanning;
                options.wide = inner > 1;
                detail::Lowered low;
                detail::lower(low, x, {{}, pv::Dimensions::row_major(x.dims.max_shape())},
                              AllThere(), options);
                CHECK(low.form == detail::Form::scan);
                detail::Launch launch;
                detail::launch_of(low, 0, launch);
                CHECK(launch.groups > 0);
                // PoCL's are run by scans_test.cpp.
                constexpr auto dialect = detail::Dialect::cuda;
                compilers.compile(detail::source_of(low, dialect), dialect);
                compilers.compile(
                    detail::carry_text(reduction, *detail::stored_type(x.dtype()), dialect),
                    dialect);
            }
    };
    check(float{});
    check(double{});
    check(std::int64_t{});
    check(std::int8_t{});
    check(std::uint16_t{});
    check(std::uint32_t{});
    check(false);
}

} // namespace
