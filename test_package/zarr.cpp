// A program that links purview::zarr from outside: an array in a store of memory.
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <iostream>
#include <span>
#include <string_view>

namespace pv = purview;

int main() {
    constexpr std::string_view kMetadata =
        R"({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|u1", "order": "C",
            "compressor": null, "filters": null, "fill_value": 7})";
    const auto store = pv::memory_store();
    store->put(".zarray", std::as_bytes(std::span(kMetadata)));
    const pv::Tensor<std::uint8_t> x = pv::open_zarr<std::uint8_t>(store);
    std::cout << x << '\n';
    return x.read(1) == 7 ? 0 : 1;
}
