// Defines support/function_families.hpp: what reads, writes or points at elements.
#include "support/function_families.hpp"

#include "support/device_error.hpp"
#include "support/families.hpp"

#include <purview/interop/arrow.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/interop/to_html.hpp>

#include <algorithm>
#include <chrono>
#include <complex>
#include <filesystem>
#include <numeric>
#include <span>
#include <sstream>
#include <tuple>
#include <vector>

namespace families {

int access_to_elements(const Place& place) {
    Families t(place);
    t("an element", [](const Given& g) { return static_cast<double>(g.m(1, 2)); });
    t("an element of an expression",
      [](const Given& g) { return static_cast<double>((g.m + 1)(1, 2)); });
    t("read", [](const Given& g) { return g.v.read(3); });
    t("item", [](const Given& g) { return g.v(pv::range(2, 3)).item(); });
    t("row", [](const Given& g) { return g.m.row(1); });
    t("iteration", [](const Given& g) {
        double sum = 0;
        for (const double each : g.v) sum += each;
        return sum;
    });
    t("iteration over an expression", [](const Given& g) {
        const auto twice = pv::transpose(g.m) * 2;
        return std::accumulate(twice.begin(), twice.end(), 0.);
    });
    t("a vector", [](const Given& g) { return std::vector<double>(g.v); });
    t("to_vector", [](const Given& g) { return pv::to_vector(g.v * 2); });
    t("to_nested", [](const Given& g) { return pv::to_nested<2>(g.m); });
    t("as_reader", [](const Given& g) { return pv::as_reader(g.v)->read(3); });
    t("rows", [](const Given& g) {
        double sum = 0;
        for (const auto& row : pv::rows(g.m)) sum += pv::sum(row);
        return sum;
    });
    t.refused("save_npy", [](const Given& g) {
        const auto path = std::filesystem::temp_directory_path() / "purview_gpu_access.npy";
        struct Removed {
            const std::filesystem::path& path;
            ~Removed() { std::filesystem::remove(path); }
        } removed{path};
        pv::save_npy(path.string(), g.m);
        return pv::load_npy<double>(path.string()) | pv::clone;
    });
    t("stack and cat over dims", [](const Given& g) {
        pv::Dim i("i"), k("k");
        const auto both = pv::order(pv::stack({g.v(i), g.w(i) * 2}, k), {k, i});
        CHECK(both.operand().node->reads(pv::Below::device) ==
              g.v.operand().node->reads(pv::Below::device));
        return both;
    });
    t("binary operators with the host's",
      [](const Given& g) { return pv::clone(g.v + Given::on_host().v); });
    return t.tried();
}

void pointers(const Place& place) {
    const auto x = place(pv::arange(6.));
    const auto says = [&](const char* advice, auto f) {
        const std::string text = oracle::device_error(f);
        INFO(text);
        CHECK(text.find(advice) != std::string::npos);
    };
    says("gpu::to_host(x)", [&] { x.data(); });
    says("gpu::to_host(x)", [&] { pv::clone(x + 1).data(); });
    says("gpu::to_host(x)", [&] { return std::span<const double>(x); });
    says("gpu::to_host(x)", [&] { pv::as_span(x); });
    says("gpu::to_host(x)", [&] { pv::as_span(pv::flip(x) + 1); });
    says("gpu::to_host(x)", [&] { pv::describe(x); });
    says("gpu::to_dlpack(x)", [&] { pv::to_dlpack(x); });
    says("gpu::to_dlpack(x)", [&] { pv::to_dlpack(x, pv::Copy::always); });
    says("gpu::to_host(x)", [&] { pv::to_arrow(x); });
}

void printing(const Place& place) {
    const auto check = [&](const auto& f, const auto& h, std::uint64_t most) {
        const std::string device = " on " + std::string(place.label);
        const auto x = place(h);
        const std::uint64_t before = place.bytes_out();
        std::string text = f(x);
        CHECK(place.bytes_out() - before <= most);
        INFO(text);
        const std::size_t at = text.find(device);
        REQUIRE(at != std::string::npos);
        CHECK(text.erase(at, device.size()) == f(h));
    };
    const auto large = pv::clone(pv::reshape(pv::arange(6000.), {60, 100}));
    const auto small = Given::on_host().m;
    const auto printed = [](const auto& x) { return pv::to_string(x); };
    check(printed, small, 24 * 8);
    check(printed, Given::on_host().mask, 24);
    check(printed, pv::clone(pv::cast<pv::Half>(small)), 24 * 2);
    check(printed, pv::zeros({0, 3}), 0);
    check(printed, pv::full({}, 2.5), 8);
    check(printed, large, 36 * 8);
    check([](const auto& x) { return pv::to_string(pv::AnyTensor(x)); }, large, 36 * 8);
    check([](const auto& x) { return pv::to_html(x); }, large, 36 * 8);
    const auto streamed = [](auto make) {
        return [make](const auto& x) {
            std::ostringstream out;
            out << make(x);
            return out.str();
        };
    };
    check(streamed([](const auto& x) { return pv::transpose(x) * 2 + 1; }), large, 36 * 8);
    const pv::Dim i("i"), j("j");
    check(streamed([&](const auto& x) { return x(i, j) * 2; }), large, 36 * 8);
    CHECK(pv::to_string(place(small)).starts_with("#purview.tensor<float64>[4 6] on "));
}

void what_is_said(const Place& place) {
    const auto h = pv::clone(pv::reshape(pv::arange(24.), {4, 6}));
    const auto x = place(h);
    CHECK(pv::to_string(x.shape()) == pv::to_string(h.shape()));
    CHECK(x.dtype() == pv::kDType<double>);
    CHECK(x.size_bytes() == 192);
    CHECK(pv::transpose(x).strides() == pv::transpose(h).strides());
    CHECK_FALSE(x.is_read_only());
    CHECK(x.is_contiguous());
    CHECK(x.row(1).is_contiguous());
    CHECK_FALSE(pv::transpose(x).is_contiguous());
    CHECK_FALSE((x + 1).is_contiguous());
    CHECK(pv::shares_storage(x, pv::transpose(x)));
    CHECK(pv::may_overlap(x, x(0, pv::all)));
    CHECK_FALSE(pv::shares_storage(x, h));
    CHECK_FALSE(pv::shares_storage(x, pv::clone(x)));
    CHECK_FALSE(pv::may_overlap(x(0, pv::all), x(1, pv::all)));
    CHECK(pv::explain(x * 2).find(place.name) != std::string::npos);
    const auto says_none = [](const std::string& text) {
        INFO(text);
        CHECK(text.find("way: none on ") != std::string::npos);
        CHECK(text.find("to_host(x)") != std::string::npos);
    };
    says_none(pv::explain(pv::emap([](double v) { return v; }, x) + 1));
    says_none(pv::explain(x + h));
    says_none(pv::explain(pv::sum, x + h));
    says_none(pv::explain(pv::sort, x));
}

int views(const Place& place) {
    Families t(place);
    t.refused("select", [](const Given& g) { return pv::clone(g.v(g.mask)); });
    t.refused("select", [](const Given& g) { return pv::clone(g.v(g.i)); });
    t("indexes of the host", [](const Given& g) { return pv::clone(g.v(Given::on_host().i)); });
    t("a mask of the host", [](const Given& g) { return pv::clone(g.v(Given::on_host().mask)); });
    t("take", [](const Given& g) { return pv::clone(pv::take(g.m, g.i, 1)); });
    t("take_along_axis", [](const Given& g) {
        return pv::clone(pv::take_along_axis(g.m, pv::reshape(g.i, {4, 6}) % 4, 0));
    });
    t("concat", [](const Given& g) { return pv::clone(pv::concat(g.v, g.w * 2, 0)); });
    t("stack", [](const Given& g) { return pv::clone(pv::stack({g.v, g.w}, 1)); });
    t("pad", [](const Given& g) { return pv::clone(pv::pad(g.m, 2, pv::PadMode::reflect)); });
    t("tile, repeat and roll", [](const Given& g) {
        return pv::clone(pv::tile(pv::repeat(pv::roll(g.m, 2, 1), 3, 0), {1, 2}));
    });
    t("rot90", [](const Given& g) { return pv::clone(pv::rot90(g.m)); });
    t("triu", [](const Given& g) { return pv::clone(pv::triu(g.m) + pv::tril(g.m, 1)); });
    t("diag and diagonal",
      [](const Given& g) { return pv::clone(pv::diag(g.v) + pv::diagonal(g.m)(0)); });
    t("meshgrid", [](const Given& g) {
        const auto [x, y] = pv::meshgrid(g.v, g.w);
        return pv::clone(x - y);
    });
    t("sliding_window", [](const Given& g) { return pv::clone(pv::sliding_window(g.v, 0, 5, 2)); });
    t("split", [](const Given& g) { return pv::clone(pv::split(g.m, 1, {2, 4})[1] * 2); });
    t("zeros_like", [](const Given& g) { return pv::zeros_like(g.m) + pv::full_like(g.m, 3.); });
    t("where", [](const Given& g) { return pv::clone(pv::where(g.mask, g.v, g.w)); });
    t("cast", [](const Given& g) { return pv::clone(pv::cast<int>(g.v) * pv::cast<bool>(g.i)); });
    t("what has a type at run time",
      [](const Given& g) { return pv::clone(pv::AnyTensor(g.v) * pv::AnyTensor(g.i) + 1); });
    t("what has dims", [](const Given& g) {
        pv::Dim i, j;
        return pv::order(pv::sum(g.m(i, j) * 2, i), {j});
    });
    t("rearrange", [](const Given& g) {
        return pv::clone(pv::rearrange("a (b c) -> c a b", g.m, {{"b", 2}}));
    });
    return t.tried();
}

int assignments(const Place& place) {
    Families t(place);
    t("an element", [](const Given& g) {
        const auto x = pv::clone(g.m);
        x(1, 2) = 5.;
        return x;
    });
    t("rows", [](const Given& g) {
        const auto x = pv::clone(g.m);
        x(0, pv::all) = x(1, pv::all) + x(2, pv::all);
        x(pv::all, pv::range({}, {}, 2)) += 3;
        x(3, pv::all) = pv::tensor({1., 2., 3., 4., 5., 6.});
        return x;
    });
    t("fill", [](const Given& g) {
        const auto x = pv::clone(g.m);
        pv::fill(x(pv::all, 1), 4.5);
        return x;
    });
    t.refused("select", [](const Given& g) {
        const auto x = pv::clone(g.v);
        x(g.mask) = 7.;
        return x;
    });
    t("a mask of the host", [](const Given& g) {
        const auto x = pv::clone(g.v);
        x(Given::on_host().mask) *= 7.;
        return x;
    });
    t("computed indexes", [](const Given& g) {
        const auto x = pv::clone(g.v);
        x(g.i) = g.w;
        return x;
    });
    const auto dims = [](auto how) {
        return [how](const Given& g) {
            const auto x = pv::clone(g.v);
            pv::Dim i;
            how(x, g.i(i), g.w(i));
            return x;
        };
    };
    t("assign", dims([](auto& x, auto at, auto w) { pv::assign(x(at), w); }));
    t("add_to", dims([](auto& x, auto at, auto w) { pv::add_to(x(at), w); }));
    t("maximum_at", dims([](auto& x, auto at, auto w) { pv::maximum_at(x(at), w); }));
    t("std::sort", [](const Given& g) {
        const auto x = pv::clone(g.v);
        std::sort(x.begin(), x.end());
        return x;
    });
    t("std::fill", [](const Given& g) {
        const auto x = pv::clone(g.v);
        std::fill(x.begin(), x.end(), 2.);
        return x;
    });
    t("another type", [](const Given& g) {
        const auto x = pv::clone(g.i);
        pv::copy(g.v, x); // cut off
        return x;
    });
    t("what it is computed of", [](const Given& g) {
        const auto x = pv::clone(g.v);
        pv::copy(pv::rotate(x, {3}) + pv::flip(x), x);
        x += x(pv::range({}, {}, -1));
        return x;
    });
    return t.tried();
}

void types_refused(const Place& place) {
    const auto refused = [&](const auto& h, const char* type) {
        INFO(type);
        CHECK_THROWS_AS(place(h), pv::DtypeError);
        const std::string text = oracle::thrown_text<pv::DtypeError>([&] { place(h); });
        CHECK(text.find("to_device") != std::string::npos);
        CHECK(text.find(type) != std::string::npos);
    };
    refused(pv::tensor({"a", "b"}), "string");
    refused(pv::tensor({std::complex<double>(1, 2)}), "complex128");
    refused(pv::full({2}, std::chrono::sys_days(std::chrono::days(3))), "datetime");
}

} // namespace families
