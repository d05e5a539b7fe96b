/// An array in chunks, in a store of our own: opened, looked at through views, and folded chunk by chunk.

#include "check.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <array>
#include <iostream>
#include <span>
#include <string>

namespace pv = purview;

namespace {

/// A small array as Zarr keeps it: metadata as JSON, and a value for each chunk.
std::shared_ptr<pv::Store> daily_temperatures() {
    // [store]
    const auto store =
        pv::memory_store(); // or directory_store, zip_store, or a class derived from Store
    const std::string metadata =
        R"({"zarr_format": 2, "shape": [4, 6], "chunks": [2, 3], "dtype": "<f4",
        "order": "C", "compressor": null, "filters": null, "fill_value": 20})";
    store->put("temperature/.zarray", std::as_bytes(std::span(metadata)));
    const std::string names = R"({"_ARRAY_DIMENSIONS": ["day", "place"], "units": "degC"})";
    store->put("temperature/.zattrs", std::as_bytes(std::span(names)));
    const std::array<float, 6> chunk = {1, 2, 3, 4, 5, 6};
    store->put("temperature/0.1", std::as_bytes(std::span(chunk))); // the other three are all 20
    // [/store]
    return store;
}

} // namespace

int main() {
    const auto store = daily_temperatures();
    const pv::index_t limit = pv::memory_limit();
    // [open]
    pv::set_memory_limit(64 << 20);                          // 64 MiB for all chunks together
    auto stored = pv::open_zarr_array(store, "temperature"); // reads metadata alone
    auto t = stored.values.as<float>();
    auto warmest = pv::max(t, {0}); // each chunk is read once
    auto above = t - pv::mean(t);   // lazy: nothing is kept
    std::cout << stored.attributes.text("units").value() << ' ' << (above | pv::clone) << '\n';
    // [/open]
    check(stored.dimension_names == std::vector<std::string>{"day", "place"}, "axes have names");
    check(stored.chunk_shape == pv::Shape{2, 3}, "and chunks a shape");
    check(pv::to_vector(warmest) == std::vector<float>(6, 20), "chunks that are missing are fill");
    check(pv::sum(t) == 18 * 20 + 21, "all elements");

    // [statistics]
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    check(pv::sum(t) == 381 && pv::chunk_statistics().chunks_read == 4,
          "four chunks, each read once");
    // [/statistics]

    // [write]
    pv::save_zarr(store, "above", above, {.chunks = {4, 2}, .dimension_names = {"day", "place"}});
    auto log = pv::create_zarr<float>(store, "log", {0, 6}, {.chunks = {2, 6}, .fill = -1});
    for (int day = 0; day < 4; ++day) pv::append_zarr(store, "log", t(pv::range(day, day + 1)));
    auto changed = pv::open_zarr<float, pv::Access::read_write>(store, "log");
    changed(3, pv::all) = 0; // reads, encodes and stores one chunk
    // [/write]
    check(pv::equals(pv::open_zarr<float>(store, "above"), above), "each chunk was written");
    check(log.size() == 0 && changed.shape() == pv::Shape{4, 6}, "open tensors keep their shape");
    check(pv::sum(pv::open_zarr<float>(store, "log")) == pv::sum(t(pv::range(0, 3))), "rows");
    pv::set_memory_limit(limit);
    return exit_status();
}
